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

// knowBrowser gives the browser a new name and a token for the address.
func (s *site) knowBrowser(w http.ResponseWriter, email string) {
	name := rand.Text()
	s.setCookie(w, s.knownCookie(), name+"."+s.Signer.SignText(digest.ForBrowser, knownAs(name, email)),
		int(knownTTL.Seconds()))
}

// knownAs returns the text that the cookie's token signs.
func knownAs(name, email string) string { return name + " " + strings.ToLower(email) }
