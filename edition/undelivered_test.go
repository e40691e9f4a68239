package edition_test

import (
	"strings"
	"testing"

	"digest"
)

// TestUndelivered: an edition lists the headlines of a refused edition below each site's own posts. A site without
// new posts has headlines only. The first notice links to the refused edition.
func TestUndelivered(t *testing.T) {
	s := stocked()
	s.editions[100] = []digest.PostRef{
		{PostID: 10, FeedID: 1, Carried: true, Listed: true}, {PostID: 11, FeedID: 1},
		{PostID: 30, FeedID: 3, Carried: true, Listed: true},
	}
	refused := digest.Notice{
		DigestID: 1, Kind: digest.NoticeUndelivered, Edition: 99,
		LocalDate: digest.Date{Year: 2026, Month: 11, Day: 19},
	}
	unconfirmed := refused
	unconfirmed.Unconfirmed = true
	s.notices = map[digest.EditionID][]digest.Notice{100: {{DigestID: 1, FeedID: 8, Kind: digest.NoticeGone}, refused,
		unconfirmed}}
	d := deliveries()[0]
	d.LinkRound = 2
	page, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	var layouts []string
	for _, section := range page.Sections {
		layouts = append(layouts, string(section.Display))
	}
	if got, want := shape(page), "A fruit of my own 1+0 late 1, Zebra 1+1 late 0, "; got != want ||
		strings.Join(layouts, " ") != "headlines " {
		t.Errorf("sections %s as %q, want %s and the first as headlines", got, layouts, want)
	}
	for i, want := range []string{
		"We couldn’t deliver your edition of Thursday 19 November.",
		"Your edition of Thursday 19 November may not have reached you.",
	} {
		link := "https://digest.example/e/" + signer().Sign(digest.ForEdition, digest.InRound(99, 2))
		if n := page.Notices[i]; n.Text != want || linkOf(n) != link {
			t.Errorf("notice %d: %q at %s, want %q at %s", i, n.Text, linkOf(n), want, link)
		}
	}
	d.Newsletter = &digest.Newsletter{}
	if page, err = builder(s).Edition(t.Context(), d); err != nil ||
		page.Notices[0].Text != "We couldn’t deliver the issue of Thursday 19 November." {
		t.Errorf("of a newsletter: %v, %q", err, page.Notices[0].Text)
	}
}
