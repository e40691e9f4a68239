package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/store"
)

func TestConfirmSignUp(t *testing.T) {
	each(t, func(w world) {
		up := store.SignUp{Email: "Ann@Example.org", TimeZone: "Europe/Paris"}
		for _, token := range []string{"a", "b", "c"} {
			w.ok(w.Sessions.AddSignUp(w.ctx(), []byte(token), up, noon, noon.Add(day)))
		}
		got, err := w.Sessions.SignUp(w.ctx(), []byte("a"), noon)
		w.ok(err)
		want(w.t, "waits", got, store.SignUp{Email: "Ann@example.org", TimeZone: "Europe/Paris"})
		_, err = w.Sessions.ConfirmSignUp(w.ctx(), []byte("a"), false, noon.Add(day))
		oneLine(w.t, err, digest.NotFound)
		_, err = w.Sessions.ConfirmSignUp(w.ctx(), []byte("a"), true, noon)
		oneLine(w.t, err, digest.Conflict)
		u, err := w.Sessions.ConfirmSignUp(w.ctx(), []byte("a"), false, noon)
		w.ok(err)
		stored, err := w.Readers.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "user", u, stored)
		for _, token := range []string{"a", "b", "z"} { // the other sign-ups of the address have ended
			_, err = w.Sessions.ConfirmSignUp(w.ctx(), []byte(token), false, noon)
			oneLine(w.t, err, digest.NotFound)
		}
		w.ok(w.Sessions.AddSignUp(w.ctx(), []byte("d"),
			store.SignUp{Email: "ANN@example.org", TimeZone: "UTC", Invitation: 7},
			noon, noon.Add(day)))
		again, err := w.Sessions.ConfirmSignUp(w.ctx(), []byte("d"), true, noon)
		w.ok(err)
		want(w.t, "who has an account keeps it", again, u)
	})
}

// TestOneOfManyAtOnce confirms one sign-up many times concurrently, and many sign-ups with one invitation.
func TestOneOfManyAtOnce(t *testing.T) {
	each(t, func(w world) {
		invitation, err := w.Sessions.AddInvitation(w.ctx(), []byte("i"), noon, noon.Add(day))
		w.ok(err)
		for i := range 6 {
			up := store.SignUp{Email: fmt.Sprintf("r%d@example.org", i), TimeZone: "UTC", Invitation: invitation.ID}
			w.ok(w.Sessions.AddSignUp(w.ctx(), fmt.Append(nil, i), up, noon, noon.Add(day)))
		}
		var in, refused atomic.Int32
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				switch _, err := w.Sessions.ConfirmSignUp(w.ctx(), fmt.Append(nil, i%6), true, noon); {
				case err == nil:
					in.Add(1)
				case digest.KindOf(err) == digest.Conflict, digest.KindOf(err) == digest.NotFound:
					refused.Add(1)
				default:
					w.t.Error(err)
				}
			})
		}
		all.Wait()
		want(w.t, "came in", in.Load(), 1)
		want(w.t, "refused", refused.Load(), 11)
		w.holds("users", 1, `SELECT count(*) FROM users`)
		w.holds("digests", 1, `SELECT count(*) FROM digests`)
	})
}

func TestInvitations(t *testing.T) {
	each(t, func(w world) {
		one, err := w.Sessions.AddInvitation(w.ctx(), []byte("1"), noon, noon.Add(14*day))
		w.ok(err)
		two, err := w.Sessions.AddInvitation(w.ctx(), []byte("2"), noon, noon.Add(14*day))
		w.ok(err)
		found, err := w.Sessions.Invitation(w.ctx(), []byte("1"), noon)
		w.ok(err)
		want(w.t, "found", found, one)
		for _, now := range []time.Time{noon.Add(14 * day), noon.Add(15 * day)} {
			_, err = w.Sessions.Invitation(w.ctx(), []byte("1"), now)
			oneLine(w.t, err, digest.NotFound)
		}
		w.ok(w.Sessions.AddSignUp(w.ctx(), []byte("s"),
			store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: two.ID}, noon, noon.Add(day)))
		w.ok(w.Sessions.RevokeInvitation(w.ctx(), two.ID))
		oneLine(w.t, w.Sessions.RevokeInvitation(w.ctx(), two.ID), digest.NotFound)
		_, err = w.Sessions.Invitation(w.ctx(), []byte("2"), noon)
		oneLine(w.t, err, digest.NotFound)
		_, err = w.Sessions.ConfirmSignUp(w.ctx(), []byte("s"), true, noon)
		oneLine(w.t, err, digest.Conflict)
		w.ok(w.Sessions.AddSignUp(w.ctx(), []byte("t"),
			store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: one.ID}, noon, noon.Add(15*day)))
		_, err = w.Sessions.ConfirmSignUp(w.ctx(), []byte("t"), true, noon.Add(14*day)) // the sign-up was in time
		w.ok(err)
		oneLine(w.t, w.Sessions.RevokeInvitation(w.ctx(), one.ID), digest.NotFound)
		list, err := w.Sessions.Invitations(w.ctx())
		w.ok(err)
		want(w.t, "in the list", len(list) == 1 && list[0].UsedAt.Equal(noon.Add(14*day)), true)
	})
}

// TestNothingOfASignUpStays removes a reader who has rows in all tables of signing in and up.
func TestNothingOfASignUpStays(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		w.ok(w.Readers.AddAddressChange(w.ctx(), u.ID, "b@example.org", []byte("o"), []byte("n"), noon, noon.Add(day),
			day))
		w.ok(w.Sessions.AddPasskey(w.ctx(), store.Passkey{UserID: u.ID, CredentialID: []byte("c"), Credential: "{}",
			Name: "x"},
			noon))
		w.ok(w.Sessions.AddCeremony(w.ctx(), []byte("c"), u.ID, "{}", noon, noon.Add(day)))
		w.ok(w.Sessions.AddSignUp(w.ctx(), []byte("s"), store.SignUp{Email: u.Email, TimeZone: "UTC"}, noon,
			noon.Add(day)))
		_, _, err = w.Editions.RequestLetter(w.ctx(),
			store.LetterRequest{Kind: allowance.SignIn, Email: "ann@example.org"},
			noon)
		w.ok(err)
		w.ok(w.Readers.RemoveUser(w.ctx(), u.ID, noon))
		for _, table := range []string{"address_changes", "passkeys", "passkey_challenges", "sign_ups",
			"letter_requests"} {
			w.holds(table, 0, `SELECT count(*) FROM `+table)
		}
	})
}
