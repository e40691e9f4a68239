package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// A request for a reader's page without a session redirects to the sign-in, and back to the page afterwards. A cookie
// in the browser stores the path of the page. The path is not in the sign-in link, where an attacker could replace
// it.

// longestReturn is the longest path that is stored, in bytes. Browsers accept 4096 for a whole cookie.
const longestReturn = 2700

// toSignIn redirects to the sign-in page, and stores where to return. If the browser holds an unsent form, the reader
// returns to the page of that form.
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

func (s *site) setReturn(w http.ResponseWriter, path string) {
	s.setCookie(w, s.returnCookie(), base64.RawURLEncoding.EncodeToString([]byte(path)), int(mailedTTL.Seconds()))
}

// returnTo returns the path of a page. For a shared text it keeps only the address in it.
func returnTo(u *url.URL) string {
	if q := u.Query(); u.Path == "/feeds/share" {
		return "/feeds/add?url=" + url.QueryEscape(sharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
	}
	return u.RequestURI()
}

// isPage reports whether a request is for a page, not for a resource of one.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/sound/") &&
		!strings.HasSuffix(r.URL.Path, "/offline.json")
}

// useReturn returns the path that setReturn stored and deletes the cookie. Without a path it returns "/".
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

func (s *site) returnCookie() string { return s.cookieName() + "-return" }
