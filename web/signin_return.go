package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// Who asks for a page of a reader's without being signed in is led back to it from the
// sign-in. The browser itself keeps the page's path, in a cookie: so it stands in no
// link, where strangers could put another, and in no letter.

// longestReturn is the most bytes of a path that is kept: browsers take 4096 of a whole cookie.
const longestReturn = 2700

// toSignIn leads to the sign-in page, and from there back to what was asked for; where the browser holds a form, to the page
// of that, whatever is asked for meanwhile.
func (s *site) toSignIn(w http.ResponseWriter, r *http.Request) error {
	_, held := s.heldForm(r)
	if path, ok := localPath(returnTo(r.URL)); ok && !held && isPage(r) && len(path) <= longestReturn {
		s.setReturn(w, path)
	}
	if r.Method == http.MethodPost {
		s.holdForm(w, r)
	}
	return seeOther(w, r, "/sign-in")
}

// setReturn has the browser hold the path of the page to which the sign-in leads.
func (s *site) setReturn(w http.ResponseWriter, path string) {
	s.setCookie(w, s.returnCookie(), base64.RawURLEncoding.EncodeToString([]byte(path)), int(mailedTTL.Seconds()))
}

// returnTo is the path to a page once more; of what a program has shared it keeps the address alone.
func returnTo(u *url.URL) string {
	if q := u.Query(); u.Path == "/feeds/share" {
		return "/feeds/add?url=" + url.QueryEscape(sharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
	}
	return u.RequestURI()
}

// isPage reports whether a request is for a page, not for what stands in one.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/sound/") &&
		!strings.HasSuffix(r.URL.Path, "/offline.json")
}

// useReturn gives the path of the page to which a browser that has just been signed
// in is led, and has the browser forget it: "/" if there is none.
func (s *site) useReturn(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(s.returnCookie())
	if err != nil {
		return "/"
	}
	s.setCookie(w, s.returnCookie(), "", -1)
	asked, err := base64.RawURLEncoding.DecodeString(c.Value)
	path, ok := localPath(string(asked))
	if err != nil || !ok {
		return "/"
	}
	return path
}

// returnCookie is the cookie's name.
func (s *site) returnCookie() string { return s.cookieName() + "-return" }
