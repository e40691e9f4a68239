package render

import (
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
)

// TestWhy: each place has one sentence, with its numbers.
func TestWhy(t *testing.T) {
	place := func(r rank.Rank, why rank.Reason, days int) rank.Place {
		return rank.Place{Rank: r, Reason: why, Silence: time.Duration(days) * 24 * time.Hour}
	}
	few := func(s *Section, _ *Edition) { s.Display = digest.Headlines }
	for want, c := range map[string]struct {
		rank.Place
		change func(*Section, *Edition)
	}{
		"It leads, because you chose this site.": {place(rank.Lead, rank.Chosen, 0), nil},
		"It leads, because it is the first post from Ann in 7 months.": {place(rank.Lead, rank.Silence,
			212), nil},
		"It leads, because it is the first post from Ann in 25 days.": {place(rank.Lead, rank.Silence, 25), nil},
		"It leads, because of its length (1,450 words).":              {place(rank.Lead, rank.Long, 0), nil},
		"It leads, because of its picture (580 pixels wide).":         {place(rank.Lead, rank.Pictured, 0), nil},
		"It leads, because it is the only post from Ann.":             {place(rank.Lead, rank.Alone, 0), nil},
		"It leads, because no other post has more points.":            {place(rank.Lead, rank.Ordinary, 0), nil},
		"Large headline, because it is the first post from Ann in 2 months.": {place(rank.Second, rank.Silence,
			61), nil},
		"Large headline, because it is the first post from Ann in 21 days.": {place(rank.Second, rank.Silence,
			21), nil},
		"Large headline, because of its length (1,450 words).":         {place(rank.Second, rank.Long, 0), nil},
		"Large headline, because of its picture (580 pixels wide).":    {place(rank.Second, rank.Pictured, 0), nil},
		"In its place by folder and site.":                             {place(rank.Standard, rank.Long, 0), nil},
		"One line, because three posts from this site come before it.": {place(rank.Brief, rank.Crowded, 0), nil},
		"One line, because you chose headlines for this site.":         {rank.Place{}, few},
		"One line, because you chose headlines for your editions.":     {rank.Place{}, lines},
		"It comes last, because it is from an earlier day.":            {rank.Place{}, lateAll},
	} {
		const src = "https://ann.example/sea.jpg" // its width is only known from the file
		s := Section{Title: "Ann", Posts: []*Post{{Words: 1450, Picture: Picture{URL: src, Source: src}}},
			Places: []rank.Place{c.Place}}
		e := Edition{PictureSizes: map[string]digest.PictureSize{src: {Width: 580, Height: 300}}}
		if c.change != nil {
			c.change(&s, &e)
		}
		if got := e.Why(&s, 0).In(catalogue.English()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s := Section{Posts: []*Post{{}}, Rest: []*Post{{}}, RestLabel: MoreHeadlines}
	for label, want := range map[catalogue.Sayable]string{
		MoreHeadlines: "One line, because three posts from this site come before it.",
		FromEarlier:   "It comes last, because it is from an earlier day.",
	} {
		s.RestLabel = label
		if got := new(Edition).Why(&s, 1).In(catalogue.English()); got != want {
			t.Errorf("of the rest: %q, want %q", got, want)
		}
	}
}

func lines(_ *Section, e *Edition)   { e.Layout = digest.Headlines }
func lateAll(s *Section, _ *Edition) { s.Late = 1 }

// TestOnlyOnWeb: the posts that an email leaves out are counted by site, and are those that the email counts.
func TestOnlyOnWeb(t *testing.T) {
	e := large(500)
	for i := range e.Sections {
		e.Sections[i].Feed = digest.FeedID(i + 1)
	}
	e.Sections[0].Left = 40
	left, err := plain.OnlyOnWeb(e)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, posts := range left {
		n += posts
	}
	if want := mailOf(t, e).Omitted; n != want || n <= 40 || left[1] < 40 {
		t.Errorf("%d posts are only on the web, %d of the first site; want %d", n, left[1], want)
	}
	if left, err := plain.OnlyOnWeb(page(harbour())); err != nil || len(left) > 0 {
		t.Errorf("a small email leaves out %v, %v", left, err)
	}
}

// TestEarnedLead: an edition keeps a lead that no choice of the reader made, or that it has none.
func TestEarnedLead(t *testing.T) {
	for want, e := range map[digest.PostID]Edition{
		7: {Lead: 7}, digest.NoLead: {Lead: 7, ChosenLead: true}, 0: {Newsletter: true},
	} {
		if got := e.EarnedLead(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	if got := new(Edition).EarnedLead(); got != digest.NoLead {
		t.Errorf("without a lead: %d", got)
	}
}
