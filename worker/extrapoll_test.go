package worker_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/store/storetest"
	"digest/subscribe"
	"digest/worker"
)

// hours runs the job at n full hours from begin on, and returns the hours at which p was requested.
func (h *house) hours(begin string, n int, p *site) (asked []string) {
	h.t.Helper()
	h.set(begin)
	for range n {
		if _, err := h.job().Tick(h.t.Context()); err != nil {
			h.t.Fatalf("tick at %s: %v", h.clock, err)
		}
		if p.requests() != "" {
			asked = append(asked, h.clock.Format("02T15"))
		}
		h.clock = h.clock.Add(time.Hour)
	}
	return asked
}

func (h *house) feed(p *site) digest.Feed {
	h.t.Helper()
	f, err := h.st.Feeds.FeedByURL(h.t.Context(), p.URL+"/feed.xml")
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// TestS19_RetryBesideTheHour holds that a feed that asked to wait is polled when the time has passed, and
// that its posts are in the next edition.
func TestS19_RetryBesideTheHour(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h, p := newDatedHouse(t, st)
		h.hours("2026-11-19 00:00", 1, p)
		p.publishAt("2026-11-19 20:00", "evening news")
		p.says(http.StatusTooManyRequests, "Retry-After", "7200")
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Failed: 1})
		p.requests()
		p.says(0)
		if asked := h.hours("2026-11-20 01:00", 23, p); fmt.Sprint(asked) != "[20T02]" {
			t.Errorf("asked at %v; want once, when the two hours were over", asked)
		}
		p.publishAt("2026-11-20 20:00", "todays news")
		h.tick("2026-11-21 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		_, text := h.inbox()
		if strings.Count(text, "evening news") == 0 || !strings.Contains(text, "From an earlier day") {
			t.Errorf("the edition does not bring the evening news as late:\n%s", text)
		}
	})
}

// TestRetryNearMidnightIsLeftToIt holds that a retry shortly before a reader's midnight waits for the
// midnight, to save a request.
func TestRetryNearMidnightIsLeftToIt(t *testing.T) {
	h, p := newDatedHouse(t, storetest.Open(t, storetest.SQLite(t)))
	h.hours("2026-11-19 00:00", 1, p)
	p.says(http.StatusServiceUnavailable, "Retry-After", "82800") // 23 hours
	h.hours("2026-11-20 00:00", 1, p)
	p.says(0)
	if asked := h.hours("2026-11-20 01:00", 24, p); fmt.Sprint(asked) != "[21T00]" {
		t.Errorf("asked at %v; want at the next midnight only", asked)
	}
}

// TestBusyFeedIsCaughtUp holds that a feed that lists only its last posts gets extra polls after a gap,
// until polls overlap again. The reader learns that posts may be missing.
func TestBusyFeedIsCaughtUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		p := newSite(t)
		p.shows = 4
		h := newHouse(t, st, "2026-11-18 10:00")
		p.publishAt("2026-11-18 09:00", "one", "two", "three", "four")
		h.reader("ann@example.org", "UTC", p)
		h.hours("2026-11-19 00:00", 1, p)
		h.set("2026-11-19 00:00")
		for i := range 24 { // a post every hour; the feed lists four
			p.publishAt(h.clock.Add(time.Duration(i)*time.Hour+30*time.Minute).Format("2006-01-02 15:04"),
				fmt.Sprintf("busy %d", i))
		}
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 4, Editions: 1, Sent: 1})
		p.requests()
		_, text := h.inbox()
		if !strings.Contains(unfold(text), "You may have missed posts from Paper") ||
			!strings.Contains(unfold(text), "20:30") {
			t.Errorf("the edition does not tell of the gap until 20:30:\n%s", text)
		}
		if f := h.feed(p); f.BusyInterval == 0 || f.PollAt.IsZero() {
			t.Errorf("the feed is not asked by itself: every %v, next at %v", f.BusyInterval, f.PollAt)
		}
		if asked := h.hours("2026-11-20 01:00", 23, p); len(asked) == 0 || len(asked) > 4 {
			t.Errorf("asked at %v of a quiet day; want a look or few", asked)
		}
		if asked := h.hours("2026-11-21 00:00", 48, p); fmt.Sprint(asked) != "[21T00 22T00]" {
			t.Errorf("asked at %v of two quiet days more; want at their midnights", asked)
		}
		if f := h.feed(p); f.BusyInterval != 0 {
			t.Errorf("still asked every %v although it overlaps and is quiet", f.BusyInterval)
		}
	})
}

