package render

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fifteen returns the edition of the performance targets: 15 posts, about 30 KB.
func fifteen() Edition {
	base := typical()
	p := base
	p.Sections = nil
	for i := range 7 {
		s := plain.Section(base.Sections[i].Title, base.Sections[i].URL, base.Sections[i].Language)
		for k := range 2 + (i+1)/7 {
			q := harbour().posts[0]
			q.URL += fmt.Sprintf("/%d/%d", i, k)
			s.Posts = append(s.Posts, plain.Post(q))
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// BenchmarkEdition renders editions from rendered posts. The limit is the time to join the same bytes.
func BenchmarkEdition(b *testing.B) {
	p := fifteen()
	m, err := plain.newMail(p)
	if err != nil {
		b.Fatal(err)
	}
	html, text := m.join(m.fit())
	start, n := time.Now(), 0
	for ; time.Since(start) < 300*time.Millisecond; n++ {
		html.join()
		text.join()
	}
	limit := float64(n) / time.Since(start).Seconds()
	var size int
	b.ReportAllocs()
	for b.Loop() {
		m, err := plain.EncodedMail(p)
		if err != nil {
			b.Fatal(err)
		}
		size = len(strings.Join(m.HTML, "")) + len(strings.Join(m.Text, ""))
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(rate, "editions/s")
	b.ReportMetric(limit, "limit/s")
	b.ReportMetric(rate/limit, "ratio")
}

func BenchmarkNewPost(b *testing.B) {
	p := harbour().posts[0]
	for b.Loop() {
		plain.Post(p)
	}
}
