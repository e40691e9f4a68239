package worker_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// newTarpits returns feeds on their own hosts, which accept a request and never answer.
func newTarpits(t *testing.T, n int) (items []store.ImportItem) {
	end := make(chan struct{})
	port := listenEverywhere(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(end) })
	for i := range n {
		host := fmt.Sprintf("127.7.%d.%d", i/250, i%250+1)
		items = append(items, store.ImportItem{URL: fmt.Sprintf("http://%s:%d/", host, port), Host: host})
	}
	return items
}

// TestTarpitsOfOneAccount gives one account 600 unresponsive feeds, whose polls could take every place for
// minutes. They are first in the queue. The editions of others must not wait.
func TestTarpitsOfOneAccount(t *testing.T) { besiege(t, 1, 600) }

// TestTarpitsThatAccountsShare does the same with feeds that several accounts share.
func TestTarpitsThatAccountsShare(t *testing.T) { besiege(t, 5, 600) }

// besiege runs a midnight at which vandals have n tarpits that were read before.
func besiege(t *testing.T, vandals, n int) {
	eachRunner(t, "2026-11-19 10:00", func(t *testing.T, h *runner) {
		tarpits := newTarpits(t, n)
		for i := range vandals {
			mallory := h.reader(fmt.Sprintf("mallory%d@example.org", i), "UTC")
			_, err := h.st.Subscriptions.Import(t.Context(), mallory.ID, tarpits, 1e6, h.clock)
			ok(t, err)
		}
		proveAll(t, h.st)
		var sites []*site
		for i := range 4 {
			s := newSite(t, "first")
			h.reads(fmt.Sprintf("reader%d@example.org", i), "UTC", s)
			s.publish("second")
			sites = append(sites, s)
		}
		h.jump("2026-11-20 00:00")
		job := h.running()
		// No place becomes free because a tarpit times out.
		h.polls(job, poller.Options{SlowAfter: 50 * time.Millisecond, Timeout: time.Hour})
		begin(t, func(ctx context.Context) { _ = job.Run(ctx) })
		await(t, "the editions of the others", h.mails(len(sites)))
		if _, text := h.inbox(); strings.Count(text, "second") < len(sites) {
			t.Error("posts are missing")
		}
	})
}

func proveAll(t *testing.T, st *store.Store) {
	var polled []store.Polled
	for _, f := range storetest.All(t, st.Feeds.Feeds(t.Context())) {
		was := f.Feed
		f.Reliability = digest.Proven
		polled = append(polled, store.Polled{Feed: f.Feed, Was: was})
	}
	_, err := st.Feeds.Record(t.Context(), eve, polled)
	ok(t, err)
}
