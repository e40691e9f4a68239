package worker_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// hub checks the counts of requests to a hub and its blog since the last call.
func (h *house) hub(b *rocksHub, subscribes, unsubscribes, polls int) {
	h.t.Helper()
	if s, u, p := b.asked(); s != subscribes || u != unsubscribes || p != polls {
		h.t.Errorf("%v: %d subscribe, %d unsubscribe, %d polls; want %d, %d, %d", h.clock, s, u, p, subscribes,
			unsubscribes, polls)
	}
}

func (h *house) pushesAt(b *rocksHub, clock, title string) {
	h.t.Helper()
	h.set(clock)
	b.pushes(title)
	h.tickNow()
	if h.stored(b, title) != 1 {
		h.t.Fatalf("%s: %q is not stored", clock, title)
	}
}

func (h *house) trusted(b *rocksHub, want bool) digest.News {
	h.t.Helper()
	f, news := h.blog(b)
	if got := !f.PushedUntil.IsZero(); got != want || news.TrustedAt.IsZero() == want {
		h.t.Fatalf("%v: trusted is %t (until %v, %+v), want %t", h.clock, got, f.PushedUntil, news, want)
	}
	return news
}

// TestPushedPosts holds that a push is stored immediately, and that its post is in the edition of the next
// midnight once. It does not matter how often and in how many parts it comes. Nothing else of the feed
// changes.
func TestPushedPosts(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		before, _ := h.blog(b)
		h.pushesAt(b, "2026-11-19 12:00", "pushed one") // only this post
		b.delivers(b.document("", "", "pushed one"), nil)
		h.pushesAt(b, "2026-11-19 13:00", "pushed two")
		b.delivers(b.document("", ""), nil) // the whole document
		b.delivers("", nil)
		b.delivers("<html>no feed", nil)
		b.delivers(b.document("", "", "forged"), func(string) string { return "sha1=00" })
		h.tickAt("2026-11-19 13:01")
		after, news := h.blog(b)
		if after.Validators != before.Validators || after.LastOKAt != before.LastOKAt ||
			after.ParsedAt != before.ParsedAt {
			t.Errorf("a push has changed the record:\n%+v\n%+v", before, after)
		}
		if news.Pushes != 2 || news.AllPushes < 5 || h.stored(b, "forged") != 0 {
			t.Errorf("%+v", news)
		}
		if n, _ := h.inbox(); n != 0 {
			t.Error("mail before midnight (I2)")
		}
		h.tickAt("2026-11-20 00:00")
		n, text := h.inbox()
		if n != 1 || strings.Count(text, "pushed one") == 0 || strings.Count(text, "pushed two") == 0 ||
			!strings.Contains(text, "first") {
			t.Errorf("%d mails:\n%s", n, text)
		}
		h.tickAt("2026-11-21 00:00")
		if n, _ := h.inbox(); n != 1 {
			t.Errorf("%d mails: a post came twice (I4)", n)
		}
	})
}

// TestTrustInHubs holds that a feed is trusted to its hub after two pushes without a missed post. It is
// then polled once a week. A hub that misses a post loses the trust.
func TestTrustInHubs(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		h.hub(b, 1, 0, 1) // the poll is part of the subscription
		h.tickAt("2026-11-20 00:00")
		h.hub(b, 0, 0, 1)
		h.pushesAt(b, "2026-11-20 10:00", "one")
		h.trusted(b, false)
		h.pushesAt(b, "2026-11-20 11:00", "two")
		h.trusted(b, true)
		b.asked()
		for _, day := range []string{"21", "22", "23", "24", "25", "26"} {
			h.pushesAt(b, "2026-11-"+day+" 00:00", "post of "+day)
		}
		h.hub(b, 1, 1, 0) // its lease was renewed
		if news := h.trusted(b, true); news.SavedPolls != 6 {
			t.Errorf("%d polls saved, want 6", news.SavedPolls)
		}
		h.tickAt("2026-11-27 00:00")
		if _, _, polls := b.asked(); polls == 0 {
			t.Error("no poll in a week, because of what was pushed")
		}
		h.trusted(b, true)

		b.publish("missed")
		h.tickAt("2026-12-03 00:00")
		h.tickAt("2026-12-04 00:00")
		if h.stored(b, "missed") != 1 {
			t.Error("the weekly poll has not found what the hub missed")
		}
		h.trusted(b, false)
		b.asked()
		h.tickAt("2026-12-05 00:00")
		if _, _, polls := b.asked(); polls == 0 {
			t.Error("a hub that missed a post is still trusted")
		}
		h.pushesAt(b, "2026-12-05 10:00", "three")
		h.pushesAt(b, "2026-12-05 11:00", "four")
		h.trusted(b, false)
		for day := h.clock; day.Before(h.clock.AddDate(0, 0, 31)); day = day.Add(24 * time.Hour) {
			h.tickAt(day.Format("2006-01-02 15:04"))
			if day.Month() == time.January && day.Day() == 4 {
				break
			}
		}
		h.pushesAt(b, "2027-01-04 12:00", "five")
		h.trusted(b, true)
	})
}

