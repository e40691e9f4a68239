package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

func (w world) set(f digest.Feed) digest.Feed {
	w.Helper()
	w.poll(noon, store.Polled{Feed: f})
	return w.feedAgain(f)
}

func (w world) pinged(now time.Time, urls ...string) {
	w.Helper()
	w.ok(w.Feeds.Pinged(w.ctx, urls, now))
}

// TestPinged: a ping by the address of a feed or its site queues feeds with readers, but not earlier than their site
// permits.
func TestPinged(t *testing.T) {
	each(t, func(w world) {
		now := noon.Add(30 * time.Minute)
		f, fresh, unread, second := w.feed("a.example"), w.feed("b.example"), w.feed("c.example"),
			w.feed("www.d.example")
		fresh.FreshUntil = now.Add(time.Hour)
		fresh = w.set(fresh)
		second.SiteURL = "https://d.example/blog/"
		second = w.set(second)
		w.subscribe(w.reader("ann", "UTC"), f, fresh, second)
		for _, u := range []string{f.URL, fresh.URL, unread.URL, "https://www.d.example/blog",
			"https://nobody.example/", "::"} {
			w.pinged(now, u)
		}

		f, fresh, unread, second = w.feedAgain(f), w.feedAgain(fresh), w.feedAgain(unread), w.feedAgain(second)
		want(w, "queued", f.PollAt, now)
		want(w, "pinged", f.PingedAt, now)
		want(w, "by its site", second.PollAt.IsZero(), true) // www.d.example/blog is not d.example/blog
		want(w, "still fresh", fresh.PollAt, fresh.FreshUntil)
		want(w, "nobody takes it", unread.PollAt.IsZero() && unread.PingedAt.IsZero(), true)

		w.pinged(now, "https://a.example/", "https://d.example/blog", fresh.URL)
		want(w, "by its site", w.feedAgain(second).PollAt, now)
		w.pinged(now.Add(time.Minute), f.URL, f.URL)
		want(w, "a second ping", w.feedAgain(f).PingedAt, now)
	})
}

// TestPingedS35: pings cause no polls in the hot minutes :59 to :01.
func TestPingedS35(t *testing.T) {
	each(t, func(w world) {
		w.feed("first.example") // gives the next feed a key other than 0 and 1
		f := w.feed("a.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		for _, clock := range []time.Duration{58 * time.Minute, 59 * time.Minute, 60*time.Minute - time.Second,
			60 * time.Minute, 62*time.Minute - time.Second, 62 * time.Minute} {
			w.exec(`UPDATE feed_times SET poll_at = NULL`)
			w.exec(`UPDATE feeds SET pinged_at = 0`)
			now := noon.Add(clock)
			w.pinged(now, f.URL)
			at := w.feedAgain(f).PollAt
			if m := at.Minute(); m == 59 || m < 2 || at.Before(now) || at.After(now.Add(4*time.Minute)) {
				t.Errorf("pinged at %v, asked at %v", now, at)
			}
		}
	})
}

// TestPingedTrial: a ping causes a trial of a dead feed, at most once in 24 hours.
func TestPingedTrial(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		f.State, f.LastAttemptAt = digest.FeedDead, noon
		f = w.set(f)
		w.pinged(noon.Add(23*time.Hour), f.URL)
		want(w, "too early", w.feedAgain(f).State, digest.FeedDead)
		now := noon.Add(day + 30*time.Minute)
		w.pinged(now, f.URL)
		f = w.feedAgain(f)
		want(w, "on trial", f.State, digest.FeedTrial)
		want(w, "queued", f.PollAt, now)
	})
}

// TestPingedSite: a ping of a site affects only some of its feeds.
func TestPingedSite(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "UTC")
		for i := range 15 {
			f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://a.example/" + string(rune('a'+i)),
				Host: "a.example", SiteURL: "https://a.example"}))
			w.subscribe(d, f)
		}
		w.exec(`UPDATE feed_times SET poll_at = NULL`)
		w.pinged(noon, "https://a.example/")
		n := w.count(`SELECT count(*) FROM feeds WHERE pinged_at > 0`)
		want(w, "pinged", n, 10)
	})
}

