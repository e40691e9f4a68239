package store_test

import (
	"time"

	"digest"
)

func (w world) readPushes(f filling, p people) {
	w.Helper()
	subscription := w.insert(f, "push_subscriptions", storedRow{"id": int64(31), "feed_id": p.feed["id"],
		"state": string(digest.PushActive), "expires_at": toCome, "errors": yes})
	read := must(w.Feeds.PushSubscription(w.ctx, 31))
	subscription.isReadAs(w, read, nil)

	news := w.insert(f, "feed_news", storedRow{"feed_id": p.feed["id"], "demotes": int64(0)})
	news["expires_at"] = toCome
	waiting := w.insert(f, "push_subscriptions",
		storedRow{"id": int64(32), "feed_id": p.feed["id"], "state": string(digest.PushWanted)})
	w.insert(f, "hub_hosts", storedRow{"domain": waiting["domain"], "quiet_until": toCome})
	known := must(w.Feeds.News(w.ctx, []digest.FeedID{p.feedID()}))
	news["hub_quiet_until"] = toCome
	news.isReadAs(w, known[p.feedID()], nil)

	w.ok(w.Feeds.ReceivePush(w.ctx, noon, p.feedID(), "text/xml", []byte("<rss/>")))
	push, found := must2(w.Feeds.ClaimPush(w.ctx, noon, time.Minute))
	want(w, "a push", found, true)
	want(w, "the body", string(push.Body), "<rss/>")
	want(w, "when it came", push.ReceivedAt, noon)
	_, found = must2(w.Feeds.ClaimPush(w.ctx, noon, time.Minute))
	want(w, "another one", found, false)
}
