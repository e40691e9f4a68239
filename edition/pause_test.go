package edition_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/render"
)

// returning returns a store with one edition: five posts of one site and one of another.
func returning() *shelf {
	s := stocked()
	refs := []digest.PostRef{{PostID: 30, FeedID: 3}}
	for i := range 5 {
		id := digest.PostID(100 + i)
		s.posts[id] = digest.Post{ID: id, FeedID: 1, Title: fmt.Sprint("P", i),
			URL: fmt.Sprintf("https://zebra.example/%d", i), SeenAt: noon(10 + i)}
		refs = append(refs, digest.PostRef{PostID: id, FeedID: 1, Carried: i > 2})
	}
	s.editions[100] = refs
	s.waiting[1] = refs
	return s
}

func shape(p render.Edition) string {
	out := ""
	for _, s := range p.Sections {
		out += fmt.Sprintf("%s %d+%d late %d, ", s.Title, len(s.Posts), len(s.Rest), s.Late)
	}
	return out
}

// TestBoundEdition: three posts of a site stay and the others become its rest. The page states the dates of the pause
// in the reader's zone.
func TestBoundEdition(t *testing.T) {
	day := func(month, d int) time.Time { return time.Date(2026, time.Month(month), d, 22, 30, 0, 0, time.UTC) }
	const rest = "This edition has up to three posts from each site, and headlines for the rest."
	for _, c := range []struct {
		zone     string
		from, to time.Time
		want     string
	}{
		{"UTC", day(11, 3), day(11, 17), "Your editions were paused from 3 to 17 November. " + rest},
		{"Europe/Paris", day(11, 3), day(11, 17), "Your editions were paused from 3 to 17 November. " + rest},
		{"Asia/Tokyo", day(11, 3), day(11, 17), "Your editions were paused from 4 to 18 November. " + rest},
		{"UTC", day(10, 28), day(11, 3), "Your editions were paused from 28 October to 3 November. " + rest},
		{"UTC", day(11, 3).AddDate(-1, 0, 0), day(11, 3),
			"Your editions were paused from 3 November 2025 to 3 November 2026. " + rest},
		{"UTC", day(11, 19), day(11, 19), "Your editions were paused on 19 November. " + rest},
		{"", day(11, 3), day(11, 17), rest},
	} {
		d := deliveries()[0]
		d.TimeZone, d.BoundFrom, d.BoundTo = c.zone, c.from, c.to
		p, err := builder(returning()).Edition(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if p.Note != c.want || !p.Bound {
			t.Errorf("in %q: %q, want %q", c.zone, p.Note, c.want)
		}
		if got, want := shape(p), "A fruit of my own 1+0 late 0, Zebra 3+2 late 0, "; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if z := p.Sections[1]; z.Posts[0].Title != "P2" || z.Rest[0].Title != "P4" {
			t.Errorf("%s is first, %s the first of the rest", z.Posts[0].Title, z.Rest[0].Title)
		}
	}
}

// TestBoundHeadlines: a section that shows only headlines is not split, and the note says so.
func TestBoundHeadlines(t *testing.T) {
	s := returning()
	s.choices[1][1] = digest.Subscription{Display: digest.Headlines}
	d := deliveries()[0]
	d.TimeZone, d.BoundFrom, d.BoundTo = "UTC", noon(3), noon(17)
	p, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if got := shape(p); got != "A fruit of my own 1+0 late 0, Zebra 5+0 late 2, " ||
		p.Note != "Your editions were paused from 3 to 17 November. This edition has all posts from that time." {
		t.Errorf("%s %q", got, p.Note)
	}
	if p.Sections[0].Display != digest.Headlines {
		t.Errorf("%+v", p.Sections[0])
	}
}

// TestPreviewOfABoundEdition: during a pause, and until the edition after it exists, the preview shows the bound
// edition.
func TestPreviewOfABoundEdition(t *testing.T) {
	d := digest.Digest{ID: 1, TimeZone: "UTC", NextDueAt: noon(18), PausedAt: noon(3)}
	for want, to := range map[string]time.Time{
		"Your editions were paused from 3 to 18 November. This edition has up to three posts from each site, and headlines for the rest.": {},
		"Your editions were paused from 3 to 17 November. This edition has up to three posts from each site, and headlines for the rest.": noon(17),
	} {
		d.PausedTo = to
		p, err := builder(returning()).Preview(t.Context(), d, digest.User{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Note != want || !p.Bound || len(p.Sections[1].Rest) != 2 {
			t.Errorf("%q, want %q: %s", p.Note, want, shape(p))
		}
	}
}
