package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// An Observer is told of each request: when it comes, the pattern of its route,
// empty if there is none, and when it is answered the status of that.
type Observer func(route string) (answered func(status int))

// observed tells the observer of each request.
func (s *site) observed(mux *http.ServeMux, next http.Handler) http.Handler {
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

// A watched remembers the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
	wrote  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK { // 1xx come before the answer
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watched) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// metrics is for Prometheus: for who has the token, and for programs on this
// machine that no proxy speaks for. For others there is nothing at the address.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.Metrics == nil || !s.hasMetricsToken(r) && !isLocal(r) {
		return errNotFound
	}
	s.Metrics.ServeHTTP(w, r)
	return nil
}

// hasMetricsToken reports whether a request brings the token. Hashes are
// compared, so that the time tells nothing of its length either.
func (s *site) hasMetricsToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if s.MetricsToken == "" || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.MetricsToken))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// isLocal reports whether a request was made on this machine, to this machine:
// from a loopback address, under a loopback name (no proxy's public one, and no
// page's whose name was made to lead here), and without any word of a proxy's.
// HTTP/1.0 is how proxies speak that add no such word unless they are told to.
func isLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || !r.ProtoAtLeast(1, 1) {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if !strings.EqualFold(host, "localhost") && (err != nil || !addr.Unmap().IsLoopback()) {
		return false
	}
	for name := range r.Header {
		name = strings.ToLower(name)
		if name == "x-prometheus-scrape-timeout-seconds" {
			continue
		}
		if name == "forwarded" || name == "via" || strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "cf-") || strings.HasSuffix(name, "-client-ip") {
			return false
		}
	}
	return true
}
