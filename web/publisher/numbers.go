package publisher

import (
	"html/template"
	"slices"

	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/newsletter"
)

// A numbersPage shows the statistics of a newsletter for one year. It names no member.
type numbersPage struct {
	publisher
	Plot    template.HTML
	Members int // now
	Total   newsletter.Day
	Months  []newsletter.Day        // each with the date of its last day, the latest first
	Days    []newsletter.Day        // days with events, the latest first
	Clicks  []newsletter.ClickCount // of the latest posts
}

const mostClicksShown = 100

const numbersDays = 366

func (s *Site) numbersPage(me publisher) error {
	days, err := s.Store.Newsletters.NewsletterNumbers(me.Ctx, me.Newsletter, me.Now, numbersDays)
	p := numbersPage{publisher: me}
	p.add(days, me.PageLanguage())
	if err == nil {
		p.Clicks, err = s.Store.Newsletters.ClickCounts(me.Ctx, me.Newsletter.ID, mostClicksShown)
	}
	return me.show(err, "publisher/numbers", catalogue.Key("Statistics"), p)
}

// add draws the chart of days, which have no gaps, and computes the totals.
func (p *numbersPage) add(days []newsletter.Day, l *catalogue.Language) {
	for i, d := range days {
		p.Total = p.Total.Plus(d)
		if i == 0 || days[i-1].Day.Month != d.Day.Month {
			p.Months = append(p.Months, newsletter.Day{})
		}
		last := &p.Months[len(p.Months)-1]
		*last = last.Plus(d)
		if !d.Quiet() {
			p.Days = append(p.Days, d)
		}
		p.Members = int(d.Members)
	}
	slices.Reverse(p.Months)
	slices.Reverse(p.Days)
	if len(p.Days) > 0 {
		// The chart contains only numbers, dates and words of the catalogue, so it is safe as HTML.
		p.Plot = template.HTML(chart.Newsletter(days).SVG(l,
			l.Text(catalogue.List{catalogue.Key("Members"), catalogue.Key("New members"), catalogue.Key("Unsubscribes"),
				catalogue.Key("Emails sent"), catalogue.Key("Bounces"), catalogue.Key("Spam complaints")})))
	}
}
