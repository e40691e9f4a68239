package chart

import (
	"fmt"

	"digest"
	"digest/internal/catalogue"
	"digest/newsletter"
)

// A Newsletter is a list of a newsletter's days without gaps, earliest first.
type Newsletter []newsletter.Day

// SVG draws the numbers of members, joins, departures and emails, with words of a language. label describes the picture
// for screen readers.
func (n Newsletter) SVG(l *catalogue.Language, label string) string {
	p := newPlot("chart newsletter", label, len(n), 84, 48, 48, 40)
	months(p, l, leastLabel/2, func(i int) digest.Date { return n[i].Day })
	n.members(p, catalogue.Key("Members").In(l))
	n.days(p, 1, catalogue.Key("New members and unsubscribes per day").In(l), []string{"joined", "left"},
		func(d newsletter.Day) []int64 { return []int64{d.Joined, d.Left} })
	n.days(p, 2, catalogue.Key("Emails sent per day").In(l), []string{"sent"},
		func(d newsletter.Day) []int64 { return []int64{d.Sent} })
	n.days(p, 3, catalogue.Key("Bounces and complaints per day").In(l), []string{"failed", "complaints"},
		func(d newsletter.Day) []int64 { return []int64{d.Bounced, d.Complained} })
	return p.svg()
}

// members draws the number of members at the end of each day. Days with equal numbers share a rectangle.
func (n Newsletter) members(p *plot, name string) {
	var most int64 = 1
	for _, d := range n {
		most = max(most, d.Members)
	}
	at := p.panel(0, name, fmt.Sprint(most))
	for i := 0; i < len(n); {
		end := i + 1
		for end < len(n) && n[end].Members == n[i].Members {
			end++
		}
		if n[i].Members > 0 {
			y := at.scaled(n[i].Members, most)
			p.rect("members", p.left(i), min(p.left(end)+overlap, whole)-p.left(i), y, float64(at.end)-y)
		}
		i = end
	}
}

// overlap is the part of the width by which a rectangle extends into the next one, because a gap between them would
// look like days without members.
const overlap = 0.1

// days draws a panel of stacked numbers, one bar for each day. Each number above 0 is at least one pixel high.
func (n Newsletter) days(p *plot, panel int, name string, classes []string,
	numbers func(newsletter.Day) []int64) {
	var most int64 = 2
	for _, d := range n {
		var sum int64
		for _, k := range numbers(d) {
			sum += k
		}
		most = max(most, sum)
	}
	at := p.panel(panel, name, fmt.Sprint(most))
	for i, d := range n {
		y := float64(at.end)
		for k, number := range numbers(d) {
			if number <= 0 {
				continue
			}
			tall := max(1, float64(at.end)-at.scaled(number, most))
			y -= tall
			p.bar(i, classes[k], y, tall)
		}
	}
}
