package poller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/feed"
)

// turnover returns the Turnover of a text such as "listed=10 new=9 after=24h span=8h due=24h reach=20 behind".
func turnover(text string) (t Turnover) {
	numbers := map[string]*int{"listed": &t.Listed, "new": &t.New, "reach": &t.Reach}
	spans := map[string]*time.Duration{"after": &t.Elapsed, "span": &t.Span, "due": &t.UntilDue}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case name == "behind":
			t.Behind = true
		case numbers[name] != nil:
			fmt.Sscan(value, numbers[name])
		default:
			*spans[name] = span(value)
		}
	}
	return t
}

// TestBusy: an account that publishes about as much in a day as a poll can reach is busy before it loses a post.
func TestBusy(t *testing.T) {
	for _, test := range table(`
		before | turnover | want | why
		    | listed=10 new=10 after=24h span=8h due=24h | 4h  | all new, eight hours of it: twice in that time
		    | listed=10 new=10 after=24h span=2h due=24h | 1h  | all new, two hours of it
		    | listed=10 new=10 after=24h span=1m due=24h | 1h  | all new, a minute of it: never more than hourly
		    | listed=10 new=10 after=24h due=24h | 6h  | all new, without dates
		    | listed=10 new=10 after=24h span=2160h due=24h | 6h  | all new, with dates beyond the gap
		    | listed=10 new=10 after=24h span=23h due=24h | 11h30m | all new, nearly a day of it
		    | listed=10 new=10 after=504h span=456h due=24h |     | all new after three weeks: a day's polls overlap
		    | listed=10 new=10 after=504h span=192h due=168h | 96h | all new after three weeks, for weekly readers
		    | listed=2 new=2 after=24h span=10h due=24h | 5h  | two new ones are all
		    | listed=1 new=1 after=24h due=24h |     | the only entry is new
		    | listed=10 new=9 after=24h span=20h due=24h |     | one is known: no gap
		    | listed=10 new=10 due=24h |     | never read before
		    | after=24h due=24h |     | unchanged
		4h  | listed=10 new=10 after=4h due=24h | 1h  | a gap again: half as long
		6h  | listed=10 new=10 after=12h due=24h | 3h  | a gap again, without dates
		4h  | listed=10 new=5 after=4h due=20h | 4h  | half of it new: as it was
		4h  | listed=10 new=8 after=4h due=20h | 2h30m | nearly all of it new: sooner
		2h  | listed=10 new=1 after=2h due=20h | 4h  | little of it new: at most half as often
		2h  | after=2h due=20h | 4h  | unchanged: half as often
		9h  | after=9h due=12h |     | unchanged for a while: that is the end
		2h  | listed=10 after=2h due=20h | 4h  | an edit only
		4h  | listed=10 new=5 after=4h due=1h | 4h  | the midnight is near, but a day's polls do not overlap
		10h | listed=10 new=2 after=10h due=14h |     | a day's polls overlap
		2h  | listed=10 new=5 after=2h | 2h  | nobody reads it now
		    | listed=20 new=19 after=24h due=24h |     | a feed that is no account's
		    | listed=20 new=5 after=24h due=24h reach=20 |     | a few posts a day
		    | listed=20 new=19 after=24h due=24h reach=20 | 12h37m53.684210526s | nearly all that it lists
		    | listed=20 new=19 after=24h due=24h reach=80 |     | the same, with pages
		    | listed=20 new=19 after=24h due=24h reach=80 behind | 1h  | a poll that left posts
		6h  | listed=20 new=2 after=6h due=24h reach=20 |     | calm again
		2h  | listed=20 after=2h due=24h reach=20 | 4h  | busy, nothing new
		    | listed=80 new=80 after=24h span=12h due=24h reach=80 | 6h  | a gap, whatever its pages`) {
		if got := BusyInterval(feedOf("busy="+test["before"]), turnover(test["turnover"])); got != span(test["want"]) {
			t.Errorf("%s: %v, want %v", test["why"], got, test["want"])
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
	rates := map[string]func(time.Time) float64{"burst": burst, "by day": byDay, "batch": batch}
	for _, n := range []float64{8, 13, 30, 120} {
		rates[fmt.Sprint(n)] = func(time.Time) float64 { return n }
	}
	for _, test := range table(`
		lists | rate   | dated | zones | fresh | polls | gaps | until | why
		10    | 8      | yes   | 1     |       | 52    | 0    | 0     | enough is listed
		10    | 13     | yes   | 1     |       | 156   | 1    | 48h   | a little too little
		10    | 30     | yes   | 1     |       | 364   | 1    | 48h   | 30 a day
		10    | 30     |       | 1     |       | 364   | 1    | 48h   | 30 a day, without dates
		10    | 120    | yes   | 1     |       | 1248  | 1    | 48h   | 120 a day
		10    | 120    |       | 1     |       | 1248  | 4    | 72h   | 120 a day, without dates
		10    | 120    | yes   | 24    |       | 1248  | 0    | 0     | 120 a day, readers in 24 zones
		10    | 120    | yes   | 1     | 21600 | 208   | 999  | 1248h | 120 a day, fresh for six hours
		10    | 120    | yes   | 1     | 86400 | 52    | 999  | 1248h | 120 a day, fresh for a day
		10    | burst  | yes   | 1     |       | 100   | 1    | 265h  | two days of 200
		10    | burst  |       | 1     |       | 100   | 4    | 289h  | two days of 200, without dates
		10    | batch  | yes   | 1     |       | 157   | 0    | 0     | all of it once a day
		10    | batch  |       | 1     |       | 157   | 0    | 0     | all of it once a day, without dates
		20    | by day | yes   | 1     |       | 312   | 52   | 1248h | 60 in the day, one in the night`) {
		most, lost, site := number(test["polls"]), number(test["gaps"]), well()
		if test["fresh"] != "" {
			site = well("Cache-Control: max-age=" + test["fresh"])
		}
		t.Run(test["why"], func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				s := busySite{lists: number(test["lists"]), perDay: rates[test["rate"]], dated: test["dated"] != "",
					begin: midnight().Add(-20 * oneDay)}
				p := answering(t, midnight(), feedOf("etag"), hourlyZones(number(test["zones"])), frozen, site)
				p.turn = func() Turnover { return s.look(p.now()) }
				p.run(fiftyTwo)
				late := 0
				for _, at := range s.lost {
					if at.Sub(midnight()) > span(test["until"]) {
						late++
					}
				}
				t.Logf("%d polls, lost at %d ", len(p.log), len(s.lost))
				if len(p.log) > most || len(s.lost) > lost || late > 0 {
					t.Errorf("%d polls, want %d at most; posts were lost before %d, %d of them late", len(p.log),
						most, len(s.lost), late)
				}
				if least, _ := p.gaps(); least < time.Hour {
					t.Errorf("S14: %v apart", least)
				}
			})
		})
	}
}

