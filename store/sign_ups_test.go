package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestKnocks holds what an address and a domain are mailed at most.
func TestKnocks(t *testing.T) {
	each(t, func(w world) {
		now := noon
		ask := func(kind, email string) (int64, store.LetterAnswer) {
			w.t.Helper()
			id, answer, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: kind, Email: email, Daily: 2, Apart: time.Minute, Hourly: 4}, now)
			w.ok(err)
			return id, answer
		}
		expect := func(what, kind, email string, want store.LetterAnswer) int64 {
			w.t.Helper()
			id, got := ask(kind, email)
			if got != want || (id != 0) != (want == store.LetterGranted) {
				w.t.Fatalf("%s: %s, key %d; want %s", what, got, id, want)
			}
			return id
		}
		first := expect("the first", "sign-in", "Ann@Example.org", store.LetterGranted)
		expect("at once, in another case", "sign-in", "ann@example.ORG", store.LetterAddressLimited)
		expect("another kind", "sign-up", "ann@example.org", store.LetterGranted)
		expect("another address", "sign-in", "ann+x@example.org", store.LetterGranted)
		w.ok(w.LetterSent(w.ctx(), first, now))
		now = now.Add(time.Minute)
		second := expect("the second", "sign-in", "ann@example.org", store.LetterGranted)
		expect("a fifth of the domain", "sign-in", "bob@example.org", store.LetterDomainLimited)
		expect("another domain", "sign-in", "bob@two.example", store.LetterGranted)
		now = now.Add(time.Hour)
		third := expect("the second never came", "sign-in", "ann@example.org", store.LetterGranted)
		w.ok(w.LetterSent(w.ctx(), second, now)) // it did, late
		expect("two a day", "sign-in", "ann@example.org", store.LetterAddressLimited)
		w.ok(w.LetterUnsent(w.ctx(), third))
		expect("two a day were sent", "sign-in", "ann@example.org", store.LetterAddressLimited)
		now = noon.Add(day)
		expect("the day after the first", "sign-in", "ann@example.org", store.LetterGranted)
	})
}

// TestNamesOfOneMailbox asks for letters to one mailbox under many names.
func TestNamesOfOneMailbox(t *testing.T) {
	each(t, func(w world) {
		ask := func(email string, now time.Time) store.LetterAnswer {
			_, answer, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: "sign-up", Email: email, Daily: 1, Hourly: 50}, now)
			w.ok(err)
			return answer
		}
		granted := 0
		for i := range 30 {
			if ask(fmt.Sprintf("Victim+%d@example.org", i), noon) == store.LetterGranted {
				granted++
			}
		}
		want(w.t, "letters to one mailbox", granted, 12)
		want(w.t, "without a tag", ask("victim@example.org", noon), store.LetterAddressLimited)
		for _, other := range []string{"victims@example.org", "victi@example.org", "victim,1@example.org", "victim+1@two.example", "+1@example.org"} {
			want(w.t, other, ask(other, noon), store.LetterGranted)
		}
		want(w.t, "later", ask("victim+99@example.org", noon.Add(day)), store.LetterGranted)
	})
}

func TestKnocksAtOnce(t *testing.T) {
	each(t, func(w world) {
		var granted atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, answer, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: "sign-up", Email: "ann@example.org", Daily: 1, Hourly: 50}, noon)
				if err != nil {
					w.t.Error(err)
				}
				if answer == store.LetterGranted {
					granted.Add(1)
				}
			})
		}
		all.Wait()
		want(w.t, "granted", granted.Load(), 1)
	})
}

func TestForgetLetters(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		ask := func(kind, email string) int64 {
			id, _, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: kind, Email: email, Daily: 1, Hourly: 50}, noon)
			w.ok(err)
			return id
		}
		w.ok(w.AddAddressChange(w.ctx(), u.ID, "Ann@new.example", []byte("o"), []byte("n"), noon, noon.Add(day), day))
		ask("address", "Ann@new.example")
		ask("sign-up", "bob@example.org")
		w.ok(w.LetterSent(w.ctx(), ask("sign-up", "cy@example.org"), noon))
		w.ok(w.ForgetLetterRequests(w.ctx()))
		w.holds("wishes", 0, `SELECT count(*) FROM address_changes`)
		want(w.t, "bob may ask again", ask("sign-up", "bob@example.org") != 0, true)
		want(w.t, "cy has had his letter", ask("sign-up", "cy@example.org"), int64(0))
	})
}

