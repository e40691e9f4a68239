package chart_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/newsletter"
)

func year(n int) (all chart.Newsletter) {
	for i := range n {
		d := newsletter.Day{Day: digest.Date{Year: 2025, Month: time.November, Day: 21}.Plus(i),
			Members: int64(100 + i/10)}
		if i%10 == 0 {
			d.Joined, d.Left = 3, 2
		}
		if i%7 == 0 {
			d.Sent = d.Members
		}
		if i == 14 {
			d.Bounced, d.Complained = 2, 1
		}
		all = append(all, d)
	}
	return all
}

func TestNewsletterPicture(t *testing.T) {
	svg := year(365).SVG(catalogue.English(), `"<News>"`)
	got := shapes(t, svg)
	for shape, want := range map[string]int{
		"rect.members": 37, "rect.joined": 37, "rect.left": 37, "rect.sent": 53, "rect.failed": 1, "rect.complaints": 1,
		"line.month": 12, "text.date": 6, "text.name": 4,
	} {
		if got[shape] != want {
			t.Errorf("%d of %s, want %d", got[shape], shape, want)
		}
	}
	if !strings.Contains(svg, `aria-label="&#34;&lt;News&gt;&#34;"`) || !strings.Contains(svg, `role="img"`) {
		t.Error("the picture is not named")
	}
}

// TestOddNewsletterPictures checks pictures without data, with one member, and with the largest numbers.
func TestOddNewsletterPictures(t *testing.T) {
	const most = math.MaxInt64 / 4
	for name, days := range map[string]chart.Newsletter{
		"no days": nil, "nothing": make(chart.Newsletter, 1), "one": year(1),
		"huge": {{Members: most, Joined: most, Left: most,
			LetterCounts: newsletter.LetterCounts{Sent: most, Bounced: most,
				Complained: most}}, {Joined: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			svg := days.SVG(catalogue.English(), "x")
			shapes(t, svg)
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, `="-`) {
				t.Error(svg)
			}
		})
	}
}
