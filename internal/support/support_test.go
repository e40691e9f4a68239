package support

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// well is a reader in Paris whose edition of today was sent, and has one feed that answers.
func well() store.ReaderView {
	return store.ReaderView{
		User: digest.User{ID: 1, Email: "ada@example.org", TimeZone: "Europe/Paris"},
		Digests: []store.DigestView{{
			Digest: digest.Digest{ID: 1, Name: "Daily Digest", State: digest.DigestActive, Cadence: digest.Daily, Mailed: true,
				LastDueAt: noon.Add(-13 * time.Hour), NextDueAt: noon.Add(11 * time.Hour)},
			Subscriptions: []store.SubscriptionInfo{{Feed: feed()}},
		}},
		Editions: []store.MailedEdition{{Email: "ada@example.org", Edition: digest.Edition{ID: 7, DigestID: 1, LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20},
			DueAt: noon.Add(-13 * time.Hour), State: digest.EditionSent, SentAt: noon.Add(-13 * time.Hour), Reply: "250 2.0.0 queued as 4XYZ", MessageID: "d.1@example.org"}}},
	}
}

func feed() digest.Feed {
	f := digest.Feed{State: digest.FeedActive, Title: "Boats", URL: "https://a.example/feed?key=secret"}
	f.ParsedAt = noon
	return f
}

func letters(v *store.ReaderView) *store.DigestView {
	v.Digests = append(v.Digests, store.DigestView{Newsletter: &digest.Newsletter{Slug: "boats", State: digest.NewsletterActive},
		Digest:        digest.Digest{ID: 2, Name: "Boats", State: digest.DigestActive, Cadence: digest.Daily, Mailed: true, NextDueAt: noon.Add(time.Hour)},
		Subscriptions: v.Digests[0].Subscriptions})
	return &v.Digests[1]
}

