package worker_test

import (
	"fmt"
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
	ok(b, err)
	woken := make(chan struct{}, 1)
	benchStored(b, st, worker.Options{Pushed: woken}, func(n int) (event func()) {
		body := fmt.Sprintf(
			`<rss><channel><title>T</title><item><title>x</title><guid>urn:%d</guid><description>%s</description>`+
				`</item></channel></rss>`,
			n, strings.Repeat("word ", 2000))
		return func() {
			ok(b, st.Feeds.ReceivePush(b.Context(), time.Now(), f.ID, "text/xml", []byte(body)))
			select {
			case woken <- struct{}{}:
			default:
			}
		}
	})
}
