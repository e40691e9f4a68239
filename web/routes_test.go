package web

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"digest/web/page"
)

// TestFormsLeadSomewhere checks that a GET of every form's address finds a page or redirects to a page above it.
// Routes for programs and scripts are exempt.
func TestFormsLeadSomewhere(t *testing.T) {
	s := newSite(Options{})
	s.Handler(nil, s.parts()...)
	forms := 0
	for _, part := range s.parts() {
		if part.Name == "api" || part.Name == "programs" {
			continue
		}
		for pattern := range part.Routes {
			path, isForm := strings.CutPrefix(pattern, "POST ")
			if !isForm || strings.HasPrefix(path, "/passkeys/") || path == "/sign-out" {
				continue
			}
			forms++
			path = regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1")
			page := s.PageAbove(url.URL{Path: path})
			if page.Path == "/" {
				t.Errorf("%s leads to the front page only", pattern)
			}
		}
	}
	if forms < 50 {
		t.Errorf("there are %d forms", forms)
	}
	for path, want := range map[string]string{
		"/feeds/12/pause": "/feeds/12", "/feeds/12/credential": "/feeds/12",
		"/settings/travel/remove": "/settings/travel", "/sign-in/email": "/sign-in",
		"/settings/mailed": "/settings", "/newsletters/a/people/3/owner": "/newsletters/a/people",
		"/operator/readers/3/operator/end": "/operator/readers/3",
		"/sign-out":                        "/", "/passkeys/sign-in/begin": "/", "/settings/zone": "/settings/zone",
	} {
		if page := s.PageAbove(url.URL{Path: path}); page.Path != want {
			t.Errorf("%s leads to %s, want %s", path, page.Path, want)
		}
	}
	for _, pattern := range Routes("api") {
		method, path, _ := strings.Cut(pattern, " ")
		if r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}); page.IsForm(r) {
			t.Errorf("%s %s is asked as a form", method, path)
		}
	}
	if others := []string{"POST", "DELETE", "PUT"}; slices.ContainsFunc(others, func(method string) bool {
		return page.IsForm(&http.Request{Method: method, URL: &url.URL{Path: "/feeds/12/pause"}})
	}) {
		t.Error("another method is led away")
	}
}
