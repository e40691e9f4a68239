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

// knowBrowser lets a browser be known as one that was signed in with an address.
func (s *site) knowBrowser(w http.ResponseWriter, email string) {
	name := rand.Text()
	s.setCookie(w, s.knownCookie(), name+"."+s.Signer.SignText(digest.ForBrowser, knownAs(name, email)), int(knownTTL.Seconds()))
}

// knownAs is what the cookie's token is made of.
func knownAs(name, email string) string { return name + " " + strings.ToLower(email) }
