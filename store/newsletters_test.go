package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
	"digest/store"
)

// newsletter adds a newsletter that anyone may join, with a reader as its owner.
func (w world) newsletter(slug string, owner digest.Digest, feeds ...digest.Feed) digest.Newsletter {
	w.t.Helper()
	n, err := w.Newsletters.AddNewsletter(w.ctx(), digest.Newsletter{
		Slug: slug, Name: "The " + slug, Cadence: digest.Daily, State: digest.NewsletterActive,
		HeaderText: "Above.", FooterText: "Below.",
		Colours: digest.Colours{Paper: "#fff1e5", Ink: "#10243C", Accent: "#990f3d"},
		Look:    digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, owner.UserID, noon)
	w.ok(err)
	for _, f := range feeds {
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx(), n.ID, digest.Subscription{FeedID: f.ID}, noon))
	}
	return n
}

// member adds a member who has asked to join.
func (w world) member(n digest.Newsletter, email, zone string) digest.Member {
	w.t.Helper()
	m, created, err := w.Members.Join(w.ctx(), n.ID, store.Joining{Email: email, TimeZone: zone, Asked: true,
		Proof: digest.Proof{Form: "https://example.org/", At: noon}}, noon)
	w.ok(err)
	want(w.t, email+" is new", created, true)
	return m
}

func TestNewsletter(t *testing.T) {
	each(t, func(w world) {
		anna, bob := w.reader("anna", "Europe/Paris"), w.reader("bob", "Asia/Tokyo")
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", anna, f)
		_, err := w.Newsletters.AddNewsletter(w.ctx(), n, bob.UserID, noon)
		oneLine(w.t, err, digest.Conflict)
		_, err = w.Newsletters.AddNewsletter(w.ctx(), digest.Newsletter{Slug: "No", Name: "x", Cadence: digest.Daily},
			bob.UserID, noon)
		oneLine(w.t, err, digest.Invalid)

		archive, err := w.Readers.Digest(w.ctx(), n.ArchiveID)
		w.ok(err)
		want(w.t, "the archive is the owner's", archive.UserID, anna.UserID)
		want(w.t, "the archive is not mailed", archive.Mailed, false)
		want(w.t, "the archive is due", archive.NextDueAt, parisMidnight)

		got, err := w.Newsletters.NewsletterBySlug(w.ctx(), "anna-writes")
		w.ok(err)
		want(w.t, "stored", got, n)
		list, err := w.Newsletters.NewslettersOf(w.ctx(), anna.UserID)
		w.ok(err)
		wantDiff(w.t, "hers", list,
			[]store.NewsletterInfo{{Newsletter: n, Owner: "anna@example.org", Role: digest.RoleOwner}})
		list, err = w.Newsletters.NewslettersOf(w.ctx(), bob.UserID)
		w.ok(err)
		want(w.t, "his", len(list), 0)
		_, err = w.Newsletters.NewsletterBySlug(w.ctx(), "nobody")
		oneLine(w.t, err, digest.NotFound)
	})
}

// TestNewsletterFollowed: members' digests follow the publisher's settings.
func TestNewsletterFollowed(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), w.feed("a.example"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		n.Name, n.Cadence, n.DeliverAt, n.Layout = "Anna, weekly", 1<<time.Sunday, 7*time.Hour, digest.Excerpts
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), n, noon))
		d, err := w.Readers.Digest(w.ctx(), m.DigestID)
		w.ok(err)
		want(w.t, "name", d.Name, "Anna, weekly")
		want(w.t, "days", d.Cadence, n.Cadence)
		want(w.t, "layout", d.Layout, digest.Excerpts)
		want(w.t, "hour", d.DeliverAt, 7*time.Hour)
		want(w.t, "due on Sunday", d.NextDueAt, parisMidnight.AddDate(0, 0, 2))

		added, gone := w.feed("b.example"), w.feed("c.example")
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx(), n.ID, digest.Subscription{FeedID: added.ID, Title: "Bee"}, noon))
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx(), n.ID, digest.Subscription{FeedID: gone.ID}, noon))
		w.ok(w.Newsletters.RemoveNewsletterFeed(w.ctx(), n.ID, gone.ID))
		oneLine(w.t, w.Newsletters.RemoveNewsletterFeed(w.ctx(), n.ID, gone.ID), digest.NotFound)
		for _, id := range []digest.DigestID{n.ArchiveID, m.DigestID} {
			subs, err := w.Subscriptions.Subscriptions(w.ctx(), id)
			w.ok(err)
			if len(subs) != 2 || subs[1].FeedID != added.ID || subs[1].Title != "Bee" {
				w.t.Errorf("digest %d is subscribed to %+v", id, subs)
			}
		}
	})
}