func TestConfirmSignUp(t *testing.T) {
	each(t, func(w world) {
		up := store.SignUp{Email: "Ann@Example.org", TimeZone: "Europe/Paris"}
		for _, token := range []string{"a", "b", "c"} {
			w.ok(w.AddSignUp(w.ctx(), []byte(token), up, noon, noon.Add(day)))
		}
		got, err := w.SignUp(w.ctx(), []byte("a"), noon)
		w.ok(err)
		want(w.t, "waits", got, store.SignUp{Email: "Ann@example.org", TimeZone: "Europe/Paris"})
		_, err = w.ConfirmSignUp(w.ctx(), []byte("a"), false, noon.Add(day))
		oneLine(w.t, err, digest.NotFound)
		_, err = w.ConfirmSignUp(w.ctx(), []byte("a"), true, noon)
		oneLine(w.t, err, digest.Conflict)
		u, err := w.ConfirmSignUp(w.ctx(), []byte("a"), false, noon)
		w.ok(err)
		stored, err := w.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "user", u, stored)
		for _, token := range []string{"a", "b", "z"} { // what else was asked for the address is over
			_, err = w.ConfirmSignUp(w.ctx(), []byte(token), false, noon)
			oneLine(w.t, err, digest.NotFound)
		}
		w.ok(w.AddSignUp(w.ctx(), []byte("d"), store.SignUp{Email: "ANN@example.org", TimeZone: "UTC", Invitation: 7}, noon, noon.Add(day)))
		again, err := w.ConfirmSignUp(w.ctx(), []byte("d"), true, noon)
		w.ok(err)
		want(w.t, "who has an account keeps it", again, u)
	})
}

// TestOneOfManyAtOnce presses one button many times at once, and the buttons of
// many sign-ups by one invitation.
func TestOneOfManyAtOnce(t *testing.T) {
	each(t, func(w world) {
		invitation, err := w.AddInvitation(w.ctx(), []byte("i"), noon, noon.Add(day))
		w.ok(err)
		for i := range 6 {
			up := store.SignUp{Email: fmt.Sprintf("r%d@example.org", i), TimeZone: "UTC", Invitation: invitation.ID}
			w.ok(w.AddSignUp(w.ctx(), fmt.Append(nil, i), up, noon, noon.Add(day)))
		}
		var in, refused atomic.Int32
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				switch _, err := w.ConfirmSignUp(w.ctx(), fmt.Append(nil, i%6), true, noon); {
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
		one, err := w.AddInvitation(w.ctx(), []byte("1"), noon, noon.Add(14*day))
		w.ok(err)
		two, err := w.AddInvitation(w.ctx(), []byte("2"), noon, noon.Add(14*day))
		w.ok(err)
		found, err := w.Invitation(w.ctx(), []byte("1"), noon)
		w.ok(err)
		want(w.t, "found", found, one)
		for _, now := range []time.Time{noon.Add(14 * day), noon.Add(15 * day)} {
			_, err = w.Invitation(w.ctx(), []byte("1"), now)
			oneLine(w.t, err, digest.NotFound)
		}
		w.ok(w.AddSignUp(w.ctx(), []byte("s"), store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: two.ID}, noon, noon.Add(day)))
		w.ok(w.RevokeInvitation(w.ctx(), two.ID))
		oneLine(w.t, w.RevokeInvitation(w.ctx(), two.ID), digest.NotFound)
		_, err = w.Invitation(w.ctx(), []byte("2"), noon)
		oneLine(w.t, err, digest.NotFound)
		_, err = w.ConfirmSignUp(w.ctx(), []byte("s"), true, noon)
		oneLine(w.t, err, digest.Conflict)
		w.ok(w.AddSignUp(w.ctx(), []byte("t"), store.SignUp{Email: "a@example.org", TimeZone: "UTC", Invitation: one.ID}, noon, noon.Add(15*day)))
		_, err = w.ConfirmSignUp(w.ctx(), []byte("t"), true, noon.Add(14*day)) // begun in time
		w.ok(err)
		oneLine(w.t, w.RevokeInvitation(w.ctx(), one.ID), digest.NotFound)
		list, err := w.Invitations(w.ctx())
		w.ok(err)
		want(w.t, "in the list", len(list) == 1 && list[0].UsedAt.Equal(noon.Add(14*day)), true)
	})
}

