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
	w.Helper()
	n := must(w.Newsletters.AddNewsletter(w.ctx, digest.Newsletter{
		Slug: slug, Name: "The " + slug, Cadence: digest.Daily, State: digest.NewsletterActive,
		HeaderText: "Above.", FooterText: "Below.", SubjectPattern: "{name}: {title}",
		Colours: digest.Colours{Paper: "#fff1e5", Ink: "#10243C", Accent: "#990f3d"},
		Look:    digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, owner.UserID, noon))
	for _, f := range feeds {
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx, n.ID, digest.Subscription{FeedID: f.ID}, noon))
	}
	return n
}

// member adds a member who has asked to join.
func (w world) member(n digest.Newsletter, email, zone string) digest.Member {
	w.Helper()
	m, created := must2(w.Members.Join(w.ctx, n.ID, store.Joining{Email: email, TimeZone: zone, Asked: true,
		Proof: digest.Proof{Form: "https://example.org/", At: noon}}, noon))
	want(w, email+" is new", created, true)
	return m
}

func TestNewsletter(t *testing.T) {
	each(t, func(w world) {
		anna, bob := w.reader("anna"), w.reader("bob", "Asia/Tokyo")
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", anna, f)
		oneLine(w, err2(w.Newsletters.AddNewsletter(w.ctx, n, bob.UserID, noon)), digest.Conflict)
		oneLine(w, err2(w.Newsletters.AddNewsletter(w.ctx, digest.Newsletter{Slug: "No", Name: "x",
			Cadence: digest.Daily},
			bob.UserID, noon)), digest.Invalid)

		archive := must(w.Readers.Digest(w.ctx, n.ArchiveID))
		want(w, "the archive is the owner's", archive.UserID, anna.UserID)
		want(w, "the archive is not mailed", archive.Mailed, false)
		want(w, "the archive is due", archive.NextDueAt, parisMidnight)

		want(w, "the subject", n.SubjectPattern, "{name}: {title}")
		want(w, "stored", must(w.Newsletters.NewsletterBySlug(w.ctx, "anna-writes")), n)
		list := must(w.Newsletters.NewslettersOf(w.ctx, anna.UserID))
		wantDiff(w, "hers", list,
			[]store.NewsletterInfo{{Newsletter: n, Owner: "anna@example.org", Role: digest.RoleOwner}})
		list = must(w.Newsletters.NewslettersOf(w.ctx, bob.UserID))
		want(w, "his", len(list), 0)
		oneLine(w, err2(w.Newsletters.NewsletterBySlug(w.ctx, "nobody")), digest.NotFound)
	})
}

// TestNewsletterFollowed: members' digests follow the publisher's settings.
func TestNewsletterFollowed(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), w.feed("a.example"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		n.Name, n.Cadence, n.DeliverAt, n.Layout = "Anna, weekly", 1<<time.Sunday, 7*time.Hour, digest.Excerpts
		n.SubjectPattern = " "
		w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
		want(w, "no subject", must(w.Newsletters.Newsletter(w.ctx, n.ID)).SubjectPattern, "")
		d := must(w.Readers.Digest(w.ctx, m.DigestID))
		want(w, "name", d.Name, "Anna, weekly")
		want(w, "days", d.Cadence, n.Cadence)
		want(w, "layout", d.Layout, digest.Excerpts)
		want(w, "hour", d.DeliverAt, 7*time.Hour)
		want(w, "due on Sunday", d.NextDueAt, parisMidnight.AddDate(0, 0, 2))

		added, gone := w.feed("b.example"), w.feed("c.example")
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx, n.ID, digest.Subscription{FeedID: added.ID, Title: "Bee"}, noon))
		w.ok(w.Newsletters.AddNewsletterFeed(w.ctx, n.ID, digest.Subscription{FeedID: gone.ID}, noon))
		w.ok(w.Newsletters.RemoveNewsletterFeed(w.ctx, n.ID, gone.ID))
		oneLine(w, w.Newsletters.RemoveNewsletterFeed(w.ctx, n.ID, gone.ID), digest.NotFound)
		for _, id := range []digest.DigestID{n.ArchiveID, m.DigestID} {
			subs := must(w.Subscriptions.Subscriptions(w.ctx, id))
			if len(subs) != 2 || subs[1].FeedID != added.ID || subs[1].Title != "Bee" {
				w.Errorf("digest %d is subscribed to %+v", id, subs)
			}
		}
	})
}

