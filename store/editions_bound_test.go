package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
)

// A scroll is a feed whose document contains its last few posts.
type scroll struct {
	feed  digest.Feed
	all   []string // in the order of publication
	asked int
}

const scrollHolds = 4

func (s *scroll) holds() []string { return s.all[max(0, len(s.all)-scrollHolds):] }

// A voyage is a digest with feeds during random pauses, trips and changes. It records which posts the reader must
// receive.
type voyage struct {
	world
	digest digest.Digest
	feeds  []*scroll
	must   map[string]bool // identities of posts that a document contained while the reader was subscribed
}

// hours runs the hourly job from now to end: it polls due feeds and releases due digests. Posts scroll out of
// documents that are not polled.
func (v *voyage) hours(now, end time.Time) {
	v.Helper()
	for ; !now.After(end); now = now.Add(time.Hour) {
		must(v.Editions.EndPauses(v.ctx, now))
		var due []digest.FeedID
		must(v.Feeds.Plan(v.ctx, now, func(f digest.Feed, _ time.Time) (time.Time, bool) {
			due = append(due, f.ID)
			return time.Time{}, false
		}))
		for _, s := range v.feeds {
			if slices.Contains(due, s.feed.ID) {
				v.ask(now, s)
			}
		}
		v.release(now)
	}
}

func (v *voyage) ask(now time.Time, s *scroll) {
	v.Helper()
	s.asked++
	v.record(now, s.feed, posts(now, s.holds()...))
	for _, name := range s.holds() {
		v.must[name] = true
	}
}

// publish adds posts to a feed, at most what its document holds in a day.
func (v *voyage) publish(s *scroll, n int) {
	for range n {
		s.all = append(s.all, fmt.Sprintf("%s-%d", s.feed.Host, len(s.all)))
	}
}

// TestPauseVoyage: during a pause nothing is released, everything published is in exactly one edition, and no date has
// two editions. The second site of some readers is a roll-up.
func TestPauseVoyage(t *testing.T) {
	tier.Alone(t)
	each(t, func(w world) {
		rng := rand.New(rand.NewPCG(5, 7))
		for i := range 6 {
			v := &voyage{world: w, digest: w.reader(fmt.Sprint("r", i)), must: map[string]bool{}}
			for k := range 2 {
				f := w.feed(fmt.Sprintf("v%d-%d.example", i, k))
				w.subscribe(v.digest, f)
				if k == 1 && i%2 == 1 {
					w.rollUp(v.digest, f, time.Weekday(i))
				}
				v.feeds = append(v.feeds, &scroll{feed: f})
			}
			v.run(rng)
		}
	})
}

// voyageBegin is before the end of summer time in Europe.
var voyageBegin = time.Date(2026, 10, 20, 12, 30, 0, 0, time.UTC)

func (v *voyage) run(rng *rand.Rand) {
	v.Helper()
	w, d := v.world, v.digest
	w.move(d, time.Date(2026, 10, 20, 22, 0, 0, 0, time.UTC))
	zones := []string{"Europe/Paris", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Apia", "Asia/Kathmandu"}
	now, log := voyageBegin, []string{}
	note := func(format string, args ...any) {
		log = append(log, now.Format("02 15h ")+fmt.Sprintf(format, args...))
	}
	for range 16 {
		for _, s := range v.feeds {
			v.publish(s, rng.IntN(scrollHolds/2+1)) // half a document, because a trip may skip a midnight
		}
		switch rng.IntN(8) {
		case 0, 1:
			until := now.Add(time.Duration(1+rng.IntN(6*24)) * time.Hour)
			w.pause(d, until, now)
			note("paused until %s", until.Format("02 15h"))
		case 2:
			w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, now))
			note("back")
		case 3:
			zone := zones[rng.IntN(len(zones))]
			w.setZone(d, zone, now)
			note("in %s", zone)
		}
		v.hours(now, now.Add(23*time.Hour))
		now = now.Add(day)
	}
	w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, now))
	v.hours(now, now.Add(9*day)) // a roll-up waits for its day
	v.check(strings.Join(log, ", "))
}

func (v *voyage) check(log string) {
	v.Helper()
	had := map[string]int{}
	dates := map[string]int{}
	for _, e := range strings.Split(v.editions(v.digest), "; ") {
		fields := strings.Fields(e)
		dates[fields[0]]++
		for _, name := range fields[1:] {
			had[name]++
		}
	}
	for _, s := range v.feeds {
		for _, name := range s.all {
			if had[name] != 1 {
				v.Errorf("%s came %d times (asked for: %v): %s; %s", name, had[name], v.must[name], log,
					v.editions(v.digest))
			}
		}
	}
	for date, n := range dates {
		if n > 1 {
			v.Errorf("%d editions of %s: %s", n, date, log)
		}
	}
	want(v, "nothing waits", v.waiting(v.digest), "")
}

