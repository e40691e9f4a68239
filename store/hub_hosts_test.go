package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// hubDomain returns the last two labels of a hub's host. Feeds of the house have domains of their own.
func hubDomain(address string, outside bool) string {
	if !outside {
		return "home " + lastTwo(address)
	}
	return lastTwo(address)
}

func lastTwo(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// names makes feeds that name a hub, and subscribes the digest to them. It replaces {n} in hub by the number of the
// feed.
func (w world) names(d digest.Digest, feeds int, hub string) (ids []digest.FeedID) {
	w.Helper()
	for i := range feeds {
		f := w.feed(fmt.Sprintf("f%d.%s", i, strings.ReplaceAll(lastTwo(hub), "/", ".")))
		w.subscribe(d, f)
		w.exec(`UPDATE feeds SET hubs = ?, topic = ?, parsed_at = 1 WHERE id = ?`,
			strings.ReplaceAll(hub, "{n}", fmt.Sprint(i)), f.URL, f.ID)
		ids = append(ids, f.ID)
	}
	must(w.Feeds.ReconcilePushes(w.ctx, noon))
	return ids
}

// asksHubs claims the requests that are due, as the hourly job does.
func (w world) asksHubs(now time.Time) (all []store.HubRequest) {
	w.Helper()
	for more := true; more; {
		var some []store.HubRequest
		some, more = must2(w.Feeds.ClaimHubRequests(w.ctx, now, 20, func(int) time.Time { return now.Add(day) },
			hubDomain))
		all = append(all, some...)
	}
	return all
}

func (w world) verifies(r store.HubRequest, now time.Time) {
	w.Helper()
	meant := must(w.Feeds.VerifyPush(w.ctx, now, r.ID, r.Topic, now.Add(14*day), now.Add(7*day)))
	want(w, "meant", meant, true)
}

// TestHubHosts: a host that confirms nothing gets three requests and then one a day. That holds for all its
// addresses, all feeds that name them, and unsubscribe requests. A host that confirms gets the requests of all its
// feeds.
func TestHubHosts(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "UTC")
		victims := w.names(d, 20, "https://h{n}.victim.example/any?post={n}")
		want(w, "requests to a host that confirms nothing", len(w.asksHubs(noon)), 3)
		want(w, "an hour later", len(w.asksHubs(noon.Add(time.Hour))), 0)
		known := must(w.Feeds.News(w.ctx, victims))
		for _, id := range victims {
			want(w, "quiet until", known[id].HubQuietUntil, noon.Add(day))
		}
		want(w, "after a day", len(w.asksHubs(noon.Add(day))), 1)
		want(w, "and an hour", len(w.asksHubs(noon.Add(day+time.Hour))), 0)

		w.names(d, 20, "https://hub.good.example/")
		now, waves := noon.Add(day+2*time.Hour), 0
		for asked := w.asksHubs(now); len(asked) > 0; asked = w.asksHubs(now) {
			waves++
			for _, r := range asked {
				want(w, "hub", r.Hub, "https://hub.good.example/")
				w.verifies(r, now)
			}
			now = now.Add(time.Minute)
		}
		w.holds("subscriptions that work", 20, `SELECT count(*) FROM push_subscriptions WHERE state = 'active'`)
		if waves > 5 {
			w.Errorf("a hub that confirms all requests gets 20 in %d waves", waves)
		}

		now = noon.Add(5 * day)
		w.exec(`UPDATE subscriptions SET paused = 1`) // no readers any more
		must(w.Feeds.ReconcilePushes(w.ctx, now))
		goodbyes := map[string]int{}
		for _, r := range w.asksHubs(now) {
			goodbyes[lastTwo(r.Hub)]++
		}
		want(w, "goodbyes to who confirms nothing", goodbyes["victim.example"], 1)
		want(w, "goodbyes to a good hub", goodbyes["good.example"], 20)
	})
}

// TestHubHostsConfirm: a verification ends the silence, and so does the hub's refusal. A wrong topic does not.
func TestHubHostsConfirm(t *testing.T) {
	each(t, func(w world) {
		w.names(w.reader("ann", "UTC"), 9, "https://hub.example/{n}")
		first := w.asksHubs(noon)
		want(w, "at first", len(first), 3)
		meant := must(w.Feeds.VerifyPush(w.ctx, noon, first[0].ID, "https://wrong.example/", noon.Add(day),
			noon.Add(day)))
		want(w, "a wrong topic", meant || len(w.asksHubs(noon)) > 0, false)
		w.verifies(first[0], noon)
		want(w, "after one is confirmed", len(w.asksHubs(noon)), 3)
		denied := first[1]
		must(w.Feeds.DenyPush(w.ctx, noon, denied.ID, denied.Topic, "no", noon.Add(7*day)))
		want(w, "after one is denied", len(w.asksHubs(noon)), 3)
	})
}

// TestHubsAtHome: public feeds that name a hub of the house do not affect the feeds of the house.
func TestHubsAtHome(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ann", "UTC")
		w.names(d, 9, "https://hub.home/{n}")
		w.exec(`UPDATE feeds SET public_only = 1`)
		own := w.feed("house.example")
		w.subscribe(d, own)
		w.exec(`UPDATE feeds SET public_only = 0, hubs = 'https://hub.home/own',
			topic = url, parsed_at = 1 WHERE id = ?`, own.ID)
		must(w.Feeds.ReconcilePushes(w.ctx, noon))
		asked := w.asksHubs(noon)
		want(w, "requests", len(asked), 4)
		want(w, "the last", asked[3].Hub, "https://hub.home/own")
	})
}

// TestHubFails: after three errors in a row a host gets no request for a day. Requests that were not sent do not
// count.
func TestHubFails(t *testing.T) {
	each(t, func(w world) {
		w.names(w.reader("ann", "UTC"), 30, "https://hub.example/{n}")
		now := noon
		for range 4 { // batches of three, three, six and twelve
			for _, r := range w.asksHubs(now) {
				w.verifies(r, now)
			}
		}
		for _, c := range []struct {
			made bool
			want int
		}{{false, 6}, {true, 6}, {true, 0}} {
			asked := w.asksHubs(now)
			want(w, "requests", len(asked), c.want)
			for i, r := range asked {
				w.ok(w.Feeds.HubFailed(w.ctx, now, r.ID, "answered 500", now.Add(time.Hour), c.made && i < 3))
			}
			now = now.Add(time.Hour)
		}
		want(w, "after a day", len(w.asksHubs(now.Add(day))), 1)
	})
}

// TestForgetHubHosts: a host is deleted when no feed names it and its silence is over.
func TestForgetHubHosts(t *testing.T) {
	each(t, func(w world) {
		w.names(w.reader("ann", "UTC"), 3, "https://hub.example/{n}")
		w.asksHubs(noon)
		w.exec(`DELETE FROM push_subscriptions`)
		for _, c := range []struct {
			at   time.Time
			left int
		}{{noon.Add(day - time.Second), 1}, {noon.Add(day), 0}} {
			w.pruneOnce(c.at, 400*day, 100)
			w.holds("hosts", c.left, `SELECT count(*) FROM hub_hosts`)
		}
	})
}
