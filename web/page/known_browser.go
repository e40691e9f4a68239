package page

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

// KnownCookie returns the name of the cookie.
func (s *Site) KnownCookie() string { return s.CookieName() + "-known" }

// KnownBrowser returns the name of the browser, if it was signed in with the address before. It
// does not look up the account.
func (s *Site) KnownBrowser(r *http.Request, email string) (name string, known bool) {
	c, err := r.Cookie(s.KnownCookie())
	if err != nil {
		return "", false
	}
	name, token, _ := strings.Cut(c.Value, ".")
	return "browser " + name, s.Signer.VerifyText(digest.ForBrowser, knownAs(name, email), token)
}

// KnowBrowser gives the browser a new name and a token for the address.
func (s *Site) KnowBrowser(w http.ResponseWriter, email string) {
	name := rand.Text()
	s.SetCookie(w, s.KnownCookie(), name+"."+s.Signer.SignText(digest.ForBrowser, knownAs(name, email)),
		int(knownTTL.Seconds()))
}

// knownAs returns the text that the cookie's token signs.
func knownAs(name, email string) string { return name + " " + strings.ToLower(email) }