func TestAdvise(t *testing.T) {
	const taken = "a server took the edition of 2026-11-20 for ada@example.org at 2026-11-20 00:00 CET (250 2.0.0 queued as 4XYZ); if it is not there, their spam folder or their provider has it, who finds it by Message-ID <d.1@example.org> > digest user resend ada@example.org 2026-11-20"
	for _, test := range []struct {
		name string
		set  func(v *store.ReaderView, f *Facts)
		want string // all advice; the sentence of a sent edition is left out unless it is the whole
	}{
		{"all is well", func(*store.ReaderView, *Facts) {}, taken},
		{"a fence", func(_ *store.ReaderView, f *Facts) { f.Fence = "much waits" }, "nothing is polled and nothing is mailed here: much waits > digest fence"},
		{"suppressed", func(v *store.ReaderView, _ *Facts) {
			v.Suppressed = &digest.Suppression{Reason: digest.ForHardBounce, Evidence: "550 no such user", CreatedAt: noon}
		}, "nothing is mailed to ada@example.org since 2026-11-20 13:00 CET: mail to it came back (550 no such user); mail it again once it takes mail and its reader wants it > digest suppressions remove ada@example.org"},
		{"left", func(v *store.ReaderView, _ *Facts) { v.Digests[0].State = digest.DigestLeft }, "they left their digest > digest user set ada@example.org --state active"},
		{"paused", func(v *store.ReaderView, _ *Facts) { v.Digests[0].State = digest.DigestPaused }, "their digest is paused until its reader ends that > digest user set ada@example.org --state active"},
		{"paused for a time", func(v *store.ReaderView, _ *Facts) {
			v.Digests[0].State, v.Digests[0].PausedUntil = digest.DigestPaused, noon.Add(35*time.Hour)
		}, "their digest is paused until 2026-11-22 00:00 CET > digest user set ada@example.org --state active"},
		{"not mailed", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Mailed = false }, "their digest is not mailed: its editions stand in the web view > digest user set ada@example.org --mailed"},
		{"on some days", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Cadence = digest.Workdays }, "their digest comes Monday to Friday; the next is made 2026-11-21 00:00 CET"},
		{"being made", func(v *store.ReaderView, _ *Facts) { v.Digests[0].NextDueAt = noon.Add(-time.Minute) }, "the edition of 2026-11-20 12:59 CET is being made: feeds are waited for until 2026-11-20 13:29 CET"},
		{"never made", func(v *store.ReaderView, _ *Facts) { v.Digests[0].NextDueAt = noon.Add(-time.Hour) }, "the edition of 2026-11-20 12:00 CET is not made: the hourly job was never at work > digest serve"},
		{"made late", func(v *store.ReaderView, f *Facts) {
			v.Digests[0].NextDueAt, f.Beat = noon.Add(-time.Hour), noon.Add(-2*time.Hour)
		}, "the edition of 2026-11-20 12:00 CET is not made yet; the hourly job was last at work 2026-11-20 11:00 CET > digest doctor"},
		{"no feeds", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Subscriptions = nil }, "their digest has no feeds, so there is nothing to send"},
		{"paused feeds", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Subscriptions[0].Paused = true }, "all feeds of their digest are paused"},
		{"dead feeds", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Subscriptions[0].Feed.State = digest.FeedDead }, "no feed of their digest can be asked or answers well; see the feeds in trouble"},
		{"a lane", func(v *store.ReaderView, _ *Facts) {
			v.Lanes = []digest.Lane{{Name: "example.org", Until: noon.Add(time.Hour), Reason: "421 busy", ChangedAt: noon}}
		}, "mail to example.org is paused until 2026-11-20 14:00 CET: 421 busy > digest queue resume example.org"},
		{"the route", func(v *store.ReaderView, _ *Facts) {
			v.Lanes = []digest.Lane{{Alarm: true, Reason: "535 no", ChangedAt: noon}}
		}, "all mail is in trouble that an operator has to end: 535 no > digest queue resume"},
		{"the first midnight", func(v *store.ReaderView, _ *Facts) { v.Editions = nil }, "their digest has had no edition yet; the first midnight is 2026-11-21 00:00 CET"},
		{"nothing new", func(v *store.ReaderView, _ *Facts) { v.Digests[0].LastDueAt = noon }, "nothing new came for their digest since the edition of 2026-11-20; on days without posts none is sent"},
		{"came back", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].Returned = []digest.Bounce{{Kind: digest.SoftBounce, Evidence: "452 full"}}
		}, "the edition of 2026-11-20 came back: 452 full"},
		{"unconfirmed", func(v *store.ReaderView, _ *Facts) { v.Editions[0].State = digest.EditionUnconfirmed },
			"the edition of 2026-11-20 was sent twice and no server said that it has it > digest user resend ada@example.org 2026-11-20"},
		{"refused", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].Error = digest.EditionFailed, "554 no"
		}, "the edition of 2026-11-20 was refused for good: 554 no > digest user resend ada@example.org 2026-11-20"},
		{"too late", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].Error = digest.EditionExpired, "not delivered in time"
		}, "the edition of 2026-11-20 could not be sent in its time (not delivered in time); the next one brings its posts > digest user resend ada@example.org 2026-11-20"},
		{"refused for now", func(v *store.ReaderView, _ *Facts) {
			e := &v.Editions[0]
			e.State, e.Error, e.NextAt = digest.EditionReady, "451 later", noon.Add(time.Hour)
		}, "the edition of 2026-11-20 was refused for now (451 later); it is tried again 2026-11-20 14:00 CET"},
		{"at a later hour", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].NextAt = digest.EditionReady, noon.Add(time.Hour)
		}, "the edition of 2026-11-20 leaves 2026-11-20 14:00 CET"},
		{"its turn", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].NextAt = digest.EditionReady, noon.Add(-time.Hour)
		}, "the edition of 2026-11-20 waits for its turn since 2026-11-20 12:00 CET"},
		{"on its way", func(v *store.ReaderView, _ *Facts) { v.Editions[0].State = digest.EditionDotting }, "the edition of 2026-11-20 is on its way to the server now"},
		{"a newsletter that they left", func(v *store.ReaderView, _ *Facts) { letters(v).State = digest.DigestLeft }, "they left the newsletter boats"},
		{"a held newsletter", func(v *store.ReaderView, _ *Facts) {
			p := letters(v)
			p.Newsletter.State = digest.NewsletterHeld
		}, "the newsletter boats is held: its letters do not leave > digest newsletter show boats; the newsletter boats has had no edition yet; the first midnight is 2026-11-20 14:00 CET"},
		{"a refused letter", func(v *store.ReaderView, _ *Facts) {
			letters(v)
			e := v.Editions[0]
			e.ID, e.DigestID, e.State, e.Error = 8, 2, digest.EditionFailed, "554 no"
			v.Editions = append(v.Editions, e)
		}, "the edition of 2026-11-20 was refused for good: 554 no > digest user resend ada@example.org 2026-11-20 --newsletter boats"},
		{"who reads letters alone", func(v *store.ReaderView, _ *Facts) {
			letters(v)
			v.User.MemberOnly, v.Digests[0].State, v.Digests[0].Subscriptions = true, digest.DigestLeft, nil
		}, "the newsletter boats has had no edition yet; the first midnight is 2026-11-20 14:00 CET"},
		{"nothing at all", func(v *store.ReaderView, _ *Facts) { v.User.MemberOnly, v.Digests = true, v.Digests[:0] },
			"nothing is wrong here; the reader's own mail program or their provider may have filtered it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, f := well(), Facts{Now: noon, Deadline: 30 * time.Minute}
			test.set(&v, &f)
			var got []string
			for _, a := range Advise(v, f) {
				line := a.Says.In(catalogue.English())
				if a.Do != "" {
					line += " > " + a.Do
				}
				if line != taken || test.want == taken {
					got = append(got, line)
				}
			}
			if s := strings.Join(got, "; "); s != test.want {
				t.Errorf("%s\nwant %s", s, test.want)
			}
		})
	}
}

// TestTroubledFeeds: a feed's secret is never shown, and what is well is not listed.
func TestTroubledFeeds(t *testing.T) {
	v := well()
	if got := TroubledFeeds(v, noon); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	sub := v.Digests[0].Subscriptions[0]
	sub.Feed.Errors, sub.Feed.LastError = 3, "no answer from https://ada:secret@a.example/feed"
	sub.Feed.URL = "https://ada:secret@a.example/feed?key=secret"
	paused := sub
	paused.Feed.Errors, paused.Paused = 0, true
	lent := paused
	lent.PausedFor = 2 // its posts come with a newsletter
	waits := v.Digests[0].Subscriptions[0]
	waits.Feed.FreshUntil = noon.Add(7 * 24 * time.Hour) // well, by its own word without news
	if state, _ := poller.Status(waits.Feed, noon); state != poller.StateWaiting {
		t.Fatalf("it is %s", state)
	}
	v.Digests[0].Subscriptions = []store.SubscriptionInfo{sub, paused, lent, waits}
	got := TroubledFeeds(v, noon)
	if len(got) != 2 || got[1].State != "paused" {
		t.Fatalf("%+v", got)
	}
	for _, f := range got {
		if strings.Contains(f.URL+f.Reason.In(catalogue.English()), "secret") || !strings.Contains(f.URL, "a.example/feed?...") {
			t.Errorf("%+v", f)
		}
	}
}
