package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// BenchmarkFlood measures the CPU cost of pings and forged pushes from one address, compared with a
// health check. It excludes the kernel and the connection. "core%" is the share of a core that
// 10,000 requests per second take.
func BenchmarkFlood(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		r := newRoom(b, s)
		path, _, _ := r.callback("https://hub.example/", digest.PushActive)
		body := "<rss version='2.0'><channel><title>T</title>" +
			strings.Repeat("<item><title>x</title><guid>http://site-999.example/posts/1</guid></item>", 20) +
			"</channel></rss>"
		forged := []string{"X-Hub-Signature", "sha256=" + strings.Repeat("0", 64)}
		for _, c := range []struct {
			name string
			send func(i int) int
		}{
			{"limit", func(int) int { return r.sent("GET", "/healthz", "", "").Code }},
			{"ping", func(i int) int {
				return r.sent("POST", "/ping", urlencoded, fmt.Sprintf("url=http://unknown-%d.example/", i)).Code
			}},
			{"push", func(int) int { return r.sent("POST", path, "application/rss+xml", body, forged...).Code }},
			{"guess", func(i int) int {
				return r.sent("POST", fmt.Sprintf("/websub/%032d", i), "application/rss+xml", body, forged...).Code
			}},
		} {
			b.Run(c.name, func(b *testing.B) {
				answers := make(map[int]int)
				for i := 0; b.Loop(); i++ {
					answers[c.send(i)]++
				}
				perSecond := float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(perSecond, "requests/s")
				b.ReportMetric(100*10_000/perSecond, "core%")
				if answers[http.StatusInternalServerError] > 0 {
					b.Errorf("answers: %v", answers)
				}
			})
		}
	})
}
