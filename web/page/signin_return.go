package page

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// A request for a reader's page without a session redirects to the sign-in, and back to the page afterwards. A form
// posted without a session changes nothing, and the sign-in returns to the page of the form. A cookie in the browser
// stores the path of the page. The path is not in the sign-in link, where an attacker could replace it.

// longestReturn is the longest path that is stored, in bytes. Browsers accept 4096 for a whole cookie.
const longestReturn = 2700

// toSignIn redirects to the sign-in page, and stores where to return. For a form it returns errSignedOut.
func (s *Site) toSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost {
		if r.Header.Get(accountHeader) == "" { // not a script
			s.setReturn(w, s.formPage(r))
		}
		return errSignedOut
	}
	if path, ok := LocalPath(returnTo(r.URL)); ok && isPage(r) {
		s.setReturn(w, path)
	}
	return SeeOther(w, r, "/sign-in")
}

func (s *Site) setReturn(w http.ResponseWriter, path string) {
	if len(path) <= longestReturn {
		s.SetCookie(w, s.returnCookie(), base64.RawURLEncoding.EncodeToString([]byte(path)), int(MailedTTL.Seconds()))
	}
}

// formPage returns the path of the page with the posted form. If that page was itself the response to a form, it
// returns the nearest page above.
func (s *Site) formPage(r *http.Request) string {
	page := url.URL{Path: r.URL.Path}
	if from, err := url.Parse(r.Referer()); err == nil && from.Host != "" {
		there := url.URL{Path: from.Path, RawQuery: from.RawQuery}
		if local, ok := LocalPath(there.String()); ok && len(local) <= longestReturn {
			page = there
		}
	}
	page = s.PageAbove(page)
	return page.String()
}

// PageAbove returns the address of a page, or of the nearest page above it.
func (s *Site) PageAbove(page url.URL) url.URL {
	for !s.isShown(page) {
		above := path.Dir(page.Path)
		if above == page.Path {
			return url.URL{Path: "/"}
		}
		page = url.URL{Path: above}
	}
	return page
}

func (s *Site) isShown(page url.URL) bool {
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &page})
	return strings.HasPrefix(pattern, http.MethodGet+" ")
}

// returnTo returns the path of a page. For a shared text it keeps only the address in it.
func returnTo(u *url.URL) string {
	if q := u.Query(); u.Path == "/feeds/share" {
		return "/feeds/add?url=" + url.QueryEscape(SharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
	}
	return u.RequestURI()
}

// isPage reports whether a request is for a page, not for a resource of one.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/sound/") &&
		!strings.HasSuffix(r.URL.Path, "/offline.json")
}

// UseReturn returns the path that setReturn stored and deletes the cookie. Without a path it returns "/".
func (s *Site) UseReturn(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(s.returnCookie())
	if err != nil {
		return "/"
	}
	s.SetCookie(w, s.returnCookie(), "", -1)
	asked, err := base64.RawURLEncoding.DecodeString(c.Value)
	path, ok := LocalPath(string(asked))
	if err != nil || !ok {
		return "/"
	}
	return path
}

func (s *Site) returnCookie() string { return s.CookieName() + "-return" }
