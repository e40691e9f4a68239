package worker_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// benchInFlight is the number of requests in flight, of digest and of the bound.
const benchInFlight = 256

// BenchmarkUnchangedPolls is one midnight of 5,000 feeds on as many hosts that all answer 304: claim,
// commit of the attempt, request, record. The bound is net/http alone with the same conditional GETs to the
// same server.
func BenchmarkUnchangedPolls(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, st *store.Store) {
		const feeds = 5000
		port := listenEverywhere(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", r.Header.Get("If-None-Match"))
			w.WriteHeader(http.StatusNotModified)
		}))
		items := addresses(feeds, port)
		_, d, err := st.Readers.AddUser(b.Context(), "reader@example.org", "UTC", eve)
		ok(b, err)
		_, err = st.Subscriptions.Import(b.Context(), d.ID, items, 1e6, eve)
		ok(b, err)
		known(b, st)

		now := eve
		clock := func() time.Time { return now }
		job := worker.New(worker.Options{
			Store: st, Poller: loopbackPoller(b, clock), Mail: &mailer.Deliverer{}, Spread: benchSpread,
			Now: clock, Frozen: true,
		})
		client := bareClient(b)
		var r race
		for b.Loop() {
			now = nightsLater(r.done / feeds)
			planAll(b, st, now, feeds)
			r.run(feeds, func() { pollAll(b, job, feeds) }, func() { askAll(b, client, items) })
			_, err := st.Editions.Release(b.Context(), now, benchSpread.Deadline)
			ok(b, err)
		}
		r.report(b, "polls/s")
	})
}

func planAll(b *testing.B, st *store.Store, now time.Time, feeds int) {
	b.Helper()
	planned, err := st.Feeds.Plan(b.Context(), now, func(f digest.Feed, due time.Time) (time.Time, bool) {
		return poller.MidnightPoll(f, due, now, benchSpread)
	})
	ok(b, err)
	if planned.Feeds != feeds {
		b.Fatalf("%d feeds were queued, want %d", planned.Feeds, feeds)
	}
}

func pollAll(b *testing.B, job *worker.Job, feeds int) {
	b.Helper()
	sum, err := job.Poll(b.Context())
	ok(b, err)
	if sum.Unchanged != feeds || sum.Polled != feeds {
		b.Fatalf("%+v; want %d unchanged", sum, feeds)
	}
}

// bareClient closes each connection after its answer, which is fastest with one request for each host.
func bareClient(b *testing.B) *http.Client {
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	b.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

// askAll sends one conditional GET for each feed, benchInFlight at a time.
func askAll(b *testing.B, client *http.Client, items []store.ImportItem) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range benchInFlight {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				if err := askOne(b.Context(), client, items[i].URL); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
}

func askOne(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("If-None-Match", `"1"`)
	req.Header.Set("If-Modified-Since", "Mon, 16 Nov 2026 08:00:00 GMT")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNotModified {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
