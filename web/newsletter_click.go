package web

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"time"

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
	if now := s.Now(); isFollowed(r) && s.clicked.isFirst(s.clientNetwork(r)+" "+r.PathValue("name"), now) &&
		s.limits.clicks.allow("", now) {
		if err := s.Store.CountClick(r.Context(), c, now); err != nil {
			s.Log.Warn("cannot count a click", "err", err)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	http.Redirect(w, r, c.URL, http.StatusFound)
	return nil
}

// A clickLog tells what was followed before in the same hour: from which network which link, by a hash that nobody
// else can make, in memory only. A limiter's buckets would be full after some thousand readers.
type clickLog struct {
	mu   sync.Mutex
	seed maphash.Seed
	hour int64
	seen map[uint64]struct{}
}

// mostClicks bounds the log; then it is forgotten, as each hour.
const mostClicks = 200_000

func newClickLog() *clickLog { return &clickLog{seed: maphash.MakeSeed()} }

// isFirst reports whether a key is met for the first time in an hour.
func (l *clickLog) isFirst(key string, now time.Time) bool {
	sum, hour := maphash.String(l.seed, key), now.Unix()/3600
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil || l.hour != hour || len(l.seen) >= mostClicks {
		l.hour, l.seen = hour, make(map[uint64]struct{})
	}
	_, known := l.seen[sum]
	l.seen[sum] = struct{}{}
	return !known
}

// isFollowed reports whether a person may be behind a request: it is no question whether the link works, and no
// guess of a browser or a mail program that somebody might follow it.
func isFollowed(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if v := strings.ToLower(r.Header.Get(name)); strings.Contains(v, "prefetch") ||
			strings.Contains(v, "preview") || strings.Contains(v, "prerender") {
			return false
		}
	}
	return r.Method == http.MethodGet
}
