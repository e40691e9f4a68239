package edition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/mailer"
)

// BenchmarkRender renders 500 editions of 15 posts each, from 2,000 posts of 300 feeds, without a database, and joins
// the blocks of each message. It compares that with the time to copy the same bytes.
func BenchmarkRender(b *testing.B) {
	const readers, posts = 500, 15
	s, ds := crowd(readers, posts)
	bld := edition.New(edition.Options{Store: s, Signer: signer(), BaseURL: "https://digest.example"})
	printed, err := bld.Render(b.Context(), ds) // fills the cache
	if err != nil {
		b.Fatal(err)
	}
	limit := copies(printed)
	b.ReportAllocs()
	for b.Loop() {
		printed, err := bld.Render(b.Context(), ds)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range printed {
			if inARow(p) == "" {
				b.Fatal("an empty edition")
			}
		}
	}
	rate := float64(b.N) * readers / b.Elapsed().Seconds()
	b.ReportMetric(rate, "editions/s")
	b.ReportMetric(limit, "limit/s")
	b.ReportMetric(rate/limit, "ratio")
}

// copies returns how many editions per second can be copied.
func copies(printed []mailer.Letter) float64 {
	var bodies []string
	for _, p := range printed {
		bodies = append(bodies, inARow(p))
	}
	start, n := time.Now(), 0
	for time.Since(start) < 300*time.Millisecond {
		if len(strings.Clone(bodies[n%len(bodies)])) == 0 {
			panic("an empty edition")
		}
		n++
	}
	return float64(n) / time.Since(start).Seconds()
}

func inARow(l mailer.Letter) string {
	return strings.Join(slices.Concat(l.Encoded.Text, l.Encoded.HTML), "")
}

func crowd(readers, each int) (*shelf, []digest.Delivery) {
	s := &shelf{
		editions: map[digest.EditionID][]digest.PostRef{}, posts: map[digest.PostID]digest.Post{},
		sources: map[digest.FeedID]digest.FeedLabel{},
	}
	for i := range 300 {
		id := digest.FeedID(i + 1)
		s.sources[id] = digest.FeedLabel{FeedID: id, Title: fmt.Sprintf("Site %d", i), SiteURL: "https://site.example/",
			Language: "en"}
	}
	for i := range 2000 {
		id := digest.PostID(i + 1)
		s.posts[id] = digest.Post{
			ID: id, FeedID: digest.FeedID(i%300 + 1), URL: fmt.Sprintf("https://site.example/posts/%d", i),
			Title: fmt.Sprintf("A headline of usual length, number %d", i), Author: "An Author", SeenAt: noon(19),
			Summary: strings.Repeat("A sentence that says what the post is about. ", 8),
		}
	}
	var ds []digest.Delivery
	for i := range readers {
		id := digest.EditionID(i + 1)
		for k := range each {
			n := (i*37 + k/2 + 300*(k%2)) % 2000 // two posts of each feed
			s.editions[id] = append(s.editions[id],
				digest.PostRef{PostID: digest.PostID(n + 1), FeedID: digest.FeedID(n%300 + 1)})
		}
		ds = append(ds, digest.Delivery{
			Edition: digest.Edition{ID: id, DigestID: digest.DigestID(i + 1),
				LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20}, DueAt: noon(20), Number: i},
			Email: fmt.Sprintf("reader%d@example.org", i),
		})
	}
	return s, ds
}
