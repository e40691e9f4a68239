package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

const canary = "canary-7f3a"

// private adds a private feed of a reader.
func (w world) private(d digest.Digest, name string) digest.Feed {
	w.Helper()
	c := digest.Credential{Reader: d.ID, Address: "https://a.example/feed"}
	f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: c.PrivateAddress(name), Host: "a.example",
		Sealed: "sealed " +
			name}))
	w.subscribe(d, f)
	return f
}

func (w world) sealed(f digest.Feed) string {
	w.Helper()
	info := must(w.Feeds.Feed(w.ctx, f.ID))
	return info.Sealed
}

// A private feed is independent of other feeds at its address. Its credential is deleted with its subscription.
func TestPrivateFeedIsApart(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann"), w.reader("bob")
		public := w.feed("a.example")
		w.subscribe(ann, public)
		w.subscribe(bob, public)
		own, other := w.private(ann, "x"), w.private(bob, "y")
		if own.ID == public.ID || own.ID == other.ID {
			t.Fatal(public.ID, own.ID, other.ID)
		}
		want(w, "found by its address", must(w.Feeds.FeedByURL(w.ctx, "https://a.example/feed")).ID, public.ID)
		w.posted(public, "p")
		w.posted(own, "p", "secret")
		want(w, "of ann", len(strings.Fields(w.waiting(ann))), 3)
		want(w, "of bob", strings.Contains(w.waiting(bob), "secret"), false)

		again, created := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: own.URL, Host: "a.example", Sealed: "new"}))
		want(w, "added again", created, false)
		want(w, "the same", again.ID, own.ID)
		want(w, "sealed anew", w.sealed(own), "new")
		w.unsubscribe(ann, own)
		want(w, "unsubscribed", w.sealed(own), "")
		want(w, "of another", w.sealed(other), "sealed y")
		u := must(w.Readers.UserByEmail(w.ctx, "bob@example.org"))
		w.ok(w.Readers.RemoveUser(w.ctx, u.ID, noon))
		want(w, "removed", w.sealed(other), "")
	})
}

// I9: no poll moves or merges a private feed.
func TestI9_PrivateFeedStays(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann"), w.reader("bob")
		public := w.feed("b.example")
		w.subscribe(bob, public)
		own := w.private(ann, "x")
		moved := own
		moved.URL, moved.Host, moved.MovedFrom, moved.MovedAt, moved.MovedTo = public.URL, public.Host, own.URL, noon,
			"https://c.example/"
		body := store.Body{URL: "https://a.example/" + canary, Bytes: []byte(canary)}
		packed := must(w.Posts.Pack(body))
		w.poll(noon, store.Polled{Feed: moved, Was: own, Posts: posts(noon, "secret"), Listed: []string{"secret"},
			ReadAt: own.URL, Body: &packed,
			Arrival: store.Arrival{Read: true, Abroad: true, Posts: posts(noon, "secret")}})
		is := w.feedAgain(own)
		want(w, "address", is.URL, own.URL)
		want(w, "moved", is.MovedTo+is.MovedFrom, "")
		want(w, "of bob", w.waiting(bob), "")
		_, found := must2(w.Posts.Body(w.ctx, own.ID))
		want(w, "its document is kept", found, false)
		oneLine(w, err2(w.Subscriptions.FeedMovedFrom(w.ctx, own.URL)), digest.NotFound)
	})
}

// MakePrivate deletes all former addresses of the feed, and a poll in flight does not restore them.
func TestMakePrivate(t *testing.T) {
	each(t, func(w world) {
		ann, bob := w.reader("ann"), w.reader("bob")
		const address = "https://ann:" + canary + "@a.example/feed"
		f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: address, Host: "a.example",
			SiteURL: "https://" + canary +
				".example/"}))
		w.subscribe(ann, f)
		was := f
		was.ValidatorURL, was.MovedTo, was.MovedFrom, was.LastError, was.ETag = address, address+"2", address+
			"1", "at "+address, `"1"`
		packed := must(w.Posts.Pack(store.Body{URL: address, Bytes: []byte("text")}))
		w.poll(noon, store.Polled{Feed: was, Posts: posts(noon, "p"), Listed: []string{"p"}, ReadAt: address,
			Body: &packed,
			Poll: store.PollRecord{At: noon, Outcome: "failed", Note: "at " + address}})
		w.ok(w.Operator.NoteRefusal(w.ctx, address, noon.Add(time.Hour), "no", noon))
		w.ok(w.Subscriptions.SetSubscription(w.ctx,
			digest.Subscription{DigestID: ann.ID, FeedID: f.ID, Title: address}))
		for _, statement := range []string{
			`INSERT INTO former_addresses (url, feed_id) VALUES ('` + address + `1', ` + fmt.Sprint(f.ID) + `)`,
			`UPDATE posts SET read_address = '` + address + `'`,
			`UPDATE subscriptions SET address = '` + address + `'`,
			`UPDATE feed_times SET poll_at = 1, lease_until = 0`,
			`INSERT INTO feeds (url, host, merged_into, moved_from, moved_to) VALUES ('` +
				address + `#9', 'a.example', ` + fmt.Sprint(f.ID) + `, '` + address + `', '` + address + `')`,
			`INSERT INTO notices (digest_id, visible_at, feed_id, kind, url, moved_to) VALUES (` +
				fmt.Sprint(ann.ID) + `, 1, ` + fmt.Sprint(f.ID) + `, 'moved', '` + address + `', '` + address + `')`,
		} {
			w.exec(statement)
		}
		if n := strings.Count(w.Cells(w.ctx), canary); n < 12 {
			w.Fatalf("the test writes it %d times only", n)
		}
		claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, noon.Add(48*time.Hour),
			store.ClaimOptions{N: 1, Lease: time.Hour, Token: "t"}))
		want(w, "claimed", len(claimed), 1)

		clear := must(w.Feeds.ClearFeeds(w.ctx))
		want(w, "found", len(clear) == 1 && clear[0].First == ann.ID && clear[0].URL == address, true)
		c := digest.Credential{Reader: ann.ID, Address: "https://a.example/feed"}
		to := digest.Feed{ID: f.ID, URL: c.PrivateAddress("x"), Sealed: "sealed"}
		w.subscribe(bob, f)
		oneLine(w, w.Feeds.MakePrivate(w.ctx, to, ann.ID), digest.Conflict)
		w.unsubscribe(bob, f)
		w.ok(w.Feeds.MakePrivate(w.ctx, to, ann.ID))
		if cells := w.Cells(w.ctx); strings.Contains(cells, canary) {
			at := strings.Index(cells, canary)
			w.Errorf("…%s…", cells[max(0, at-200):at+20])
		}
		late := w.poll(noon, store.Polled{Feed: claimed[0].Feed, Was: claimed[0].Feed, Token: "t", Posts: posts(noon,
			"late")})
		want(w, "the poll under way", late.Stale, 1)
		if strings.Contains(w.Cells(w.ctx), canary) {
			w.Error("the poll under way has brought it back")
		}
		clear = must(w.Feeds.ClearFeeds(w.ctx))
		want(w, "found again", len(clear), 0)
		// The same reader also subscribed with another password.
		f, _ = must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://ann:old@a.example/feed", Host: "a.example"}))
		to.ID = f.ID
		w.ok(w.Feeds.MakePrivate(w.ctx, to, 0))
		again := must(w.Feeds.Feed(w.ctx, f.ID))
		if !digest.IsPrivate(again.URL) || again.URL == to.URL {
			w.Error(again.URL)
		}
	})
}

