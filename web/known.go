package web

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"digest"
)

// A browser that was signed in keeps a cookie that proves with which address. The cookie does not
// sign anybody in. Letter requests for this address count against the browser, so strangers cannot
// use up its limit.

// knownTTL is the lifetime of the cookie, the maximum that browsers allow.
const knownTTL = 400 * 24 * time.Hour

func (s *site) knownCookie() string { return s.cookieName() + "-known" }

// knownBrowser returns the name of the browser, if it was signed in with the address before. It
// does not look up the account.
func (s *site) knownBrowser(r *http.Request, email string) (name string, known bool) {
	c, err := r.Cookie(s.knownCookie())
	if err != nil {
		return "", false
	}
	name, token, _ := strings.Cut(c.Value, ".")
	return "browser " + name, s.Signer.VerifyText(digest.ForBrowser, knownAs(name, email), token)
}

// sharedMark ends the name of a browser in which several addresses were signed in. holdForm stores
// no forms there, because an old page may belong to any of them.
const sharedMark = "-shared"

// enterBrowser marks the browser as signed in with an address, which may differ from the previous
// one.
func (s *site) enterBrowser(w http.ResponseWriter, r *http.Request, email string) {
	_, known := s.knownBrowser(r, email)
	_, err := r.Cookie(s.knownCookie())
	s.knowBrowser(w, email, s.isShared(r) || err == nil && !known)
}

func (s *site) isShared(r *http.Request) bool {
	c, err := r.Cookie(s.knownCookie())
	if err != nil {
		return false
	}
	name, _, _ := strings.Cut(c.Value, ".")
	return strings.HasSuffix(name, sharedMark)
}

// knowBrowser gives the browser a new name and a token for the address.
func (s *site) knowBrowser(w http.ResponseWriter, email string, shared bool) {
	name := rand.Text()
	if shared {
		name += sharedMark
	}
	s.setCookie(w, s.knownCookie(), name+"."+s.Signer.SignText(digest.ForBrowser, knownAs(name, email)),
		int(knownTTL.Seconds()))
}

// knownAs returns the text that the cookie's token signs.
func knownAs(name, email string) string { return name + " " + strings.ToLower(email) }
