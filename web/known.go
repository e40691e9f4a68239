package web

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"digest"
)

// A browser that was signed in keeps a cookie that says with which address. It
// lets nobody in. It has letters to that address counted for the browser, so that
// strangers, who have no such cookie, cannot use them up.

// knownTTL is for how long a browser is known: as long as browsers keep a cookie.
const knownTTL = 400 * 24 * time.Hour

func (s *site) knownCookie() string { return s.cookieName() + "-known" }

// knownBrowser gives the name of the browser that a request comes from, if it was
// signed in with the address before. It asks for no account.
func (s *site) knownBrowser(r *http.Request, email string) (name string, known bool) {
	c, err := r.Cookie(s.knownCookie())
	if err != nil {
		return "", false
	}
	name, token, _ := strings.Cut(c.Value, ".")
	return "browser " + name, s.Signer.VerifyText(digest.ForBrowser, knownAs(name, email), token)
}

// sharedMark ends the name of a browser in which several addresses were signed in: what an old page in it posts may be
// anybody's of them, so that no form is held there (holdForm).
const sharedMark = "-shared"

// enterBrowser lets a browser be known as one that was signed in with an address, which may be another one than before.
func (s *site) enterBrowser(w http.ResponseWriter, r *http.Request, email string) {
	_, known := s.knownBrowser(r, email)
	_, err := r.Cookie(s.knownCookie())
	s.knowBrowser(w, email, s.isShared(r) || err == nil && !known)
}

// isShared reports whether several addresses were signed in in the browser that a request comes from.
func (s *site) isShared(r *http.Request) bool {
	c, err := r.Cookie(s.knownCookie())
	if err != nil {
		return false
	}
	name, _, _ := strings.Cut(c.Value, ".")
	return strings.HasSuffix(name, sharedMark)
}

// knowBrowser names a browser anew, as one that was signed in with an address.
func (s *site) knowBrowser(w http.ResponseWriter, email string, shared bool) {
	name := rand.Text()
	if shared {
		name += sharedMark
	}
	s.setCookie(w, s.knownCookie(), name+"."+s.Signer.SignText(digest.ForBrowser, knownAs(name, email)),
		int(knownTTL.Seconds()))
}

// knownAs is what the cookie's token is made of.
func knownAs(name, email string) string { return name + " " + strings.ToLower(email) }