// HideFormer removes passwords from former addresses.
func TestHideFormer(t *testing.T) {
	each(t, func(w world) {
		ann := w.reader("ann")
		f := w.feed("b.example")
		w.subscribe(ann, f)
		w.posted(f, "p")
		const address = "https://ann:" + canary + "@a.example/feed"
		const harmless = "https://a.example/@ann"
		for _, statement := range []string{
			`UPDATE feeds SET moved_from = '` + address + `'`,
			`UPDATE posts SET read_address = '` + address + `'`,
			`UPDATE subscriptions SET address = '` + "\n" + address + "\n" + harmless + "\n" + `'`,
			`INSERT INTO former_addresses (url, feed_id) VALUES ('` + address + `', ` + fmt.Sprint(f.ID) + `), ('` +
				harmless + `', ` + fmt.Sprint(f.ID) + `)`,
			`INSERT INTO feeds (url, host, merged_into, moved_from) VALUES ('` + address + `#9', 'a.example', ` +
				fmt.Sprint(f.ID) + `, '` + address + `')`,
			`INSERT INTO notices (digest_id, visible_at, feed_id, kind, url) VALUES (` + fmt.Sprint(ann.ID) + `, 1, ` +
				fmt.Sprint(f.ID) + `, 'moved', '` + address + `')`,
		} {
			w.exec(statement)
		}
		if n := strings.Count(w.Cells(w.ctx), canary); n != 7 {
			w.Fatalf("the test writes it %d times", n)
		}
		for range 2 {
			w.ok(w.Feeds.HideFormer(w.ctx))
			cells := w.Cells(w.ctx)
			if strings.Contains(cells, canary) || strings.Count(cells, harmless) != 2 ||
				!strings.Contains(cells, "\nhttps://a.example/feed\n") {
				w.Error(cells)
			}
		}
	})
}

// A new credential ends the penalties of the old one.
func TestRenewSealed(t *testing.T) {
	each(t, func(w world) {
		ann := w.reader("ann")
		f := w.private(ann, "x")
		f.State, f.Errors, f.LastStatus, f.NotBefore, f.LastError = digest.FeedDead, 9, 401, noon.Add(720*time.Hour),
			"no"
		f.LastAttemptAt, f.FirstErrorAt, f.FailingSince = noon, noon, noon
		w.poll(noon, store.Polled{Feed: f})
		f.Sealed = "new"
		w.ok(w.Feeds.RenewSealed(w.ctx, f, noon))
		is := w.feedAgain(f)
		want(w, "sealed", is.Sealed, "new")
		want(w, "state", is.State, digest.FeedActive)
		want(w, "errors", is.Errors, 0)
		want(w, "asked after the gap", is.PollAt, noon.Add(time.Hour))
		feeds := must(w.Feeds.SealedFeeds(w.ctx))
		want(w, "private feeds", len(feeds), 1)
		stale := feeds[0]
		stale.Sealed = "older"
		renamed := feeds[0]
		renamed.URL, renamed.Sealed = strings.Replace(f.URL, "-x", "-z", 1), "by a new key"
		w.ok(w.Feeds.Reseal(w.ctx, stale, renamed))
		want(w, "changed meanwhile", w.sealed(f), "new")
		w.ok(w.Feeds.Reseal(w.ctx, feeds[0], renamed))
		want(w, "by a new key", w.sealed(f), "by a new key")
		must(w.Feeds.FeedByURL(w.ctx, renamed.URL))
	})
}
