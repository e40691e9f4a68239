package render

import (
	"strings"
	"testing"
)

// BenchmarkWithout removes endings of feed generators from excerpts with and without them. The limit is 50 ms for all
// excerpts of an edition of 150 posts.
func BenchmarkWithout(b *testing.B) {
	text := strings.Repeat("The words of a post go on. ", 40)
	for name, end := range map[string]string{"something": "The post The boat appeared first on The harbour.",
		"nothing": "That is all."} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := without(text+end, "The boat"); strings.Contains(got, "appeared") {
					b.Fatal(got)
				}
			}
			b.ReportMetric(150_000*b.Elapsed().Seconds()/float64(b.N), "ms/edition")
			b.ReportMetric(50, "ms/limit")
		})
	}
}
