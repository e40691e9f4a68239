package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/mailer"
	"digest/test/program"
)

// BenchmarkMemory is one whole midnight, from planning to mail, of 10,000 and 100,000 subscriptions, and of
// 1,000,000 with DIGEST_BENCH_LARGE. A reader has 100 feeds, a feed ten subscriptions. A tenth of the feeds
// have a new post. It reports the peak memory of the program, a separate process, and the time for each
// subscription, which must not rise with their number.
func BenchmarkMemory(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("DIGEST_BENCH_LARGE") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, subscriptions := range sizes {
		b.Run(fmt.Sprintf("subscriptions=%d", subscriptions), func(b *testing.B) {
			const each = 100
			w := &web{tenths: 1}
			feeds := subscriptions / 10
			items := addresses(feeds, listenEverywhere(b, w))
			eachCrowd(b, subscriptions/each, each, items, func(b *testing.B, c *crowd) {
				w.night.Store(0)
				var most int
				var took time.Duration
				for b.Loop() {
					now := nightsLater(c.night)
					c.night++
					w.night.Add(1)
					took += timed(func() { most = max(most, tick(b, c, now, feeds)) })
				}
				b.ReportMetric(float64(most)/(1<<20), "MB")
				b.ReportMetric(float64(took.Microseconds())/float64(b.N*subscriptions), "µs/subscription")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// tick runs the program for one midnight and returns its peak memory in bytes.
func tick(b *testing.B, c *crowd, now time.Time, feeds int) int {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), built.Path(b), "--now", now.Format(time.RFC3339), "--log-level", "error",
		"--json", "tick")
	cmd.Env = append(os.Environ(), "DIGEST_DATABASE="+c.address, "DIGEST_ALLOW_NETWORKS=127.0.0.0/8",
		"DIGEST_MAIL=smtp+insecure://"+smtpSink(b))
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &complaints, b.TempDir()
	most, err := program.Run(cmd)
	var sum struct{ Polled, Changed, Sent int }
	if err != nil || json.Unmarshal(out.Bytes(), &sum) != nil || sum.Polled != feeds || sum.Changed != feeds/10 ||
		sum.Sent != c.readers {
		b.Fatalf("%v, %s%s", err, out.Bytes(), complaints.Bytes())
	}
	return most
}

// A web is all sites. Each night tenths in ten feeds have a new post, and the others answer 304.
type web struct {
	tenths int
	night  atomic.Int64
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	night := int(w.night.Load())
	octets := strings.Split(r.Host, ".")
	last, _ := strconv.Atoi(strings.Split(octets[3], ":")[0])
	if (last+10-night%10)%10 >= w.tenths {
		out.Header().Set("ETag", r.Header.Get("If-None-Match"))
		out.WriteHeader(http.StatusNotModified)
		return
	}
	out.Header().Set("ETag", fmt.Sprintf(`"%d"`, night))
	fmt.Fprintf(out, `<rss version="2.0"><channel><title>Site %s</title><link>http://%[1]s/</link>`, r.Host)
	for i := range 20 {
		fmt.Fprintf(out, `<item><title>Post %d of the site</title><guid>%[1]d</guid><link>http://%s/%[1]d</link>`+
			`<description>%s</description></item>`,
			max(0, night-i), r.Host, strings.Repeat("A sentence that says what the post is about. ", 40))
	}
	fmt.Fprint(out, `</channel></rss>`)
}

// nowhere is a transport that accepts everything.
type nowhere struct{}

func (nowhere) Send(ctx context.Context, _ mailer.Envelope, _ []byte, beforeDot func(context.Context) error) (
	mailer.Reply, error) {
	return mailer.Reply{}, beforeDot(ctx)
}
func (nowhere) Idempotent() bool { return false }
func (nowhere) Close() error     { return nil }
