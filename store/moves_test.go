package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestUndoMove: each reader can undo a move, repeatedly. The hidden posts of the new address are withdrawn, and the
// feed at the old address does not move again.
func TestUndoMove(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a)
		w.subscribe(bob, a)
		w.subscribe(cyd, b)
		w.posted(a, "a1")
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.posted(moved, "b1")
		want(w, "subscribed at", w.address(ada, b), a.URL)
		want(w, "subscribed at", w.address(cyd, b), "")
		oneLine(w, w.Subscriptions.UndoMove(w.ctx, ada.ID, a.ID, noon), digest.NotFound)
		w.exec(`INSERT INTO notices (digest_id, visible_at, feed_id, kind, url, moved_to)
			VALUES (?, 1, ?, 'moved', ?, ?)`, ada.ID, a.ID, a.URL, b.URL)
		for range 2 {
			w.ok(w.Subscriptions.UndoMove(w.ctx, ada.ID, a.ID, noon))
		}
		again := w.feedAgain(a)
		want(w, "the feed at the old address", again.URL, a.URL)
		want(w, "stays", again.MoveUndone, true)
		want(w, "who went back", w.subscribed(ada), again.ID)
		want(w, "who did not", w.subscribed(bob), b.ID)
		want(w, "who was there", w.subscribed(cyd), b.ID)
		moves := must(w.Subscriptions.Moves(w.ctx, ada.ID))
		want(w, "moves", moves[0].URL+" "+moves[0].MovedTo, a.URL+" "+b.URL)
	})
}

// TestImportWhereAReaderWentBack: an import of the old address gets the feed there while that works, otherwise the
// moved feed.
func TestImportWhereAReaderWentBack(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a)
		w.subscribe(bob, a)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.posted(moved, "b1")
		w.exec(`INSERT INTO notices (digest_id, visible_at, feed_id, kind, url, moved_to)
			VALUES (?, 1, ?, 'moved', ?, ?)`, ada.ID, a.ID, a.URL, b.URL)
		w.ok(w.Subscriptions.UndoMove(w.ctx, ada.ID, a.ID, noon))
		again := w.feedAgain(a)
		list := []store.ImportItem{{URL: a.URL, Host: a.Host}}
		for _, errors := range []int{1, 0} {
			w.exec(`UPDATE feeds SET errors = ? WHERE id = ?`, errors, again.ID)
			want(w, "added", must(w.Subscriptions.Import(w.ctx, cyd.ID, list, 9, noon)).Added, 1)
		}
		for _, f := range []digest.Feed{b, again} {
			w.subscription(cyd, f)
		}
	})
}

func (w world) address(d digest.Digest, f digest.Feed) string {
	w.Helper()
	sub := w.subscription(d, f)
	return strings.TrimSpace(sub.Address)
}

// TestFormerAddressesAreForgotten: FeedByURL finds a moved feed by its former address for a month, and
// then the feed that is there. Readers of the moved feed keep it.
func TestFormerAddressesAreForgotten(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.posted(moved, "b1")
		month := 30 * day
		for _, after := range []time.Duration{month - time.Second, month} {
			w.ok(w.Subscriptions.ForgetMoves(w.ctx, noon.Add(after)))
			f, err := w.Feeds.FeedByURL(w.ctx, a.URL)
			if after < month {
				w.ok(err)
				want(w, "at the old address", f.URL, b.URL)
			} else {
				want(w, "the old address", digest.KindOf(err), digest.NotFound)
			}
		}
		again := w.newFeed("a.example")
		want(w, "at the old address", again.URL, a.URL)
		want(w, "subscribed", w.subscribed(ada), b.ID)
	})
}

// TestAddressesTellReadersApart: a reader returns to the right feed even if its address contains another address or
// the entry for the own address.
func TestAddressesTellReadersApart(t *testing.T) {
	each(t, func(w world) {
		ada, eve := w.reader("ada"), w.reader("eve")
		a, b := w.feed("a.example"), w.feed("b.example")
		e, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://e.example/? *   " + a.URL +
			"  * ", Host: "e.example"}))
		w.subscribe(ada, a)
		w.subscribe(eve, e)
		for _, moved := range []digest.Feed{a, e} {
			moved.URL, moved.Host = b.URL, b.Host
			w.posted(moved, "b1")
		}
		want(w, "eve", w.subscribed(eve), b.ID)
		b.Errors = 2
		w.poll(noon, store.Polled{Feed: b, Missing: true})
		for d, f := range map[digest.DigestID]digest.Feed{ada.ID: a, eve.ID: e} {
			subs := must(w.Subscriptions.AllSubscriptions(w.ctx, d))
			want(w, "subscriptions", len(subs), 1)
			want(w, "subscribed to", subs[0].Feed.URL, f.URL)
		}
	})
}
