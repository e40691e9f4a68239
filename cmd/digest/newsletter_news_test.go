package main

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// TestNewsWords: publishers are told in their language what became of a feed, and by the clock of the newsletter's owner.
func TestNewsWords(t *testing.T) {
	since := time.Date(2026, 11, 13, 23, 30, 0, 0, time.UTC)
	about := func(kind digest.NoticeKind, why digest.Illness) digest.Notice {
		return digest.Notice{Kind: kind, Title: "Anna", URL: "https://old.example/feed", MovedTo: "https://new.example/feed", Illness: why, Gap: digest.Gap{From: since}}
	}
	news := store.PublisherNews{Newsletter: digest.Newsletter{Name: "Notes", Slug: "notes"}, TimeZone: "Europe/Berlin", Notices: []digest.Notice{
		about(digest.NoticeMoved, ""), about(digest.NoticeGone, ""), about(digest.NoticeDead, ""), about(digest.NoticeBlocked, ""),
		about(digest.NoticeDeclined, ""), about(digest.NoticeSick, digest.NoAnswer), about(digest.NoticeSick, ""),
	}}
	a := &app{}
	a.BaseURL = "https://digest.example"
	for code, want := range map[string]string{
		"en": `The feeds of Notes
The feed “Anna” has moved from old.example to new.example. It is read there now.
Anna says that its feed is gone for good. It is no feed of the newsletter any more.
Nothing could be read from Anna for 90 days, so it is no longer asked. Remove it, or name its new address.
Whoever runs this reader no longer has it read Anna. Remove it, or write to them.
The owner of Anna has asked that it is not read from here. Remove it, or write to them.
Nothing could be read from Anna since Saturday 14 November: its site does not answer. It is asked again each night.
Nothing could be read from Anna since Saturday 14 November. It is asked again each night.
See its feeds https://digest.example/newsletters/notes/feeds`,
		"de": `Die Feeds von Notes
Der Feed „Anna“ ist von old.example nach new.example umgezogen. Er wird jetzt dort gelesen.
Anna meldet, dass es den Feed nicht mehr gibt. Er gehört nicht mehr zum Newsletter.
Von Anna war 90 Tage lang nichts zu lesen, daher wird es nicht mehr abgefragt. Entfernen Sie es, oder nennen Sie seine neue Adresse.
Der Betreiber dieses Dienstes lässt Anna nicht mehr lesen. Entfernen Sie es, oder schreiben Sie ihm.
Der Betreiber von Anna hat darum gebeten, dass hier nicht gelesen wird. Entfernen Sie es, oder schreiben Sie ihm.
Von Anna ist seit Samstag, 14. November nichts zu lesen: die Website antwortet nicht. Es wird jede Nacht wieder abgefragt.
Von Anna ist seit Samstag, 14. November nichts zu lesen. Es wird jede Nacht wieder abgefragt.
Die Feeds ansehen https://digest.example/newsletters/notes/feeds`,
	} {
		words := a.newsWords(catalogue.Of(code), news)
		got := words.Title + "\n" + strings.Join(words.Text, "\n") + "\n" + words.Action + " " + words.URL
		if got != want || words.Language != code {
			t.Errorf("in %q (%s):\n%s\nwant\n%s", words.Language, code, got, want)
		}
	}
}

// TestStoppedWords: the owner of a newsletter is told in their language that its own address is not used, and why.
func TestStoppedWords(t *testing.T) {
	a := &app{}
	a.BaseURL = "https://digest.example"
	d := digest.NewsletterDomain{FromAddress: "anna@anna.example", Finding: "there is no record at x._domainkey.anna.example"}
	words := a.stoppedWords(catalogue.Of("de"), digest.Newsletter{Slug: "notes"}, d)
	const want = "Der Eintrag, durch den der Newsletter von anna.example kommen kann, ist nicht, wie er sein muss: unter x._domainkey.anna.example gibt es keinen Eintrag."
	if words.Language != "de" || words.Title != "notes kommt vorläufig von einer anderen Adresse" || words.Text[0] != want || words.URL != "https://digest.example/newsletters/notes/domain" {
		t.Errorf("%+v", words)
	}
}