func TestRoles(t *testing.T) {
	each(t, func(w world) {
		anna, bob := w.reader("anna"), w.reader("bob", "Asia/Tokyo")
		n := w.newsletter("anna-writes", anna)
		role := func(d digest.Digest) digest.Role {
			r := must(w.Newsletters.RoleOf(w.ctx, n.ID, d.UserID))
			return r
		}
		want(w, "his", role(bob), digest.RoleNone)
		oneLine(w, w.Newsletters.SetRole(w.ctx, n.ID, anna.UserID, digest.RoleNone, noon), digest.Conflict)
		oneLine(w, w.Newsletters.SetRole(w.ctx, n.ID, bob.UserID, "reader", noon), digest.Invalid)
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, bob.UserID, digest.RoleEditor, noon))
		oneLine(w, w.Readers.RemoveUser(w.ctx, anna.UserID, noon), digest.Conflict)
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, bob.UserID, digest.RoleOwner, noon))
		want(w, "hers", role(anna), digest.RoleEditor)
		want(w, "his", role(bob), digest.RoleOwner)
		archive := must(w.Readers.Digest(w.ctx, n.ArchiveID))
		want(w, "the archive's zone", archive.TimeZone, "Asia/Tokyo")
		want(w, "the archive is due", archive.NextDueAt, time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, anna.UserID, digest.RoleNone, noon))
		wantDiff(w, "publishers", must(w.Newsletters.Publishers(w.ctx, n.ID)),
			[]store.Publisher{{UserID: bob.UserID, Email: "bob@example.org", Role: digest.RoleOwner}})
		w.remove(anna.UserID, noon)
		w.setNewsletter(n, digest.NewsletterEnded, "", noon)
		w.remove(bob.UserID, noon) // an ended newsletter does not prevent it
		want(w, "and goes with its owner", w.rows("newsletters"), 0)
	})
}

// TestOffers: only an editor who accepts a valid offer becomes the owner.
func TestOffers(t *testing.T) {
	each(t, func(w world) {
		anna, bob, eve := w.reader("anna"), w.reader("bob", "Asia/Tokyo"), w.reader("eve", "UTC")
		n, other := w.newsletter("anna-writes", anna), w.newsletter("anna-sings", anna)
		stands := func(owner digest.Digest, offered ...digest.Digest) {
			w.Helper()
			who := must(w.Newsletters.Publishers(w.ctx, n.ID))
			var to []digest.UserID
			for _, p := range who {
				want(w, "the owner", p.Role == digest.RoleOwner, p.UserID == owner.UserID)
				if p.Offered {
					to = append(to, p.UserID)
				}
			}
			want(w, "offers", len(to), len(offered))
			for i, d := range offered {
				want(w, "offered to", to[i], d.UserID)
			}
		}
		offer := func(d digest.Digest) error { return w.Newsletters.OfferNewsletter(w.ctx, n.ID, d.UserID, noon) }
		accept := func(d digest.Digest) error { return w.Newsletters.AcceptOffer(w.ctx, n.ID, d.UserID, noon) }
		oneLine(w, offer(bob), digest.NotFound) // not an editor
		oneLine(w, offer(anna), digest.NotFound)
		for _, d := range []digest.Digest{bob, eve} {
			w.ok(w.Newsletters.SetRole(w.ctx, n.ID, d.UserID, digest.RoleEditor, noon))
		}
		w.ok(w.Newsletters.SetRole(w.ctx, other.ID, bob.UserID, digest.RoleEditor, noon))
		oneLine(w, accept(bob), digest.Conflict)
		oneLine(w, offer(anna), digest.NotFound)
		w.ok(offer(bob))
		stands(anna, bob)
		oneLine(w, w.Newsletters.AcceptOffer(w.ctx, other.ID, bob.UserID, noon), digest.Conflict)
		w.ok(offer(eve))
		stands(anna, eve)
		oneLine(w, accept(bob), digest.Conflict) // another offer has replaced it
		w.ok(w.Newsletters.EndOffer(w.ctx, n.ID, bob.UserID))
		stands(anna, eve)
		w.ok(w.Newsletters.EndOffer(w.ctx, n.ID, eve.UserID))
		oneLine(w, accept(eve), digest.Conflict)
		w.ok(offer(bob))
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, bob.UserID, digest.RoleNone, noon))
		oneLine(w, accept(bob), digest.Conflict)
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, bob.UserID, digest.RoleEditor, noon))
		stands(anna)
		w.ok(offer(bob))
		w.ok(w.Newsletters.SetRole(w.ctx, n.ID, eve.UserID, digest.RoleOwner, noon)) // by an operator
		stands(eve)
		w.ok(offer(bob))
		w.ok(accept(bob))
		stands(bob)
		archive := must(w.Readers.Digest(w.ctx, n.ArchiveID))
		want(w, "the archive's zone", archive.TimeZone, "Asia/Tokyo")
		w.setNewsletter(n, digest.NewsletterPending, "", noon)
		oneLine(w, offer(anna), digest.Conflict)
	})
}

