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
)

// hours runs the job at n full hours from begin on, and returns the hours at which p was requested.
func (h *house) hours(begin string, n int, p *site) (asked []string) {
	h.t.Helper()
	h.set(begin)
	for range n {
		h.tickNow()
		if p.requests() != "" {
			asked = append(asked, h.clock.Format("02T15"))
		}
		h.clock = h.clock.Add(time.Hour)
	}
	return asked
}

// feed returns the record of a site's feed.
func (h *house) feed(s *site) digest.Feed { return h.feedAt(s.address()) }

func (h *house) feedAt(address string) digest.Feed {
	h.t.Helper()
	f, err := h.st.Feeds.FeedByURL(h.t.Context(), address)
	ok(h.t, err)
	return f
}

// TestS19_RetryBesideTheHour holds that a feed that asked to wait is polled when the time has passed, and
// that its posts are in the next edition.
func TestS19_RetryBesideTheHour(t *testing.T) {
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		h.hours("2026-11-19 00:00", 1, p)
		p.publishAt("2026-11-19 20:00", "evening news")
		p.says(http.StatusTooManyRequests, "Retry-After", "7200")
		h.tick("2026-11-20 00:00", "Polled:1 Failed:1")
		p.requests()
		p.says(0)
		if asked := h.hours("2026-11-20 01:00", 23, p); fmt.Sprint(asked) != "[20T02]" {
			t.Errorf("asked at %v; want once, when the two hours were over", asked)
		}
		p.publishAt("2026-11-20 20:00", "todays news")
		h.tick("2026-11-21 00:00", "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
		_, text := h.inbox()
		if strings.Count(text, "evening news") == 0 || !strings.Contains(text, "From an earlier day") {
			t.Errorf("the edition does not bring the evening news as late:\n%s", text)
		}
	})
}

// TestBusyFeedIsCaughtUp holds that a feed that lists only its last posts gets extra polls after a gap,
// until polls overlap again. The reader learns that posts may be missing.
func TestBusyFeedIsCaughtUp(t *testing.T) {
	eachEmptyHouse(t, "2026-11-18 10:00", func(t *testing.T, h *house) {
		p := newSite(t)
		p.shows = 4
		p.publishAt("2026-11-18 09:00", "one", "two", "three", "four")
		h.reader("ann@example.org", "UTC", p)
		h.hours("2026-11-19 00:00", 1, p)
		for hour := range 24 { // the feed lists four of them
			p.publishAt(fmt.Sprintf("2026-11-19 %02d:30", hour), fmt.Sprint("busy ", hour))
		}
		h.tick("2026-11-20 00:00", "Polled:1 Changed:1 Posts:4 Editions:1 Sent:1")
		p.requests()
		if _, text := h.inbox(); !strings.Contains(text, "You may have missed posts from Paper") ||
			!strings.Contains(text, "20:30") {
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

// TestS20_GoneForGood holds that 410 ends the subscriptions and that the readers learn it.
func TestS20_GoneForGood(t *testing.T) {
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		q := newSite(t)
		q.publishAt("2026-11-18 09:00", "other")
		h.follows(q.address())
		h.hours("2026-11-19 00:00", 1, p)
		p.says(http.StatusGone)
		h.tick("2026-11-20 00:00", "Polled:2 Unchanged:1 Failed:1 Editions:1 Sent:1")
		if f := h.feed(p); f.State != digest.FeedGone {
			t.Errorf("the feed is %s", f.State)
		}
		h.isSubscribedTo(h.d, q)
		if _, text := h.inbox(); !strings.Contains(text, "Paper") || !strings.Contains(text, "no longer follow") {
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
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		h.follows(p.URL + "/other.xml")
		h.hours("2026-11-19 00:00", 1, p)
		p.says(http.StatusGone)
		h.hours("2026-11-20 00:00", 73, p)
		if left := h.subscribedTo(h.d); len(left) != 2 {
			t.Errorf("%v are left; want both", left)
		}
		p.says(0)
		h.hours("2026-11-24 00:00", 1, p)
		if f := h.feed(p); f.State != digest.FeedActive || f.Errors != 0 || !f.GoneAt.IsZero() {
			t.Errorf("after a good answer the feed is %s with %d errors, gone at %v", f.State, f.Errors, f.GoneAt)
		}
	})
}

// TestS11_KeptDocumentIsReadAgain holds that a newer parser reads stored documents without a request.
func TestS11_KeptDocumentIsReadAgain(t *testing.T) {
	eachEmptyHouse(t, "2026-11-18 10:00", func(t *testing.T, h *house) {
		p := newSite(t)
		p.publishAt("2026-11-18 09:00", "old", "second")
		h.reader("ann@example.org", "UTC", p)
		f := h.feed(p)
		body, kept, err := h.st.Posts.Body(t.Context(), f.ID)
		if err != nil || !kept || !strings.Contains(string(body.Bytes), "second") {
			t.Fatalf("the document is not kept: %v %v", kept, err)
		}
		forget(t, h.st, f) // as if the older parser had found nothing in it
		h.hours("2026-11-19 00:00", 1, p)
		known, err := h.st.Feeds.KnownPosts(t.Context(), f.ID, []string{"second", "old"})
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
	_, err := h.st.Operator.Beat(t.Context(), "https://digest.example.org", h.clock,
		store.FenceRules{After: 36 * time.Hour, Most: 100})
	ok(t, err)
	job.Fence = func(ctx context.Context, now time.Time) (string, error) {
		f, err := h.st.Operator.Beat(ctx, "https://clone.example.org", now,
			store.FenceRules{After: 36 * time.Hour, Most: 100})
		return f.Reason, err
	}
	if _, err := job.Tick(t.Context()); err == nil || !strings.Contains(err.Error(), "digest fence") {
		t.Errorf("a clone's tick ended with %v; want word of the fence", err)
	}
	if asked := p.requests(); asked != "" {
		t.Errorf("a clone asked %s", asked)
	}
	ok(t, h.st.Operator.Unfence(t.Context(), "https://clone.example.org", h.clock))
	sum, err := job.Tick(t.Context())
	if err != nil || sum.Polled != 1 || sum.Sent != 1 {
		t.Errorf("released, the tick did %+v, %v", sum, err)
	}
}
