package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/calendar"
	"digest/test/tier"
)

// A journey is a reader's trips, and the dates that do not exist for them.
type journey struct {
	home  string
	stays string // "ZONE FIRST..LAST" each, separated by "; "
	skips string // a date that the date line skips
}

type plannedStay struct {
	zone     string
	from, to digest.Date
}

func (j journey) plan() (stays []plannedStay) {
	for s := range strings.SplitSeq(j.stays, "; ") {
		zone, days, _ := strings.Cut(s, " ")
		from, to, _ := strings.Cut(days, "..")
		stays = append(stays, plannedStay{zone, date(from), date(to)})
	}
	return stays
}

// zoneOn returns the zone of the reader on a date.
func (j journey) zoneOn(d digest.Date) string {
	for _, s := range j.plan() {
		if !d.Before(s.from) && !s.to.Before(d) {
			return s.zone
		}
	}
	return j.home
}

func begins(t testing.TB, d digest.Date, zone string) time.Time {
	t.Helper()
	loc, err := calendar.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	return calendar.Begins(d, loc)
}

// TestJourneys works once an hour while readers travel. Each date has one edition, created when the date begins at
// the reader's place, with all posts since the one before (I1, I2, I3).
func TestJourneys(t *testing.T) {
	tier.Alone(t)
	journeys := []journey{
		{home: "Europe/Paris", stays: "Asia/Tokyo 2026-10-24..2026-10-26"},
		{home: "Europe/Paris", stays: "Asia/Tokyo 2026-10-25..2026-10-25"},
		{home: "Europe/Paris", stays: "America/Los_Angeles 2026-10-27..2026-10-28"},
		{home: "Europe/Paris", stays: "America/Los_Angeles 2026-10-24..2026-11-02"}, // both change their clocks
		{home: "Asia/Tokyo", stays: "Europe/Paris 2026-10-24..2026-10-26"},
		{home: "Pacific/Auckland", stays: "Pacific/Honolulu 2026-10-24..2026-10-26"},
		{home: "Pacific/Honolulu", stays: "Pacific/Auckland 2026-10-24..2026-10-26"},
		{home: "Pacific/Kiritimati", stays: "Pacific/Pago_Pago 2026-10-24..2026-10-26", skips: "2026-10-26"},
		{home: "Pacific/Pago_Pago", stays: "Pacific/Kiritimati 2026-10-24..2026-10-26", skips: "2026-10-23"},
		{home: "Pacific/Kiritimati", stays: "Pacific/Pago_Pago 2026-10-25..2026-10-25", skips: "2026-10-25"},
		{home: "Europe/Paris",
			stays: "Asia/Tokyo 2026-10-24..2026-10-25; America/Los_Angeles 2026-10-26..2026-10-27; Asia/Kathmandu " +
				"2026-10-29..2026-10-29"},
		{home: "Europe/Paris", stays: "Europe/Berlin 2026-10-24..2026-10-25"},
		{home: "Asia/Kolkata", stays: "America/St_Johns 2026-10-31..2026-11-01"},
	}
	// Samoa skipped this date.
	samoa := []journey{{home: "Pacific/Auckland", stays: "Pacific/Apia 2011-12-29..2011-12-31", skips: "2011-12-30"}}
	each(t, func(w world) {
		w.travel("s", samoa, date("2011-12-25"), 10, 0)
		w.travel("a", journeys, date("2026-10-20"), 18, 0)
		w.travel("b", journeys, date("2026-10-20"), 18, 17*time.Minute)
	})
}

