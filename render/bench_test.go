package render

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fifteen is the page that the targets speak of: 15 posts, about 30 KB.
func fifteen() Edition {
	base := typical()
	p := base
	p.Sections = nil
	for i := range 7 {
		s := NewSection(base.Sections[i].Title, base.Sections[i].URL, base.Sections[i].Language)
		for k := range 2 + (i+1)/7 {
			q := harbour().posts[0]
			q.URL += fmt.Sprintf("/%d/%d", i, k)
			s.Posts = append(s.Posts, NewPost(q, nil))
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// BenchmarkEdition sets editions from posts already rendered. The limit is
// putting the same bytes in a row.
func BenchmarkEdition(b *testing.B) {
	p := fifteen()
	e, err := newPress(p)
	if err != nil {
		b.Fatal(err)
	}
	pl := e.fit()
	html, text := e.html(pl), e.text(pl)
	start, n := time.Now(), 0
	for ; time.Since(start) < 300*time.Millisecond; n++ {
		concatenate(html)
		concatenate(text)
	}
	limit := float64(n) / time.Since(start).Seconds()
	var size int
	b.ReportAllocs()
	for b.Loop() {
		m, err := EncodedMail(p)
		if err != nil {
			b.Fatal(err)
		}
		size = len(m.HTML) + len(m.Text)
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(rate, "editions/s")
	b.ReportMetric(limit, "limit/s")
	b.ReportMetric(rate/limit, "ratio")
}

func concatenate(s *sheet) string {
	var b strings.Builder
	b.Grow(s.total.coded)
	for _, p := range s.pieces {
		b.WriteString(p.coded)
	}
	return b.String()
}

func BenchmarkNewPost(b *testing.B) {
	p := harbour().posts[0]
	for b.Loop() {
		NewPost(p, nil)
	}
}
