package web_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// each runs a test on every database, with its own room.
func each(t *testing.T, test func(*room)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) { test(newRoom(t, s)) })
}

// user adds a reader in Paris with one digest.
func (r *room) user(email string) (digest.User, digest.Digest) {
	r.t.Helper()
	u, d, err := r.store.Readers.AddUser(r.t.Context(), email, "Europe/Paris", r.now)
	r.must(err)
	return u, d
}

// reader adds such a reader, and signs in a visitor.
func (r *room) reader(email string) (*visitor, digest.Digest) {
	r.t.Helper()
	u, d := r.user(email)
	return r.visitor().signIn(u), d
}

// arrives adds a post to a digest. It stays hidden until midnight.
func (r *room) arrives(d digest.Digest, p digest.Post) {
	r.t.Helper()
	r.brings(digest.Subscription{DigestID: d.ID}, site, p)
}

// brings adds posts of a new feed to a digest. They stay hidden until midnight.
func (r *room) brings(sub digest.Subscription, title string, posts ...digest.Post) {
	r.t.Helper()
	ctx := r.t.Context()
	r.feeds++
	f, _, err := r.store.Feeds.EnsureFeed(ctx, digest.Feed{
		URL: fmt.Sprintf("https://site.example/%d", r.feeds), Host: "site.example", State: digest.FeedActive,
		Title: title, SiteURL: "https://site.example/",
	})
	r.must(err)
	sub.FeedID = f.ID
	_, err = r.store.Subscriptions.Subscribe(ctx, sub, r.now)
	r.must(err)
	f.ParsedAt, f.LastOKAt = r.now, r.now
	polled := store.Polled{Feed: f, FirstRead: true}
	for _, p := range posts {
		p.FeedID, p.SeenAt = f.ID, r.now
		if p.PublishedAt.IsZero() {
			p.PublishedAt = r.now
		}
		polled.Posts, polled.Listed = append(polled.Posts, p), append(polled.Listed, p.Identity)
	}
	_, err = r.store.Feeds.Record(ctx, r.now, []store.Polled{polled})
	r.must(err)
}

// midnight moves the clock to the next midnight in Paris, and releases editions.
func (r *room) midnight() {
	r.t.Helper()
	r.beforeMidnight(0)
	r.midnightNow()
}

// midnightNow releases and sends the editions that are due now.
func (r *room) midnightNow() {
	r.t.Helper()
	_, err := r.store.Feeds.Plan(r.t.Context(), r.now, func(digest.Feed, time.Time) (time.Time, bool) {
		return time.Time{},
			false
	})
	r.must(err)
	_, err = r.store.Editions.Release(r.t.Context(), r.now, time.Minute)
	r.must(err)
	r.mailed()
}

// mailed marks every waiting edition as sent.
func (r *room) mailed() {
	r.t.Helper()
	ctx := r.t.Context()
	claimed, err := r.store.Editions.ClaimEditions(ctx, r.now, digest.Claim{Most: 100, Lease: time.Minute, Token: "t"})
	r.must(err)
	for _, d := range claimed {
		_, err := r.store.Editions.MarkEditions(ctx, r.now, "t", nil,
			[]digest.Dot{{ID: d.ID, MessageID: "m", Date: r.now, Recipient: d.Email}})
		r.must(err)
		_, err = r.store.Editions.MarkEditions(ctx, r.now, "t", []digest.Mark{{ID: d.ID, State: digest.EditionSent}},
			nil)
		r.must(err)
	}
}

// beforeMidnight moves the clock to a duration before the next midnight in Paris.
func (r *room) beforeMidnight(by time.Duration) {
	next := time.Date(r.now.Year(), r.now.Month(), r.now.Day(), 23, 0, 0, 0, time.UTC)
	if !next.After(r.now) {
		next = next.AddDate(0, 0, 1)
	}
	r.now = next.Add(-by)
}

// edition returns a digest's latest edition.
func (r *room) edition(d digest.Digest) digest.Edition {
	r.t.Helper()
	list, err := r.store.Editions.Editions(r.t.Context(), d.ID, 1)
	r.must(err)
	if len(list) == 0 {
		r.t.Fatal("no edition")
	}
	return list[0]
}

func (r *room) remove(u digest.User) {
	r.t.Helper()
	r.must(r.store.Readers.RemoveUser(r.t.Context(), u.ID, r.now))
}

func (r *room) breakDatabase() {
	r.t.Helper()
	r.must(r.store.Close())
}

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
