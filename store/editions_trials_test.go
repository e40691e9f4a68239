package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// tries begins a trial on 19 November: its question is in the edition of 3 December.
func (w world) tries(d digest.Digest, f digest.Feed, ends bool) {
	w.Helper()
	w.setTrial(d, f, digest.NewTrial(digest.Date{Year: 2026, Month: time.November, Day: 19}, ends))
}

func (w world) setTrial(d digest.Digest, f digest.Feed, t digest.Trial) {
	w.Helper()
	sub := w.subscription(d, f).Subscription
	sub.Trial = t
	w.ok(w.Subscriptions.SetSubscription(w.ctx, sub))
}

// midnights releases the editions of some dates of December, with a post of each feed every night.
func (w world) midnights(from, to int, feeds ...digest.Feed) {
	w.Helper()
	for date := from; date <= to; date++ {
		now := time.Date(2026, time.December, date-1, 23, 0, 0, 0, time.UTC)
		w.endPauses(now)
		must(w.Editions.EndSubscriptionPauses(w.ctx, now))
		for _, f := range feeds {
			name := func(date int) string { return fmt.Sprint(f.Host, "-", date) }
			w.record(now, w.feedAgain(f), posts(now, name(date)), name(date-1))
		}
		w.hour(now)
	}
}

// trials lists the notices about trials in a digest's editions: "12-03 trial f.example".
func (w world) trials(d digest.Digest) string {
	w.Helper()
	var all []string
	for _, e := range strings.Split(w.editionNotices(d), "; ") {
		if date, said, _ := strings.Cut(strings.TrimPrefix(e, "2026-"), " "); said != "" {
			all = append(all, date+" "+said)
		}
	}
	return strings.Join(all, "; ")
}

func (w world) trier(name string, feeds ...digest.Feed) digest.Digest {
	w.Helper()
	d := w.reader(name)
	w.subscribe(d, feeds...)
	w.ok(w.Readers.SetMailed(w.ctx, d.ID, false, noon)) // no edition carries undelivered ones
	return d
}

// TestTrials: after 14 days one edition asks. A week later, without an answer, the subscription ends, and that edition
// says so, or it stays.
func TestTrials(t *testing.T) {
	each(t, func(w world) {
		f, other := w.feed("f.example"), w.feed("o.example")
		ends, stays, keeps, stops := w.trier("ends", f, other), w.trier("stays", f), w.trier("keeps", f),
			w.trier("stops", f)
		for _, d := range []digest.Digest{ends, stays, keeps, stops} {
			w.tries(d, f, d.ID != stays.ID)
		}
		w.filter(ends, "noise", f)
		w.midnights(1, 5, f)
		want(w, "asked once", w.trials(ends), "12-03 trial f.example")
		w.setTrial(keeps, f, digest.Trial{})
		w.unsubscribe(stops, f)
		want(w, "an answer", w.trials(keeps)+w.trials(stops), "")
		w.midnights(6, 14, f)
		want(w, "ended", w.trials(ends), "12-10 ended f.example")
		want(w, "its last posts", w.editions(ends)[len("2026-12-01 f.example-1; ")*8:],
			"2026-12-09 f.example-9; 2026-12-10")
		want(w, "follows", w.subscribed(ends), other.ID)
		w.holds("filters", 0, `SELECT count(*) FROM filters`)
		want(w, "stays", w.trials(stays), "")
		for _, d := range []digest.Digest{stays, keeps} {
			want(w, "no trial any more", w.subscription(d, f).Trial, digest.Trial{})
			want(w, "waits for no answer", w.latest(d).LocalDate.Day, 14)
		}
		w.resubscribed(ends, []digest.FeedID{f.ID}, time.Date(2026, time.December, 14, 12, 0, 0, 0, time.UTC), 1)
		want(w, "again, for good", w.subscription(ends, f).Trial, digest.Trial{})
		w.holds("filters", 1, `SELECT count(*) FROM filters`)
	})
}

// TestTrialWaits: no edition is created for the question, and none decides while its reader or the site is paused. A
// pause after the question makes the first edition after it ask again.
func TestTrialWaits(t *testing.T) {
	each(t, func(w world) {
		f, quiet := w.feed("f.example"), w.feed("q.example")
		silent, away, still, paused := w.trier("silent", quiet), w.trier("away", f), w.trier("still", f),
			w.trier("paused", f)
		w.tries(silent, quiet, true)
		for _, d := range []digest.Digest{away, still, paused} {
			w.tries(d, f, true)
		}
		noon := func(date int) time.Time { return time.Date(2026, time.December, date, 12, 0, 0, 0, time.UTC) }
		w.midnights(1, 4, f)
		w.pause(away, noon(17).Add(-13*time.Hour), noon(4))
		w.setState(still, digest.DigestPaused, noon(4))
		w.pauseFeed(paused, f)
		w.midnights(5, 16, f)
		want(w, "no posts, no edition", w.editions(silent), "")
		w.holds("ended", 0, `SELECT count(*) FROM notices WHERE kind = 'ended'`)
		w.setState(still, digest.DigestActive, noon(16))
		w.resumeFeed(paused, f, noon(16))
		w.midnights(17, 23, f)
		for name, d := range map[string]digest.Digest{"away": away, "still": still, "paused": paused} {
			want(w, name, w.trials(d), "12-17 trial f.example")
			want(w, name, w.subscription(d, f).Trial,
				digest.Trial{TrialUntil: digest.Date{Year: 2026, Month: 12, Day: 24},
					TrialEnds: true, TrialAsked: true})
		}
		w.midnights(24, 24, f)
		w.holds("ended", 0, `SELECT count(*) FROM subscriptions WHERE feed_id = ?`, f.ID)
		w.record(noon(24), quiet, posts(noon(24), "at last"))
		w.midnights(25, 25)
		want(w, "with posts", w.trials(silent), "12-25 trial q.example")
	})
}

// TestTrialMoves: the trial of a feed that is merged into another continues there, and so does one whose feed is replaced.
// An answer removes the question from the edition.
func TestTrialMoves(t *testing.T) {
	each(t, func(w world) {
		old, f := w.feed("old.example"), w.feed("new.example")
		ada, bob := w.trier("ada", old), w.trier("bob", old, f)
		w.tries(ada, old, true)
		w.tries(bob, old, false)
		w.midnights(1, 3, old)
		want(w, "asked", w.trials(ada), "12-03 trial old.example")
		was := w.subscription(ada, old).Trial
		w.ok(w.Subscriptions.ReplaceSubscription(w.ctx, bob.ID, old.ID, f.ID))
		was.TrialEnds, was.TrialAsked = false, false
		want(w, "replaced: asks again", w.subscription(bob, f).Trial, was)
		want(w, "no question about what ended", w.trials(bob), "")

		now := time.Date(2026, time.December, 3, 12, 0, 0, 0, time.UTC)
		moved := w.feedAgain(old)
		moved.URL, moved.Host = f.URL, f.Host
		w.poll(now, store.Polled{Feed: moved, Posts: posts(now, "x"), Listed: []string{"x"},
			Arrival: arrival(posts(now, "x"), nil)})
		was.TrialEnds, was.TrialAsked = true, true
		want(w, "merged", w.subscription(ada, f).Trial, was)
		w.setTrial(ada, f, digest.Trial{})
		want(w, "answered", w.trials(ada), "")
	})
}
