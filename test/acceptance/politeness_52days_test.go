package acceptance

import (
	"fmt"
	"testing"
	"time"

	"digest/test/tier"
)

// TestFiftyTwoDays uses a feed with a reader in each of 24 zones. Each must get every post at their first midnight.
// The site gets at most one request per hour, and sends no body twice. The second feed is the same for a site that
// requests twelve hours between polls.
func TestFiftyTwoDays(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	const days = 52
	end := runBegin().Add(days * day)
	var ticks []time.Time
	for at := runBegin().Add(time.Hour); at.Before(end); at = at.Add(time.Hour) {
		since := int(at.Sub(runBegin()) / day)
		if full() || since < 2 || since%17 == 0 || at.Hour()%12 == 0 {
			ticks = append(ticks, at)
		}
	}
	w := newWorld(t, ticks)
	often := both("many zones")
	often.every = 5 * time.Hour
	calm := saying(12*time.Hour, "Cache-Control", "max-age=43200")
	w.settle([]manner{often, calm}, end)
	for i, zone := range newsletterZones() {
		if i%5 > 2 {
			continue
		}
		w.join(fmt.Sprintf("zone%02d@example.org", i), zone, func(p *site) bool { return p.many })
	}
	w.sites = []*site{w.sites[1], w.sites[3]}
	w.run()
	w.judge()
	w.judgeRobots()
	w.compare()
	got := w.tallies()
	if busy := got[w.sites[0]]; busy.polls > days*24 || busy.requests > busy.polls+busy.full+1 {
		t.Errorf("%d requests in %d polls, of which %d found something", busy.requests, busy.polls, busy.full)
	}
	if most := 2*days + 2; got[w.sites[1]].requests > most {
		t.Errorf("a site that is fresh for twelve hours was asked %d times in %d days", got[w.sites[1]].requests, days)
	}
}
