package worker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// BenchmarkPushToStored measures the time from a hub's push to the stored post, in the process that
// received it. Other processes look every pushesEvery. The limits are 5 s at the median and a minute at
// most.
func BenchmarkPushToStored(b *testing.B) {
	storetest.Bench(b, benchPushes)
}

func benchPushes(b *testing.B, st *store.Store) {
	f, _, err := st.Feeds.EnsureFeed(b.Context(), digest.Feed{URL: "https://a.example/feed", Host: "a.example",
		State: digest.FeedActive})
	if err != nil {
		b.Fatal(err)
	}
	o := benchOptions(b, st)
	woken := make(chan struct{}, 1)
	o.Pushed = woken
	stored := make(chan struct{}, 1)
	o.Report = func(e worker.Event) {
		if e.Kind == worker.EventStored {
			stored <- struct{}{}
		}
	}
	job := worker.New(o)
	ctx, stop := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- job.Run(ctx) }()
	var took []time.Duration
	for b.Loop() {
		guid := fmt.Sprintf("urn:%d", len(took))
		body := `<rss><channel><title>T</title><item><title>x</title><guid>` + guid + `</guid><description>` +
			strings.Repeat("word ", 2000) + `</description></item></channel></rss>`
		began := time.Now()
		if err := st.Feeds.ReceivePush(b.Context(), began, f.ID, "text/xml", []byte(body)); err != nil {
			b.Fatal(err)
		}
		select {
		case woken <- struct{}{}:
		default:
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
	b.ReportMetric(0, "ns/op")
}
