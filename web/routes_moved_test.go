package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestMovedRoutes checks that each former address redirects to an existing route and keeps its token and query. A
// redirected form gets status 308.
func TestMovedRoutes(t *testing.T) {
	mux := http.NewServeMux()
	for _, part := range newSite(Options{}).parts() {
		for pattern := range part.Routes {
			mux.Handle(pattern, http.NotFoundHandler())
		}
	}
	names := strings.NewReplacer("{token}", "a.b-c", "{id}", "12", "{slug}", "anna-writes", "{date}", "2026-11-21",
		"{at}", "5")
	moved := movedRoutes()
	for pattern, h := range moved {
		former := http.NewServeMux()
		former.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { _ = h(w, r) })
		method, path, _ := strings.Cut(pattern, " ")
		r := httptest.NewRequest(method, names.Replace(path)+"?a=b%20c", nil)
		w := httptest.NewRecorder()
		former.ServeHTTP(w, r)
		status := map[string]int{"GET": http.StatusMovedPermanently, "POST": http.StatusPermanentRedirect}[method]
		to := w.Header().Get("Location")
		if w.Code != status || !strings.HasSuffix(to, "?a=b%20c") || strings.ContainsAny(to, "{}") {
			t.Errorf("%s: %d to %s", pattern, w.Code, to)
		}
		if _, found := mux.Handler(httptest.NewRequest(method, to, nil)); found == "" || moved[found] != nil {
			t.Errorf("%s redirects to %s, which is no route", pattern, to)
		}
	}
}
