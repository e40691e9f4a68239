package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A floodedSite has four feeds. One invents 2 MB of posts at each request. One edits all of its posts each time. One
// publishes 6 MB on one day and responds 304 from then on. The last is honest.
type floodedSite struct {
	asked atomic.Int64
	day   atomic.Int64
}

func (s *floodedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, day := s.asked.Add(1), s.day.Load()
	var items strings.Builder
	item := func(guid, title string, size int) {
		fmt.Fprintf(&items, "<item><guid>%s</guid><title>%s</title><description>%s</description></item>", guid, title,
			strings.Repeat("word ", size/5))
	}
	etag := fmt.Sprintf(`"%d"`, n)
	switch r.URL.Path {
	case "/flood":
		for i := range 200 {
			item(fmt.Sprintf("%d-%d", n, i), fmt.Sprintf("Flood %d of %d", i, n), 10_000)
		}
	case "/edits":
		for i := range 200 {
			item(fmt.Sprintf("%d of %d", i, day), fmt.Sprintf("Edit %d", n), 10_000)
		}
	case "/large":
		etag = fmt.Sprintf(`"day %d"`, min(day, 1))
		for i := range 60 * min(day, 1) {
			item(fmt.Sprintf("large %d", i), fmt.Sprintf("Large %d.", i), 100_000)
		}
		item("first", "First", 10)
	case "/honest":
		item(fmt.Sprintf("honest %d", day), fmt.Sprintf("Honest of day %d.", day), 2000)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method == http.MethodGet {
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title>%s</channel></rss>`, r.URL.Path[1:],
			items.String())
	}
}

// standingFeed contains the fields of `digest feeds URL --json` about quotas.
type standingFeed struct {
	Reason       string
	StoredToday  int64 `json:"stored_today"`
	PostsWaiting int   `json:"posts_waiting"`
}

func (h *house) standing(now time.Time, address string) (f standingFeed) {
	h.t.Helper()
	h.read(now, &f, "feeds", address)
	return f
}

// TestFloods checks that feeds that invent or edit 50 MB a day store only their quota. Their reader's edition
// arrives, and other feeds lose no posts. The waiting posts of a feed that responds 304 arrive the next day.
func TestFloods(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		site := &floodedSite{}
		server := httptest.NewServer(site)
		defer server.Close()
		h := newHouse(t, database)
		h.Set("DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=0s")
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		for reader, feeds := range map[string]string{"ada": "/flood /edits /honest", "bob": "/large /honest"} {
			h.at(now, "user", "add", reader+"@example.org", "--time-zone", "UTC", "--subject", "date")
			for _, path := range strings.Fields(feeds) {
				h.at(now, "subscribe", reader+"@example.org", server.URL+path)
			}
		}
		for day := range 3 {
			site.day.Store(int64(day + 1))
			editions := 0
			for hour := range 24 {
				at := now.AddDate(0, 0, day).Add(time.Duration(hour)*time.Hour + 30*time.Minute)
				editions += h.tick(at).Editions
				for _, path := range []string{"/flood", "/edits", "/large"} {
					if f := h.standing(at, server.URL+path); f.StoredToday > 4<<20 {
						t.Fatalf("%s: %d bytes were stored on one day", path, f.StoredToday)
					}
				}
			}
			if editions != 2 {
				t.Errorf("on day %d %d editions were made", day+1, editions)
			}
			h.judgeDay(day+1, now.AddDate(0, 0, day+1), server.URL)
		}
		if info, err := os.Stat(database); err == nil && info.Size() > 80<<20 { // SQLite
			t.Errorf("the database has %d bytes", info.Size())
		}
		text := ""
		for _, l := range newLetterbox(h).arrived(t) {
			text += l.Text
		}
		for _, want := range []string{"Honest of day 1.", "Honest of day 2.", "Honest of day 3.",
			"flood published more posts than we store in one day.",
			"large published more posts than we store in one day."} {
			if !strings.Contains(text, want) {
				t.Errorf("no edition has %q", want)
			}
		}
		for i := range 60 {
			if !strings.Contains(text, fmt.Sprintf("Large %d.", i)) {
				t.Errorf("post %d of the large feed never came", i)
			}
		}
	})
}

// judgeDay checks the state of feeds after a day.
func (h *house) judgeDay(day int, now time.Time, site string) {
	h.t.Helper()
	if f := h.standing(now, site+"/flood"); f.PostsWaiting == 0 || !strings.Contains(f.Reason, "over the daily limit") {
		h.t.Errorf("after day %d the flood stands so: %+v", day, f)
	}
	if f := h.standing(now, site+"/honest"); f.PostsWaiting > 0 {
		h.t.Errorf("after day %d the honest feed stands so: %+v", day, f)
	}
	if f := h.standing(now, site+"/large"); f.PostsWaiting > 0 != (day == 1) {
		h.t.Errorf("after day %d the large feed stands so: %+v", day, f)
	}
}
