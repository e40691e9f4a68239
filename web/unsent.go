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

// A form that is posted without a session redirects to the sign-in, and then back to the page of the form, filled in
// as before. Nothing is done until the reader presses its button again, and guard rejects forms of other sites
// earlier. The browser stores the form in a cookie that only this instance can read and write. The form is filled in
// only for the email address that was last signed in to this browser. If there were several or none, the owner of the
// form is unknown: the form is not stored, and the page says so.

type unsentForm struct {
	Page   string     // page of the form
	Action string     // address to which it was posted
	Fields url.Values // its values; nil: they could not be stored
	Nth    int        // 1, or one more than the form that it replaced in the cookie
	Known  string     // the known cookie of the browser, which proves the email address of its last session
	Until  int64      // expiry in Unix seconds
}

const (
	longestUnsent = 16 << 10 // longest form that is stored, in bytes
	longestCookie = 3800     // longest value of the cookie; browsers accept 4096 bytes with the name
	unsentWord    = "unsent" // query parameter of the page to which the sign-in returns
)

// secretFields are never stored: they hold the credentials of feeds.
var secretFields = [...]string{"user", "password", "token", "secret"}

// typedFields are the fields with the reader's own words, in forms that may be missing from the page later.
var typedFields = [...]string{"title", "folder", "words", "name", "address", "email", "note", "line", "description",
	"header", "footer", "returns", "subject", "reason", "host"}

func (s *site) unsentCookie() string { return s.cookieName() + "-unsent" }

// holdForm stores the posted form in the browser, and its page as the one to return to. It stores the values only if
// the browser was signed in with exactly one address.
func (s *site) holdForm(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(accountHeader) != "" { // the device stores it already
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

// formPage returns the path of the page with the posted form. If that page was itself the response to a form, it
// returns the nearest page above.
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

// pageAbove returns the address of a page, or of the nearest page above it.
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

func (s *site) isShown(page url.URL) bool {
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &page})
	return strings.HasPrefix(pattern, http.MethodGet+" ")
}

// fieldsOf returns the values of a form without secrets. It returns nil if the form is too long or not URL-encoded.
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

// returnPath returns the path of the page, with a parameter that names the form.
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

// sealForm encodes a form for a cookie. It returns false if the result is too long.
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
	_, _ = z.Write(plain) // cannot fail: b is in memory
	_ = z.Close()
	value := s.Signer.Seal(digest.ForUnsent, b.Bytes())
	return value, len(value) <= longestCookie
}

// heldForm returns the form in the browser's cookie. It returns false without a cookie that is valid and recent.
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

// isOf reports whether the form was posted in the browser that was signed in with an address.
func (s *site) isOf(u unsentForm, email string) bool {
	name, token, _ := strings.Cut(u.Known, ".")
	return s.Signer.VerifyText(digest.ForBrowser, knownAs(name, email), token)
}

// refill fills the browser's stored form into a reader's page, with a notice.
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

func (s *site) forgetForm(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie(s.unsentCookie()); err == nil {
		s.setCookie(w, s.unsentCookie(), "", -1)
	}
}