func TestOwnerLink(t *testing.T) {
	each(t, func(w world) {
		ann, _, err := w.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		for _, hash := range []string{"1", "2", "3"} { // each start prints one
			stored, err := w.SetOperatorLink(w.ctx(), []byte(hash), noon.Add(day))
			w.ok(err)
			want(w.t, "stored", stored, true)
		}
		for hash, ok := range map[string]bool{"1": false, "2": false, "3": true} {
			got, err := w.OperatorLink(w.ctx(), []byte(hash), noon)
			w.ok(err)
			want(w.t, hash, got, ok)
		}
		late, err := w.OperatorLink(w.ctx(), []byte("3"), noon.Add(day))
		w.ok(err)
		want(w.t, "a day later", late, false)
		for _, hash := range []string{"1", "9"} {
			_, err = w.UseOperatorLink(w.ctx(), []byte(hash), "eve@example.org", "UTC", noon)
			oneLine(w.t, err, digest.NotFound)
		}
		_, err = w.UseOperatorLink(w.ctx(), []byte("3"), "eve@example.org", "Nowhere/At_All", noon)
		oneLine(w.t, err, digest.Invalid) // and the link still works
		u, err := w.UseOperatorLink(w.ctx(), []byte("3"), "ANN@example.org", "UTC", noon)
		w.ok(err)
		ann.Operator = true
		want(w.t, "whoever is there already", u, ann)
		_, err = w.UseOperatorLink(w.ctx(), []byte("3"), "eve@example.org", "UTC", noon)
		oneLine(w.t, err, digest.NotFound)
		stored, err := w.SetOperatorLink(w.ctx(), []byte("4"), noon.Add(day))
		w.ok(err)
		want(w.t, "stored beside an operator", stored, false)
		w.holds("links", 0, `SELECT count(*) FROM owner_links`)
	})
}

func TestAddressChange(t *testing.T) {
	each(t, func(w world) {
		u, d, err := w.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		other, _, err := w.AddUser(w.ctx(), "bob@example.org", "Europe/Paris", noon)
		w.ok(err)
		w.subscribe(d, w.feed("f.example"))
		change := func(to string, now time.Time) error {
			return w.AddAddressChange(w.ctx(), u.ID, to, []byte("old"), []byte("new"), now, now.Add(day), day)
		}
		w.ok(change("Ann@New.example", noon))
		oneLine(w.t, change("ann@third.example", noon.Add(day-time.Second)), digest.Conflict)
		for _, token := range []string{"here", "there", "else"} {
			w.ok(w.AddSession(w.ctx(), []byte(token), u.ID, noon, noon.Add(90*day)))
		}
		w.ok(w.AddSignIn(w.ctx(), []byte("mailed"), u.ID, noon, noon.Add(day)))
		w.ok(w.AddSession(w.ctx(), []byte("bob's"), other.ID, noon, noon.Add(90*day)))
		for range 2 { // one side alone changes nothing, however often
			changed, err := w.ConfirmAddress(w.ctx(), []byte("new"), nil, noon)
			w.ok(err)
			want(w.t, "changed by one side", changed, false)
		}
		_, err = w.ConfirmAddress(w.ctx(), []byte("guessed"), nil, noon)
		oneLine(w.t, err, digest.NotFound)
		_, err = w.ConfirmAddress(w.ctx(), []byte("old"), nil, noon.Add(day))
		oneLine(w.t, err, digest.NotFound)
		w.ok(w.Suppress(w.ctx(), digest.Suppression{Email: "ann@example.org", Reason: digest.ForHardBounce, CreatedAt: noon}))
		changed, err := w.ConfirmAddress(w.ctx(), []byte("old"), []byte("here"), noon)
		w.ok(err)
		want(w.t, "changed by both", changed, true)
		moved, err := w.UserByEmail(w.ctx(), "ann@new.example")
		w.ok(err)
		want(w.t, "moved", moved.ID == u.ID && moved.Email == "Ann@new.example", true)
		w.holds("its lane", 1, `SELECT count(*) FROM users WHERE mail_domain = 'new.example'`)
		_, suppressed, err := w.Suppressed(w.ctx(), "ann@new.example")
		w.ok(err)
		want(w.t, "suppressed", suppressed, false)
		w.holds("sessions", 2, `SELECT count(*) FROM sessions`)
		w.holds("links on their way", 0, `SELECT count(*) FROM sign_in_tokens`)
		for _, token := range []string{"old", "new"} {
			_, err = w.ConfirmAddress(w.ctx(), []byte(token), nil, noon)
			oneLine(w.t, err, digest.NotFound)
		}
		w.ok(change("bob@example.org", noon.Add(day))) // his, or his by then
		_, err = w.ConfirmAddress(w.ctx(), []byte("old"), nil, noon.Add(day))
		w.ok(err)
		_, err = w.ConfirmAddress(w.ctx(), []byte("new"), nil, noon.Add(day))
		oneLine(w.t, err, digest.Conflict)
		_, err = w.ConfirmAddress(w.ctx(), []byte("new"), nil, noon.Add(day))
		oneLine(w.t, err, digest.NotFound)
		oneLine(w.t, w.SetEmail(w.ctx(), u.ID, "BOB@example.org"), digest.Conflict)
		w.ok(w.SetEmail(w.ctx(), u.ID, "ann@third.example"))
		w.holds("sessions but bob's", 1, `SELECT count(*) FROM sessions`)
	})
}

