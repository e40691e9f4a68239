package store_test

import (
	"time"

	"digest"
)

func (w world) readPushes(f filling, p people) {
	w.t.Helper()
	subscription := w.insert(f, "push_subscriptions", storedRow{"id": int64(31), "feed_id": p.feed["id"],
		"state": string(digest.PushActive), "expires_at": toCome, "errors": yes})
	read, err := w.Feeds.PushSubscription(w.ctx(), 31)
	w.ok(err)
	subscription.isReadAs(w.t, read, nil)

	news := w.insert(f, "feed_news", storedRow{"feed_id": p.feed["id"], "demotes": int64(0)})
	news["expires_at"] = toCome
	waiting := w.insert(f, "push_subscriptions",
		storedRow{"id": int64(32), "feed_id": p.feed["id"], "state": string(digest.PushWanted)})
	w.insert(f, "hub_hosts", storedRow{"domain": waiting["domain"], "quiet_until": toCome})
	known, err := w.Feeds.News(w.ctx(), []digest.FeedID{p.feedID()})
	w.ok(err)
	news["hub_quiet_until"] = toCome
	news.isReadAs(w.t, known[p.feedID()], nil)

	w.ok(w.Feeds.ReceivePush(w.ctx(), noon, p.feedID(), "text/xml", []byte("<rss/>")))
	push, found, err := w.Feeds.ClaimPush(w.ctx(), noon, time.Minute)
	w.ok(err)
	want(w.t, "a push", found, true)
	want(w.t, "the body", string(push.Body), "<rss/>")
	want(w.t, "when it came", push.ReceivedAt, noon)
	_, found, err = w.Feeds.ClaimPush(w.ctx(), noon, time.Minute)
	w.ok(err)
	want(w.t, "another one", found, false)
}
