package worker_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
)

// TestFeedsThatNameAVictim has twenty feeds whose hubs are addresses of a site that is no hub. The site
// gets three requests and then one a day. The status of each feed says why its hub gets no request.
func TestFeedsThatNameAVictim(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		var posted atomic.Int32
		victim := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posted.Add(1)
			}
		}))
		t.Cleanup(victim.Close)
		blogs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := strings.TrimPrefix(r.URL.Path, "/")
			w.Header().Set("Link", fmt.Sprintf(`<%s/any?post=%s>; rel="hub", <http://%s/%s>; rel="self"`, victim.URL, n,
				r.Host, n))
			writeFeed(w, n)
		}))
		t.Cleanup(blogs.Close)
		h.openToHubs()
		h.reader("ann@example.org", "UTC")
		for i := range 20 {
			h.follows(fmt.Sprintf("%s/%d", blogs.URL, i))
		}
		at := func(clock string, want int32) {
			t.Helper()
			h.tickAt(clock)
			if got := posted.Load(); got != want {
				t.Errorf("%s: %d requests, want %d", clock, got, want)
			}
		}
		at("2026-11-19 11:00", 3)
		at("2026-11-19 23:00", 3)
		f := h.feedAt(blogs.URL + "/7")
		known, err := h.st.Feeds.News(t.Context(), []digest.FeedID{f.ID})
		ok(t, err)
		const why = "polls find new posts; its hub did not confirm our subscription; next attempt after " +
			"2026-11-20 11:00 UTC"
		if got := poller.NewsWords(known[f.ID], h.clock).In(catalogue.English()); got != why {
			t.Errorf("its status says %q", got)
		}
		h.tickAt("2026-11-20 11:00")
		at("2026-11-20 20:00", 4)
	})
}