func TestBothSidesAtOnce(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		w.ok(w.AddAddressChange(w.ctx(), u.ID, "ann@new.example", []byte("old"), []byte("new"), noon, noon.Add(day), day))
		var changed atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if ok, err := w.ConfirmAddress(w.ctx(), []byte([]string{"old", "new"}[i%2]), nil, noon); ok && err == nil {
					changed.Add(1)
				}
			})
		}
		all.Wait()
		want(w.t, "changed", changed.Load(), 1)
		_, err = w.UserByEmail(w.ctx(), "ann@new.example")
		w.ok(err)
	})
}

func TestPasskeys(t *testing.T) {
	each(t, func(w world) {
		ann, _, err := w.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		bob, _, err := w.AddUser(w.ctx(), "bob@example.org", "UTC", noon)
		w.ok(err)
		for _, fresh := range []string{"first", "second"} {
			handle, err := w.Handle(w.ctx(), ann.ID, []byte(fresh))
			w.ok(err)
			want(w.t, "handle", string(handle), "first")
		}
		found, err := w.UserByHandle(w.ctx(), []byte("first"))
		w.ok(err)
		want(w.t, "found", found, ann)
		_, err = w.UserByHandle(w.ctx(), nil)
		oneLine(w.t, err, digest.NotFound)
		key := store.Passkey{UserID: ann.ID, CredentialID: []byte{0, 1}, Credential: "{}", SignCount: 3, Name: "Phone"}
		w.ok(w.AddPasskey(w.ctx(), key, noon))
		key.UserID = bob.ID
		oneLine(w.t, w.AddPasskey(w.ctx(), key, noon), digest.Conflict)
		list, err := w.Passkeys(w.ctx(), ann.ID)
		w.ok(err)
		want(w.t, "kept", len(list) == 1 && bytes.Equal(list[0].CredentialID, []byte{0, 1}) && list[0].SignCount == 3, true)
		w.ok(w.UsePasskey(w.ctx(), list[0], `{"a":1}`, 4, noon))
		oneLine(w.t, w.UsePasskey(w.ctx(), list[0], `{"a":1}`, 4, noon), digest.NotFound) // by another copy, at once
		for _, session := range []string{"here", "there"} {
			w.ok(w.AddPasskeySession(w.ctx(), []byte(session), list[0], noon, noon.Add(day)))
		}
		w.ok(w.AddSession(w.ctx(), []byte("by link"), ann.ID, noon, noon.Add(day)))
		oneLine(w.t, w.RemovePasskey(w.ctx(), bob.ID, list[0].ID, nil), digest.NotFound)
		w.ok(w.RemovePasskey(w.ctx(), ann.ID, list[0].ID, []byte("here")))
		w.holds("its sessions end", 2, `SELECT count(*) FROM sessions`)

		w.ok(w.AddCeremony(w.ctx(), []byte("c"), ann.ID, "asked", noon, noon.Add(time.Minute)))
		for _, wrong := range []struct {
			user digest.UserID
			now  time.Time
		}{{0, noon}, {bob.ID, noon}, {ann.ID, noon.Add(time.Minute)}} {
			_, err = w.UseCeremony(w.ctx(), []byte("c"), wrong.user, wrong.now)
			oneLine(w.t, err, digest.NotFound)
		}
		data, err := w.UseCeremony(w.ctx(), []byte("c"), ann.ID, noon)
		w.ok(err)
		want(w.t, "asked", data, "asked")
		_, err = w.UseCeremony(w.ctx(), []byte("c"), ann.ID, noon)
		oneLine(w.t, err, digest.NotFound)
	})
}

// TestNothingOfTheDoorStays removes a reader who has all that the door keeps.
func TestNothingOfTheDoorStays(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		w.ok(w.AddAddressChange(w.ctx(), u.ID, "b@example.org", []byte("o"), []byte("n"), noon, noon.Add(day), day))
		w.ok(w.AddPasskey(w.ctx(), store.Passkey{UserID: u.ID, CredentialID: []byte("c"), Credential: "{}", Name: "x"}, noon))
		w.ok(w.AddCeremony(w.ctx(), []byte("c"), u.ID, "{}", noon, noon.Add(day)))
		w.ok(w.AddSignUp(w.ctx(), []byte("s"), store.SignUp{Email: u.Email, TimeZone: "UTC"}, noon, noon.Add(day)))
		_, _, err = w.RequestLetter(w.ctx(), store.LetterRequest{Kind: "sign-in", Email: u.Email, Daily: 1, Hourly: 1}, noon)
		w.ok(err)
		w.ok(w.RemoveUser(w.ctx(), u.ID))
		for _, table := range []string{"address_changes", "passkeys", "ceremonies", "sign_ups", "knocks"} {
			w.holds(table, 0, `SELECT count(*) FROM `+table)
		}
	})
}
