package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/test/tier"
)

// TestThirtyDaysOfANewsletter runs a newsletter for thirty days. Its members in forty zones join, leave and return.
// Each gets each post exactly once, in the issue of the first of their own days that began after the post.
func TestThirtyDaysOfANewsletter(t *testing.T) {
	tier.Acceptance(t)
	zones := fortyZones()
	each(t, func(w world) {
		chance := rand.New(rand.NewPCG(15, 15))
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/London"), f)
		begin := time.Date(2026, 10, 10, 0, 0, 0, 0, time.UTC) // clocks change on 25 October and 1 November
		members := make(map[digest.DigestID]digest.Member)
		away := make(map[digest.DigestID]bool) // members who have left once: they miss the posts of that time
		join := func(i int, now time.Time) {
			m, _ := must2(w.Members.Join(w.ctx, n.ID, store.Joining{Email: fmt.Sprintf("m%d@example.org", i),
				TimeZone: zones[i%len(zones)], Asked: true}, now))
			members[m.DigestID] = m
		}
		for i := range zones {
			join(i, begin)
		}
		published := make(map[string]time.Time)
		var listed []string
		for step := range 30*24*4 + 200 { // steps of a quarter of an hour
			now := begin.Add(time.Duration(step) * 15 * time.Minute)
			if step < 30*24*4 && chance.IntN(60) == 0 {
				name := fmt.Sprint("p", len(published))
				published[name] = now.Add(-7 * time.Minute) // never exactly at a midnight
				w.record(published[name], f, posts(published[name], name), listed...)
				listed = append(listed, name)
			}
			if step == 400 {
				for i := range zones {
					join(len(zones)+i, now)
				}
			}
			if step == 900 {
				left := 0
				for id := range members {
					if left++; left <= 10 {
						away[id] = true
						w.ok(w.Readers.SetDigestState(w.ctx, id, digest.DigestLeft, now))
					}
				}
			}
			if due, err := w.Count(w.ctx, `SELECT count(*) FROM digests WHERE state = 'active' AND next_due_at <= ?`,
				now.Unix()); err != nil || due > 0 {
				w.ok(err)
				w.hour(now)
			}
		}
		checked := 0
		for id, m := range members {
			loc := must(time.LoadLocation(m.TimeZone))
			got := w.lettersOf(id)
			for name, at := range published {
				if at.Before(m.JoinedAt) || away[id] {
					continue
				}
				checked++
				dates := got[name]
				if want := digest.DateOf(at.In(loc)).Plus(1); len(dates) != 1 || dates[0] != want {
					w.Errorf("%s in %s: %s of %s came in the letters of %v, want that of %s", m.Email, m.TimeZone,
						name, at.In(loc), dates, want)
				}
			}
			for name, dates := range got {
				if len(dates) > 1 {
					w.Errorf("%s: %s came %d times", m.Email, name, len(dates))
				}
			}
		}
		if checked < 2000 {
			w.Errorf("only %d letters were looked at", checked)
		}
	})
}

// lettersOf returns the dates of the issues that contained each post.
func (w world) lettersOf(id digest.DigestID) map[string][]digest.Date {
	w.Helper()
	all := must(w.Editions.Editions(w.ctx, id, 1000))
	came := make(map[string][]digest.Date)
	for _, e := range all {
		refs := must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{{Edition: e}}))
		for _, ref := range refs[e.ID] {
			if ref.Carried {
				continue
			}
			name := w.identities([]digest.PostRef{ref})
			came[name] = append(came[name], e.LocalDate)
		}
	}
	return came
}
