package edition_test

import (
	"testing"

	"digest"
)

// TestNewsletterOffersNoRemedies: notices to members have no links to fix a feed, because feeds belong to the
// publisher.
func TestNewsletterOffersNoRemedies(t *testing.T) {
	d := deliveries()[0]
	d.Newsletter = &digest.Newsletter{}
	s := stocked()
	s.notices = map[digest.EditionID][]digest.Notice{
		100: {{DigestID: 1, FeedID: 8, Kind: digest.NoticeSick, URL: "https://sick.example/"}}}
	page, err := builder(s).Edition(t.Context(), d)
	if err != nil || len(page.Notices) != 1 || page.Notices[0].LinkURL != "" {
		t.Errorf("%v: %+v", err, page.Notices)
	}
}

// TestLinksOfARound: the links of an edition contain the round of its digest.
func TestLinksOfARound(t *testing.T) {
	d := deliveries()[0]
	d.LinkRound = 3
	s := stocked()
	s.notices = map[digest.EditionID][]digest.Notice{
		100: {{DigestID: 1, FeedID: 7, Kind: digest.NoticeMoved, URL: "https://old.example/"},
			{DigestID: 1, FeedID: 8, Kind: digest.NoticeDead, URL: "https://dead.example/"},
			{DigestID: 1, FeedID: 9, Kind: digest.NoticeSick, URL: "https://sick.example/"},
			{DigestID: 1, Kind: digest.NoticeChanged,
				Change: &digest.LinkChange{ID: 5, Setting: digest.LinkState, OldValue: "active", NewValue: "left"}}}}
	page, err := builder(s).Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	want := "https://digest.example/unsubscribe/" + signer().Sign(digest.ForUnsubscribe, digest.InRound(1, 3)) + "-100"
	if page.UnsubscribeURL != want {
		t.Errorf("unsubscribes at %s", page.UnsubscribeURL)
	}
	if want := "https://digest.example/e/" +
		signer().Sign(digest.ForEdition, digest.InRound(100, 3)); page.WebURL != want {
		t.Errorf("is read at %s", page.WebURL)
	}
	if want := "https://digest.example/undo/" +
		signer().SignPair(digest.ForUndo, digest.InRound(1, 3), 5); page.Notices[0].LinkURL != want {
		t.Errorf("undoes at %s", page.Notices[0].LinkURL)
	}
	page.Notices = page.Notices[1:]
	if want := "https://digest.example/moved/" +
		signer().SignPair(digest.ForGoingBack, digest.InRound(1, 3), 7); page.Notices[0].BackURL != want {
		t.Errorf("goes back at %s", page.Notices[0].BackURL)
	}
	for i, feed := range []int64{0, 8, 9} {
		want := "https://digest.example/remedies/" + signer().SignPair(digest.ForRemedies, digest.InRound(1, 3), feed)
		if got := page.Notices[i].LinkURL; (got != want) != (feed == 0) || feed == 0 && got != "" {
			t.Errorf("notice %d has remedies at %q, want %q", i, got, want)
		}
	}
}

// TestSubjectPattern: an issue has the subject of its publisher, or else the newsletter's pattern with the date in the
// newsletter's language. With its own subject it has no pattern, so its preview text begins with the first headline.
func TestSubjectPattern(t *testing.T) {
	for own, want := range map[string]string{"": "On 20. November", "Of boats": "Of boats"} {
		d := deliveries()[0]
		d.Newsletter = &digest.Newsletter{Slug: "n", SubjectPattern: "On {date}", Language: "de"}
		d.Letter.Subject = own
		page, err := builder(stocked()).Edition(t.Context(), d)
		if err != nil || (page.SubjectPattern == "") != (own != "") {
			t.Errorf("with the subject %q: %v, the pattern %q", own, err, page.SubjectPattern)
		}
		letters, err := builder(stocked()).Render(t.Context(), []digest.Delivery{d})
		if err != nil || letters[0].Subject != want {
			t.Errorf("with the subject %q: %v, %q", own, err, letters[0].Subject)
		}
	}
}
