package poller

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// secondly repeats a request by https if the host closed port 80. The answer counts as a permanent redirect from
// http. It must be a document, a redirect, or a limit of requests. Otherwise secondly returns why, the error of the
// request by http.
func (s *session) secondly(ctx context.Context, method string, r route, why error) (*answer, error) {
	t, ok := asPollError(why)
	if !ok || !t.closed || s.private != nil || s.forRobots {
		return nil, why
	}
	secure, ok := r.secure()
	if !ok {
		return nil, why
	}
	if s.stop != nil && secure.moved() {
		if err := s.stop(ctx, secure.address); err != nil {
			return nil, err
		}
	}
	a, err := s.askAllowed(ctx, method, secure)
	if err != nil {
		if _, ok := asPollError(err); ok {
			err = why
		}
		return nil, err
	}
	if !usable(a.status) && !isRedirect(a.status) && !limits(a) &&
		(a.status != http.StatusNotModified || !a.conditional) {
		return nil, why
	}
	return a, nil
}

// secure returns the route to the same address by https; false: it has another port, or was requested before.
func (r route) secure() (route, bool) {
	rest, plain := strings.CutPrefix(r.address, "http://")
	if !plain || r.url.Port() != "" {
		return r, false
	}
	u := *r.url
	u.Scheme = "https"
	r.seen = append(slices.Clip(r.seen), r.address)
	r.url, r.address = &u, "https://"+rest
	return r, !slices.Contains(r.seen, r.address)
}