// TestAHubMissesForAll holds that a hub that did not push a post of one feed loses the trust for all its
// feeds.
func TestAHubMissesForAll(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		h.tickAt("2026-11-20 00:00")
		h.pushesAt(b, "2026-11-20 10:00", "one")
		h.pushesAt(b, "2026-11-20 11:00", "two")
		h.trusted(b, true)
		// Another feed of the same hub, which never pushes it.
		other := newSite(t, "a")
		other.extra = `<link xmlns="http://www.w3.org/2005/Atom" rel="hub" href="` + b.URL + `/hub"/>`
		h.follows(other.URL + "/feed.xml")
		b.test = -1 // it accepts any topic
		h.set("2026-11-20 12:00")
		f, err := h.st.Feeds.FeedByURL(t.Context(), other.URL+"/feed.xml")
		if err != nil || f.Hubs != b.URL+"/hub" {
			t.Fatalf("%q, %v", f.Hubs, err)
		}
		h.tickNow()
		h.tickAt("2026-11-21 00:00")
		other.publish("b")
		h.tickAt("2026-11-22 00:00")
		h.tickAt("2026-11-22 01:00")
		h.trusted(b, false)
	})
}

// TestHubsThatFail has a hub that never verifies, refuses, denies or is down. digest retries rarely and
// polls the feed as if it had no hub. It trusts the hub again after new pushes.
func TestHubsThatFail(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		b.forgets = true
		h.tickAt("2026-11-19 10:01")
		h.tickAt("2026-11-19 11:00")
		h.hub(b, 1, 0, 1)
		h.tickAt("2026-11-20 10:30")
		if s, _, _ := b.asked(); s != 1 {
			t.Errorf("a hub that verifies nothing is asked %d times", s)
		}
		b.forgets, b.says = false, http.StatusServiceUnavailable
		h.tickAt("2026-11-21 10:30")
		h.tickAt("2026-11-21 10:31")
		if s, _, _ := b.asked(); s != 1 {
			t.Errorf("a hub that fails is asked %d times", s)
		}
		b.says = 0
		h.tickAt("2026-11-25 10:30")
		if len(b.promised) != 1 {
			t.Fatalf("%d promises", len(b.promised))
		}
		h.pushesAt(b, "2026-11-25 12:00", "one")
		h.pushesAt(b, "2026-11-25 13:00", "two")
		h.trusted(b, true)

		b.says = http.StatusBadGateway // down for a week, in which its lease must be renewed
		h.tickAt("2026-12-01 12:00")
		h.trusted(b, false)
		h.tickAt("2026-12-05 14:00") // the lease has expired
		if _, news := h.blog(b); !news.PushedSince.IsZero() {
			t.Errorf("%+v", news)
		}
		b.says = 0
		h.tickAt("2026-12-14 12:00")
		if len(b.promised) == 0 {
			t.Fatal("the hub is back, and not asked")
		}
		heard := 0
		for callback := range b.promised { // one of them has expired
			if status, _ := b.ask(callback, url.Values{"hub.mode": {"denied"}, "hub.topic": {b.URL + "/blog"},
				"hub.reason": {"no longer"}}); status == http.StatusOK {
				heard++
			}
		}
		if heard != 1 {
			t.Errorf("of %d callbacks %d hear a denial", len(b.promised), heard)
		}
		b.promised = map[string]*promise{}
		b.asked()
		h.tickAt("2026-12-20 12:00")
		if s, _, _ := b.asked(); s != 0 {
			t.Error("a hub that denied is asked within a week")
		}
		h.tickAt("2026-12-21 13:00")
		if s, _, _ := b.asked(); s != 1 {
			t.Errorf("a hub that denied is asked %d times after a week", s)
		}
	})
}

// TestHubsAreLeft holds that digest unsubscribes from a hub when the last reader leaves, or when the feed
// names another hub. After that its callback answers 410.
func TestHubsAreLeft(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		was := &promise{}
		callback := ""
		for at, p := range b.promised {
			callback, was = at, p
		}
		f, _ := h.blog(b)
		ok(t, h.st.Subscriptions.Unsubscribe(t.Context(), h.d.ID, f.ID))
		h.tickAt("2026-11-19 11:00")
		h.hub(b, 1, 1, 1)
		if len(b.promised) != 0 {
			t.Error("the hub was not left")
		}
		b.promised[callback] = was
		if got := b.pushes("late"); !slices.Equal(got, []int{http.StatusGone}) {
			t.Errorf("after that it is answered %v", got)
		}
		if status, _ := b.ask(callback, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {was.topic},
			"hub.challenge": {"x"}}); status != http.StatusNotFound {
			t.Errorf("nobody wants it, and a verification is answered %d", status)
		}
		for _, guess := range []string{"", "x", strings.Repeat("a", 32)} {
			resp, err := http.Post(h.hubs.server.URL+"/websub/"+guess, "text/xml", strings.NewReader("x"))
			ok(t, err)
			if resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
				t.Errorf("a guess is answered %d", resp.StatusCode)
			}
		}
	})
}
