package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
)

func TestUsers(t *testing.T) {
	each(t, func(w world) {
		u, d, err := w.Readers.AddUser(w.ctx(), " Ada.L@Example.ORG ", "Europe/Paris", noon)
		w.ok(err)
		want(w.t, "user", u, digest.User{ID: u.ID, Email: "Ada.L@example.org", TimeZone: "Europe/Paris",
			CreatedAt: noon, Pages: digest.UsualPages()})
		stored, err := w.Readers.DigestOf(w.ctx(), u.ID)
		w.ok(err)
		want(w.t, "digest", stored, d)
		want(w.t, "as it is made", d, digest.Digest{
			ID: d.ID, UserID: u.ID, Name: "Daily Digest", TimeZone: "Europe/Paris", NextDueAt: parisMidnight,
			Cadence: digest.Daily, State: digest.DigestActive, Mailed: true,
			Look:        digest.Look{Layout: digest.Excerpts, Images: digest.NoImages},
			Arrangement: digest.Arrangement{Grouping: digest.ByFolders, WebImages: digest.ProxiedImages},
		})
		found, err := w.Readers.UserByEmail(w.ctx(), "ada.l@EXAMPLE.org")
		w.ok(err)
		want(w.t, "found", found, u)
		_, _, err = w.Readers.AddUser(w.ctx(), "ADA.L@example.org", "UTC", noon)
		oneLine(w.t, err, digest.Conflict)
		_, _, err = w.Readers.AddUser(w.ctx(), "bob@example.org", "Europe/Pariss", noon)
		oneLine(w.t, err, digest.Invalid)
		_, err = w.Readers.UserByEmail(w.ctx(), "bob@example.org")
		oneLine(w.t, err, digest.NotFound)
		_, err = w.Readers.DigestOf(w.ctx(), 99)
		oneLine(w.t, err, digest.NotFound)
		oneLine(w.t, w.Readers.SetDeliverAt(w.ctx(), d.ID, 24*time.Hour), digest.Invalid)
		oneLine(w.t, w.Readers.SetDeliverAt(w.ctx(), 99, time.Hour), digest.NotFound)

		w.subscribe(d, w.feed("f.example"))
		all := storetest.All(w.t, w.Readers.Users(w.ctx()))
		want(w.t, "users", len(all), 1)
		want(w.t, "in the list", all[0].User == u && all[0].Digest == d && all[0].Subscriptions == 1, true)
	})
}

func TestRemoveUser(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(2)
		f := w.feedAgain(digest.Feed{URL: "https://f.example/feed"})
		w.record(parisMidnight, f, posts(parisMidnight, "q"))
		w.ok(w.Sessions.AddSession(w.ctx(), []byte("s"), ds[0].UserID, noon, noon.Add(time.Hour)))
		w.ok(w.Sessions.AddSignIn(w.ctx(), []byte("t"), ds[0].UserID, noon, noon.Add(time.Hour)))
		got := w.claimEditions(parisMidnight, 9, "t")
		w.ok(w.Readers.RemoveUser(w.ctx(), ds[0].UserID, noon))
		want(w.t, "nothing is sent to one who is gone", len(w.dot(parisMidnight, "t", got[0].ID, got[1].ID)), 1)
		for table, n := range map[string]int{
			"users": 1, "digests": 1, "subscriptions": 1, "editions": 1, "digest_posts": 2, "sessions": 0,
			"sign_in_tokens": 0,
			"posts":          2, "feeds": 1,
		} {
			have, err := w.Count(w.ctx(), `SELECT count(*) FROM `+table)
			w.ok(err)
			want(w.t, table, have, n)
		}
		oneLine(w.t, w.Readers.RemoveUser(w.ctx(), ds[0].UserID, noon), digest.NotFound)
		eve, _, err := w.Readers.AddUser(w.ctx(), "eve@example.org", "UTC", noon)
		w.ok(err)
		w.ok(w.Readers.RemoveUser(w.ctx(), eve.ID, noon))
		next, _, err := w.Readers.AddUser(w.ctx(), "fay@example.org", "UTC", noon)
		w.ok(err)
		want(w.t, "no key is used twice: links are signed with it", next.ID > eve.ID, true)
	})
}

func TestSignIn(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada", "UTC")
		token, late, session := []byte("token"), []byte("late"), []byte("session")
		w.ok(w.Sessions.AddSignIn(w.ctx(), token, d.UserID, noon, noon.Add(time.Hour)))
		w.ok(w.Sessions.AddSignIn(w.ctx(), late, d.UserID, noon, noon.Add(time.Hour)))
		_, err := w.Sessions.UseSignIn(w.ctx(), late, noon.Add(time.Hour))
		oneLine(w.t, err, digest.NotFound)
		var wins atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if u, err := w.Sessions.UseSignIn(w.ctx(), token, noon); err == nil && u == d.UserID {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		want(w.t, "exactly one", wins.Load(), 1)

		w.ok(w.Sessions.AddSession(w.ctx(), session, d.UserID, noon, noon.Add(time.Hour)))
		u, err := w.Sessions.SessionUser(w.ctx(), session, noon.Add(59*time.Minute))
		w.ok(err)
		want(w.t, "user", u.Email, "ada@example.org")
		_, err = w.Sessions.SessionUser(w.ctx(), session, noon.Add(time.Hour))
		oneLine(w.t, err, digest.NotFound)
		renewed, err := w.Sessions.RenewSession(w.ctx(), session, noon.Add(time.Hour), noon.Add(day))
		w.ok(err)
		want(w.t, "an ended one is renewed", renewed, false)
		renewed, err = w.Sessions.RenewSession(w.ctx(), session, noon, noon.Add(day))
		w.ok(err)
		want(w.t, "renewed", renewed, true)
		u, err = w.Sessions.SessionUser(w.ctx(), session, noon.Add(time.Hour))
		w.ok(err)
		want(w.t, "its end", u.EndsAt.Equal(noon.Add(day)), true)
		w.ok(w.Sessions.EndSession(w.ctx(), session))
		w.ok(w.Sessions.EndSession(w.ctx(), session))
		_, err = w.Sessions.SessionUser(w.ctx(), session, noon)
		oneLine(w.t, err, digest.NotFound)
	})
}

func TestSetOperator(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.Readers.AddUser(w.ctx(), "ada@example.org", "UTC", noon)
		w.ok(err)
		want(w.t, "at first", u.Operator, false)
		for _, operator := range []bool{true, true, false} {
			w.ok(w.Operator.SetOperator(w.ctx(), u.ID, operator))
			u, err = w.Readers.UserByEmail(w.ctx(), "ada@example.org")
			w.ok(err)
			want(w.t, "operator", u.Operator, operator)
		}
		oneLine(w.t, w.Operator.SetOperator(w.ctx(), 99, true), digest.NotFound)
	})
}