func TestRoles(t *testing.T) {
	each(t, func(w world) {
		anna, bob := w.reader("anna", "Europe/Paris"), w.reader("bob", "Asia/Tokyo")
		n := w.newsletter("anna-writes", anna)
		role := func(d digest.Digest) digest.Role {
			r, err := w.Newsletters.RoleOf(w.ctx(), n.ID, d.UserID)
			w.ok(err)
			return r
		}
		want(w.t, "his", role(bob), digest.RoleNone)
		oneLine(w.t, w.Newsletters.SetRole(w.ctx(), n.ID, anna.UserID, digest.RoleNone, noon), digest.Conflict)
		oneLine(w.t, w.Newsletters.SetRole(w.ctx(), n.ID, bob.UserID, "reader", noon), digest.Invalid)
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, bob.UserID, digest.RoleEditor, noon))
		oneLine(w.t, w.Readers.RemoveUser(w.ctx(), anna.UserID, noon), digest.Conflict)
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, bob.UserID, digest.RoleOwner, noon))
		want(w.t, "hers", role(anna), digest.RoleEditor)
		want(w.t, "his", role(bob), digest.RoleOwner)
		archive, err := w.Readers.Digest(w.ctx(), n.ArchiveID)
		w.ok(err)
		want(w.t, "the archive's zone", archive.TimeZone, "Asia/Tokyo")
		want(w.t, "the archive is due", archive.NextDueAt, time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, anna.UserID, digest.RoleNone, noon))
		who, err := w.Newsletters.Publishers(w.ctx(), n.ID)
		w.ok(err)
		wantDiff(w.t, "publishers", who,
			[]store.Publisher{{UserID: bob.UserID, Email: "bob@example.org", Role: digest.RoleOwner}})
		w.ok(w.Readers.RemoveUser(w.ctx(), anna.UserID, noon))
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterEnded, "", noon))
		w.ok(w.Readers.RemoveUser(w.ctx(), bob.UserID, noon)) // an ended newsletter does not prevent it
		want(w.t, "and goes with its owner", w.rows("newsletters"), 0)
	})
}

// TestOffers: only an editor who accepts a valid offer becomes the owner.
func TestOffers(t *testing.T) {
	each(t, func(w world) {
		anna, bob, eve := w.reader("anna", "Europe/Paris"), w.reader("bob", "Asia/Tokyo"), w.reader("eve", "UTC")
		n, other := w.newsletter("anna-writes", anna), w.newsletter("anna-sings", anna)
		stands := func(owner digest.Digest, offered ...digest.Digest) {
			w.t.Helper()
			who, err := w.Newsletters.Publishers(w.ctx(), n.ID)
			w.ok(err)
			var to []digest.UserID
			for _, p := range who {
				want(w.t, "the owner", p.Role == digest.RoleOwner, p.UserID == owner.UserID)
				if p.Offered {
					to = append(to, p.UserID)
				}
			}
			want(w.t, "offers", len(to), len(offered))
			for i, d := range offered {
				want(w.t, "offered to", to[i], d.UserID)
			}
		}
		offer := func(d digest.Digest) error { return w.Newsletters.OfferNewsletter(w.ctx(), n.ID, d.UserID, noon) }
		accept := func(d digest.Digest) error { return w.Newsletters.AcceptOffer(w.ctx(), n.ID, d.UserID, noon) }
		oneLine(w.t, offer(bob), digest.NotFound) // not an editor
		oneLine(w.t, offer(anna), digest.NotFound)
		for _, d := range []digest.Digest{bob, eve} {
			w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, d.UserID, digest.RoleEditor, noon))
		}
		w.ok(w.Newsletters.SetRole(w.ctx(), other.ID, bob.UserID, digest.RoleEditor, noon))
		oneLine(w.t, accept(bob), digest.Conflict)
		oneLine(w.t, offer(anna), digest.NotFound)
		w.ok(offer(bob))
		stands(anna, bob)
		oneLine(w.t, w.Newsletters.AcceptOffer(w.ctx(), other.ID, bob.UserID, noon), digest.Conflict)
		w.ok(offer(eve))
		stands(anna, eve)
		oneLine(w.t, accept(bob), digest.Conflict) // another offer has replaced it
		w.ok(w.Newsletters.EndOffer(w.ctx(), n.ID, bob.UserID))
		stands(anna, eve)
		w.ok(w.Newsletters.EndOffer(w.ctx(), n.ID, eve.UserID))
		oneLine(w.t, accept(eve), digest.Conflict)
		w.ok(offer(bob))
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, bob.UserID, digest.RoleNone, noon))
		oneLine(w.t, accept(bob), digest.Conflict)
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, bob.UserID, digest.RoleEditor, noon))
		stands(anna)
		w.ok(offer(bob))
		w.ok(w.Newsletters.SetRole(w.ctx(), n.ID, eve.UserID, digest.RoleOwner, noon)) // by an operator
		stands(eve)
		w.ok(offer(bob))
		w.ok(accept(bob))
		stands(bob)
		archive, err := w.Readers.Digest(w.ctx(), n.ArchiveID)
		w.ok(err)
		want(w.t, "the archive's zone", archive.TimeZone, "Asia/Tokyo")
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterPending, "", noon))
		oneLine(w.t, offer(anna), digest.Conflict)
	})
}