// TestReach checks how many posts of an account a poll can read.
func TestReach(t *testing.T) {
	for why, test := range map[string]struct {
		busy                string
		kind                feed.Kind
		posts, pages, apart int
		next                string
		known, want         int
	}{
		"no account's":             {"", feed.RSS, 20, 1, 0, "", 1, 0},
		"all that it has":          {"", feed.ActivityStreams, 3, 1, 0, "", 1, 0},
		"one page":                 {"", feed.ActivityStreams, 20, 1, 0, "", 1, 20},
		"with another":             {"", feed.ActivityStreams, 20, 1, 0, "x", 1, 80},
		"busy":                     {"1h", feed.ActivityStreams, 20, 1, 0, "x", 1, 20},
		"busy, with another":       {"1h", feed.ActivityStreams, 40, 2, 0, "x", 1, 80},
		"texts that are elsewhere": {"", feed.ActivityStreams, 40, 1, 10, "x", 20, 40},
	} {
		doc := &feed.Document{Kind: test.kind, Posts: make([]feed.Post, test.posts), Pages: test.pages, Next: test.next,
			Apart: test.apart}
		if got := Reach(feedOf("busy="+test.busy), doc, test.known); got != test.want {
			t.Errorf("%s: %d, want %d", why, got, test.want)
		}
	}
}