// unfold removes the line breaks of quoted-printable.
func unfold(s string) string { return strings.ReplaceAll(s, "=\r\n", "") }

// TestS20_GoneForGood holds that 410 ends the subscriptions and that the readers learn it.
func TestS20_GoneForGood(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		p, q := newSite(t), newSite(t)
		h := newHouse(t, st, "2026-11-18 10:00")
		p.publishAt("2026-11-18 09:00", "old")
		q.publishAt("2026-11-18 09:00", "other")
		d := h.reader("ann@example.org", "UTC", p, q)
		h.hours("2026-11-19 00:00", 1, p)
		p.says(http.StatusGone)
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 2, Failed: 1, Unchanged: 1, Editions: 1, Sent: 1})
		if f := h.feed(p); f.State != digest.FeedGone {
			t.Errorf("the feed is %s", f.State)
		}
		subs, err := st.Subscriptions.Subscriptions(t.Context(), d.ID)
		if err != nil || len(subs) != 1 {
			t.Errorf("%d subscriptions are left, %v; want the other one", len(subs), err)
		}
		if _, text := h.inbox(); !strings.Contains(unfold(text), "Paper") ||
			!strings.Contains(unfold(text), "no longer follow") {
			t.Errorf("the reader is not told:\n%s", text)
		}
		p.requests()
		if asked := h.hours("2026-11-20 01:00", 72, p); asked != nil {
			t.Errorf("a feed that is gone was asked at %v", asked)
		}
	})
}

// TestWholeHostGone holds that a host that answers 410 for everything counts as broken.
func TestWholeHostGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h, p := newDatedHouse(t, st)
		d := h.d
		subscriber := subscribe.Subscriber{Store: h.st, Poller: h.poller(), Now: func() time.Time { return h.clock }}
		if _, _, err := subscriber.Subscribe(t.Context(), d.ID, p.URL+"/other.xml", 0); err != nil {
			t.Fatal(err)
		}
		h.hours("2026-11-19 00:00", 1, p)
		p.says(http.StatusGone)
		h.hours("2026-11-20 00:00", 73, p)
		subs, err := st.Subscriptions.Subscriptions(t.Context(), d.ID)
		if err != nil || len(subs) != 2 {
			t.Errorf("%d subscriptions are left, %v; want both", len(subs), err)
		}
		p.says(0)
		h.hours("2026-11-24 00:00", 1, p)
		if f := h.feed(p); f.State != digest.FeedActive || f.Errors != 0 || !f.GoneAt.IsZero() {
			t.Errorf("after a good answer the feed is %s with %d errors, gone at %v", f.State, f.Errors, f.GoneAt)
		}
	})
}

// TestSkippedMidnight holds that a feed that skips the hour of its reader's midnight is polled before it,
// once a day.
func TestSkippedMidnight(t *testing.T) {
	p := newSite(t)
	p.extra = "<skipHours><hour>0</hour><hour>1</hour><hour>2</hour></skipHours>"
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), "2026-11-18 10:00")
	p.publishAt("2026-11-18 09:00", "old")
	h.reader("ann@example.org", "UTC", p)
	h.hours("2026-11-19 00:00", 48, p)
	if asked := h.hours("2026-11-21 00:00", 96, p); fmt.Sprint(asked) != "[21T23 22T23 23T23 24T23]" {
		t.Errorf("asked at %v; want in the last hour before each midnight", asked)
	}
}