// nights runs n midnights in Paris and returns the days and hosts of the polls.
func (w world) nights(from time.Time, n int, each func(now time.Time)) (asked []string) {
	w.Helper()
	for i := range n {
		now := from.Add(time.Duration(i) * day)
		if each != nil {
			each(now)
		}
		hosts := make(map[digest.FeedID]string)
		for _, f := range storetest.All(w, w.Feeds.Feeds(w.ctx)) {
			hosts[f.ID] = f.Host
		}
		w.endPauses(now)
		must(w.Feeds.Plan(w.ctx, now, func(f digest.Feed, due time.Time) (time.Time, bool) {
			asked = append(asked, due.Format("02 ")+hosts[f.ID])
			return time.Time{}, false
		}))
		w.release(now)
	}
	return asked
}

// The feeds of a digest that is paused until a time are polled at the midnights of its cadence. A pause without an end
// has no polls.
func TestPauseAsks(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		a, b, c := w.feed("a"), w.feed("b"), w.feed("c")
		w.subscribe(ada, a)
		w.subscribe(bob, b)
		w.subscribe(cyd, c)
		w.setCadence(cyd, 1<<time.Sunday|1<<time.Monday, noon)
		until := parisMidnight.Add(10 * day) // a Monday
		for _, d := range []digest.Digest{ada, cyd} {
			w.pause(d, until, noon)
		}
		w.pause(bob, time.Time{}, noon)
		want(w, "due when it is back", w.again(ada).NextDueAt, until)
		next, _ := must2(w.Feeds.NextMidnight(w.ctx, time.Time{}))
		want(w, "next midnight", next, parisMidnight)
		info := must(w.Feeds.Feed(w.ctx, a.ID))
		want(w, "somebody takes it", info.Subscribers, 1)
		want(w, "and is asked for", info.NextDueAt, parisMidnight)
		due := must(w.Feeds.FeedDue(w.ctx, a.ID, parisMidnight.Add(time.Hour)))
		want(w, "and the night after", due, parisMidnight.Add(day))
		info = must(w.Feeds.Feed(w.ctx, b.ID))
		want(w, "nobody takes it", info.Subscribers, 0)
		want(w, "four nights", fmt.Sprint(w.nights(parisMidnight, 4, nil)), "[19 a 20 a 21 a 21 c 22 a 22 c]")
		// After an outage, the missed polls are made once.
		want(w, "after an outage", fmt.Sprint(w.nights(parisMidnight.Add(7*day+time.Hour), 1, nil)), "[23 a]")
		want(w, "the end", fmt.Sprint(w.nights(parisMidnight.Add(8*day), 3, nil)), "[27 a 28 a 28 c 29 a 29 c]")
		want(w, "back", w.again(ada).State, digest.DigestActive)
		want(w, "as ever", fmt.Sprint(w.nights(until.Add(day), 1, nil)), "[30 a]")
	})
}

// bound describes the periods of a digest's bound editions.
func (w world) bound(d digest.Digest) string {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 100))
	var out []string
	for _, e := range list {
		if !e.BoundFrom.IsZero() {
			out = append(out, e.BoundFrom.Format("02 15h")+" to "+e.BoundTo.Format("02 15h"))
		}
	}
	return strings.Join(out, "; ")
}

