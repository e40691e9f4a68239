package worker_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/mailer"
	"digest/poller"
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
	sites := manySites(b)
	_, d, err := st.Readers.AddUser(b.Context(), "ann@example.org", "UTC", clock())
	if err != nil {
		b.Fatal(err)
	}
	woken, stored := make(chan struct{}, 1), make(chan struct{}, 1)
	o := benchOptions(b, st)
	o.Now = clock
	o.Report = func(e worker.Event) {
		if e.Kind == worker.EventStored && e.Posts > 0 {
			stored <- struct{}{}
		}
	}
	if wakes {
		o.Pinged = woken
	}
	web := httptest.NewServer(view.New(view.Options{Store: st, Signer: digest.NewSigner(make([]byte, 32)),
		Pings: wakingPings{st, woken}, Now: clock}))
	defer web.Close()
	ctx, stop := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- worker.New(o).Run(ctx) }()
	var took []time.Duration
	for b.Loop() {
		// Each site is a new host, so that the poll gap does not count.
		address := fmt.Sprintf("http://127.0.%d.%d:%d/feed", 1+len(took)/250, 1+len(took)%250, sites)
		f, _, err := st.Feeds.EnsureFeed(b.Context(),
			digest.Feed{URL: address, Host: address[len("http://"):strings.LastIndex(address, ":")],
				State: digest.FeedActive})
		if err != nil {
			b.Fatal(err)
		}
		if _, err = st.Subscriptions.Subscribe(b.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID},
			clock()); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		resp, err := http.PostForm(web.URL+"/ping", url.Values{"url": {address}})
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			b.Fatal(resp.Status)
		}
		<-stored
		took = append(took, time.Since(began))
	}
	stop()
	if err := <-over; err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms-median")
	b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "ms-most")
	b.ReportMetric(5000, "ms-median-limit")
	b.ReportMetric(60000, "ms-most-limit")
	b.ReportMetric(0, "ns/op")
}

// manySites serves a feed with one post on all of 127.0.0.0/8, and returns its port.
func manySites(b *testing.B) int {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>T</title><item><title>x</title><guid>http://`+
			r.Host+`/1</guid></item></channel></rss>`)
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	b.Cleanup(s.Close)
	return l.Addr().(*net.TCPAddr).Port
}

func benchOptions(b *testing.B, st *store.Store) worker.Options {
	transport, err := mailer.Open("maildir:"+b.TempDir(), mailer.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { transport.Close() })
	signer, p := digest.NewSigner(make([]byte, 32)),
		poller.New(poller.Options{NoWait: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	b.Cleanup(func() { p.Close() })
	return worker.Options{Store: st, Poller: p, Mail: &mailer.Deliverer{
		Queue: st.Editions, Signer: signer, Sender: &mailer.Sender{Transport: transport,
			From: "Digest <digest@example.org>"},
		Renderer: edition.New(edition.Options{Store: st.Editions, Signer: signer, BaseURL: "http://localhost:8080"}),
	}}
}
