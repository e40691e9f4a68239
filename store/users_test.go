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
		u, d := must2(w.Readers.AddUser(w.ctx, " Ada.L@Example.ORG ", "Europe/Paris", noon))
		want(w, "user", u, digest.User{ID: u.ID, Email: "Ada.L@example.org", TimeZone: "Europe/Paris",
			CreatedAt: noon, Pages: digest.UsualPages()})
		want(w, "digest", must(w.Readers.DigestOf(w.ctx, u.ID)), d)
		want(w, "as it is made", d, digest.Digest{
			ID: d.ID, UserID: u.ID, Name: "Daily Digest", TimeZone: "Europe/Paris", NextDueAt: parisMidnight,
			Cadence: digest.Daily, State: digest.DigestActive, Mailed: true,
			Look:        digest.Look{Layout: digest.Excerpts, Images: digest.NoImages},
			Arrangement: digest.Arrangement{Grouping: digest.ByFolders, WebImages: digest.ProxiedImages},
		})
		found := must(w.Readers.UserByEmail(w.ctx, "ada.l@EXAMPLE.org"))
		want(w, "found", found, u)
		oneLine(w, err3(w.Readers.AddUser(w.ctx, "ADA.L@example.org", "UTC", noon)), digest.Conflict)
		oneLine(w, err3(w.Readers.AddUser(w.ctx, "bob@example.org", "Europe/Pariss", noon)), digest.Invalid)
		oneLine(w, err2(w.Readers.UserByEmail(w.ctx, "bob@example.org")), digest.NotFound)
		oneLine(w, err2(w.Readers.DigestOf(w.ctx, 99)), digest.NotFound)
		oneLine(w, w.Readers.SetDeliverAt(w.ctx, d.ID, day), digest.Invalid)
		oneLine(w, w.Readers.SetDeliverAt(w.ctx, 99, time.Hour), digest.NotFound)

		w.subscribe(d, w.feed("f.example"))
		all := storetest.All(w, w.Readers.Users(w.ctx))
		want(w, "users", len(all), 1)
		want(w, "in the list", all[0].User == u && all[0].Digest == d && all[0].Subscriptions == 1, true)
	})
}

func TestRemoveUser(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(2)
		got := w.claimEditions(parisMidnight, 9, "t")
		w.remove(ds[0].UserID, noon)
		want(w, "nothing is sent to one who is gone", len(w.dot(parisMidnight, "t", got[0].ID, got[1].ID)), 1)
		oneLine(w, w.Readers.RemoveUser(w.ctx, ds[0].UserID, noon), digest.NotFound)
		eve, _ := must2(w.Readers.AddUser(w.ctx, "eve@example.org", "UTC", noon))
		w.ok(w.Readers.RemoveUser(w.ctx, eve.ID, noon))
		next, _ := must2(w.Readers.AddUser(w.ctx, "fay@example.org", "UTC", noon))
		want(w, "no key is used twice: links are signed with it", next.ID > eve.ID, true)
	})
}

func TestSignIn(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada", "UTC")
		token, late, session := []byte("token"), []byte("late"), []byte("session")
		w.ok(w.Sessions.AddSignIn(w.ctx, token, d.UserID, noon, noon.Add(time.Hour)))
		w.ok(w.Sessions.AddSignIn(w.ctx, late, d.UserID, noon, noon.Add(time.Hour)))
		oneLine(w, err2(w.Sessions.UseSignIn(w.ctx, late, noon.Add(time.Hour))), digest.NotFound)
		var wins atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if u, err := w.Sessions.UseSignIn(w.ctx, token, noon); err == nil && u == d.UserID {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		want(w, "exactly one", wins.Load(), 1)

		w.ok(w.Sessions.AddSession(w.ctx, session, d.UserID, noon, noon.Add(time.Hour)))
		u := must(w.Sessions.SessionUser(w.ctx, session, noon.Add(59*time.Minute)))
		want(w, "user", u.Email, "ada@example.org")
		oneLine(w, err2(w.Sessions.SessionUser(w.ctx, session, noon.Add(time.Hour))), digest.NotFound)
		renewed := must(w.Sessions.RenewSession(w.ctx, session, noon.Add(time.Hour), noon.Add(day)))
		want(w, "an ended one is renewed", renewed, false)
		renewed = must(w.Sessions.RenewSession(w.ctx, session, noon, noon.Add(day)))
		want(w, "renewed", renewed, true)
		u = must(w.Sessions.SessionUser(w.ctx, session, noon.Add(time.Hour)))
		want(w, "its end", u.EndsAt.Equal(noon.Add(day)), true)
		w.ok(w.Sessions.EndSession(w.ctx, session))
		w.ok(w.Sessions.EndSession(w.ctx, session))
		oneLine(w, err2(w.Sessions.SessionUser(w.ctx, session, noon)), digest.NotFound)
	})
}

func TestSetOperator(t *testing.T) {
	each(t, func(w world) {
		u, _ := must2(w.Readers.AddUser(w.ctx, "ada@example.org", "UTC", noon))
		want(w, "at first", u.Operator, false)
		for _, operator := range []bool{true, true, false} {
			w.ok(w.Operator.SetOperator(w.ctx, u.ID, operator))
			u = must(w.Readers.UserByEmail(w.ctx, "ada@example.org"))
			want(w, "operator", u.Operator, operator)
		}
		oneLine(w, w.Operator.SetOperator(w.ctx, 99, true), digest.NotFound)
	})
}
