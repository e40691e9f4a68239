package acceptance

import (
	"fmt"
	"testing"
	"time"

	"digest/test/tier"
)

// dozens are 24 zones: every offset there is for a whole hour from -11 to +12,
// and beyond the hours those of half and quarter ones.
func dozens() []string {
	return []string{
		"Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver",
		"America/Chicago", "America/New_York", "America/Halifax", "America/St_Johns", "America/Sao_Paulo",
		"Atlantic/South_Georgia", "Atlantic/Azores", "UTC", "Europe/Paris", "Africa/Cairo", "Europe/Moscow",
		"Asia/Tehran", "Asia/Dubai", "Asia/Karachi", "Asia/Kathmandu", "Asia/Bangkok", "Asia/Tokyo",
		"Australia/Adelaide", "Pacific/Auckland",
	}
}

// TestFiftyTwoDays: one feed and a reader in each of 24 zones, who must have
// every post at their first midnight, while the site is asked at most once an
// hour, by one request a time, and gets no body sent that it has sent before.
// The second feed is as its like for a site that asks for twelve hours of
// peace: it is asked when they are over, by whose midnight then comes.
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
	for i, zone := range dozens() {
		w.join(fmt.Sprintf("zone%02d@example.org", i), zone, func(p *plot) bool { return p.many })
	}
	w.plots = []*plot{w.plots[1], w.plots[3]}
	w.run()
	w.judgeAll()
	w.compare()
	got := w.tallies()
	if busy := got[w.plots[0]]; busy.polls > days*24 || busy.requests > busy.polls+busy.full+1 {
		t.Errorf("%d requests in %d polls, of which %d found something", busy.requests, busy.polls, busy.full)
	}
	if most := 2*days + 2; got[w.plots[1]].requests > most {
		t.Errorf("a site that is fresh for twelve hours was asked %d times in %d days", got[w.plots[1]].requests, days)
	}
}
