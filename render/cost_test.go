package render

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/test/grammar"
	"digest/test/tier"
)

// readAndShow processes a text like a post: it parses a feed with it, sanitises it, and renders it for email and the
// web.
func readAndShow(t *testing.T, text string) {
	doc, err := feed.Parse([]byte("<rss><channel><item><title>x</title><description><![CDATA["+text+
		"]]></description></item></channel></rss>"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range doc.Posts {
		p := New(func(src string) string { return "https://digest.example/" + src }).Post(
			doc.Posts[i].Sanitise(time.Unix(0, 0)))
		p.body(digest.ProxiedImages, nil)
		p.WebText(2, true, nil)
	}
}

const (
	// mostTimes limits the cost of a byte of hostile text relative to ordinary text.
	mostTimes = 10
	// mostOnce limits the fixed cost of a text, in ordinary texts of the smallest size. Text inside two hundred
	// elements repeats them in each of its lines.
	mostOnce = 40
)

// TestCostIsInProportion renders 4,500 texts of random tags. Each must take time in proportion to its bytes, relative
// to as many bytes of plain paragraphs in the same run. A slow result is measured again, because other processes may
// cause it.
func TestCostIsInProportion(t *testing.T) {
	tier.Acceptance(t)
	plain := map[int]time.Duration{}
	sizes := []int{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17}
	for _, size := range sizes {
		text := grammar.Repeated(size, "<p>some words <b>and</b> more</p>")
		readAndShow(t, text)
		plain[size] = shortest(10, func() { readAndShow(t, text) })
	}
	for seed := range uint64(4500) {
		size := sizes[seed%uint64(len(sizes))]
		text := grammar.Text(seed)(size)
		for try := 1; ; try++ {
			took := shortest(1, func() { readAndShow(t, text) })
			most := mostTimes*plain[size]*time.Duration(len(text))/time.Duration(size) + mostOnce*plain[sizes[0]]
			if took <= most {
				break
			}
			if try == 20 {
				t.Errorf("%d, %d bytes: %v, and plain ones %v: %s", seed, len(text), took, plain[size],
					fmt.Sprintf("%.200q", text))
				break
			}
		}
	}
}

func shortest(n int, f func()) time.Duration {
	least := time.Duration(1 << 62)
	for range n {
		at := time.Now()
		f()
		least = min(least, time.Since(at))
	}
	return least
}
