package page

import (
	"net/http"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// accountHeader identifies the reader of a response. Browsers store no page of another reader, and
// delete their pages when nobody is signed in. A save that was made offline also sends it.
const accountHeader = "Digest-Account"

// noAccount is the value without a session.
const noAccount = "none"

// account returns an ID of the reader for their browsers. It grants no access.
func (s *Site) account(id digest.UserID) string {
	return s.Signer.SignText(digest.ForDevice, strconv.FormatInt(int64(id), 10))
}

// A deviceView is the part of a page for browsers that store it.
type deviceView struct {
	Account string
	Leaving string            // name of the leaving cookie
	Made    catalogue.Sayable // time of the response in the reader's time zone
}

// TellDevice sets accountHeader, unless the response is cached or the session is unknown.
func (s *Site) TellDevice(h http.Header, who digest.User, err error) *deviceView {
	switch {
	case err != nil || !s.Offline:
		return nil
	case who.ID == 0:
		if isUncached(h) {
			h.Set(accountHeader, noAccount)
		}
		return nil
	}
	v := &deviceView{s.account(who.ID), s.leavingCookie(),
		catalogue.Time("2 January 2006, 15:04", s.Now().In(ZoneOr(who.TimeZone)))}
	h.Set(accountHeader, v.Account)
	return v
}

// leavingCookie names the cookie that a page sets if the reader signs out offline. The next request
// ends the session.
func (s *Site) leavingCookie() string { return s.CookieName() + "-leaving" }

// withLeaving ends the session of a browser with the leaving cookie. It ignores requests for public
// cached files.
func (s *Site) withLeaving(next http.Handler) http.Handler {
	leave := s.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.EndSession(r); err != nil {
			return err
		}
		s.LeaveBrowser(w)
		s.SetCookie(w, s.leavingCookie(), "", -1)
		next.ServeHTTP(w, r)
		return nil
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie(s.leavingCookie())
		if shared := strings.HasPrefix(r.URL.Path, "/static/") ||
			strings.HasPrefix(r.URL.Path, "/image/"); err != nil || shared {
			next.ServeHTTP(w, r)
			return
		}
		leave.ServeHTTP(w, r)
	})
}

// clearDevice makes the browser delete its cache and storage of this site.
func clearDevice(w http.ResponseWriter) { w.Header().Set("Clear-Site-Data", `"cache", "storage"`) }
