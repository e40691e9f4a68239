package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestMemberHasWhatReadersHave: a member's issue is an edition. It is due at their own midnight and contains the posts
// of the newsletter's feeds, once.
func TestMemberHasWhatReadersHave(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		m := w.member(n, "Mo@Example.org", "Europe/Paris")
		want(w, "address", m.Email, "Mo@example.org")
		u := must(w.Readers.UserByEmail(w.ctx, "mo@example.org"))
		want(w, "came as a member", u.MemberOnly, true)
		own := must(w.Readers.DigestOf(w.ctx, u.ID))
		want(w, "their own digest is not begun", own.State, digest.DigestLeft)

		w.record(noon.Add(time.Hour), f, posts(noon.Add(time.Hour), "one", "two"))
		w.hour(parisMidnight)
		letter := w.last(digest.Digest{ID: m.DigestID})
		want(w, "posts", len(must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{{Edition: letter}}))[letter.ID]), 2)
		claimed := must(w.Editions.ClaimEditions(w.ctx, parisMidnight,
			digest.Claim{Most: 10, Lease: time.Minute, Token: "t"}))
		if len(claimed) != 1 || claimed[0].Email != "Mo@example.org" || claimed[0].DigestName != "The anna-writes" {
			w.Errorf("claimed %+v", claimed)
		}
	})
}

func TestJoinTwice(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		again, created := must2(w.Members.Join(w.ctx, n.ID,
			store.Joining{Email: "MO@example.org", TimeZone: "Asia/Tokyo",
				Asked: true}, noon))
		want(w, "created", created, false)
		want(w, "stays", again, m)

		reader := w.reader("ada", "Asia/Tokyo") // a reader with an own digest keeps it and the time zone
		joined := w.member(n, "ada@example.org", "Europe/Paris")
		want(w, "zone", joined.TimeZone, "Asia/Tokyo")
		own := must(w.Readers.DigestOf(w.ctx, reader.UserID))
		want(w, "their own", own.State, digest.DigestActive)
	})
}

// TestWhoLeftStaysAway: no list adds a person again who has left, but they can join again themselves.
func TestWhoLeftStaysAway(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), w.feed("a.example"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Readers.SetDigestState(w.ctx, m.DigestID, digest.DigestLeft, noon.Add(time.Hour)))
		left := must(w.Members.Member(w.ctx, n.ID, "mo@example.org"))
		want(w, "left", left.LeftAt, noon.Add(time.Hour))
		list := store.Joining{Email: "Mo@Example.ORG", TimeZone: "UTC", Proof: digest.Proof{Form: "list.csv"}}
		oneLine(w, err3(w.Members.Join(w.ctx, n.ID, list, noon)), digest.Conflict)

		list.Asked = true
		back, created := must2(w.Members.Join(w.ctx, n.ID, list, noon.Add(2*time.Hour)))
		want(w, "created", created, true)
		want(w, "the same digest", back.DigestID, m.DigestID)
		want(w, "state", back.State, digest.DigestActive)
		want(w, "left", back.LeftAt, time.Time{})
		want(w, "suppressed", w.rows("newsletter_suppressions"), 0)
		wantDiff(w, "history", must(w.Members.MemberEvents(w.ctx, n.ID, "MO@example.org")), []store.MemberEvent{
			{At: noon, Kind: "joined", Detail: "https://example.org/"}, {At: noon.Add(time.Hour), Kind: "left"},
			{At: noon.Add(2 * time.Hour), Kind: "back"},
		})

		w.remove(m.UserID, noon) // deletes the account but keeps the suppression
		list.Asked = false
		oneLine(w, err3(w.Members.Join(w.ctx, n.ID, list, noon)), digest.Conflict)
	})
}

// TestUndoBringsTheFeedsOfToday: a former member who returns gets the newsletter's current feeds.
func TestUndoBringsTheFeedsOfToday(t *testing.T) {
	each(t, func(w world) {
		was, is := w.feed("was.example"), w.feed("is.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), was)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Readers.SetDigestState(w.ctx, m.DigestID, digest.DigestLeft, noon))
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx, n.ID, digest.Subscription{FeedID: is.ID}, noon))
		w.ok(w.Newsletters.RemoveNewsletterFeed(w.ctx, n.ID, was.ID))
		must2(w.Readers.BringBack(w.ctx, m.DigestID, noon))
		subs := must(w.Subscriptions.Subscriptions(w.ctx, m.DigestID))
		if len(subs) != 1 || subs[0].FeedID != is.ID {
			w.Errorf("subscribed to %+v", subs)
		}
	})
}

