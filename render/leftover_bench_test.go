package render

import (
	"strings"
	"testing"
)

// BenchmarkWithout leaves out of an excerpt what programs add, where there is something and where there is nothing;
// the limit is that an edition of 150 posts has all its excerpts within 50 ms.
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