// TestNewsletterEnds: an ended newsletter has nothing due, and a removed one has no rows.
func TestNewsletterEnds(t *testing.T) {
	each(t, func(w world) {
		anna := w.reader("anna", "UTC")
		n := w.newsletter("anna-writes", anna, w.feed("a.example"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		oneLine(w.t, w.Newsletters.RemoveNewsletter(w.ctx(), n.ID), digest.Conflict)
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterEnded, "", noon))
		for _, id := range []digest.DigestID{n.ArchiveID, m.DigestID} {
			d, err := w.Readers.Digest(w.ctx(), id)
			w.ok(err)
			want(w.t, "state", d.State, digest.DigestLeft)
		}
		_, _, err := w.Members.Join(w.ctx(), n.ID, store.Joining{Email: "x@example.org", TimeZone: "UTC", Asked: true},
			noon)
		oneLine(w.t, err, digest.Conflict)
		_, _, err = w.Readers.BringBack(w.ctx(), m.DigestID, noon)
		oneLine(w.t, err, digest.Conflict)
		w.ok(w.Newsletters.RemoveNewsletter(w.ctx(), n.ID))
		for _, table := range []string{"newsletters", "newsletter_roles", "memberships", "membership_events",
			"newsletter_suppressions", "subscriptions"} {
			want(w.t, table, w.rows(table), 0)
		}
		want(w.t, "digests: each user's own", w.rows("digests"), 2)
		w.ok(w.Readers.RemoveUser(w.ctx(), anna.UserID, noon))
	})
}

// TestArchiveIsNobodysMail: no link in an email can end an archive.
func TestArchiveIsNobodysMail(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		oneLine(w.t, w.Readers.SetDigestState(w.ctx(), n.ArchiveID, digest.DigestLeft, noon), digest.Conflict)
		oneLine(w.t, w.Readers.SetDigestState(w.ctx(), n.ArchiveID, digest.DigestPaused, noon), digest.Conflict)
		oneLine(w.t, w.Readers.PauseDigest(w.ctx(), n.ArchiveID, noon.Add(3*day), noon), digest.Conflict)
		d, err := w.Readers.Digest(w.ctx(), n.ArchiveID)
		w.ok(err)
		want(w.t, "state", d.State, digest.DigestActive)
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterEnded, "", noon))
	})
}

func TestNewsletterHeld(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterHeld, "too many\ncomplaints", noon))
		got, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "held", fmt.Sprint(got.State, got.HeldReason, got.HeldAt),
			fmt.Sprint(digest.NewsletterHeld, "too many complaints", noon))
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterActive, "", noon))
		got, err = w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "released", got, n)
		oneLine(w.t, w.Newsletters.SetNewsletterState(w.ctx(), n.ID, "gone", "", noon), digest.Invalid)
	})
}

