package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestLeads: the lead of an edition is stored with the mark of its email, or when it is first opened, and does not
// change. The next edition knows the sites that led before.
func TestLeads(t *testing.T) {
	each(t, func(w world) {
		f, g := w.feed("f.example"), w.feed("g.example")
		d := w.reader("ann")
		w.subscribe(d, f, g)
		day := func(n int) time.Time { return parisMidnight.AddDate(0, 0, n) }
		for n, of := range []digest.Feed{f, g, f} {
			w.record(day(n).Add(-time.Hour), of, posts(day(n).Add(-time.Hour), "p"+string(rune('0'+n))))
			want(w, "released", w.hour(day(n)), 1)
		}
		editions, err := w.Editions.Editions(w.ctx, d.ID, 9) // newest first
		w.ok(err)
		ds := []digest.Delivery{{Edition: editions[0]}, {Edition: editions[1]}, {Edition: editions[2]}}
		refs, err := w.Editions.EditionPosts(w.ctx, ds)
		w.ok(err)
		lead := func(i int) digest.PostID { return refs[editions[i].ID][0].PostID }

		want(w, "claimed", len(w.claimEditions(day(2), 9, "t")), 1)
		_, err = w.Editions.MarkEditions(w.ctx, day(2), "t", nil, []digest.Dot{{ID: editions[0].ID, Lead: lead(0)}})
		w.ok(err)
		w.mark(day(2), "t", digest.Mark{ID: editions[0].ID, State: digest.EditionSent})
		for i := range editions {
			w.ok(w.Editions.KeepLead(w.ctx, editions[i].ID, lead(i)))
			w.ok(w.Editions.KeepLead(w.ctx, editions[i].ID, 999))
			want(w, "the lead", w.edition(editions[i].ID).Lead, lead(i))
		}
		led, err := w.Editions.LeadsBefore(w.ctx, ds, 4)
		w.ok(err)
		want(w, "before the third", len(led[editions[0].ID]), 2)
		want(w, "before the first", len(led[editions[2].ID]), 0)
		led, err = w.Editions.LeadsBefore(w.ctx, ds, 1)
		w.ok(err)
		want(w, "of one edition", len(led[editions[0].ID]), 1)
	})
}

// TestBusiestDay: posts count for the day on which digest found them, and posts of the first poll for the day of their
// publication.
func TestBusiestDay(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.subscribe(w.reader("ann"), f)
		first, second := noon.AddDate(0, 0, -20), noon.AddDate(0, 0, -10)
		dated := func(at time.Time, days int, name string) digest.Post {
			p := posts(at, name)[0]
			p.PublishedAt = at.AddDate(0, 0, -days)
			return p
		}
		w.record(first, f, []digest.Post{dated(first, 3, "a"), dated(first, 2, "b"), dated(first, 2, "c"),
			dated(first, 90, "old")})
		w.record(second, f, []digest.Post{dated(second, 1, "d"), dated(second, 2, "e"), dated(second, 3, "f")})
		for before, most := range map[time.Time]int{second: 2, noon: 3} {
			h, err := w.Editions.FeedHistories(w.ctx, []digest.FeedID{f.ID}, before)
			w.ok(err)
			want(w, "the busiest day", h[0].Most, most)
			want(w, "the earliest", h[0].Since.Equal(first.AddDate(0, 0, -3)), true)
		}
		ids, err := w.Editions.PostsBefore(w.ctx, f.ID, second, 3)
		w.ok(err)
		want(w, "earlier posts", len(ids), 3)
		ids, err = w.Editions.PostsBefore(w.ctx, f.ID, noon, 30)
		w.ok(err)
		want(w, "all posts", len(ids), 7)
	})
}

// TestFeedHistories counts the posts of 30 days before a time, and finds the newest. A feed without posts has no
// newest one, and a feed that does not exist has no history.
func TestFeedHistories(t *testing.T) {
	each(t, func(w world) {
		f, empty := w.feed("f.example"), w.feed("e.example")
		w.subscribe(w.reader("ann"), f)
		old, recent := noon.AddDate(0, 0, -40), noon.AddDate(0, 0, -3)
		w.record(old, f, posts(old, "a"))
		late := posts(recent, "b", "c")
		late[1].Untitled = true
		w.record(recent, f, late)
		w.record(noon, f, posts(noon, "d"))
		for before, c := range map[time.Time]digest.FeedHistory{
			noon: {Recent: 2, Last: recent.Add(-time.Minute), Titles: "Title of a,Title of b"},
			noon.Add(time.Second): {Recent: 3, Last: noon.Add(-time.Minute),
				Titles: "Title of a,Title of b,Title of d"},
			noon.AddDate(0, 0, -9): {Last: old.Add(-time.Minute), Titles: "Title of a"},
			old:                    {},
		} {
			all, err := w.Editions.FeedHistories(w.ctx, []digest.FeedID{f.ID, empty.ID, 999}, before)
			w.ok(err)
			want(w, "histories", len(all), 2)
			for _, h := range all {
				if h.FeedID == empty.ID {
					want(w, "without posts", h, digest.FeedHistory{FeedID: empty.ID})
					continue
				}
				titles := strings.Join(slices.Sorted(strings.SplitSeq(h.Titles, "\n")), ",")
				if !h.Last.Equal(c.Last) || h.Recent != c.Recent || titles != c.Titles {
					w.Errorf("before %s: %+v, want %+v", before, h, c)
				}
			}
		}
	})
}
