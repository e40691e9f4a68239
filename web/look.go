package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A look is what a reader has chosen of how all pages look. Their browser holds it, so that the sign-in looks so, too,
// when a session is over. It says nothing else of them, and goes when they sign out.
type look struct {
	Theme    digest.Theme
	TypeSize digest.TypeSize
	Language string // its code; "": as the browser asks for
}

// usualLook is the look of whoever has chosen nothing.
func usualLook() look { return look{Theme: digest.AsDevice, TypeSize: digest.AsBrowser} }

// String is a look as a cookie holds it.
func (l look) String() string { return string(l.Theme) + "." + string(l.TypeSize) + "." + l.Language }

// parseLook reads what String wrote; false: it did not.
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

func (s *site) lookCookie() string { return s.cookieName() + "-look" }

// heldLook is the look that a browser holds, else the usual one.
func (s *site) heldLook(r *http.Request) look {
	c, err := r.Cookie(s.lookCookie())
	if err != nil {
		return usualLook()
	}
	l, _ := parseLook(c.Value)
	return l
}

// look is how a page looks for who is signed in, if anybody is. Their browser holds it from now on, if no cache holds
// the answer.
func (s *site) look(w http.ResponseWriter, r *http.Request, who digest.User) look {
	held := s.heldLook(r)
	if who.ID == 0 {
		return held
	}
	l := look{who.Theme, who.TypeSize, who.Language}
	switch {
	case l == held || !isUncached(w.Header()):
	case l == usualLook():
		s.setCookie(w, s.lookCookie(), "", -1)
	default:
		s.setCookie(w, s.lookCookie(), l.String(), int(knownTTL.Seconds()))
	}
	return l
}

// isUncached reports whether no cache holds an answer: else it may be shown to whoever is signed in later.
func isUncached(h http.Header) bool { return strings.Contains(h.Get("Cache-Control"), "no-store") }

// leaveBrowser has a browser remove its session and all that it holds of its reader, except with which address it was
// signed in.
func (s *site) leaveBrowser(w http.ResponseWriter) {
	s.setCookie(w, s.cookieName(), "", -1)
	s.setCookie(w, s.lookCookie(), "", -1)
	clearDevice(w)
}
