package poller

import (
	"testing"
	"time"

	"digest"
	"digest/feed"
)

func TestBusy(t *testing.T) {
	const h, d = time.Hour, 24 * time.Hour
	tests := []struct {
		why    string
		before time.Duration // the previous interval
		t      Turnover
		want   time.Duration
	}{
		{"all new, eight hours of it: twice in that time", 0,
			Turnover{Listed: 10, New: 10, Elapsed: d, Span: 8 * h, UntilDue: d}, 4 * h},
		{"all new, two hours of it", 0, Turnover{Listed: 10, New: 10, Elapsed: d, Span: 2 * h, UntilDue: d}, h},
		{"all new, a minute of it: never more than hourly", 0,
			Turnover{Listed: 10, New: 10, Elapsed: d, Span: time.Minute, UntilDue: d}, h},
		{"all new, without dates", 0, Turnover{Listed: 10, New: 10, Elapsed: d, UntilDue: d}, 6 * h},
		{"all new, with dates that reach back beyond the gap", 0,
			Turnover{Listed: 10, New: 10, Elapsed: d, Span: 90 * d, UntilDue: d}, 6 * h},
		{"all new, nearly a day of it", 0, Turnover{Listed: 10, New: 10, Elapsed: d, Span: 23 * h, UntilDue: d},
			23 * h / 2},
		{"all new after three weeks: a day's polls overlap", 0,
			Turnover{Listed: 10, New: 10, Elapsed: 21 * d, Span: 19 * d, UntilDue: d}, 0},
		{"all new after three weeks, for weekly readers", 0,
			Turnover{Listed: 10, New: 10, Elapsed: 21 * d, Span: 8 * d, UntilDue: 7 * d}, 4 * d},
		{"two new ones are all", 0, Turnover{Listed: 2, New: 2, Elapsed: d, Span: 10 * h, UntilDue: d}, 5 * h},
		{"the only entry is new", 0, Turnover{Listed: 1, New: 1, Elapsed: d, UntilDue: d}, 0},
		{"one is known: no gap", 0, Turnover{Listed: 10, New: 9, Elapsed: d, Span: 20 * h, UntilDue: d}, 0},
		{"never read before", 0, Turnover{Listed: 10, New: 10, UntilDue: d}, 0},
		{"unchanged", 0, Turnover{Elapsed: d, UntilDue: d}, 0},

		{"a gap again: half as long", 4 * h, Turnover{Listed: 10, New: 10, Elapsed: 4 * h, UntilDue: d}, h},
		{"a gap again, without dates", 6 * h, Turnover{Listed: 10, New: 10, Elapsed: 12 * h, UntilDue: d}, 3 * h},
		{"half of it new: as it was", 4 * h, Turnover{Listed: 10, New: 5, Elapsed: 4 * h, UntilDue: 20 * h}, 4 * h},
		{"nearly all of it new: sooner", 4 * h, Turnover{Listed: 10, New: 8, Elapsed: 4 * h, UntilDue: 20 * h},
			5 * h / 2},
		{"little of it new: at most half as often", 2 * h,
			Turnover{Listed: 10, New: 1, Elapsed: 2 * h, UntilDue: 20 * h}, 4 * h},
		{"unchanged: half as often", 2 * h, Turnover{Elapsed: 2 * h, UntilDue: 20 * h}, 4 * h},
		{"unchanged for a while: that is the end", 9 * h, Turnover{Elapsed: 9 * h, UntilDue: 12 * h}, 0},
		{"an edit only", 2 * h, Turnover{Listed: 10, Elapsed: 2 * h, UntilDue: 20 * h}, 4 * h},
		{"the midnight is near, but a day's polls do not overlap", 4 * h,
			Turnover{Listed: 10, New: 5, Elapsed: 4 * h, UntilDue: h}, 4 * h},
		{"a day's polls overlap", 10 * h, Turnover{Listed: 10, New: 2, Elapsed: 10 * h, UntilDue: 14 * h}, 0},
		{"nobody reads it now", 2 * h, Turnover{Listed: 10, New: 5, Elapsed: 2 * h}, 2 * h},
	}
	for _, test := range tests {
		if got := BusyInterval(digest.Feed{Schedule: digest.Schedule{BusyInterval: test.before}},
			test.t); got != test.want {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

// A busySite publishes without a break and lists only its latest posts.
type busySite struct {
	lists   int
	dated   bool
	perDay  func(t time.Time) float64
	begin   time.Time
	known   int // posts at the last poll; no poll yet if readAt is zero
	readAt  time.Time
	lost    []time.Time // polls that found a gap
	instant []time.Time // of each post
}

// published creates the posts up to now, minute by minute.
func (s *busySite) published(now time.Time) []time.Time {
	last, due := s.begin, 0.0
	if n := len(s.instant); n > 0 {
		last = s.instant[n-1]
	}
	for at := last.Add(time.Minute); !at.After(now); at = at.Add(time.Minute) {
		if due += s.perDay(at) / (24 * 60); due >= 1 {
			s.instant = append(s.instant, at)
			due--
		}
	}
	return s.instant
}

func (s *busySite) look(now time.Time) Turnover {
	all := s.published(now)
	fresh, before := len(all)-s.known, s.readAt
	s.known, s.readAt = len(all), now
	if before.IsZero() {
		return Turnover{Listed: s.lists, New: s.lists}
	}
	turn := Turnover{Elapsed: now.Sub(before)}
	if fresh == 0 {
		return turn
	}
	turn.Listed, turn.New = s.lists, min(fresh, s.lists)
	if s.dated {
		turn.Span = now.Sub(all[max(len(all)-s.lists, 0)])
	}
	if fresh > s.lists {
		s.lost = append(s.lost, now)
	}
	return turn
}

// TestBusy_Overlaps plays feeds that publish more in a day than their document holds, for 52 days. It
// checks the number of polls and the lost posts.
func TestBusy_Overlaps(t *testing.T) {
	steady := func(n float64) func(time.Time) float64 { return func(time.Time) float64 { return n } }
	burst := func(at time.Time) float64 {
		if d := at.Sub(midnight()); d > 10*oneDay && d < 12*oneDay {
			return 200
		}
		return 3
	}
	byDay := func(at time.Time) float64 {
		if h := at.Hour(); h >= 8 && h < 20 {
			return 120
		}
		return 2
	}
	batch := func(at time.Time) float64 { // ten at six
		if at.Hour() == 6 && at.Minute() < 10 {
			return 24 * 60
		}
		return 0
	}
	tests := []struct {
		why      string
		busySite busySite
		zones    int
		site     act
		most     int // polls
		lost     int // polls with a gap
		lastLost time.Duration
	}{
		{"enough is listed", busySite{lists: 10, perDay: steady(8), dated: true}, 1, well(), 52, 0, 0},
		{"a little too little", busySite{lists: 10, perDay: steady(13), dated: true}, 1, well(), 52 * 3, 1, 2 * oneDay},
		{"30 a day", busySite{lists: 10, perDay: steady(30), dated: true}, 1, well(), 52 * 7, 1, 2 * oneDay},
		{"30 a day, without dates", busySite{lists: 10, perDay: steady(30)}, 1, well(), 52 * 7, 1, 2 * oneDay},
		{"120 a day", busySite{lists: 10, perDay: steady(120), dated: true}, 1, well(), 52 * 24, 1, 2 * oneDay},
		{"120 a day, without dates", busySite{lists: 10, perDay: steady(120)}, 1, well(), 52 * 24, 4, 3 * oneDay},
		{"120 a day, readers in 24 zones", busySite{lists: 10, perDay: steady(120), dated: true}, 24, well(), 52 * 24,
			0, 0},
		{"120 a day, fresh for six hours", busySite{lists: 10, perDay: steady(120), dated: true}, 1,
			well("Cache-Control: max-age=21600"), 52 * 4, 999, fiftyTwo * oneDay},
		{"120 a day, fresh for a day", busySite{lists: 10, perDay: steady(120), dated: true}, 1,
			well("Cache-Control: max-age=86400"), 52, 999, fiftyTwo * oneDay},
		{"two days of 200", busySite{lists: 10, perDay: burst, dated: true}, 1, well(), 52 + 2*24, 1,
			11*oneDay + time.Hour},
		{"two days of 200, without dates", busySite{lists: 10, perDay: burst}, 1, well(), 52 + 2*24, 4,
			12*oneDay + time.Hour},
		{"all of it once a day", busySite{lists: 10, perDay: batch, dated: true}, 1, well(), 52*3 + 1, 0, 0},
		{"all of it once a day, without dates", busySite{lists: 10, perDay: batch}, 1, well(), 52*3 + 1, 0, 0},
		{"60 in the day, one in the night", busySite{lists: 20, perDay: byDay, dated: true}, 1, well(), 52 * 6, 52,
			fiftyTwo * oneDay},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				s := test.busySite
				s.begin = midnight().Add(-20 * oneDay)
				p := answering(t, midnight(), digest.Feed{Validators: digest.Validators{ETag: `"1"`}},
					hourlyZones(test.zones), frozen, test.site)
				p.turn = func() Turnover { return s.look(p.now()) }
				p.run(fiftyTwo)
				late := 0
				for _, at := range s.lost {
					if at.Sub(midnight()) > test.lastLost {
						late++
					}
				}
				t.Logf("%d polls, lost at %d ", len(p.log), len(s.lost))
				if len(p.log) > test.most || len(s.lost) > test.lost || late > 0 {
					t.Errorf("%d polls, want %d at most; posts were lost before %d, %d of them late", len(p.log),
						test.most, len(s.lost), late)
				}
				if least, _ := p.gaps(); least < time.Hour {
					t.Errorf("S14: %v apart", least)
				}
			})
		})
	}
}