// travel has readers travel for some days, and works every hour at the same minute. It ignores earlier readers.
func (w world) travel(name string, journeys []journey, first digest.Date, days int, phase time.Duration) {
	w.Helper()
	w.exec(`UPDATE digests SET state = 'left'`)
	start := begins(w, first, "UTC").Add(phase)
	f := w.newFeed(name + ".example")
	w.record(start, f, posts(start, "first"))
	var ds []digest.Digest
	for i, j := range journeys {
		user, d := must2(w.Readers.AddUser(w.ctx, fmt.Sprintf("%s%d@example.org", name, i), j.home, start))
		w.ok(w.Readers.SetMailed(w.ctx, d.ID, false, start)) // nothing is carried
		w.subscribe(d, f)
		ds = append(ds, d)
		for _, s := range j.plan() {
			must(w.Readers.AddStay(w.ctx, digest.Stay{UserID: user.ID, TimeZone: s.zone, From: s.from, To: s.to},
				start))
		}
	}
	var seen []time.Time
	for hour := range days * 24 {
		now := start.Add(time.Duration(hour) * time.Hour)
		must(w.Editions.BeginStays(w.ctx, now))
		next, _ := must2(w.Feeds.NextMidnight(w.ctx, time.Time{}))
		if !next.After(now) {
			w.hour(now)
		}
		if hour%5 == 1 {
			w.record(now, f, posts(now, fmt.Sprint("p", len(seen))))
			seen = append(seen, now)
		}
	}
	for i, j := range journeys {
		w.arrived(j, ds[i], first.Plus(2), first.Plus(days-2), seen)
		want(w, "home again", w.again(ds[i]).TimeZone, j.home)
	}
	_, planned := must2(w.Editions.NextStay(w.ctx))
	want(w, "nothing planned", planned, false)
}

// arrived checks that each date has its edition, unless it has no posts, and that each post is in the first edition
// after its sighting.
func (w world) arrived(j journey, d digest.Digest, from, to digest.Date, seen []time.Time) {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 100))
	slices.Reverse(list)
	in := make(map[string][]int) // the editions that contain a post
	for i, e := range list {
		refs := must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{{Edition: e}}))
		for _, identity := range strings.Fields(w.identities(refs[e.ID])) {
			in[identity] = append(in[identity], i)
		}
	}
	for n, t := range seen {
		next := slices.IndexFunc(list, func(e digest.Edition) bool { return e.DueAt.After(t) })
		if got := in[fmt.Sprint("p", n)]; next >= 0 && !slices.Equal(got, []int{next}) {
			w.Errorf("%v: what came at %s is in editions %v, not %d", j, t, got, next)
		}
	}
	last := begins(w, from.Plus(-1), j.home)
	for day := from; !to.Before(day); day = day.Plus(1) {
		at := begins(w, day, j.zoneOn(day))
		skipped := strings.Contains(j.skips, day.String())
		came := slices.ContainsFunc(seen, func(t time.Time) bool { return !t.Before(last) && t.Before(at) })
		i := slices.IndexFunc(list, func(e digest.Edition) bool { return e.LocalDate == day })
		switch {
		case i < 0 && came && !skipped:
			w.Errorf("%v: %s has no edition", j, day)
		case i >= 0 && (skipped || !list[i].DueAt.Equal(at)):
			w.Errorf("%v: %s begins at %s, its edition at %s", j, day, at, list[i].DueAt)
		}
		if !skipped {
			last = at
		}
	}
}

// A trip whose first day has begun begins now. The date that had its edition at home has no second one.
func TestLateStay(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "a")
		w.hour(parisMidnight)
		now := parisMidnight.Add(9 * time.Hour)
		w.record(now, f, posts(now, "b"), "a")
		w.stay(ada, "America/Los_Angeles", "2026-11-20", "2026-11-22", now) // it is 00:00 on the 20th there
		want(w, "the 20th is had", w.again(ada).NextDueAt, time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
		w.hour(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
		want(w, "editions", w.editions(ada), "2026-11-20 a; 2026-11-21 b")
	})
}

// TestOutageOverAStay: after an outage over a whole trip, its reader is at home and gets one edition.
func TestOutageOverAStay(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "a")
		w.stay(ada, "Asia/Tokyo", "2026-11-22", "2026-11-24", noon)
		later := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
		want(w, "moved", must(w.Editions.BeginStays(w.ctx, later)), 1)
		w.hour(later)
		want(w, "editions", w.editions(ada), "2026-11-28 a")
		want(w, "over", len(must(w.Readers.Stays(w.ctx, ada.UserID))), 0)
	})
}