// TestS11_KeptDocumentIsReadAgain holds that a newer parser reads stored documents without a request.
func TestS11_KeptDocumentIsReadAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		p := newSite(t)
		h := newHouse(t, st, "2026-11-18 10:00")
		p.publishAt("2026-11-18 09:00", "old", "second")
		h.reader("ann@example.org", "UTC", p)
		f := h.feed(p)
		body, kept, err := st.Posts.Body(t.Context(), f.ID)
		if err != nil || !kept || !strings.Contains(string(body.Bytes), "second") {
			t.Fatalf("the document is not kept: %v %v", kept, err)
		}
		forget(t, st, f) // as if the older parser had found nothing in it
		h.hours("2026-11-19 00:00", 1, p)
		known, err := st.Feeds.KnownPosts(t.Context(), f.ID, []string{"second", "old"})
		if err != nil || len(known) == 0 {
			t.Errorf("the kept document was not read again: %v %v", known, err)
		}
		if f := h.feed(p); f.Parser != feed.Version {
			t.Errorf("that it was read again is not remembered: version %d", f.Parser)
		}
	})
}

// forget sets the parser of a feed's record to an older version.
func forget(t *testing.T, st *store.Store, f digest.Feed) {
	t.Helper()
	f.Parser = -1
	if _, err := st.Feeds.Record(t.Context(), f.LastAttemptAt, []store.Polled{{Feed: f}}); err != nil {
		t.Fatal(err)
	}
}

// TestFence holds that an instance behind a fence does nothing and says what to do.
func TestFence(t *testing.T) {
	h, p := newDatedHouse(t, storetest.Open(t, storetest.SQLite(t)))
	h.set("2026-11-19 00:00")
	job := h.job()
	if _, err := h.st.Operator.Beat(t.Context(), "https://digest.example.org", h.clock, store.FenceRules{After: 36 * time.Hour, Most: 100}); err != nil {
		t.Fatal(err)
	}
	job.Fence = func(ctx context.Context, now time.Time) (string, error) {
		f, err := h.st.Operator.Beat(ctx, "https://clone.example.org", now, store.FenceRules{After: 36 * time.Hour, Most: 100})
		return f.Reason, err
	}
	if _, err := job.Tick(t.Context()); err == nil || !strings.Contains(err.Error(), "digest fence") {
		t.Errorf("a clone's tick ended with %v; want word of the fence", err)
	}
	if asked := p.requests(); asked != "" {
		t.Errorf("a clone asked %s", asked)
	}
	if err := h.st.Operator.Unfence(t.Context(), "https://clone.example.org", h.clock); err != nil {
		t.Fatal(err)
	}
	sum, err := job.Tick(t.Context())
	if err != nil || sum.Polled != 1 || sum.Sent != 1 {
		t.Errorf("released, the tick did %+v, %v", sum, err)
	}
}

// TestNewsEndsSilence holds that a feed without a post for years is polled rarely until it lists a new
// post, whatever its date.
func TestNewsEndsSilence(t *testing.T) {
	p := newSite(t)
	h := newHouse(t, storetest.Open(t, storetest.SQLite(t)), "2026-11-18 10:00")
	p.publishAt("2022-11-18 09:00", "old")
	h.reader("ann@example.org", "UTC", p)
	if asked := h.hours("2026-11-19 00:00", 100, p); fmt.Sprint(asked) != "[21T00 23T01]" {
		t.Errorf("after four years of silence asked at %v; want every 48 hours and a little", asked)
	}
	p.publishAt("2022-12-01 09:00", "found in a drawer")
	h.hours("2026-11-23 04:00", 96, p)
	if f := h.feed(p); f.OwnInterval != 0 {
		t.Errorf("after news it is still asked only every %v", f.OwnInterval)
	}
}
