package diagnosis

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

// well returns a reader in Paris whose edition of today was sent, with one working feed.
func well() store.ReaderView {
	return store.ReaderView{
		User: digest.User{ID: 1, Email: "ada@example.org", TimeZone: "Europe/Paris"},
		Digests: []store.DigestView{{
			Digest: digest.Digest{ID: 1, Name: "Daily Digest", State: digest.DigestActive, Cadence: digest.Daily,
				Mailed:    true,
				LastDueAt: noon.Add(-13 * time.Hour), NextDueAt: noon.Add(11 * time.Hour)},
			Subscriptions: []store.SubscriptionInfo{{Feed: feed()}},
		}},
		Editions: []store.MailedEdition{{Email: "ada@example.org",
			Edition: digest.Edition{ID: 7, DigestID: 1, LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20},
				DueAt: noon.Add(-13 * time.Hour), State: digest.EditionSent, SentAt: noon.Add(-13 * time.Hour),
				Reply: "250 2.0.0 queued as 4XYZ", MessageID: "d.1@example.org"}}},
	}
}

func feed() digest.Feed {
	f := digest.Feed{State: digest.FeedActive, Title: "Boats", URL: "https://a.example/feed?key=secret"}
	f.ParsedAt = noon
	return f
}

func letters(v *store.ReaderView) *store.DigestView {
	v.Digests = append(v.Digests,
		store.DigestView{Newsletter: &digest.Newsletter{Slug: "boats", State: digest.NewsletterActive},
			Digest: digest.Digest{ID: 2, Name: "Boats", State: digest.DigestActive, Cadence: digest.Daily,
				Mailed: true, NextDueAt: noon.Add(time.Hour)},
			Subscriptions: v.Digests[0].Subscriptions})
	return &v.Digests[1]
}

// quiet returns the digest after a midnight without an edition.
func quiet(v *store.ReaderView) *store.DigestView {
	v.Digests[0].LastDueAt = noon
	return &v.Digests[0]
}

// waits lets the last edition wait for a time.
func waits(v *store.ReaderView, since time.Duration) {
	v.Editions[0].State, v.Editions[0].NextAt, v.Editions[0].Reply = digest.EditionReady, noon.Add(-since), ""
}

// subscribed subscribes the digest to more working feeds.
func subscribed(v *store.ReaderView, more int) {
	for range more {
		v.Digests[0].Subscriptions = append(v.Digests[0].Subscriptions, store.SubscriptionInfo{Feed: feed()})
	}
}

// troubled changes the only feed.
func troubled(befalls func(*digest.Feed)) func(*store.ReaderView, *Facts) {
	return func(v *store.ReaderView, _ *Facts) { befalls(&v.Digests[0].Subscriptions[0].Feed) }
}