// wantDiff is want for values that are not comparable.
func wantDiff(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// readNewsletters is part of TestRowsAreReadWhole.
func (w world) readNewsletters(f filling, p people) {
	w.t.Helper()
	newsletter := w.insert(f, "newsletters", storedRow{"id": int64(40), "slug": "n", "cadence": int64(5),
		"threaded": yes, "logo_clear": yes, "count_clicks": yes, "archive_id": p.digest["id"]})
	domain := w.insert(f, "newsletter_domains", storedRow{"newsletter_id": int64(40), "signs": yes})
	d, err := w.Newsletters.NewsletterDomain(w.ctx(), 40)
	w.ok(err)
	domain.isReadAs(w.t, d, nil)
	w.insert(f, "newsletter_roles", storedRow{"newsletter_id": int64(40), "user_id": p.user["id"], "role": "owner"})
	newsletter["own_address"], newsletter["language"] = domain["from_address"], p.user["language"]
	n, err := w.Newsletters.NewsletterBySlug(w.ctx(), "n")
	w.ok(err)
	newsletter.isReadAs(w.t, n, map[string]string{"DateSubject": ""})

	member := w.insert(f, "memberships", storedRow{"digest_id": p.digest["id"], "newsletter_id": n.ID,
		"user_id": p.user["id"], "own_days": yes})
	for _, column := range []string{"email", "time_zone"} {
		member[column] = p.user[column]
	}
	member["state"], member["cadence"] = p.digest["state"], p.digest["cadence"]
	m, err := w.Members.Member(w.ctx(), n.ID, "u@example.org")
	w.ok(err)
	member.isReadAs(w.t, m, map[string]string{"At": "confirmed_at"})

	letter := w.insert(f, "newsletter_letters",
		storedRow{"newsletter_id": n.ID, "local_date": "2026-11-20", "skipped": yes})
	l, err := w.Newsletters.NewsletterLetter(w.ctx(), n.ID, parisDay)
	w.ok(err)
	letter.isReadAs(w.t, l, nil)

	wish := w.insert(f, "join_requests", storedRow{"token_hash": []byte("h"), "newsletter_id": n.ID, "latest": yes,
		"expires_at": toCome})
	q, err := w.Members.JoinRequest(w.ctx(), []byte("h"), noon)
	w.ok(err)
	wish.isReadAs(w.t, q, nil)
}

// TestDecideNames: new names are approved or refused as the operator saw them, and no issue has them before.
func TestDecideNames(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("kites", w.reader("anna", "UTC"))
		m := w.member(n, "mo@example.org", "UTC")
		wants := func(name, from string) digest.Newsletter {
			w.t.Helper()
			seen, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
			w.ok(err)
			seen.WantedName, seen.WantedFromName = name, from
			w.ok(w.Newsletters.SetNewsletter(w.ctx(), seen, noon))
			seen, err = w.Newsletters.Newsletter(w.ctx(), n.ID)
			w.ok(err)
			return seen
		}
		expect := func(what, name, from string, wait bool) {
			w.t.Helper()
			got, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
			w.ok(err)
			d, err := w.Readers.Digest(w.ctx(), m.DigestID)
			w.ok(err)
			want(w.t, what, fmt.Sprint(got.Name, "|", got.FromName, "|", got.NamesWait(), "|", d.Name),
				fmt.Sprint(name, "|", from, "|", wait, "|", name))
			pending, err := w.Newsletters.CountPending(w.ctx())
			w.ok(err)
			want(w.t, what+", pending", pending > 0, wait)
		}
		seen := wants("Boats", "Anna")
		expect("while it waits", "The kites", "", true)
		other := wants("PayPal", "Anna")
		want(w.t, "what was changed meanwhile", digest.KindOf(w.Newsletters.DecideNames(w.ctx(), seen, true)),
			digest.Conflict)
		w.ok(w.Newsletters.DecideNames(w.ctx(), other, false))
		expect("refused", "The kites", "", false)
		w.ok(w.Newsletters.DecideNames(w.ctx(), wants("Boats", ""), true))
		expect("approved", "Boats", "", false)
		w.ok(w.Newsletters.DecideNames(w.ctx(), wants("", "Anna"), true))
		expect("its sender", "Boats", "Anna", false)
		bad := wants("", "")
		bad.Name = "evil.com"
		want(w.t, "an address", digest.KindOf(w.Newsletters.SetNewsletter(w.ctx(), bad, noon)), digest.Invalid)
		bad.Name, bad.Slug = "see evil.com", "another"
		_, err := w.Newsletters.AddNewsletter(w.ctx(), bad, m.UserID, noon)
		want(w.t, "from the beginning", digest.KindOf(err), digest.Invalid)
		w.ok(w.Exec(w.ctx(), `UPDATE newsletters SET name = 'kottke.org'`))
		old, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), old, noon)) // this name was approved before
	})
}
