package worker_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// The benchmarks of this package run whole steps of the hour with the real parts. Each measures an upper
// bound in the same run. Absolute times depend on the machine; the ratio to the bound does not.

// eve is the time at which the benchmarks' readers subscribe: half a day before midnight UTC.
var eve = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// nightsLater returns the n-th midnight after eve, from 0.
func nightsLater(n int) time.Time { return eve.Add(12*time.Hour + time.Duration(n)*24*time.Hour) }

// A race measures the time of our work and of the bound, in turn.
type race struct {
	ours, limit time.Duration
	done        int // things done by each of the two
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// run runs one round of n things each, and alternates which of the two is first.
func (r *race) run(n int, ours, limit func()) {
	if r.done/n%2 == 0 {
		r.limit += timed(limit)
		r.ours += timed(ours)
	} else {
		r.ours += timed(ours)
		r.limit += timed(limit)
	}
	r.done += n
}

func (r *race) report(b *testing.B, unit string) {
	b.ReportMetric(float64(r.done)/r.ours.Seconds(), unit)
	b.ReportMetric(float64(r.done)/r.limit.Seconds(), "limit/s")
	b.ReportMetric(r.limit.Seconds()/r.ours.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op")
}

func ok(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// listenEverywhere serves h on one port of all addresses of 127.0.0.0/8, so that each feed can have its own
// host.
func listenEverywhere(b testing.TB, h http.Handler) (port int) {
	b.Helper()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	ok(b, err)
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(l) }()
	b.Cleanup(func() { server.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// addresses returns n feeds, each on its own host.
func addresses(n, port int) []store.ImportItem {
	items := make([]store.ImportItem, n)
	for i := range items {
		url := fmt.Sprintf("http://127.%d.%d.%d:%d/feed.xml", 1+i/62_500, i/250%250, i%250+1, port)
		items[i] = store.ImportItem{URL: url, Host: feed.Host(url)}
	}
	return items
}

// known sets feeds to their state after a first poll and a first 304.
func known(b *testing.B, st *store.Store) {
	b.Helper()
	feeds := storetest.All(b, st.Feeds.Feeds(b.Context()))
	polled := make([]store.Polled, len(feeds))
	for i, f := range feeds {
		f.ETag, f.LastModified, f.ValidatorURL = `"1"`, "Mon, 16 Nov 2026 08:00:00 GMT", f.URL
		f.BodyHash, f.Title, f.Kind = fmt.Sprintf("%064d", i), fmt.Sprintf("Site %d", i), "rss2"
		f.ParsedAt, f.LastAttemptAt, f.LastOKAt, f.LastStatus = eve, eve, eve, 200
		f.Conditional, f.PollAt = digest.Works, time.Time{}
		polled[i] = store.Polled{Feed: f.Feed}
	}
	_, err := st.Feeds.Record(b.Context(), eve, polled)
	ok(b, err)
}

func loopbackPoller(b *testing.B, now func() time.Time) *poller.Poller {
	p := poller.New(poller.Options{
		UserAgentVersion: "bench", BaseURL: "https://news.example", NoWait: true, Now: now,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	b.Cleanup(p.Close)
	return p
}
