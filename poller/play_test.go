package poller

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"digest"
)

// A play simulates the hourly job for one feed. It calls the policy at each midnight of a reader, polls the
// feed at its time, and calls the policy again. The clock runs, or is frozen between ticks.
type play struct {
	t      testing.TB
	feed   digest.Feed
	spread Spread
	next   []time.Time // the next midnight of each reader
	zones  []*time.Location

	now   func() time.Time
	until func(time.Time)
	tick  time.Duration // interval of a frozen clock; 0: it runs
	poll  func()        // polls the feed
	turn  func() Turnover

	log []time.Time
}

// usualSpread returns the default settings of the program.
func usualSpread() Spread {
	return Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute, Jitter: RandomJitter}
}

// frozenSpread returns the settings for a frozen clock.
func frozenSpread() Spread {
	s := usualSpread()
	s.NoWait = true
	return s
}

func hourlyZones(n int) []*time.Location {
	var all []*time.Location
	for i := range n {
		all = append(all, time.FixedZone("", (i-n/2)*3600))
	}
	return all
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func nextMidnight(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.In(loc).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, loc).UTC()
}

func (p *play) run(days int) {
	p.t.Helper()
	end := p.now().Add(time.Duration(days) * oneDay)
	for _, loc := range p.zones {
		p.next = append(p.next, nextMidnight(p.now().Add(-time.Nanosecond), loc))
	}
	for {
		p.plan()
		if p.open() {
			p.ask()
			continue
		}
		at := p.wake()
		if !at.Before(end) {
			return
		}
		p.until(at)
	}
}

// plan does the work of store.Plan.
func (p *play) plan() {
	now := p.now()
	var due time.Time
	for i, at := range p.next {
		if !at.After(now) {
			due = latest(due, at)
			p.next[i] = nextMidnight(now, p.zones[i])
		}
	}
	if due.IsZero() {
		return
	}
	at, ok := MidnightPoll(p.feed, due, now, p.spread)
	if !ok {
		return
	}
	if at.Before(heldUntil(p.feed, p.spread.Gap)) {
		p.t.Errorf("scheduled before it may be asked: %v", at)
	}
	if p.feed.PollAt.IsZero() || at.Before(p.feed.PollAt) {
		p.feed.PollAt = at
	}
}

// open checks whether the store could claim the feed. A frozen clock may reach the time of a poll only
// after its hour. Claims skip the feed's skipped time. With a running clock, the policy must not plan polls
// in it.
func (p *play) open() bool {
	if p.tick > 0 && skipped(p.feed, p.now()) {
		return false
	}
	return alive(p.feed) && !p.feed.PollAt.IsZero() && !p.gate().After(p.now())
}

func (p *play) gate() time.Time { return latest(p.feed.PollAt, heldUntil(p.feed, p.spread.Gap)) }

func (p *play) ask() {
	now := p.now()
	p.log = append(p.log, now)
	if skipped(p.feed, now) {
		p.t.Errorf("asked in skipped time: %v", now)
	}
	if m := now.Minute(); p.tick == 0 && (m == 59 || m < 2) {
		p.t.Errorf("asked in a hot minute: %v", now)
	}
	p.feed.LastAttemptAt = now
	p.feed.PollAt = time.Time{}
	p.poll()
	due := p.next[0]
	for _, at := range p.next {
		if at.Before(due) {
			due = at
		}
	}
	if p.turn != nil && p.feed.Errors == 0 {
		t := p.turn()
		t.UntilDue = due.Sub(now)
		p.feed.BusyInterval = BusyInterval(p.feed, t)
	}
	p.feed.PollAt = ExtraPoll(p.feed, due, p.now(), p.spread)
}

func (p *play) wake() time.Time {
	if p.tick > 0 {
		return p.now().Add(p.tick)
	}
	at := time.Time{}
	for _, next := range p.next {
		if at.IsZero() || next.Before(at) {
			at = next
		}
	}
	if !p.feed.PollAt.IsZero() && p.gate().Before(at) {
		at = p.gate()
	}
	return at
}

// An act returns the answer of a site: a failure, or the header of a good answer.
type act func(p *play, now time.Time) (failure, http.Header)

// answering plays a feed whose site is a function. Each answer takes a second or two, and each poll is late
// by the same time.
func answering(t testing.TB, begin time.Time, f digest.Feed, zones []*time.Location, frozen bool, site act) *play {
	clock, delay := begin, rand.New(rand.NewPCG(1, 2))
	p := &play{t: t, zones: zones, spread: usualSpread(), now: func() time.Time { return clock }}
	p.feed = f
	p.feed.ID, p.feed.State = 7, digest.FeedActive
	late := func() time.Duration { return time.Duration(1+delay.IntN(2000)) * time.Millisecond }
	if frozen {
		p.spread, p.tick = frozenSpread(), time.Hour
		late = func() time.Duration { return 0 }
	}
	p.until = func(at time.Time) { clock = at.Add(late()) }
	p.poll = func() {
		clock = clock.Add(late())
		x, h := site(p, clock)
		if h == nil {
			fail(&p.feed, x, clock)
			p.feed.LastError = "it failed"
		} else {
			p.feed.ParsedAt = clock
			succeed(&p.feed, 200, false, clock)
			p.feed.FreshUntil = freshUntil(p.feed, h, false, clock)
			p.feed.OwnInterval = OwnInterval(p.feed, clock)
		}
		p.store()
	}
	return p
}

// store rounds the times of the record like a database.
func (p *play) store() {
	up := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.Add(time.Second - 1).Truncate(time.Second)
		}
	}
	up(&p.feed.NotBefore)
	up(&p.feed.FreshUntil)
	up(&p.feed.LastAttemptAt)
}

func well(lines ...string) act {
	return func(*play, time.Time) (failure, http.Header) { return failure{}, header(lines...) }
}

func (p *play) gaps() (least, most time.Duration) {
	for i := 1; i < len(p.log); i++ {
		gap := p.log[i].Sub(p.log[i-1])
		if least == 0 || gap < least {
			least = gap
		}
		most = max(most, gap)
	}
	return least, most
}