// TestNewsletterEnds: an ended newsletter has nothing due, and a removed one has no rows.
func TestNewsletterEnds(t *testing.T) {
	each(t, func(w world) {
		anna := w.reader("anna", "UTC")
		n := w.newsletter("anna-writes", anna, w.feed("a.example"))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		oneLine(w, w.Newsletters.RemoveNewsletter(w.ctx, n.ID), digest.Conflict)
		w.setNewsletter(n, digest.NewsletterEnded, "", noon)
		for _, id := range []digest.DigestID{n.ArchiveID, m.DigestID} {
			want(w, "state", must(w.Readers.Digest(w.ctx, id)).State, digest.DigestLeft)
		}
		oneLine(w, err3(w.Members.Join(w.ctx, n.ID, store.Joining{Email: "x@example.org", TimeZone: "UTC", Asked: true},
			noon)), digest.Conflict)
		oneLine(w, err3(w.Readers.BringBack(w.ctx, m.DigestID, noon)), digest.Conflict)
		w.ok(w.Newsletters.RemoveNewsletter(w.ctx, n.ID))
		for _, table := range []string{"newsletters", "newsletter_roles", "memberships", "membership_events",
			"newsletter_suppressions", "subscriptions"} {
			want(w, table, w.rows(table), 0)
		}
		want(w, "digests: each user's own", w.rows("digests"), 2)
		w.remove(anna.UserID, noon)
	})
}

// TestArchiveIsNobodysMail: no link in an email can end an archive.
func TestArchiveIsNobodysMail(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		oneLine(w, w.Readers.SetDigestState(w.ctx, n.ArchiveID, digest.DigestLeft, noon), digest.Conflict)
		oneLine(w, w.Readers.SetDigestState(w.ctx, n.ArchiveID, digest.DigestPaused, noon), digest.Conflict)
		oneLine(w, w.Readers.PauseDigest(w.ctx, n.ArchiveID, noon.Add(3*day), noon), digest.Conflict)
		want(w, "state", must(w.Readers.Digest(w.ctx, n.ArchiveID)).State, digest.DigestActive)
		w.setNewsletter(n, digest.NewsletterEnded, "", noon)
	})
}

func TestNewsletterHeld(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		w.setNewsletter(n, digest.NewsletterHeld, "too many\ncomplaints", noon)
		got := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "held", fmt.Sprint(got.State, got.HeldReason, got.HeldAt),
			fmt.Sprint(digest.NewsletterHeld, "too many complaints", noon))
		w.setNewsletter(n, digest.NewsletterActive, "", noon)
		got = must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "released", got, n)
		oneLine(w, w.Newsletters.SetNewsletterState(w.ctx, n.ID, "gone", "", noon), digest.Invalid)
	})
}

