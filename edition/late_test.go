package edition_test

import (
	"testing"
	"time"

	"digest"
)

// midnight and release return the times of a day: its midnight, and the release half an hour later.
func midnight(day int) time.Time { return time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC) }
func release(day int) time.Time  { return midnight(day).Add(30 * time.Minute) }

// TestWhatIsLate: a post is late if it was published before the last midnight, and its feed was not polled in time for
// it.
func TestWhatIsLate(t *testing.T) {
	late := digest.Post{PublishedAt: noon(18), ReadBefore: midnight(18), SeenAt: noon(19)}
	last := digest.Edition{PrevDueAt: midnight(19), PrevReleasedAt: release(19)}
	for _, c := range []struct {
		name  string
		spoil func(*digest.Post, *digest.Edition)
		want  int
	}{
		{"the feed was away at the last midnight", func(*digest.Post, *digest.Edition) {}, 1},
		{"it was found before the release", func(p *digest.Post, _ *digest.Edition) { p.SeenAt = release(19) }, 0},
		{"it was found a second later",
			func(p *digest.Post, _ *digest.Edition) { p.SeenAt = release(19).Add(time.Second) }, 1},
		{"it was published at the midnight",
			func(p *digest.Post, _ *digest.Edition) { p.PublishedAt = midnight(19) }, 0},
		{"it was published a second before",
			func(p *digest.Post, _ *digest.Edition) { p.PublishedAt = midnight(19).Add(-time.Second) }, 1},
		{"it has no date", func(p *digest.Post, _ *digest.Edition) { p.PublishedAt = time.Time{} }, 0},
		{"the feed was read after the midnight: the author dated it back",
			func(p *digest.Post, _ *digest.Edition) { p.ReadBefore = midnight(19).Add(3 * time.Minute) }, 0},
		{"the feed had never been read", func(p *digest.Post, _ *digest.Edition) { p.ReadBefore = time.Time{} }, 0},
		{"it is the digest's first edition",
			func(_ *digest.Post, e *digest.Edition) { e.PrevDueAt, e.PrevReleasedAt = time.Time{}, time.Time{} }, 0},
	} {
		p, e := late, last
		c.spoil(&p, &e)
		s := stocked()
		p.ID, p.FeedID, p.Title = 10, 1, "Older"
		s.posts[10] = p
		e.ID, e.DigestID, e.DueAt, e.LocalDate = 100, 1, midnight(20), deliveries()[0].LocalDate
		page, err := builder(s).Edition(t.Context(), digest.Delivery{Edition: e})
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, site := range page.Sections {
			total += site.Late
		}
		if zebra := page.Sections[2]; total != c.want || zebra.Late != c.want {
			t.Errorf("%s: %d of the site and %d in all are late, want %d", c.name, zebra.Late, total, c.want)
		}
	}
}

// TestLateForOneReader: the same rendered post is late for a reader whose midnight it missed, and not for a reader with
// a later midnight.
func TestLateForOneReader(t *testing.T) {
	s := stocked()
	p := s.posts[11]
	p.ReadBefore, p.SeenAt = midnight(19), noon(20)
	s.posts[11] = p
	other := s.posts[10] // published before that, and polled in time
	other.ReadBefore, other.PublishedAt = midnight(18), noon(18)
	s.posts[10] = other
	ds := deliveries()
	ds[0].PrevDueAt, ds[0].PrevReleasedAt = midnight(20), release(20)
	ds[1].PrevDueAt, ds[1].PrevReleasedAt = midnight(19), release(19)
	pages, err := builder(s).Editions(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(pages[0]); got != "A fruit of my own: Stone | apple: לחם | Zebra: Undated, Older, Newer" {
		t.Errorf("the late post is not the last of its site: %s", got)
	}
	first, second := pages[0].Sections[2], pages[1].Sections[1]
	if first.Late != 1 || second.Late != 0 {
		t.Errorf("late: %d and %d", first.Late, second.Late)
	}
	if first.Posts[2] != second.Posts[0] {
		t.Error("two readers do not share a block")
	}
}

// TestLateOnesAreNewestFirst: late posts are sorted newest first.
func TestLateOnesAreNewestFirst(t *testing.T) {
	s := stocked()
	for id, day := range map[digest.PostID]int{10: 16, 11: 17, 12: 15} {
		p := s.posts[id]
		p.PublishedAt, p.ReadBefore, p.SeenAt = noon(day), midnight(15), noon(19)
		s.posts[id] = p
	}
	d := deliveries()[0]
	d.PrevDueAt, d.PrevReleasedAt = midnight(19), release(19)
	page, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(page); got != "A fruit of my own: Stone | apple: לחם | Zebra: Newer, Older, Undated" ||
		page.Sections[2].Late != 3 {
		t.Errorf("%s, %d late", got, page.Sections[2].Late)
	}
}

// TestPreviewTellsWhatIsLate: a preview marks late posts as the edition will, from the digest's last midnight.
func TestPreviewTellsWhatIsLate(t *testing.T) {
	s := stocked()
	s.posts[30] = digest.Post{ID: 30, FeedID: 3, Title: "Stone", PublishedAt: noon(17), ReadBefore: midnight(17),
		SeenAt: noon(19)}
	for last, want := range map[time.Time]int{midnight(19): 1, midnight(17): 0, {}: 0} {
		p, err := builder(s).Preview(t.Context(),
			digest.Digest{ID: 1, TimeZone: "UTC", LastDueAt: last, NextDueAt: midnight(20)}, digest.User{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Sections[0].Late != want {
			t.Errorf("after the midnight of %v %d are late, want %d", last, p.Sections[0].Late, want)
		}
	}
}
