package web

import (
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"time"

	"digest/newsletter"
	"digest/web/page"
)

// followClick redirects from a headline in an issue to the post, and counts the click if the
// newsletter counts clicks. It does not store who clicked. A link counts once an hour per network,
// which is recorded in memory only. The redirect also works for old issues and ended newsletters.
func (s *site) followClick(w http.ResponseWriter, r *http.Request) error {
	c, ok := newsletter.ReadClick(s.Signer, r.PathValue("name"), r.PathValue("token"), r.URL.Query().Get("to"))
	if !ok {
		return page.ErrNotFound
	}
	if now := s.Now(); isFollowed(r) && s.clicked.isFirst(s.ClientNetwork(r)+" "+r.PathValue("name"), now) &&
		s.Limits.Clicks.Allow("", now) {
		if err := s.Store.Newsletters.CountClick(r.Context(), c, now); err != nil {
			s.Log.Warn("cannot count a click", "err", err)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	http.Redirect(w, r, c.URL, http.StatusFound)
	return nil
}

// A clickLog records which network clicked which link in the current hour, as a hash with a secret
// seed, in memory only. A limiter has too few buckets for thousands of readers.
type clickLog struct {
	mu   sync.Mutex
	seed maphash.Seed
	hour int64
	seen map[uint64]struct{}
}

// mostClicks limits the log. A full log is cleared, as at the end of each hour.
const mostClicks = 200_000

func newClickLog() *clickLog { return &clickLog{seed: maphash.MakeSeed()} }

// isFirst reports whether a key is new in the current hour.
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

// isFollowed reports whether a person may have made the request. It excludes HEAD requests and
// prefetches of browsers and mail programs.
func isFollowed(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if v := strings.ToLower(r.Header.Get(name)); strings.Contains(v, "prefetch") ||
			strings.Contains(v, "preview") || strings.Contains(v, "prerender") {
			return false
		}
	}
	return r.Method == http.MethodGet
}
