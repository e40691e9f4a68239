package poller

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
)

const (
	benchFeeds   = 4000 // each on its own host
	benchRound   = 400  // polled in turn by both clients, so that noise affects both
	benchWorkers = 64
)

// BenchmarkUnchanged compares the poller with a bare net/http client: the same conditional GET of the same
// feeds on the same server, all answered with 304. "limit/s" is the bare client's rate, "ratio" the
// poller's share of it.
func BenchmarkUnchanged(b *testing.B) {
	feeds := benchSite(b)
	p := New(Options{UserAgentVersion: "1", BaseURL: "https://news.example", AllowNetworks: loopback(), NoWait: true})
	defer p.Close()
	bare := &http.Client{Transport: &http.Transport{MaxIdleConns: maxIdleConns, MaxIdleConnsPerHost: 1,
		DisableCompression: true}}
	defer bare.CloseIdleConnections()

	var ours, limit time.Duration
	polls := 0
	for b.Loop() {
		start := polls % benchFeeds
		feeds := feeds[start : start+benchRound]
		limit += round(b, feeds, func(f digest.Feed) error { return bareGET(b.Context(), bare, f) })
		ours += round(b, feeds, func(f digest.Feed) error {
			if r := p.Poll(b.Context(), f, 1); r.Outcome != Unchanged || r.Requests != 1 {
				return fmt.Errorf("%s, %d requests", r.Message, r.Requests)
			}
			return nil
		})
		polls += len(feeds)
	}
	b.ReportMetric(float64(polls)/ours.Seconds(), "polls/s")
	b.ReportMetric(float64(polls)/limit.Seconds(), "limit/s")
	b.ReportMetric(limit.Seconds()/ours.Seconds(), "ratio")
}

// benchSite answers every conditional request with 304, on all of 127.0.0.0/8.
func benchSite(b *testing.B) []digest.Feed {
	b.Helper()
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", r.Header.Get("If-None-Match"))
		w.WriteHeader(http.StatusNotModified)
	})}
	go func() { _ = server.Serve(l) }()
	b.Cleanup(func() { server.Close() })
	port := l.Addr().(*net.TCPAddr).Port
	feeds := make([]digest.Feed, benchFeeds)
	for i := range feeds {
		host := fmt.Sprintf("127.1.%d.%d", i/250, i%250+1)
		address := fmt.Sprintf("http://%s:%d/feed.xml", host, port)
		feeds[i] = digest.Feed{
			ID: digest.FeedID(i + 1), URL: address, Host: host,
			Validators: digest.Validators{ETag: `"1"`, LastModified: monday, ValidatorURL: address, BodyHash: "x"},
			Schedule:   digest.Schedule{ParsedAt: midnight()}, Learned: digest.Learned{Conditional: digest.Works},
		}
	}
	return feeds
}

func bareGET(ctx context.Context, c *http.Client, f digest.Feed) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("If-None-Match", f.ETag)
	req.Header.Set("If-Modified-Since", f.LastModified)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusNotModified {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

func round(b *testing.B, feeds []digest.Feed, ask func(digest.Feed) error) time.Duration {
	b.Helper()
	start := time.Now()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range benchWorkers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(feeds)); i = next.Add(1) - 1 {
				if err := ask(feeds[i]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
