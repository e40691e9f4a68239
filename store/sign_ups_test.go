package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func TestConfirmSignUp(t *testing.T) {
	each(t, func(w world) {
		up := store.SignUp{Email: "Ann@Example.org", TimeZone: "Europe/Paris"}
		for _, token := range []string{"a", "b", "c"} {
			w.ok(w.Sessions.AddSignUp(w.ctx, []byte(token), up, noon, noon.Add(day)))
		}
		got := must(w.Sessions.SignUp(w.ctx, []byte("a"), noon))
		want(w, "waits", got, store.SignUp{Email: "Ann@example.org", TimeZone: "Europe/Paris"})
		oneLine(w, err2(w.Sessions.ConfirmSignUp(w.ctx, []byte("a"), false, noon.Add(day))), digest.NotFound)
		oneLine(w, err2(w.Sessions.ConfirmSignUp(w.ctx, []byte("a"), true, noon)), digest.Conflict)
		u := must(w.Sessions.ConfirmSignUp(w.ctx, []byte("a"), false, noon))
		want(w, "user", u, must(w.Readers.UserByEmail(w.ctx, "ann@example.org")))
		for _, token := range []string{"a", "b", "z"} { // the other sign-ups of the address have ended
			oneLine(w, err2(w.Sessions.ConfirmSignUp(w.ctx, []byte(token), false, noon)), digest.NotFound)
		}
		w.ok(w.Sessions.AddSignUp(w.ctx, []byte("d"),
			store.SignUp{Email: "ANN@example.org", TimeZone: "UTC", Invitation: 7},
			noon, noon.Add(day)))
		want(w, "who has an account keeps it", must(w.Sessions.ConfirmSignUp(w.ctx, []byte("d"), true, noon)), u)
	})
}

// TestOneOfManyAtOnce confirms one sign-up many times concurrently, and many sign-ups with one invitation.
func TestOneOfManyAtOnce(t *testing.T) {
	each(t, func(w world) {
		invitation := must(w.Sessions.AddInvitation(w.ctx, []byte("i"), noon, noon.Add(day)))
		for i := range 6 {
			up := store.SignUp{Email: fmt.Sprintf("r%d@example.org", i), TimeZone: "UTC", Invitation: invitation.ID}
			w.ok(w.Sessions.AddSignUp(w.ctx, fmt.Append(nil, i), up, noon, noon.Add(day)))
		}
		var in, refused atomic.Int32
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				switch _, err := w.Sessions.ConfirmSignUp(w.ctx, fmt.Append(nil, i%6), true, noon); {
				case err == nil:
					in.Add(1)
				case digest.KindOf(err) == digest.Conflict, digest.KindOf(err) == digest.NotFound:
					refused.Add(1)
				default:
					w.Error(err)
				}
			})
		}
		all.Wait()
		want(w, "came in", in.Load(), 1)
		want(w, "refused", refused.Load(), 11)
		w.holds("users", 1, `SELECT count(*) FROM users`)
		w.holds("digests", 1, `SELECT count(*) FROM digests`)
	})
}

func TestInvitations(t *testing.T) {
	each(t, func(w world) {
		one := must(w.Sessions.AddInvitation(w.ctx, []byte("1"), noon, noon.Add(14*day)))
		two := must(w.Sessions.AddInvitation(w.ctx, []byte("2"), noon, noon.Add(14*day)))
		found := must(w.Sessions.Invitation(w.ctx, []byte("1"), noon))
		want(w, "found", found, one)
		for _, now := range []time.Time{noon.Add(14 * day), noon.Add(15 * day)} {
			oneLine(w, err2(w.Sessions.Invitation(w.ctx, []byte("1"), now)), digest.NotFound)
		}
		w.ok(w.Sessions.AddSignUp(w.ctx, []byte("s"),
			store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: two.ID}, noon, noon.Add(day)))
		w.ok(w.Sessions.RevokeInvitation(w.ctx, two.ID))
		oneLine(w, w.Sessions.RevokeInvitation(w.ctx, two.ID), digest.NotFound)
		oneLine(w, err2(w.Sessions.Invitation(w.ctx, []byte("2"), noon)), digest.NotFound)
		oneLine(w, err2(w.Sessions.ConfirmSignUp(w.ctx, []byte("s"), true, noon)), digest.Conflict)
		w.ok(w.Sessions.AddSignUp(w.ctx, []byte("t"),
			store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: one.ID}, noon, noon.Add(15*day)))
		must(w.Sessions.ConfirmSignUp(w.ctx, []byte("t"), true, noon.Add(14*day)))
		oneLine(w, w.Sessions.RevokeInvitation(w.ctx, one.ID), digest.NotFound)
		list := must(w.Sessions.Invitations(w.ctx))
		want(w, "in the list", len(list) == 1 && list[0].UsedAt.Equal(noon.Add(14*day)), true)
	})
}