func TestConfirmJoin(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		q := store.JoinRequest{NewsletterID: n.ID, Email: "Mo@example.org", TimeZone: "Europe/Paris",
			Form: "https://a.example/about", ReturnURL: "https://a.example/thanks", Latest: true, RequestedAt: noon}
		w.ok(w.Members.AddJoinRequest(w.ctx, []byte("h"), q, noon, noon.Add(day)))
		got := must(w.Members.JoinRequest(w.ctx, []byte("h"), noon))
		want(w, "waits", got, q)
		oneLine(w, err3(w.Members.ConfirmJoin(w.ctx, []byte("h"), "192.0.2.1", noon.Add(day))), digest.NotFound)
		got, m := must2(w.Members.ConfirmJoin(w.ctx, []byte("h"), "192.0.2.1", noon.Add(time.Hour)))
		want(w, "used", got, q)
		want(w, "proof", m.Proof, digest.Proof{Form: q.Form, Address: "192.0.2.1", AskedAt: noon,
			At: noon.Add(time.Hour)})
		oneLine(w, err3(w.Members.ConfirmJoin(w.ctx, []byte("h"), "192.0.2.1", noon.Add(time.Hour))), digest.NotFound)
	})
}

func TestSuppressInNewsletter(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		m := w.member(n, "mo@example.org", "UTC")
		kept := w.member(n, "b_b@example.org", "UTC")
		must(w.Members.SuppressInNewsletter(w.ctx, n.ID,
			[]digest.NewsletterSuppression{{Email: "MO@example.org", Reason: "cleaned", At: noon},
				{Email: "x@example.org", Reason: "left"}}, noon))
		var all []digest.NewsletterSuppression
		for x, err := range w.Members.NewsletterSuppressions(w.ctx, n.ID) {
			w.ok(err)
			all = append(all, x)
		}
		wantDiff(w, "suppressed", all,
			[]digest.NewsletterSuppression{{Email: "MO@example.org", Reason: "cleaned", At: noon},
				{Email: "x@example.org", Reason: "left", At: noon}})
		want(w, "has left", must(w.Readers.Digest(w.ctx, m.DigestID)).State, digest.DigestLeft)
		for part, many := range map[string]int{"": 2, "B_": 1, "_": 1, "%": 0, "EXAMPLE": 2} {
			found := 0
			for _, err := range w.Members.Members(w.ctx, n.ID, store.MemberQuery{Part: part}) {
				w.ok(err)
				found++
			}
			want(w, "members with "+part, found, many)
		}
		for got, err := range w.Members.Members(w.ctx, n.ID, store.MemberQuery{State: digest.DigestActive}) {
			w.ok(err)
			want(w, "active", got, kept)
		}
	})
}

// TestMemberSignsUp: a member who signs up starts their own digest, and needs an invitation like others.
func TestMemberSignsUp(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Sessions.AddSignUp(w.ctx, []byte("a"), store.SignUp{Email: "mo@example.org", TimeZone: "UTC"}, noon,
			noon.Add(day)))
		oneLine(w, err2(w.Sessions.ConfirmSignUp(w.ctx, []byte("a"), true, noon)), digest.Conflict)
		w.ok(w.Sessions.AddSignUp(w.ctx, []byte("b"), store.SignUp{Email: "mo@example.org", TimeZone: "UTC"}, noon,
			noon.Add(day)))
		u := must(w.Sessions.ConfirmSignUp(w.ctx, []byte("b"), false, noon))
		want(w, "the same account", u.ID, m.UserID)
		want(w, "a member only", u.MemberOnly, false)
		own := must(w.Readers.DigestOf(w.ctx, u.ID))
		want(w, "their own digest", own.State, digest.DigestActive)
		want(w, "is due", own.NextDueAt, parisMidnight)
	})
}

// TestMembersAreNotToldOfFeeds: issues contain no notices about dead, late or moved feeds.
func TestMembersAreNotToldOfFeeds(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		ada := w.reader("ada")
		w.subscribe(ada, f)
		w.die(f, noon)
		want(w, "a reader is told", w.told(ada), "dead a.example")
		want(w, "a member is not", w.told(digest.Digest{ID: m.DigestID}), "")
		want(w, "editions", w.hour(parisMidnight), 1)
	})
}
