package hourly_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/hourly"
	"digest/mailer"
)

// BenchmarkMemory is one whole midnight, planning to mail, of 10,000 and of
// 100,000 subscriptions: 100 feeds a reader, ten subscriptions a feed. A tenth
// of the feeds have a new post. It reports what the process holds at most while
// it runs, with the sites it asks in it, and what a subscription costs in time:
// that must not rise with their number.
func BenchmarkMemory(b *testing.B) {
	for _, subscriptions := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("subscriptions=%d", subscriptions), func(b *testing.B) {
			const each = 100
			w := &web{tenths: 1}
			items := addresses(subscriptions/10, listenEverywhere(b, w))
			eachCrowd(b, subscriptions/each, each, items, func(b *testing.B, c *crowd) {
				w.night.Store(0)
				var most, before uint64
				var took time.Duration
				for b.Loop() {
					now := nightsLater(c.night)
					c.night++
					w.night.Add(1)
					clock := func() time.Time { return now }
					job := hourly.New(hourly.Options{
						Store: c.Store, Poller: loopbackPoller(b, clock), Mail: c.loop(nowhere{}, 4), Spread: benchSpread, Now: clock, Frozen: true,
					})
					debug.FreeOSMemory()
					before = resident()
					peak := watch(b)
					took += timed(func() {
						sum, err := job.Tick(b.Context())
						if err != nil || sum.Polled != len(items) || sum.Changed != len(items)/10 || sum.Sent != c.readers {
							b.Fatalf("%+v, %v", sum, err)
						}
					})
					most = max(most, peak())
				}
				const mb = 1 << 20
				b.ReportMetric(float64(most)/mb, "MB")
				b.ReportMetric(float64(most-before)/float64(subscriptions), "B/subscription")
				b.ReportMetric(float64(took.Microseconds())/float64(b.N*subscriptions), "µs/subscription")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// A web is all sites: each night so many feeds in ten have a new post, the others
// answer 304.
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
		fmt.Fprintf(out, `<item><title>Post %d of the site</title><guid>%[1]d</guid><link>http://%s/%[1]d</link><description>%s</description></item>`,
			max(0, night-i), r.Host, strings.Repeat("A sentence that says what the post is about. ", 40))
	}
	fmt.Fprint(out, `</channel></rss>`)
}

// nowhere is a transport that takes everything.
type nowhere struct{}

func (nowhere) Send(ctx context.Context, _ mailer.Envelope, _ []byte, beforeDot func(context.Context) error) (mailer.Reply, error) {
	return mailer.Reply{}, beforeDot(ctx)
}
func (nowhere) Idempotent() bool { return false }
func (nowhere) Close() error     { return nil }

// watch follows what the process holds until peak is called.
func watch(b *testing.B) (peak func() uint64) {
	var most atomic.Uint64
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			most.Store(max(most.Load(), resident()))
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		stop()
		<-done
		return most.Load()
	}
}

// resident is what the process holds of the machine's memory, in bytes: all of
// it on Linux, elsewhere what Go knows of.
func resident() uint64 {
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		if pages, err := strconv.ParseUint(strings.Fields(string(statm))[1], 10, 64); err == nil {
			return pages * uint64(os.Getpagesize())
		}
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