// TestAdvise is a table of all causes with their sentences, the most important cause first.
func TestAdvise(t *testing.T) {
	const taken = "a mail server accepted the edition of 2026-11-20 for ada@example.org at 2026-11-20 00:00 CET " +
		"(250 2.0.0 queued as 4XYZ); the reader should check their spam folder, or ask their provider about Message-ID <d.1@example.org> > digest user resend ada@example.org 2026-11-20"
	for _, test := range []struct {
		name string
		set  func(v *store.ReaderView, f *Facts)
		want string // all advice; the sentence of a sent edition is omitted unless it is the only one
	}{
		{"all is well", func(*store.ReaderView, *Facts) {}, taken},
		{"a fence", func(_ *store.ReaderView, f *Facts) { f.Fence = "much waits" },
			"this instance polls no feeds and sends no email: much waits > digest fence"},
		{"suppressed", func(v *store.ReaderView, _ *Facts) {
			v.Suppressed = &digest.Suppression{Reason: digest.ForHardBounce, Evidence: "550 no such user",
				CreatedAt: noon}
		}, "ada@example.org has been suppressed since 2026-11-20 13:00 CET: an email bounced (550 no such user); " +
			"send email to it again when the mailbox works and the reader agrees > digest suppressions remove " +
			"ada@example.org"},
		{"left", func(v *store.ReaderView, _ *Facts) { v.Digests[0].State = digest.DigestLeft },
			"the daily digest: the reader unsubscribed > digest user set ada@example.org --state active"},
		{"paused", func(v *store.ReaderView, _ *Facts) { v.Digests[0].State = digest.DigestPaused },
			"the daily digest is paused > digest user set ada@example.org --state active"},
		{"paused for a time", func(v *store.ReaderView, _ *Facts) {
			v.Digests[0].State, v.Digests[0].PausedUntil = digest.DigestPaused, noon.Add(35*time.Hour)
		}, "the daily digest is paused until 2026-11-22 00:00 CET > digest user set ada@example.org --state active"},
		{"not emailed", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Mailed = false },
			"the daily digest: web only > digest user set ada@example.org --mailed"},
		{"on some days", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Cadence = digest.Workdays },
			"the schedule of the daily digest is Monday to Friday; the next edition is created at 2026-11-21 " +
				"00:00 CET"},
		{"being made", func(v *store.ReaderView, _ *Facts) { v.Digests[0].NextDueAt = noon.Add(-time.Minute) },
			"the edition of 2026-11-20 12:59 CET is being created and waits for feeds until 2026-11-20 13:29 CET"},
		{"never made", func(v *store.ReaderView, _ *Facts) { v.Digests[0].NextDueAt = noon.Add(-time.Hour) },
			"the edition of 2026-11-20 12:00 CET hasn’t been created yet; last run of the hourly job: never > " +
				"digest serve"},
		{"made late", func(v *store.ReaderView, f *Facts) {
			v.Digests[0].NextDueAt, f.Beat = noon.Add(-time.Hour), noon.Add(-2*time.Hour)
		}, "the edition of 2026-11-20 12:00 CET hasn’t been created yet; last run of the hourly job: 2026-11-20 " +
			"11:00 CET > digest doctor"},
		{"no feeds", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Subscriptions = nil },
			"the daily digest has no feeds, so it has no editions"},
		{"paused feeds", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Subscriptions[0].Paused = true },
			"the daily digest has no active feeds: all are paused, or their posts go into newsletters"},
		{"lent feeds", func(v *store.ReaderView, _ *Facts) {
			s := &v.Digests[0].Subscriptions[0]
			s.Paused, s.PausedFor = true, 2
		}, "the daily digest has no active feeds: all are paused, or their posts go into newsletters"},
		{"a dead feed", troubled(func(f *digest.Feed) { f.State, f.LastError = digest.FeedDead, "410 Gone" }),
			"the only feed in the daily digest is not working: failing (410 Gone); polled again only after a ping " +
				"or a reader’s request"},
		{"a penalised feed", troubled(func(f *digest.Feed) {
			f.Errors, f.LastError, f.NotBefore = 1, "503 Service Unavailable", noon.Add(time.Hour)
		}),
			"the only feed in the daily digest is not working: 503 Service Unavailable; next poll at 2026-11-20 " +
				"13:00 UTC"},
		{"a blocked feed", troubled(func(f *digest.Feed) { f.State = digest.FeedBlocked }),
			"the only feed in the daily digest is not working: the operator has blocked a.example"},
		{"a declined feed", troubled(func(f *digest.Feed) { f.State = digest.FeedDeclined }),
			"the only feed in the daily digest is not working: the owner of a.example asked us not to read the site"},
		{"a private feed without its password",
			troubled(func(f *digest.Feed) { f.Errors, f.LastStatus, f.LastError = 1, 401, "401 Unauthorized" }),
			"the only feed in the daily digest is not working: 401 Unauthorized"},
		{"a feed that only leads elsewhere", troubled(func(f *digest.Feed) {
			f.MoveUndone, f.Errors, f.LastError = true, 1,
				"redirects to https://new.example/, but a reader chose this address"
		}), "the only feed in the daily digest is not working: redirects to https://new.example/, but a reader " +
			"chose this address"},
		{"a feed that brings too much", troubled(func(f *digest.Feed) { f.PostsWaiting, f.LastOKAt = 40, noon }),
			"the only feed in the daily digest is not working: over the daily limit: 40 posts have been waiting " +
				"since 2026-11-20 12:00 UTC; the first poll after 2026-11-21 00:00 UTC stores them if the feed " +
				"still lists them"},
		{"two dead feeds", func(v *store.ReaderView, _ *Facts) {
			subscribed(v, 1)
			for i := range v.Digests[0].Subscriptions {
				v.Digests[0].Subscriptions[i].Feed.State = digest.FeedDead
			}
		}, "2 of the 2 feeds in the daily digest are not working; see the list of feeds below"},
		{"a lane", func(v *store.ReaderView, _ *Facts) {
			v.Lanes = []digest.Lane{{Name: "example.org", Until: noon.Add(time.Hour), Reason: "421 busy",
				ChangedAt: noon}}
		}, "email to example.org is paused until 2026-11-20 14:00 CET: 421 busy > digest queue resume example.org"},
		{"the route", func(v *store.ReaderView, _ *Facts) {
			v.Lanes = []digest.Lane{{Alarm: true, Reason: "535 no", ChangedAt: noon}}
		}, "all email: stopped (535 no) > digest queue resume"},
		{"the first midnight", func(v *store.ReaderView, _ *Facts) { v.Editions = nil },
			"the daily digest has had no edition yet; the first midnight is 2026-11-21 00:00 CET"},
		{"a lane that recovers", func(v *store.ReaderView, _ *Facts) {
			waits(v, 20*time.Minute)
			v.Lanes = []digest.Lane{{Name: "example.org", Width: 1, Reason: "421 busy", ChangedAt: noon}}
		}, "email to example.org: recovering (421 busy) > digest queue resume example.org; the edition of " +
			"2026-11-20 has been waiting to be sent since 2026-11-20 12:40 CET"},
		{"a lane that recovered, and nothing waits", func(v *store.ReaderView, _ *Facts) {
			v.Lanes = []digest.Lane{{Name: "example.org", Width: 1, Reason: "421 busy", ChangedAt: noon}}
		}, ""},
		{"the mail server was down", func(v *store.ReaderView, _ *Facts) {
			waits(v, 9*time.Hour)
			v.Lanes = []digest.Lane{{Width: 1, Failures: 3, Reason: "connection refused", ChangedAt: noon}}
		}, "all email: recovering (connection refused) > digest queue resume; the edition of 2026-11-20 has been " +
			"waiting to be sent since 2026-11-20 04:00 CET: connection refused > digest queue"},
		{"the mail server is down", func(v *store.ReaderView, _ *Facts) {
			waits(v, 9*time.Hour)
			v.Lanes = []digest.Lane{{Until: noon.Add(time.Minute), Failures: 3, Reason: "connection refused",
				ChangedAt: noon}}
		}, "all email is paused until 2026-11-20 13:01 CET: connection refused > digest queue resume; the edition " +
			"of 2026-11-20 has been waiting to be sent since 2026-11-20 04:00 CET: connection refused > digest queue"},
		{"it was refused, and waits for hours", func(v *store.ReaderView, _ *Facts) {
			waits(v, 2*time.Hour)
			v.Editions[0].Error = "451 later"
		}, "the edition of 2026-11-20 has been waiting to be sent since 2026-11-20 11:00 CET: 451 later > " +
			"digest queue"},
		{"the job stopped", func(v *store.ReaderView, f *Facts) {
			waits(v, 3*time.Hour)
			f.Beat = noon.Add(-2 * time.Hour)
		}, "the edition of 2026-11-20 has been waiting to be sent since 2026-11-20 10:00 CET; last run of the " +
			"hourly job: 2026-11-20 11:00 CET > digest serve"},
		{"no job was ever at work", func(v *store.ReaderView, _ *Facts) { waits(v, 3*time.Hour) },
			"the edition of 2026-11-20 has been waiting to be sent since 2026-11-20 10:00 CET; last run of the " +
				"hourly job: never > digest serve"},
		{"it waits, and nobody knows why", func(v *store.ReaderView, f *Facts) {
			waits(v, 3*time.Hour)
			f.Beat = noon
		}, "the edition of 2026-11-20 has been waiting to be sent since 2026-11-20 10:00 CET > digest queue"},
		{"in doubt", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].NextAt = digest.EditionInDoubt, noon.Add(15*time.Minute)
		}, "no mail server has confirmed the edition of 2026-11-20; it will be sent again at 2026-11-20 13:15 CET"},
		{"only in the web view", func(v *store.ReaderView, _ *Facts) {
			v.Digests[0].Mailed = false
			v.Editions[0].State, v.Editions[0].Error = digest.EditionUnmailed, "web only"
		}, "the daily digest: web only > digest user set ada@example.org --mailed; the edition of 2026-11-20 was " +
			"not sent: web only > digest user resend ada@example.org 2026-11-20"},
		{"filters held all back", func(v *store.ReaderView, _ *Facts) { quiet(v).HeldSince = 2 },
			"the reader’s filters removed 2 posts, and the daily digest has had no others"},
		{"a filter held the one post back", func(v *store.ReaderView, _ *Facts) { quiet(v).HeldSince = 1 },
			"the reader’s filters removed 1 post, and the daily digest has had no others"},
		{"filters held all back, from the first day on",
			func(v *store.ReaderView, _ *Facts) { v.Editions, v.Digests[0].HeldSince = nil, 5 },
			"the reader’s filters removed 5 posts, and the daily digest has had no others"},
		{"filters held some back", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Held = 2 },
			"the reader’s filters removed 2 posts from the edition of 2026-11-20"},
		{"at most so many posts of a site", func(v *store.ReaderView, _ *Facts) { v.Digests[0].Beyond = 7 },
			"the edition of 2026-11-20 has 7 posts behind links, because the reader set a limit for a feed"},
		{"headlines of a site", func(v *store.ReaderView,
			_ *Facts) {
			v.Digests[0].Subscriptions[0].Display = digest.Headlines
		},
			"the reader chose headlines only for 1 feed in the daily digest"},
		{"quiet, some feeds in trouble", func(v *store.ReaderView, _ *Facts) {
			quiet(v)
			subscribed(v, 2)
			v.Digests[0].Subscriptions[1].Feed.State = digest.FeedDead
		}, "the daily digest has had no new posts since the edition of 2026-11-20; a day without posts has no " +
			"edition; 1 of the 3 feeds in the daily digest is not working; see the list of feeds below"},
		{"quiet, some feeds paused or lent", func(v *store.ReaderView, _ *Facts) {
			quiet(v)
			subscribed(v, 3)
			s := v.Digests[0].Subscriptions
			s[1].Paused, s[2].Paused = true, true
			s[3].Paused, s[3].PausedFor = true, 2
		}, "the daily digest has had no new posts since the edition of 2026-11-20; a day without posts has no " +
			"edition; 2 feeds in the daily digest are paused; the posts from 1 feed go into newsletters, not into " +
			"the daily digest"},
		{"quiet, a feed has moved", func(v *store.ReaderView, _ *Facts) {
			f := &quiet(v).Subscriptions[0].Feed
			f.MovedFrom, f.MovedAt, f.URL = "https://old.example/feed?key=secret", noon.Add(-48*time.Hour),
				"https://new.example/feed"
		}, "the daily digest has had no new posts since the edition of 2026-11-20; a day without posts has no " +
			"edition; a feed in the daily digest moved from old.example to new.example at 2026-11-18 13:00 CET; " +
			"its posts now come from the new address"},
		{"a first edition that was taken early", func(v *store.ReaderView, _ *Facts) {
			quiet(v)
			e := &v.Editions[0]
			v.User.CreatedAt, e.Number, e.SendAt = e.DueAt.Add(9*time.Hour), 1, e.DueAt.Add(10*time.Hour)
		}, "the daily digest has had no new posts since the edition of 2026-11-20; a day without posts has no " +
			"edition; the reader got their first edition early, at 2026-11-20 10:00 CET; later editions have only " +
			"newer posts"},
		{"on a journey", func(v *store.ReaderView, _ *Facts) {
			v.Stays = []digest.Stay{{To: digest.Date{Year: 2026, Month: 11, Day: 24}, TimeZone: "Asia/Tokyo",
				Begun: true, Home: "Europe/Paris"}, {TimeZone: "America/Lima"}}
		}, "the reader is travelling until 2026-11-24: editions follow the time in Asia/Tokyo, and afterwards in " +
			"Europe/Paris"},
		{"a newsletter that waits for approval", func(v *store.ReaderView, _ *Facts) {
			p := letters(v)
			p.Newsletter.State = digest.NewsletterPending
		}, "the newsletter boats: waiting for the operator’s approval > digest newsletter show boats; the " +
			"newsletter boats has had no edition yet; the first midnight is 2026-11-20 14:00 CET"},
		{"a newsletter that has ended", func(v *store.ReaderView, _ *Facts) {
			p := letters(v)
			p.Newsletter.State = digest.NewsletterEnded
		}, "the newsletter boats: ended > digest newsletter show boats; the newsletter boats has had no edition " +
			"yet; the first midnight is 2026-11-20 14:00 CET"},
		{"nothing new", func(v *store.ReaderView, _ *Facts) { v.Digests[0].LastDueAt = noon },
			"the daily digest has had no new posts since the edition of 2026-11-20; a day without posts has " +
				"no edition"},
		{"came back", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].Returned = []digest.Bounce{{Kind: digest.SoftBounce, Evidence: "452 full"}}
		}, "the edition of 2026-11-20 bounced: 452 full"},
		{"unconfirmed", func(v *store.ReaderView, _ *Facts) { v.Editions[0].State = digest.EditionUnconfirmed },
			"the edition of 2026-11-20 was sent twice, and no mail server confirmed it > digest user resend " +
				"ada@example.org 2026-11-20"},
		{"refused", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].Error = digest.EditionFailed, "554 no"
		}, "the edition of 2026-11-20 was not sent: 554 no > digest user resend ada@example.org 2026-11-20"},
		{"too late", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].Error = digest.EditionExpired, "not delivered in time"
		}, "the edition of 2026-11-20 could not be sent in time (not delivered in time); its posts are in the " +
			"next edition > digest user resend ada@example.org 2026-11-20"},
		{"refused for now", func(v *store.ReaderView, _ *Facts) {
			e := &v.Editions[0]
			e.State, e.Error, e.NextAt = digest.EditionReady, "451 later", noon.Add(time.Hour)
		}, "the edition of 2026-11-20 will be sent at 2026-11-20 14:00 CET (451 later)"},
		{"at a later hour", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].NextAt = digest.EditionReady, noon.Add(time.Hour)
		}, "the edition of 2026-11-20 will be sent at 2026-11-20 14:00 CET"},
		{"its turn", func(v *store.ReaderView, _ *Facts) {
			v.Editions[0].State, v.Editions[0].NextAt = digest.EditionReady, noon.Add(-time.Hour)
		}, "the edition of 2026-11-20 has been waiting to be sent since 2026-11-20 12:00 CET"},
		{"on its way", func(v *store.ReaderView, _ *Facts) { v.Editions[0].State = digest.EditionDotting },
			"the edition of 2026-11-20 is being sent now"},
		{"a newsletter that they left", func(v *store.ReaderView, _ *Facts) { letters(v).State = digest.DigestLeft },
			"the newsletter boats: the reader unsubscribed"},
		{"a held newsletter", func(v *store.ReaderView, _ *Facts) {
			p := letters(v)
			p.Newsletter.State = digest.NewsletterHeld
		}, "the newsletter boats: on hold > digest newsletter show boats; the newsletter boats has had no edition " +
			"yet; the first midnight is 2026-11-20 14:00 CET"},
		{"a refused letter", func(v *store.ReaderView, _ *Facts) {
			letters(v)
			e := v.Editions[0]
			e.ID, e.DigestID, e.State, e.Error = 8, 2, digest.EditionFailed, "554 no"
			v.Editions = append(v.Editions, e)
		}, "the edition of 2026-11-20 was not sent: 554 no > digest user resend ada@example.org 2026-11-20 " +
			"--newsletter boats"},
		{"who reads letters alone", func(v *store.ReaderView, _ *Facts) {
			letters(v)
			v.User.MemberOnly, v.Digests[0].State, v.Digests[0].Subscriptions = true, digest.DigestLeft, nil
		}, "the newsletter boats has had no edition yet; the first midnight is 2026-11-20 14:00 CET"},
		{"nothing at all", func(v *store.ReaderView, _ *Facts) { v.User.MemberOnly, v.Digests = true, v.Digests[:0] },
			"nothing is wrong here; the reader’s mail program or provider may have filtered the email"},
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

// TestTroubledFeeds checks that secrets of feeds are never shown, and that working feeds are not listed.
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
	lent.PausedFor = 2 // its posts are in a newsletter
	waits := v.Digests[0].Subscriptions[0]
	waits.Feed.FreshUntil = noon.Add(7 * 24 * time.Hour) // it works, and its headers promise no news
	if state, _ := poller.Status(waits.Feed, noon); state != poller.StateWaiting {
		t.Fatalf("it is %s", state)
	}
	v.Digests[0].Subscriptions = []store.SubscriptionInfo{sub, paused, lent, waits}
	got := TroubledFeeds(v, noon)
	if len(got) != 2 || got[1].State != "paused" {
		t.Fatalf("%+v", got)
	}
	for _, f := range got {
		if strings.Contains(f.URL+f.Reason.In(catalogue.English()), "secret") ||
			!strings.Contains(f.URL, "a.example/feed?...") {
			t.Errorf("%+v", f)
		}
	}
}