// TestAccountsHurry holds that an account that publishes about as much in a day as a poll can read is busy
// before it loses a post. An account that publishes less is not.
func TestAccountsHurry(t *testing.T) {
	const h = time.Hour
	for why, test := range map[string]struct {
		was  time.Duration
		t    Turnover
		want time.Duration
	}{
		"a feed that is no account's": {0, Turnover{Listed: 20, New: 19, Elapsed: 24 * h, UntilDue: 24 * h}, 0},
		"a few posts a day": {0, Turnover{Listed: 20, New: 5, Elapsed: 24 * h, UntilDue: 24 * h, Reach: 20},
			0},
		"nearly all that it lists": {0, Turnover{Listed: 20, New: 19, Elapsed: 24 * h, UntilDue: 24 * h, Reach: 20},
			24 * h * 20 / 19 / 2},
		"the same, with pages": {0, Turnover{Listed: 20, New: 19, Elapsed: 24 * h, UntilDue: 24 * h, Reach: 80},
			0},
		"a poll that left posts": {0, Turnover{Listed: 20, New: 19, Elapsed: 24 * h, UntilDue: 24 * h, Reach: 80,
			Behind: true}, h},
		"calm again": {6 * h, Turnover{Listed: 20, New: 2, Elapsed: 6 * h, UntilDue: 24 * h,
			Reach: 20}, 0},
		"busy, nothing new": {2 * h, Turnover{Listed: 20, Elapsed: 2 * h, UntilDue: 24 * h, Reach: 20},
			4 * h},
		"a gap, whatever its pages": {0, Turnover{Listed: 80, New: 80, Elapsed: 24 * h, Span: 12 * h,
			UntilDue: 24 * h, Reach: 80}, 6 * h},
	} {
		if got := BusyInterval(digest.Feed{Schedule: digest.Schedule{BusyInterval: test.was}},
			test.t); got != test.want {
			t.Errorf("%s: %s, want %s", why, got, test.want)
		}
	}
	page := func(n, pages int, next string) *feed.Document {
		return &feed.Document{Kind: feed.ActivityStreams, Posts: make([]feed.Post, n), Pages: pages, Next: next}
	}
	busy := digest.Feed{Schedule: digest.Schedule{BusyInterval: h}}
	for why, test := range map[string]struct{ got, want int }{
		"no account's": {Reach(digest.Feed{}, &feed.Document{Kind: feed.RSS, Posts: make([]feed.Post, 20),
			Pages: 1}, 1), 0},
		"all that it has":    {Reach(digest.Feed{}, page(3, 1, ""), 1), 0},
		"one page":           {Reach(digest.Feed{}, page(20, 1, ""), 1), 20},
		"with another":       {Reach(digest.Feed{}, page(20, 1, "x"), 1), 80},
		"busy":               {Reach(busy, page(20, 1, "x"), 1), 20},
		"busy, with another": {Reach(busy, page(40, 2, "x"), 1), 80},
		"texts that are elsewhere": {Reach(digest.Feed{}, &feed.Document{Kind: feed.ActivityStreams,
			Posts: make([]feed.Post, 40), Pages: 1, Next: "x", Apart: 10}, 20), 40},
	} {
		if test.got != test.want {
			t.Errorf("%s: %d, want %d", why, test.got, test.want)
		}
	}
}
