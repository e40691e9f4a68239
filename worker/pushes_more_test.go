package worker_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"
)

// only returns the only subscription of a hub.
func (b *rocksHub) only() (callback string, p promise) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.promised) != 1 {
		b.t.Fatalf("%d promises", len(b.promised))
	}
	for at, p := range b.promised {
		return at, *p
	}
	return "", promise{}
}

// TestLatePushes holds that a post that a poll finds before the push comes once, and that such a hub earns
// no trust.
func TestLatePushes(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		h.tickAt("2026-11-20 00:00")
		for _, day := range []string{"21", "22", "23"} {
			b.publish("post of " + day)
			h.tickAt("2026-11-" + day + " 00:00")
			h.set("2026-11-" + day + " 08:00")
			b.delivers(b.document("", "", "post of "+day), nil)
			h.tickNow()
			if h.stored(b, "post of "+day) != 1 {
				t.Errorf("the post of %s is not stored", day)
			}
		}
		news := h.trusted(b, false)
		if news.Pushes != 0 || news.AllPushes != 3 || news.MissedAt.IsZero() {
			t.Errorf("%+v", news)
		}
		mails, _ := h.inbox()
		h.tickAt("2026-11-24 00:00")
		if n, _ := h.inbox(); n != mails {
			t.Error("what was pushed late came again (I4)")
		}
	})
}

// TestSeveralHubs holds that digest subscribes at all hubs of a feed, each with its own callback and
// secret. A post that both push is stored once. The feed is trusted to them as long as one of them keeps
// its subscription.
func TestSeveralHubs(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		other := newRocksHub(t, -1)
		b.second = other.URL + "/hub"
		b.publish("changed")
		h.tickAt("2026-11-20 00:00")
		h.tickAt("2026-11-20 00:10")
		callback, first := b.only()
		otherCallback, second := other.only()
		if callback == otherCallback || first.secret == second.secret || first.topic != second.topic {
			t.Fatalf("%s %v, %s %v", callback, first, otherCallback, second)
		}
		for _, title := range []string{"one", "two"} {
			h.set("2026-11-20 1" + map[string]string{"one": "0", "two": "1"}[title] + ":00")
			b.pushes(title)
			if got := other.delivers(b.document("", "", title), nil); !slices.Equal(got, []int{http.StatusAccepted}) {
				t.Errorf("the other hub is answered %v", got)
			}
			h.tickNow()
			if h.stored(b, title) != 1 {
				t.Errorf("%s is not stored", title)
			}
		}
		if news := h.trusted(b, true); news.Pushes != 2 || news.AllPushes != 4 {
			t.Errorf("%+v", news)
		}
		other.says = http.StatusBadGateway // when its subscription must be renewed
		h.tickAt("2026-11-26 12:00")
		if other.asked(); len(b.promised) != 1 {
			t.Fatalf("%d promises", len(b.promised))
		}
		h.trusted(b, true)
		h.pushesAt(b, "2026-11-26 13:00", "three")
	})
}

// TestTopicMoves has a feed that names another address of its site as its own. digest subscribes there, and
// unsubscribes from the old topic after the hub has verified the new one. Pushes in between are stored.
func TestTopicMoves(t *testing.T) {
	eachHub(t, -1, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		callback, was := b.only()
		b.self, b.says = b.URL+"/moved", http.StatusServiceUnavailable
		b.publish("changed")
		h.tickAt("2026-11-20 00:00")
		h.tickAt("2026-11-20 00:10")
		if at, p := b.only(); at != callback || p != was {
			t.Errorf("the old topic was left before there is a new one: %s %v", at, p)
		}
		h.pushesAt(b, "2026-11-20 01:00", "in between")
		b.says = 0
		h.tickAt("2026-11-20 06:00")
		h.tickAt("2026-11-20 06:10")
		at, p := b.only()
		if p.topic != b.URL+"/moved" || at == callback || p.secret == was.secret {
			t.Errorf("the new topic is %v", p)
		}
		h.pushesAt(b, "2026-11-20 07:00", "after it")
	})
}

// TestChangedSecrets holds that each subscription has its own secret. After a renewal, a push to the new
// callback with the old secret is dropped, and the old callback answers 410.
func TestChangedSecrets(t *testing.T) {
	eachHub(t, 0, func(t *testing.T, h *house, b *rocksHub) {
		h.tickAt("2026-11-19 10:01")
		old, was := b.only()
		h.tickAt("2026-11-25 12:00") // its lease of ten days is renewed
		h.tickAt("2026-11-25 12:10")
		now, is := b.only()
		if now == old || is.secret == was.secret {
			t.Fatal("a renewal has the address or the secret of before")
		}
		b.promised = map[string]*promise{now: {is.topic, was.secret}}
		if got := b.delivers(b.document("", "", "stolen"), nil); !slices.Equal(got, []int{http.StatusAccepted}) {
			t.Errorf("the old secret at the new address is answered %v", got)
		}
		b.promised = map[string]*promise{old: &was}
		if got := b.delivers(b.document("", "", "late"), nil); !slices.Equal(got, []int{http.StatusGone}) {
			t.Errorf("the old address is answered %v", got)
		}
		b.promised = map[string]*promise{now: &is}
		h.pushesAt(b, "2026-11-25 13:00", "genuine")
		if h.stored(b, "stolen")+h.stored(b, "late") != 0 {
			t.Error("what was signed with an old secret is stored")
		}
		if callbacks := slices.Collect(maps.Keys(b.promised)); len(callbacks) != 1 {
			t.Error(callbacks)
		}
	})
}
