package main

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/newsletter"
	"digest/store"
)

// TestNewsWords checks that publishers are notified of changes to feeds in their language, and in the time zone of the
// newsletter's owner.
func TestNewsWords(t *testing.T) {
	since := time.Date(2026, 11, 13, 23, 30, 0, 0, time.UTC)
	about := func(kind digest.NoticeKind, why digest.Illness) digest.Notice {
		return digest.Notice{Kind: kind, Title: "Anna", URL: "https://old.example/feed",
			MovedTo: "https://new.example/feed", Illness: why, Gap: digest.Gap{From: since}}
	}
	news := store.PublisherNews{Newsletter: digest.Newsletter{Name: "Notes", Slug: "notes"}, TimeZone: "Europe/Berlin",
		Notices: []digest.Notice{
			about(digest.NoticeMoved, ""), about(digest.NoticeGone, ""), about(digest.NoticeDead, ""),
			about(digest.NoticeBlocked, ""),
			about(digest.NoticeDeclined, ""), about(digest.NoticeSick, digest.NoAnswer), about(digest.NoticeSick, ""),
		}}
	a := &app{}
	a.BaseURL = "https://digest.example"
	for code, want := range map[string]string{
		"en": `Changes to the feeds in Notes
Anna moved from old.example to new.example. We use the new address now.
Anna has removed its feed permanently, so we removed it from the newsletter.
Anna hasn’t worked for 90 days, so we stopped checking it. Remove it, or enter its new address.
The operator of this site has blocked Anna. Remove it, or contact the operator.
The owner of Anna asked us not to read it. Remove it, or contact the owner.
Anna hasn’t worked since Saturday 14 November: the site doesn’t respond. We check it again every night.
Anna hasn’t worked since Saturday 14 November. We check it again every night.
View feeds https://digest.example/newsletters/notes/feeds`,
		"de": `Änderungen an den Feeds von Notes
Anna ist von old.example nach new.example umgezogen. Wir verwenden jetzt die neue Adresse.
Anna hat den Feed endgültig entfernt, daher haben wir ihn aus dem Newsletter genommen.
Anna funktioniert seit 90 Tagen nicht, daher prüfen wir den Feed nicht mehr. Entfernen Sie den Feed, oder geben Sie seine neue Adresse ein.
Der Betreiber dieser Website hat Anna gesperrt. Entfernen Sie den Feed, oder wenden Sie sich an den Betreiber.
Der Inhaber von Anna hat darum gebeten, dass wir dort nichts lesen. Entfernen Sie den Feed, oder wenden Sie sich an den Inhaber.
Anna funktioniert seit Samstag, 14. November nicht: die Website antwortet nicht. Wir versuchen es jede Nacht wieder.
Anna funktioniert seit Samstag, 14. November nicht. Wir versuchen es jede Nacht wieder.
Feeds ansehen https://digest.example/newsletters/notes/feeds`,
	} {
		words := a.newsWords(catalogue.Of(code), news)
		got := words.Title + "\n" + strings.Join(words.Text, "\n") + "\n" + words.Action + " " + words.URL
		if got != want || words.Language != code {
			t.Errorf("in %q (%s):\n%s\nwant\n%s", words.Language, code, got, want)
		}
	}
}

// TestStoppedWords checks that the owner of a newsletter learns in their language why its own address is not used.
func TestStoppedWords(t *testing.T) {
	a := &app{}
	a.BaseURL = "https://digest.example"
	d := newsletter.Domain{FromAddress: "anna@anna.example",
		Finding: "there is no record at x._domainkey.anna.example"}
	words := a.stoppedWords(catalogue.Of("de"), digest.Newsletter{Slug: "notes"}, d)
	const want = "Der DNS-Eintrag zum Senden von anna.example stimmt nicht: unter x._domainkey.anna.example gibt " +
		"es keinen Eintrag."
	if words.Language != "de" || words.Title != "notes verwendet vorerst unsere Adresse" || words.Text[0] != want ||
		words.URL != "https://digest.example/newsletters/notes/domain" {
		t.Errorf("%+v", words)
	}
}