// Changes during a pause only affect when its bound edition is released.
func TestPauseChanges(t *testing.T) {
	cases := []struct {
		name   string
		change func(w world, d digest.Digest, now time.Time) // on the third day, at noon
		want   string
		bound  string
	}{
		{"as it was set", func(world, digest.Digest, time.Time) {},
			"2026-11-26 o p0 p1 p2 p3 p4 p5 p6; 2026-11-27 p7; 2026-11-28 p8; 2026-11-29 p9", "19 12h to 25 23h"},
		{"shortened", func(w world, d digest.Digest, now time.Time) {
			w.pause(d, parisMidnight.Add(4*day), now)
		}, "2026-11-24 o p0 p1 p2 p3 p4; 2026-11-25 p5; 2026-11-26 p6; 2026-11-27 p7; 2026-11-28 p8; 2026-11-29 p9",
			"19 12h to 23 23h"},
		{"prolonged", func(w world, d digest.Digest, now time.Time) {
			w.pause(d, parisMidnight.Add(8*day), now)
		}, "2026-11-28 o p0 p1 p2 p3 p4 p5 p6 p7 p8; 2026-11-29 p9", "19 12h to 27 23h"},
		{"ended early", func(w world, d digest.Digest,
			now time.Time) {
			w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, now))
		},
			"2026-11-23 o p0 p1 p2 p3; 2026-11-24 p4; 2026-11-25 p5; 2026-11-26 p6; 2026-11-27 p7; 2026-11-28 p8; " +
				"2026-11-29 p9",
			"19 12h to 22 12h"},
		{"begun again before it came", func(w world, d digest.Digest, now time.Time) {
			w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, now))
			w.pause(d, parisMidnight.Add(5*day), now.Add(time.Hour))
		}, "2026-11-25 o p0 p1 p2 p3 p4 p5; 2026-11-26 p6; 2026-11-27 p7; 2026-11-28 p8; 2026-11-29 p9",
			"19 12h to 24 23h"},
		{"left and begun again", func(w world, d digest.Digest, now time.Time) {
			w.setState(d, digest.DigestLeft, now)
			w.setState(d, digest.DigestActive, now)
		}, "2026-11-23 o p0 p1 p2 p3; 2026-11-24 p4; 2026-11-25 p5; 2026-11-26 p6; 2026-11-27 p7; 2026-11-28 p8; " +
			"2026-11-29 p9",
			""},
		{"on a Friday", func(w world, d digest.Digest, now time.Time) {
			w.setCadence(d, 1<<time.Friday, now)
		}, "2026-11-27 o p0 p1 p2 p3 p4 p5 p6 p7", "19 12h to 25 23h"},
		{"in Tokyo, on the same date", func(w world, d digest.Digest, now time.Time) {
			w.setZone(d, "Asia/Tokyo", now)
		}, "2026-11-26 o p0 p1 p2 p3 p4 p5; 2026-11-27 p6; 2026-11-28 p7; 2026-11-29 p8", "19 12h to 25 15h"},
	}
	each(t, func(w world) {
		for i, c := range cases {
			d := w.reader(fmt.Sprint("r", i))
			f := w.feed(fmt.Sprintf("f%d", i))
			w.subscribe(d, f)
			w.posted(f, "o")
			w.pause(d, parisMidnight.Add(6*day), noon)
			for night := range 10 {
				if night == 3 {
					c.change(w, d, noon.Add(3*day))
				}
				now := parisMidnight.Add(time.Duration(night) * day)
				for _, hour := range []time.Duration{-8 * time.Hour, 0} { // midnight in Tokyo and in Paris
					w.endPauses(now.Add(hour))
					must(w.Feeds.Plan(w.ctx, now.Add(hour), queueNothing))
					if hour == 0 {
						w.record(now, f, posts(now, fmt.Sprint("p", night)))
					}
					w.release(now.Add(hour))
				}
				w.exec(`UPDATE editions SET state = 'sent'`)
			}
			want(w, c.name, w.editions(d), c.want)
			want(w, c.name+": bound", w.bound(d), c.bound)
		}
	})
}

// An edition that carries an undelivered bound edition is bound too.
func TestBoundEditionIsCarried(t *testing.T) {
	each(t, func(w world) {
		d, f := w.follows()
		w.pause(d, parisMidnight.Add(2*day), noon)
		w.nights(parisMidnight, 4, func(now time.Time) { w.record(now, f, posts(now, now.Format("p02"))) })
		want(w, "editions", w.shown(d), "2026-11-22 p19 p20 p21; 2026-11-23 +p19 +p20 +p21 p22")
		want(w, "bound", w.bound(d), "19 12h to 21 23h; 19 12h to 21 23h")
	})
}

// An edition after a pause with an end includes the notices of the pause, with gaps, and the posts of new
// subscriptions.
func TestPauseGathersAll(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g, x := w.feed("f.example"), w.feed("g.example"), w.feed("x.example")
		w.subscribe(ada, f, x)
		w.posted(g, "g1")
		w.pause(ada, parisMidnight.Add(3*day), noon)
		w.posted(x, "x1")
		gap := digest.Gap{From: noon, To: noon.Add(time.Hour)}
		f.ParsedAt = noon.Add(time.Hour)
		w.poll(noon.Add(time.Hour), store.Polled{Feed: f, Posts: posts(noon, "f1", "f2"), Listed: []string{"f1",
			"f2"}, Gap: &gap})
		later := noon.Add(2 * time.Hour)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: g.ID}, later))
		w.unsubscribe(ada, x)
		w.nights(parisMidnight, 4, nil)
		want(w, "posts", w.editions(ada), "2026-11-23 g1 f1 f2")
		list := w.latest(ada)
		told := must(w.Editions.Notices(w.ctx, []digest.Delivery{{Edition: list}}))
		want(w, "told", len(told[list.ID]), 1)
	})
}

// Prune keeps hidden posts during a pause that is longer than any retention period.
func TestPauseIsNotPruned(t *testing.T) {
	each(t, func(w world) {
		d, f := w.follows()
		w.posted(f, "p")
		end := parisMidnight.Add(300*day - time.Hour) // an hour earlier, because of summer time
		w.pause(d, end, noon)
		w.record(end.Add(-day), f, posts(end.Add(-day), "q"))
		for {
			n := w.pruneOnce(end.Add(-time.Hour), 30*day, 100)
			if n == 0 {
				break
			}
		}
		w.nights(end, 1, nil)
		want(w, "all of it", w.editions(d), "2027-09-16 p q")
		oneLine(w, w.Readers.PauseDigest(w.ctx, d.ID, end.Add(401*day), end), digest.Invalid)
	})
}
