package page

import (
	"net/http"
	"time"
)

func (s *Site) observed(mux *http.ServeMux, next http.Handler) http.Handler {
	if s.Observe == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, route := mux.Handler(r)
		answered := s.Observe(route)
		seen := &watched{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		answered(seen.status)
	})
}

// tellChange logs changes by signed-in readers, with the status of the response. It logs the
// pattern of the route, because paths contain tokens, and no client address.
func (s *Site) tellChange(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return w, func() {}
	}
	who, _ := s.SignedIn(r) // the request may end the session
	if who.ID == 0 {
		return w, func() {} // strangers must not fill the log
	}
	begun, seen := time.Now(), &watched{ResponseWriter: w, status: http.StatusOK}
	return seen, func() {
		s.Log.InfoContext(r.Context(), "form submitted", "route", r.Pattern, "status", seen.status, "reader",
			int64(who.ID), "took", time.Since(begun).Round(time.Millisecond).String())
	}
}

// A watched response writer records the status.
type watched struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (w *watched) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK { // 1xx precede the response
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap supports http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
