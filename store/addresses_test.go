package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
)

func TestAddressChange(t *testing.T) {
	each(t, func(w world) {
		u, d := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "Europe/Paris", noon))
		other, _ := must2(w.Readers.AddUser(w.ctx, "bob@example.org", "Europe/Paris", noon))
		w.subscribe(d, w.feed("f.example"))
		change := func(to string, now time.Time) error {
			return w.Readers.AddAddressChange(w.ctx, u.ID, to, []byte("old"), []byte("new"), now, now.Add(day), day)
		}
		w.ok(change("Ann@New.example", noon))
		oneLine(w, change("ann@third.example", noon.Add(day-time.Second)), digest.Conflict)
		for _, token := range []string{"here", "there", "else"} {
			w.ok(w.Sessions.AddSession(w.ctx, []byte(token), u.ID, noon, noon.Add(90*day)))
		}
		w.ok(w.Sessions.AddSignIn(w.ctx, []byte("mailed"), u.ID, noon, noon.Add(day)))
		w.ok(w.Sessions.AddSession(w.ctx, []byte("bob's"), other.ID, noon, noon.Add(90*day)))
		for range 2 { // one side cannot confirm for the other
			changed := must(w.Readers.ConfirmAddress(w.ctx, []byte("new"), nil, noon))
			want(w, "changed by one side", changed, false)
		}
		oneLine(w, err2(w.Readers.ConfirmAddress(w.ctx, []byte("guessed"), nil, noon)), digest.NotFound)
		oneLine(w, err2(w.Readers.ConfirmAddress(w.ctx, []byte("old"), nil, noon.Add(day))), digest.NotFound)
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: "ann@example.org", Reason: digest.ForHardBounce,
			CreatedAt: noon}))
		changed := must(w.Readers.ConfirmAddress(w.ctx, []byte("old"), []byte("here"), noon))
		want(w, "changed by both", changed, true)
		moved := must(w.Readers.UserByEmail(w.ctx, "ann@new.example"))
		want(w, "moved", moved.ID == u.ID && moved.Email == "Ann@new.example", true)
		w.holds("its lane", 1, `SELECT count(*) FROM users WHERE mail_domain = 'new.example'`)
		_, suppressed := must2(w.Editions.Suppressed(w.ctx, "ann@new.example"))
		want(w, "suppressed", suppressed, false)
		w.holds("sessions", 2, `SELECT count(*) FROM sessions`)
		w.holds("links on their way", 0, `SELECT count(*) FROM sign_in_tokens`)
		for _, token := range []string{"old", "new"} {
			oneLine(w, err2(w.Readers.ConfirmAddress(w.ctx, []byte(token), nil, noon)), digest.NotFound)
		}
		w.ok(change("bob@example.org", noon.Add(day))) // another account's address by the time of the confirmation
		must(w.Readers.ConfirmAddress(w.ctx, []byte("old"), nil, noon.Add(day)))
		oneLine(w, err2(w.Readers.ConfirmAddress(w.ctx, []byte("new"), nil, noon.Add(day))), digest.Conflict)
		oneLine(w, err2(w.Readers.ConfirmAddress(w.ctx, []byte("new"), nil, noon.Add(day))), digest.NotFound)
		oneLine(w, w.Readers.SetEmail(w.ctx, u.ID, "BOB@example.org"), digest.Conflict)
		w.ok(w.Readers.SetEmail(w.ctx, u.ID, "ann@third.example"))
		w.holds("sessions but bob's", 1, `SELECT count(*) FROM sessions`)
	})
}

func TestBothSidesAtOnce(t *testing.T) {
	each(t, func(w world) {
		u, _ := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "Europe/Paris", noon))
		w.ok(w.Readers.AddAddressChange(w.ctx, u.ID, "ann@new.example", []byte("old"), []byte("new"), noon,
			noon.Add(day),
			day))
		var changed atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if ok, err := w.Readers.ConfirmAddress(w.ctx, []byte([]string{"old", "new"}[i%2]), nil, noon); ok &&
					err == nil {
					changed.Add(1)
				}
			})
		}
		all.Wait()
		want(w, "changed", changed.Load(), 1)
		must(w.Readers.UserByEmail(w.ctx, "ann@new.example"))
	})
}
