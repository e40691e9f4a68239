package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest/store"
)

// TestLetterRequests holds what an address and a domain are mailed at most.
func TestLetterRequests(t *testing.T) {
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

func TestLetterRequestsAtOnce(t *testing.T) {
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

func TestForgetLetterRequests(t *testing.T) {
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
