package worker_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
	view "digest/web"
	"digest/worker"
)

// BenchmarkPingToStored measures the time from a ping to the stored post, if the same process receives the
// ping and polls, and if another one polls. The limits are 5 s at the median and a minute at most.
func BenchmarkPingToStored(b *testing.B) {
	for name, wakes := range map[string]bool{"same": true, "another": false} {
		b.Run(name, func(b *testing.B) {
			storetest.Bench(b, func(b *testing.B, st *store.Store) { benchPings(b, st, wakes) })
		})
	}
}

// wakingPings wakes the job at each ping, as digest serve does.
type wakingPings struct {
	store *store.Store
	woken chan struct{}
}

func (p wakingPings) Pinged(ctx context.Context, urls []string, now time.Time) error {
	err := p.store.Feeds.Pinged(ctx, urls, now)
	select {
	case p.woken <- struct{}{}:
	default:
	}
	return err
}

func benchPings(b *testing.B, st *store.Store, wakes bool) {
	// Polls avoid the full hour, so the clock is set to ten past.
	ahead := time.Until(time.Now().Truncate(time.Hour).Add(70 * time.Minute))
	clock := func() time.Time { return time.Now().Add(ahead) }
	port := listenEverywhere(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w,
			`<rss version="2.0"><channel><title>T</title><item><title>x</title><guid>http://%s/1</guid></item>`+
				`</channel></rss>`,
			r.Host)
	}))
	_, d, err := st.Readers.AddUser(b.Context(), "ann@example.org", "UTC", clock())
	ok(b, err)
	woken := make(chan struct{}, 1)
	o := worker.Options{Now: clock}
	if wakes {
		o.Pinged = woken
	}
	web := httptest.NewServer(view.New(view.Options{Store: st, Signer: benchSigner(), Pings: wakingPings{st, woken},
		Now: clock}))
	defer web.Close()
	benchStored(b, st, o, func(n int) (event func()) {
		// Each site is a new host, so that the poll gap does not count.
		host := fmt.Sprintf("127.0.%d.%d", 1+n/250, 1+n%250)
		address := fmt.Sprintf("http://%s:%d/feed", host, port)
		f, _, err := st.Feeds.EnsureFeed(b.Context(), digest.Feed{URL: address, Host: host, State: digest.FeedActive})
		ok(b, err)
		_, err = st.Subscriptions.Subscribe(b.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, clock())
		ok(b, err)
		return func() {
			resp, err := http.PostForm(web.URL+"/ping", url.Values{"url": {address}})
			ok(b, err)
			if resp.Body.Close(); resp.StatusCode != http.StatusOK {
				b.Fatal(resp.Status)
			}
		}
	})
	b.ReportMetric(60000, "ms-most-limit")
}

// benchStored measures the time from an event to the stored post. prepare returns the nth event.
func benchStored(b *testing.B, st *store.Store, o worker.Options, prepare func(n int) (event func())) {
	stored := make(chan struct{}, 1)
	o.Store, o.Poller, o.Mail = st, loopbackPoller(b, o.Now), (&crowd{Store: st}).loop(nowhere{}, 1)
	o.Report = func(e worker.Event) {
		if e.Kind == worker.EventStored && e.Posts > 0 {
			stored <- struct{}{}
		}
	}
	ctx, stop := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- worker.New(o).Run(ctx) }()
	var took []time.Duration
	for b.Loop() {
		event := prepare(len(took))
		took = append(took, timed(func() { event(); <-stored }))
	}
	stop()
	ok(b, <-over)
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-median")
	b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "ms-most")
	b.ReportMetric(5000, "ms-median-limit")
	b.ReportMetric(0, "ns/op")
}
