package store_test

import (
	"strings"
	"testing"

	"digest"
)

func (w world) leads(d digest.Digest) (all []digest.FeedID) {
	w.Helper()
	subs := must(w.Subscriptions.AllSubscriptions(w.ctx, d.ID))
	for _, sub := range subs {
		if sub.Leads {
			all = append(all, sub.FeedID)
		}
	}
	return all
}

func (w world) wantLead(what string, d digest.Digest, f digest.FeedID) {
	w.Helper()
	if got := w.leads(d); len(got) != 1 || got[0] != f {
		w.Errorf("%s: %v lead, want %d", what, got, f)
	}
}

func TestFolderOrder(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		for host, folder := range map[string]string{"a.example": "Week 10", "b.example": "Week 2", "c.example": "",
			"d.example": "Sea"} {
			f := w.feed(host)
			w.subscribe(ada, f)
			w.subscribe(bob, f)
			w.ok(w.Subscriptions.SetSubscription(w.ctx,
				digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Folder: folder}))
		}
		order := func(d digest.Digest) string {
			v := must(w.Readers.FrontPageView(w.ctx, d.ID))
			want(w, "subscriptions", len(v.Subscriptions), 4)
			return strings.Join(v.Folders, "|")
		}
		want(w, "none chosen", order(ada), "|Sea|Week 2|Week 10")
		w.ok(w.Readers.MoveFolder(w.ctx, ada.ID, "Week 10", -1))
		w.ok(w.Readers.MoveFolder(w.ctx, ada.ID, "", 1))
		w.ok(w.Readers.MoveFolder(w.ctx, ada.ID, "Unknown", 1))
		want(w, "moved", order(ada), "Sea||Week 10|Week 2")
		want(w, "of another", order(bob), "")
		want(w, "with the digest", w.again(ada).Folders, digest.FolderOrder("Sea\n\nWeek 10\nWeek 2"))
		oneLine(w, w.Readers.MoveFolder(w.ctx, ada.ID+99, "Sea", -1), digest.NotFound)
	})
}

func TestDigestName(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		before := w.again(bob).Name
		w.ok(w.Readers.SetDigestName(w.ctx, ada.ID, "The Harbour Courier"))
		want(w, "name", w.again(ada).Name, "The Harbour Courier")
		want(w, "another's", w.again(bob).Name, before)
		oneLine(w, w.Readers.SetDigestName(w.ctx, ada.ID+99, "A"), digest.NotFound)
	})
}

// TestLead: one feed leads, also after it has moved or was replaced.
func TestLead(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		w.subscribe(ada, a, c)
		w.subscribe(bob, a, b)
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, c.ID))
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, a.ID))
		w.ok(w.Readers.SetLead(w.ctx, bob.ID, a.ID))
		w.wantLead("one of them", ada, a.ID)
		oneLine(w, w.Readers.SetLead(w.ctx, ada.ID, b.ID), digest.NotFound)
		settings := must(w.Editions.SubscriptionSettings(w.ctx, []digest.DigestID{ada.ID}))
		want(w, "for editions", settings[ada.ID][a.ID].Leads, true)

		w.posted(a, "a1")
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.posted(moved, "b1")
		w.wantLead("moved", ada, b.ID)
		w.wantLead("moved to one that was there", bob, b.ID)
		w.exec(`INSERT INTO notices (digest_id, visible_at, feed_id, kind, url, moved_to)
			VALUES (?, 1, ?, 'moved', ?, ?)`, ada.ID, a.ID, a.URL, b.URL)
		w.ok(w.Subscriptions.UndoMove(w.ctx, ada.ID, a.ID, noon))
		w.wantLead("gone back", ada, w.feedAgain(a).ID)
		w.ok(w.Subscriptions.ReplaceSubscription(w.ctx, ada.ID, w.feedAgain(a).ID, c.ID))
		w.wantLead("replaced", ada, c.ID)
		w.ok(w.Readers.SetLead(w.ctx, ada.ID, 0))
		want(w, "none", len(w.leads(ada)), 0)
	})
}
