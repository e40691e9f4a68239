package edition_test

import (
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// TestSeveralDays: an edition of a week names its days and the day of each post by the reader's clock, and of each site
// it shows three posts and lists the others.
func TestSeveralDays(t *testing.T) {
	s := returning()
	old := s.posts[104]
	old.PublishedAt = old.SeenAt.AddDate(0, -1, 0) // its byline has the date
	s.posts[104] = old
	late := s.posts[101]
	late.SeenAt = time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC)
	s.posts[101] = late
	d := deliveries()[0]
	d.TimeZone, d.PrevDueAt, d.PrevReleasedAt = "Europe/Paris", noon(13), noon(13)
	p, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := p.First.String(), p.Last.String(); first != "2026-11-13" || last != "2026-11-19" {
		t.Errorf("it collects %s to %s", first, last)
	}
	if got, want := shape(p), "A fruit of my own 1+0 late 0, Zebra 3+2 late 0, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for id, want := range map[digest.PostID]catalogue.Moment{
		30: day("Monday", 19), 101: day("Monday", 19), 102: day("2 January", 12), 103: {}, 104: {},
	} {
		if got := p.Days[id]; got.String() != want.String() {
			t.Errorf("post %d is of %q, want %q", id, got, want)
		}
	}
}

func day(layout string, day int) catalogue.Moment {
	return catalogue.Day(layout, digest.Date{Year: 2026, Month: time.November, Day: day})
}

// TestDaysOfIssues: an issue of a newsletter has one date, however long ago the issue before was.
func TestDaysOfIssues(t *testing.T) {
	d := deliveries()[0]
	d.TimeZone, d.PrevDueAt, d.Newsletter = "UTC", noon(13), &digest.Newsletter{Slug: "letter"}
	p, err := builder(returning()).Edition(t.Context(), d)
	if err != nil || !p.First.IsZero() || len(p.Days) > 0 || len(p.Sections[1].Rest) > 0 {
		t.Errorf("%v to %v, %v, %s, %v", p.First, p.Last, p.Days, shape(p), err)
	}
}
