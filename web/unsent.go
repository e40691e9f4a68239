package web

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// Who posts a form without being signed in any more is led to the sign-in, and back to the page where the form stood,
// filled in as they wrote it. Nothing is done until they press its button again: so no other site gains anything, whose
// forms are refused before (guard). The browser itself holds what was written, in a cookie that this instance alone can
// read and make. It can be filled in for the address alone with which the browser was signed in last; where several
// were, or none, what was written is not held, for nobody can tell whose it is, and the page says so.

// An unsentForm is one that was posted without a session.
type unsentForm struct {
	Page   string     // on which it stood
	Action string     // to which it was posted
	Fields url.Values // what was written; nil: it could not be held here
	Nth    int        // 1, or one more than that of the form whose place it has taken
	Known  string     // the cookie of the browser, which proves with which address it was signed in
	Until  int64      // Unix seconds
}

const (
	longestUnsent = 16 << 10 // bytes of a form that is read
	longestCookie = 3800     // bytes of what is made of it; browsers hold 4096 with the name
	unsentWord    = "unsent" // the parameter of the page to which the sign-in leads back
)

// secretFields are never held: what feeds are asked with.
var secretFields = [...]string{"user", "password", "token", "secret"}

// typedFields are those in which readers write with their own words, in forms of pages that may lack them later.
var typedFields = [...]string{"title", "folder", "words", "name", "address", "email", "note", "line", "description",
	"header", "footer", "returns", "subject", "reason", "host"}

func (s *site) unsentCookie() string { return s.cookieName() + "-unsent" }

// holdForm has the browser hold the form that a request posts, and lead back to its page. What was written is held if the
// browser was signed in before, with one address.
func (s *site) holdForm(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(accountHeader) != "" { // it waits on the device already
		return
	}
	u := unsentForm{Page: s.formPage(r), Action: r.URL.Path, Nth: 1, Until: s.Now().Add(mailedTTL).Unix()}
	if before, ok := s.heldForm(r); ok {
		u.Nth = before.Nth
		if before.Page != u.Page || before.Action != u.Action {
			u.Nth++
		}
	}
	if known, err := r.Cookie(s.knownCookie()); err == nil && !s.isShared(r) {
		u.Known, u.Fields = known.Value, fieldsOf(r)
	}
	value, ok := s.sealForm(u)
	if !ok {
		u.Fields = nil
		if value, ok = s.sealForm(u); !ok {
			return
		}
	}
	s.setCookie(w, s.unsentCookie(), value, int(mailedTTL.Seconds()))
	s.setReturn(w, u.returnPath())
}

// formPage is the path of the page on which the form stood that a request posts: where that page was itself an answer to a
// form, of the nearest one above it.
func (s *site) formPage(r *http.Request) string {
	page := url.URL{Path: r.URL.Path}
	if from, err := url.Parse(r.Referer()); err == nil && from.Host != "" {
		there := url.URL{Path: from.Path, RawQuery: from.RawQuery}
		if local, ok := localPath(there.String()); ok && len(local) <= longestReturn/2 {
			page = there
		}
	}
	page = s.pageAbove(page)
	return page.String()
}

// pageAbove is an address if there is a page, else the nearest one above it that is a page.
func (s *site) pageAbove(page url.URL) url.URL {
	for !s.isShown(page) {
		above := path.Dir(page.Path)
		if above == page.Path {
			return url.URL{Path: "/"}
		}
		page = url.URL{Path: above}
	}
	return page
}

// isShown reports whether there is a page at an address.
func (s *site) isShown(page url.URL) bool {
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &page})
	return strings.HasPrefix(pattern, http.MethodGet+" ")
}

// fieldsOf reads what was written into a form, without secrets; nil if it is too long or a file.
func fieldsOf(r *http.Request) url.Values {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.ContentLength == 0 {
		return url.Values{}
	}
	if err != nil || kind != "application/x-www-form-urlencoded" || r.ContentLength < 0 ||
		r.ContentLength > longestUnsent || r.ParseForm() != nil {
		return nil
	}
	fields := r.PostForm
	fields.Del(accountField)
	if fields.Has("secret") {
		fields.Del("address")
	}
	for _, name := range secretFields {
		fields.Del(name)
	}
	return fields
}

// returnPath is that of the page, which is told which form is to be filled in.
func (u unsentForm) returnPath() string {
	page, err := url.Parse(u.Page)
	if err != nil {
		return "/"
	}
	query := page.Query()
	query.Set(unsentWord, strconv.Itoa(u.Nth))
	page.RawQuery = query.Encode()
	return page.String()
}

// sealForm writes a form for a cookie; false if it is too long for one.
func (s *site) sealForm(u unsentForm) (string, bool) {
	plain, err := json.Marshal(u)
	if err != nil {
		return "", false
	}
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", false
	}
	_, _ = z.Write(plain) // to memory
	_ = z.Close()
	value := s.Signer.Seal(digest.ForUnsent, b.Bytes())
	return value, len(value) <= longestCookie
}

// heldForm gives the form that a browser holds; false: there is none that is of this instance and not too old.
func (s *site) heldForm(r *http.Request) (u unsentForm, ok bool) {
	c, err := r.Cookie(s.unsentCookie())
	if err != nil {
		return u, false
	}
	packed, ok := s.Signer.Unseal(digest.ForUnsent, c.Value)
	if !ok {
		return u, false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), 4*longestUnsent))
	if err != nil || json.Unmarshal(plain, &u) != nil || !s.Now().Before(time.Unix(u.Until, 0)) {
		return unsentForm{}, false
	}
	return u, true
}

// isOf reports whether the form is of the browser that was signed in with an address.
func (s *site) isOf(u unsentForm, email string) bool {
	name, token, _ := strings.Cut(u.Known, ".")
	return s.Signer.VerifyText(digest.ForBrowser, knownAs(name, email), token)
}

// refill fills the form that the browser holds into a reader's page, and says so there.
func (s *site) refill(r *http.Request, reader digest.User, page []byte, speaks *catalogue.Language) []byte {
	if r.Method != http.MethodGet || reader.ID == 0 || !r.URL.Query().Has(unsentWord) {
		return page
	}
	u, ok := s.heldForm(r)
	if !ok || r.URL.Query().Get(unsentWord) != strconv.Itoa(u.Nth) || u.Fields != nil && !s.isOf(u, reader.Email) {
		return page
	}
	return refilled(page, r.URL.Path, u, speaks)
}

// forgetForm has the browser forget the form that it holds.
func (s *site) forgetForm(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie(s.unsentCookie()); err == nil {
		s.setCookie(w, s.unsentCookie(), "", -1)
	}
}
