package hub_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest/store"
	"digest/store/storetest"
)

// BenchmarkDeliver delivers an issue to 500 subscribers, each in its own domain, on one loopback server. It compares
// that with posting the same bytes there at the same concurrency.
func BenchmarkDeliver(b *testing.B) {
	const subscribers = 500
	storetest.Bench(b, func(b *testing.B, st *store.Store) {
		var received atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_, _ = io.Copy(io.Discard, r.Body)
				received.Add(1)
			}
			_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		}))
		defer s.Close()
		h := newHouse(b, st)
		r := h.request(&subscriber{Server: s})
		for i := range subscribers {
			r.Callback = fmt.Sprintf("%s/%d", s.URL, i)
			h.ok(h.Ask(b.Context(), r, fmt.Sprintf("%d.example", i), true))
		}
		h.ok(h.Work(b.Context()))
		day := 0
		for b.Loop() {
			b.StopTimer()
			h.letter(fmt.Sprint("letter ", day))
			day++
			received.Store(0)
			b.StartTimer()
			h.ok(h.Work(b.Context()))
			if n := received.Load(); n != subscribers {
				b.Fatalf("%d deliveries", n)
			}
		}
		feed, err := h.Newsletter(b.Context(), h.n, h.now)
		h.ok(err)
		rate, limit := float64(day*subscribers)/b.Elapsed().Seconds(), posts(s.URL, feed.Body)
		b.ReportMetric(rate, "deliveries/s")
		b.ReportMetric(limit, "limit/s")
		b.ReportMetric(rate/limit, "ratio")
	})
}

// posts returns how many times a second 32 clients can post a body.
func posts(address string, body []byte) float64 {
	const each = 50
	begun := time.Now()
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for range each {
				res, err := http.Post(address, "", bytes.NewReader(body))
				if err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}
		})
	}
	all.Wait()
	return 32 * each / time.Since(begun).Seconds()
}
