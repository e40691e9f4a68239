package page

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A look is the reader's choice of theme, text size and language. A cookie stores it, so that the
// sign-in page uses it after the session has expired. Signing out deletes the cookie.
type look struct {
	Theme    digest.Theme
	TypeSize digest.TypeSize
	Language string // code; "": browser default
}

func usualLook() look { return look{Theme: digest.AsDevice, TypeSize: digest.AsBrowser} }

// String returns the value of the cookie.
func (l look) String() string { return string(l.Theme) + "." + string(l.TypeSize) + "." + l.Language }

// parseLook parses the value of the cookie. It returns the default look and false if the value is
// invalid.
func parseLook(text string) (look, bool) {
	theme, rest, _ := strings.Cut(text, ".")
	size, language, ok := strings.Cut(rest, ".")
	l := look{digest.Theme(theme), digest.TypeSize(size), language}
	p := digest.UsualPages()
	p.Theme, p.TypeSize = l.Theme, l.TypeSize
	if _, known := catalogue.Find(language); !ok || p.Check() != nil || !known && language != "" {
		return usualLook(), false
	}
	return l, true
}

func (s *Site) lookCookie() string { return s.CookieName() + "-look" }

func (s *Site) heldLook(r *http.Request) look {
	c, err := r.Cookie(s.lookCookie())
	if err != nil {
		return usualLook()
	}
	l, _ := parseLook(c.Value)
	return l
}

// look returns the look for the signed-in reader, or for a visitor. It updates the reader's cookie
// unless the response is cached.
func (s *Site) look(w http.ResponseWriter, r *http.Request, who digest.User) look {
	held := s.heldLook(r)
	if who.ID == 0 {
		return held
	}
	l := look{who.Theme, who.TypeSize, who.Language}
	switch {
	case l == held || !isUncached(w.Header()):
	case l == usualLook():
		s.SetCookie(w, s.lookCookie(), "", -1)
	default:
		s.SetCookie(w, s.lookCookie(), l.String(), int(knownTTL.Seconds()))
	}
	return l
}

// isUncached reports whether the response is not cached. A cached response may be shown to another
// reader later.
func isUncached(h http.Header) bool { return strings.Contains(h.Get("Cache-Control"), "no-store") }

// LeaveBrowser deletes the session and all data of the reader from the browser, except the cookie
// that proves with which address it was signed in.
func (s *Site) LeaveBrowser(w http.ResponseWriter) {
	s.SetCookie(w, s.CookieName(), "", -1)
	s.SetCookie(w, s.lookCookie(), "", -1)
	clearDevice(w)
}
