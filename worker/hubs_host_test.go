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
	"digest/store"
	"digest/store/storetest"
	view "digest/web"
)

// TestFeedsThatNameAVictim has twenty feeds whose hubs are addresses of a site that is no hub. The site
// gets three requests and then one a day. The status of each feed says why its hub gets no request.
func TestFeedsThatNameAVictim(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
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
			fmt.Fprintf(w,
				`<rss><channel><title>Blog %s</title><item><title>One</title><guid>%s</guid></item></channel></rss>`,
				n, n)
		}))
		t.Cleanup(blogs.Close)
		h := newHouse(t, st, "2026-11-19 10:00")
		h.hubs = &callbacks{signer: digest.NewSigner(make([]byte, 32))}
		h.hubs.server = httptest.NewServer(view.New(view.Options{Store: st, Signer: h.hubs.signer}))
		t.Cleanup(h.hubs.server.Close)
		var err error
		if _, h.d, err = st.Readers.AddUser(t.Context(), "ann@example.org", "UTC", h.clock); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			h.follows(fmt.Sprintf("%s/%d", blogs.URL, i))
		}
		for _, clock := range []string{"2026-11-19 11:00", "2026-11-19 23:00"} {
			h.tickAt(clock)
			if got := posted.Load(); got != 3 {
				t.Errorf("%s: %d requests, want 3", clock, got)
			}
		}
		f, err := st.Feeds.FeedByURL(t.Context(), blogs.URL+"/7")
		if err != nil {
			t.Fatal(err)
		}
		known, err := st.Feeds.News(t.Context(), []digest.FeedID{f.ID})
		if err != nil {
			t.Fatal(err)
		}
		const why = "polls find new posts; its hub did not confirm our subscription; next attempt after 2026-11-20 11:00 UTC"
		if got := poller.NewsWords(known[f.ID], h.clock).In(catalogue.English()); got != why {
			t.Errorf("its status says %q", got)
		}
		h.tickAt("2026-11-20 11:00")
		h.tickAt("2026-11-20 20:00")
		if got := posted.Load(); got != 4 {
			t.Errorf("after a day: %d requests, want 4", got)
		}
	})
}