// wantDiff is want for values that are not comparable.
func wantDiff(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// readNewsletters is part of TestRowsAreReadWhole.
func (w world) readNewsletters(f filling, p people) {
	w.Helper()
	newsletter := w.insert(f, "newsletters", storedRow{"id": int64(40), "slug": "n", "cadence": int64(5),
		"threaded": yes, "logo_clear": yes, "count_clicks": yes, "archive_id": p.digest["id"]})
	domain := w.insert(f, "newsletter_domains", storedRow{"newsletter_id": int64(40), "signs": yes})
	d := must(w.Newsletters.NewsletterDomain(w.ctx, 40))
	domain.isReadAs(w, d, nil)
	w.insert(f, "newsletter_roles", storedRow{"newsletter_id": int64(40), "user_id": p.user["id"], "role": "owner"})
	newsletter["own_address"], newsletter["language"] = domain["from_address"], p.user["language"]
	n := must(w.Newsletters.NewsletterBySlug(w.ctx, "n"))
	newsletter.isReadAs(w, n, map[string]string{"DateSubject": "", "Budget": ""})

	member := w.insert(f, "memberships", storedRow{"digest_id": p.digest["id"], "newsletter_id": n.ID,
		"user_id": p.user["id"], "own_days": yes})
	for _, column := range []string{"email", "time_zone"} {
		member[column] = p.user[column]
	}
	member["state"], member["cadence"] = p.digest["state"], p.digest["cadence"]
	m := must(w.Members.Member(w.ctx, n.ID, "u@example.org"))
	member.isReadAs(w, m, map[string]string{"At": "confirmed_at"})

	letter := w.insert(f, "newsletter_letters",
		storedRow{"newsletter_id": n.ID, "local_date": "2026-11-20", "skipped": yes})
	l := must(w.Newsletters.NewsletterLetter(w.ctx, n.ID, parisDay))
	letter.isReadAs(w, l, nil)

	wish := w.insert(f, "join_requests", storedRow{"token_hash": []byte("h"), "newsletter_id": n.ID, "latest": yes,
		"expires_at": toCome})
	q := must(w.Members.JoinRequest(w.ctx, []byte("h"), noon))
	wish.isReadAs(w, q, nil)
}

// TestDecideNames: new names are approved or refused as the operator saw them, and no issue has them before.
func TestDecideNames(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("kites", w.reader("anna", "UTC"))
		m := w.member(n, "mo@example.org", "UTC")
		wants := func(name, from string) digest.Newsletter {
			w.Helper()
			seen := must(w.Newsletters.Newsletter(w.ctx, n.ID))
			seen.WantedName, seen.WantedFromName = name, from
			w.ok(w.Newsletters.SetNewsletter(w.ctx, seen, noon))
			seen = must(w.Newsletters.Newsletter(w.ctx, n.ID))
			return seen
		}
		expect := func(what, name, from string, wait bool) {
			w.Helper()
			got := must(w.Newsletters.Newsletter(w.ctx, n.ID))
			d := must(w.Readers.Digest(w.ctx, m.DigestID))
			want(w, what, fmt.Sprint(got.Name, "|", got.FromName, "|", got.NamesWait(), "|", d.Name),
				fmt.Sprint(name, "|", from, "|", wait, "|", name))
			pending := must(w.Newsletters.CountPending(w.ctx))
			want(w, what+", pending", pending > 0, wait)
		}
		seen := wants("Boats", "Anna")
		expect("while it waits", "The kites", "", true)
		other := wants("PayPal", "Anna")
		oneLine(w, w.Newsletters.DecideNames(w.ctx, seen, true), digest.Conflict)
		w.ok(w.Newsletters.DecideNames(w.ctx, other, false))
		expect("refused", "The kites", "", false)
		w.ok(w.Newsletters.DecideNames(w.ctx, wants("Boats", ""), true))
		expect("approved", "Boats", "", false)
		w.ok(w.Newsletters.DecideNames(w.ctx, wants("", "Anna"), true))
		expect("its sender", "Boats", "Anna", false)
		bad := wants("", "")
		bad.Name = "evil.com"
		oneLine(w, w.Newsletters.SetNewsletter(w.ctx, bad, noon), digest.Invalid)
		bad.Name, bad.Slug = "see evil.com", "another"
		oneLine(w, err2(w.Newsletters.AddNewsletter(w.ctx, bad, m.UserID, noon)), digest.Invalid)
		w.exec(`UPDATE newsletters SET name = 'kottke.org'`)
		old := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		w.ok(w.Newsletters.SetNewsletter(w.ctx, old, noon)) // this name was approved before
	})
}
