package web

import (
	"net/http"
	"strings"

	"digest"
)

// followClick leads on from the headline of a letter to its post, and counts it if the newsletter does. Who
// it was is kept nowhere; from one network a link counts once an hour, which is known in memory only.
// It leads on however long ago the letter was, and whatever became of the newsletter.
func (s *site) followClick(w http.ResponseWriter, r *http.Request) error {
	c, ok := digest.ReadClick(s.Signer, r.PathValue("name"), r.PathValue("token"), r.URL.Query().Get("to"))
	if !ok {
		return errNotFound
	}
	if now := s.Now(); isFollowed(r) && s.limits.clicks.allow(s.clientNetwork(r)+" "+r.PathValue("name"), now) && s.limits.clicked.allow("", now) {
		if err := s.Store.CountClick(r.Context(), c, now); err != nil {
			s.Log.Warn("a click was not counted", "err", err)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	http.Redirect(w, r, c.URL, http.StatusFound)
	return nil
}

// isFollowed reports whether a person may be behind a request: it is no question whether the link works, and no
// guess of a browser or a mail program that somebody might follow it.
func isFollowed(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if v := strings.ToLower(r.Header.Get(name)); strings.Contains(v, "prefetch") || strings.Contains(v, "preview") || strings.Contains(v, "prerender") {
			return false
		}
	}
	return r.Method == http.MethodGet
}
