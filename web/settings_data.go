package web

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/export"
)

func (s *site) dataPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "settings_data", "All your data", s.frame(r, me))
}

// exportTime is how long the file may take on its way: a gigabyte at a slow
// reader's. It is by the machine's clock, as connections are.
const exportTime = 30 * time.Minute

// downloadData sends all that is a reader's as one file. It changes nothing, but it is
// work: neither HEAD nor a browser that fetches ahead starts it.
func (s *site) downloadData(w http.ResponseWriter, r *http.Request, me reader) error {
	if fetchesAhead(r) {
		return errAhead
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": export.FileName(s.Now())}))
	if r.Method == http.MethodHead {
		return nil
	}
	all, err := s.readData(r, me)
	if err != nil {
		h.Del("Content-Disposition")
		return err
	}
	// Not every connection has one that can be set; it then keeps the server's.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportTime))
	if err := all.Write(r.Context(), w); err != nil {
		if r.Context().Err() == nil {
			s.Log.ErrorContext(r.Context(), "sending a reader's data failed", "error", err)
		}
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return nil
}

// readData reads what is small of a reader's data, if they have not asked too often.
func (s *site) readData(r *http.Request, me reader) (*export.Export, error) {
	if !s.limits.exports.allow(strconv.FormatInt(int64(me.ID), 10), s.Now()) {
		return nil, errOften
	}
	return export.Read(r.Context(), s.Store, me.User, me.Digest, s.Now())
}

var (
	errAhead = &problem{http.StatusServiceUnavailable, "Not ahead of time", "Your data is put together when you ask for it."}
	errOften = &problem{http.StatusTooManyRequests, "You have just had it", "Your data was asked for several times within a few minutes. Try again in ten."}
)

// fetchesAhead reports whether a browser asks for what its reader may never want.
func fetchesAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.Contains(strings.ToLower(r.Header.Get(name)), "pre") { // prefetch, prerender, preview
			return true
		}
	}
	return false
}

// A deletePage asks whether a reader really goes.
type deletePage struct {
	settingsFrame
	Typed string // the address, as it was typed
	Alone bool   // nobody else runs this instance
}

// formAddress is the field in which a reader types their address.
const formAddress = "address"

func (s *site) deletePageOf(r *http.Request, me reader) (deletePage, error) {
	p := deletePage{settingsFrame: s.frame(r, me)}
	if !me.Operator {
		return p, nil
	}
	others, err := s.Store.OtherOperators(r.Context(), me.ID)
	p.Alone = others == 0
	return p, err
}

func (s *site) deletePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.deletePageOf(r, me)
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "settings_delete", "Delete the account", p)
}

// deleteAccount removes a reader for good, if they have typed their own address.
func (s *site) deleteAccount(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.deletePageOf(r, me)
	if err != nil {
		return err
	}
	p.Typed = r.PostForm.Get(formAddress)
	if !strings.EqualFold(digest.NormalEmail(p.Typed), digest.NormalEmail(me.Email)) {
		p.Wrong = "That is not the address of this account. Nothing was deleted."
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_delete", "Delete the account", p)
	}
	if err := s.Store.RemoveUser(r.Context(), me.ID); err != nil && digest.KindOf(err) != digest.NotFound {
		return err
	}
	s.setCookie(w, "", -1)
	return seeOther(w, r, "/goodbye")
}

// goodbyePage is where who has gone is led.
func (s *site) goodbyePage(w http.ResponseWriter, r *http.Request) error {
	if _, ok, _ := s.signedIn(r); ok {
		return seeOther(w, r, "/")
	}
	return s.show(w, r, http.StatusOK, "goodbye", "Goodbye", nil)
}