// TestVouch: Vouch queues a feed for now, and gives a dead or gone feed a trial unless its site named a time.
func TestVouch(t *testing.T) {
	later := noon.Add(5 * time.Hour)
	tests := []struct {
		name  string
		have  digest.Feed
		state digest.FeedState
		poll  time.Time
	}{
		{"well", digest.Feed{State: digest.FeedActive}, digest.FeedActive, noon},
		{"still fresh", digest.Feed{State: digest.FeedActive, Schedule: digest.Schedule{FreshUntil: later}},
			digest.FeedActive, later},
		{"penalised", digest.Feed{State: digest.FeedActive, Schedule: digest.Schedule{NotBefore: later},
			Failures: digest.Failures{LastStatus: 500}}, digest.FeedActive, later},
		{"dead", digest.Feed{State: digest.FeedDead, Schedule: digest.Schedule{NotBefore: later},
			Failures: digest.Failures{LastStatus: 500}}, digest.FeedTrial, noon},
		{"gone", digest.Feed{State: digest.FeedGone, Schedule: digest.Schedule{NotBefore: later},
			Failures: digest.Failures{LastStatus: 410}}, digest.FeedTrial, noon},
		{"dead, and told when", digest.Feed{State: digest.FeedDead, Schedule: digest.Schedule{NotBefore: later},
			Failures: digest.Failures{LastStatus: 429}}, digest.FeedTrial, later},
	}
	each(t, func(w world) {
		for i, tt := range tests {
			f := w.feed(hosts(len(tests))[i])
			f.State, f.FreshUntil, f.NotBefore, f.LastStatus = tt.have.State, tt.have.FreshUntil, tt.have.NotBefore,
				tt.have.LastStatus
			f = w.set(f)
			want(w, tt.name+": may be asked", must(w.Feeds.VouchedAt(f, noon)), tt.poll)
			w.ok(w.Feeds.Vouch(w.ctx, f.ID, noon))
			f = w.feedAgain(f)
			want(w, tt.name+": state", f.State, tt.state)
			want(w, tt.name+": asked", f.PollAt, tt.poll)
			want(w, tt.name+": doubted", f.ValidatorsDoubted, true)
		}
	})
}

// TestNewsEndsSilence: a ping or a person ends the long interval after years of silence. An interval of a day remains.
func TestNewsEndsSilence(t *testing.T) {
	each(t, func(w world) {
		pinged, vouched, plain := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(w.reader("ann", "UTC"), pinged, vouched, plain)
		for f, own := range map[*digest.Feed]time.Duration{&pinged: 7 * day, &vouched: 7 * day, &plain: day} {
			f.OwnInterval = own
			*f = w.set(*f)
		}
		w.pinged(noon, pinged.URL)
		w.pinged(noon, plain.URL)
		w.ok(w.Feeds.Vouch(w.ctx, vouched.ID, noon))
		for _, f := range []digest.Feed{pinged, vouched, plain} {
			want(w, f.Host, w.feedAgain(f).OwnInterval, day)
		}
	})
}

// TestNewsDuringAFailure: a failed poll does not overwrite the shorter interval that Vouch has set during the poll.
func TestNewsDuringAFailure(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		f.OwnInterval, f.ValidatorsDoubted = 7*day, true
		f = w.set(f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		claimed := w.one(noon, "t")
		w.ok(w.Feeds.Vouch(w.ctx, f.ID, noon.Add(time.Minute)))
		w.end(noon.Add(2*time.Minute), claimed, func(p *store.Polled) { p.Feed.LastStatus = 500 })
		want(w, "interval", w.feedAgain(f).OwnInterval, day)
		w.exec(`UPDATE feed_times SET poll_at = ?`, noon.Add(time.Hour).Unix()) // as a midnight does
		want(w, "a second too early", len(w.claim(noon.Add(day-time.Second), 9, "u")), 0)
		want(w, "a day later", len(w.claim(noon.Add(day), 9, "v")), 1)
	})
}
