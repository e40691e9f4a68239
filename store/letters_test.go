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

// asks has a letter of a kind asked for.
func (w world) asks(kind allowance.Kind, email, asker string, now time.Time) (store.Letter, store.LetterAnswer) {
	w.t.Helper()
	r := store.LetterRequest{Kind: kind, Email: email, Asker: asker, Life: time.Hour}
	if kind == allowance.SignUp {
		r.Hourly, r.HourlyEach = 4, 3
	}
	l, answer, err := w.RequestLetter(w.ctx(), r, now)
	w.ok(err)
	if (l.ID != 0) != (answer == store.LetterGranted) {
		w.t.Fatalf("%s, key %d", answer, l.ID)
	}
	return l, answer
}

// TestLetterRequests holds what is counted against whom.
func TestLetterRequests(t *testing.T) {
	each(t, func(w world) {
		now := noon
		expect := func(what string, kind allowance.Kind, email string, want store.LetterAnswer) store.Letter {
			w.t.Helper()
			l, got := w.asks(kind, email, "a", now)
			if got != want {
				w.t.Fatalf("%s: %s, want %s", what, got, want)
			}
			return l
		}
		first := expect("the first", allowance.SignIn, "Ann@Example.org", store.LetterGranted)
		expect("at once, in another case", allowance.SignIn, "ann@example.ORG", store.LetterAddressLimited)
		expect("of another kind", allowance.SignUp, "ann@example.org", store.LetterGranted)
		expect("from a browser that is known", allowance.KnownSignIn, "ann@example.org", store.LetterGranted)
		expect("to another address", allowance.SignIn, "ann+x@example.org", store.LetterGranted)
		w.ok(w.LetterSent(w.ctx(), first.ID, now))
		now = now.Add(2 * time.Minute)
		second := expect("the second", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.LetterUnsent(w.ctx(), second.ID))
		third := expect("the second never came", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.LetterSent(w.ctx(), third.ID, now))
		now = now.Add(2 * time.Minute)
		expect("the third", allowance.SignIn, "ann@example.org", store.LetterGranted)
		now = now.Add(time.Hour - time.Second) // on its way for almost an hour
		fourth := expect("the fourth", allowance.SignIn, "ann@example.org", store.LetterGranted)
		want(w.t, "the link works until another may come", fourth.Life, 2*time.Hour)
		now = now.Add(16 * time.Minute)
		expect("the third was lost meanwhile", allowance.SignIn, "ann@example.org", store.LetterGranted)
	})
}

// TestSignUpsOfADomain holds that who signs up many is stopped before all others
// are, and that nobody who signs in is.
func TestSignUpsOfADomain(t *testing.T) {
	each(t, func(w world) {
		for i := range 3 {
			_, got := w.asks(allowance.SignUp, fmt.Sprintf("r%d@example.org", i), "a", noon)
			want(w.t, "of one asker", got, store.LetterGranted)
		}
		ask := func(kind allowance.Kind, email, asker string, now time.Time) store.LetterAnswer {
			_, got := w.asks(kind, email, asker, now)
			return got
		}
		want(w.t, "a fourth", ask(allowance.SignUp, "r3@example.org", "a", noon), store.LetterAskerLimited)
		want(w.t, "at another domain", ask(allowance.SignUp, "r3@two.example", "a", noon), store.LetterGranted)
		want(w.t, "of another asker", ask(allowance.SignUp, "r3@example.org", "b", noon), store.LetterGranted)
		want(w.t, "a fifth of all", ask(allowance.SignUp, "r4@example.org", "b", noon), store.LetterDomainLimited)
		for i := range 60 {
			want(w.t, "a reader who signs in", ask(allowance.SignIn, fmt.Sprintf("r%d@example.org", i), "a", noon), store.LetterGranted)
		}
		want(w.t, "a reader with another address", ask(allowance.Address, "ann@example.org", "a", noon), store.LetterGranted)
		want(w.t, "an hour later", ask(allowance.SignUp, "r4@example.org", "b", noon.Add(time.Hour)), store.LetterGranted)
	})
}

// TestNamesOfOneMailbox asks for letters to one mailbox under many names. What
// strangers ask for keeps nobody from the plain one, and no reader from theirs.
func TestNamesOfOneMailbox(t *testing.T) {
	each(t, func(w world) {
		ask := func(kind allowance.Kind, email string, now time.Time) store.LetterAnswer {
			_, answer, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: kind, Email: email, Asker: "a"}, now)
			w.ok(err)
			return answer
		}
		granted := 0
		for i := range 30 {
			if ask(allowance.SignUp, fmt.Sprintf("Victim+%d@example.org", i), noon) == store.LetterGranted {
				granted++
			}
		}
		want(w.t, "letters to one mailbox", granted, 12)
		want(w.t, "without a tag", ask(allowance.SignUp, "victim@example.org", noon), store.LetterGranted)
		want(w.t, "a sign-in", ask(allowance.SignIn, "victim+1@example.org", noon), store.LetterGranted)
		for _, other := range []string{"victims@example.org", "victi@example.org", "victim,1@example.org", "victim+1@two.example", "+1@example.org"} {
			want(w.t, other, ask(allowance.SignUp, other, noon), store.LetterGranted)
		}
		want(w.t, "later", ask(allowance.SignUp, "victim+99@example.org", noon.Add(day)), store.LetterGranted)
	})
}

// TestLettersAreAnswered holds what makes room for another letter: a link that was
// used, links that are void, and an account that there was none of before.
func TestLettersAreAnswered(t *testing.T) {
	each(t, func(w world) {
		siege := func(email string) {
			w.t.Helper()
			for i := range 40 {
				if l, answer := w.asks(allowance.SignIn, email, fmt.Sprint(i), noon.Add(time.Duration(i-40)*time.Minute)); answer == store.LetterGranted {
					w.ok(w.LetterSent(w.ctx(), l.ID, noon))
				}
			}
			_, answer := w.asks(allowance.SignIn, email, "r", noon)
			want(w.t, "under siege", answer, store.LetterAddressLimited)
		}
		free := func(what, email string) {
			w.t.Helper()
			_, answer := w.asks(allowance.SignIn, email, "r", noon)
			want(w.t, what, answer, store.LetterGranted)
		}
		siege("ann@example.org")
		u, _, err := w.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		free("an account", "ann@example.org")
		w.ok(w.AddSignIn(w.ctx(), []byte("h"), u.ID, noon, noon.Add(time.Hour)))
		_, err = w.UseSignIn(w.ctx(), []byte("h"), noon)
		w.ok(err)
		free("a link was used", "ann@example.org")
		_, err = w.EndSessions(w.ctx(), u.ID)
		w.ok(err)
		free("signed out everywhere", "ann@example.org")
		siege("new@example.org")
		w.ok(w.SetEmail(w.ctx(), u.ID, "new@example.org"))
		free("another address", "new@example.org")
	})
}

func TestLetterRequestsAtOnce(t *testing.T) {
	each(t, func(w world) {
		var granted atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, answer, err := w.RequestLetter(w.ctx(), store.LetterRequest{Kind: allowance.SignIn, Email: "ann@example.org"}, noon)
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
		w.ok(w.AddAddressChange(w.ctx(), u.ID, "Ann@new.example", []byte("o"), []byte("n"), noon, noon.Add(day), day))
		w.asks(allowance.Address, "Ann@new.example", "a", noon)
		w.asks(allowance.SignUp, "bob@example.org", "a", noon)
		cy, _ := w.asks(allowance.SignUp, "cy@example.org", "a", noon)
		w.ok(w.LetterSent(w.ctx(), cy.ID, noon))
		w.ok(w.ForgetLetterRequests(w.ctx()))
		w.holds("wishes", 0, `SELECT count(*) FROM address_changes`)
		_, bob := w.asks(allowance.SignUp, "bob@example.org", "b", noon)
		want(w.t, "bob may ask again", bob, store.LetterGranted)
		_, again := w.asks(allowance.SignUp, "cy@example.org", "b", noon)
		want(w.t, "cy has had his letter", again, store.LetterAddressLimited)
	})
}

// TestVoidLinks: mail that is claimed afterwards has links of the next round.
func TestVoidLinks(t *testing.T) {
	each(t, func(w world) {
		_, d, err := w.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		f := w.feed("f.example")
		w.subscribe(d, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.VoidLinks(w.ctx(), d.ID))
		want(w.t, "released", w.hour(parisMidnight), 1)
		claimed := w.claimEditions(parisMidnight, 9, "t")
		want(w.t, "claimed", len(claimed), 1)
		want(w.t, "in the mail", claimed[0].LinkRound, 1)
		w.ok(w.Exec(w.ctx(), fmt.Sprintf(`UPDATE digests SET link_round = %d`, digest.LastLinkRound)))
		w.ok(w.VoidLinks(w.ctx(), d.ID))
		d, err = w.Digest(w.ctx(), d.ID)
		w.ok(err)
		want(w.t, "after the last round", d.LinkRound, 1)
		want(w.t, "of no digest", digest.KindOf(w.VoidLinks(w.ctx(), 99)), digest.NotFound)
	})
}

// TestSessionsAreCapped: the fifty-first browser ends the session of the first.
func TestSessionsAreCapped(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		bob, _, err := w.AddUser(w.ctx(), "bob@example.org", "UTC", noon)
		w.ok(err)
		begin := func(name string, user digest.UserID, at time.Time) {
			w.t.Helper()
			w.ok(w.AddSession(w.ctx(), []byte(name), user, at, at.Add(90*day)))
		}
		in := func(name string) bool {
			_, err := w.SessionUser(w.ctx(), []byte(name), noon.Add(day))
			return err == nil
		}
		begin("bob's", bob.ID, noon.Add(-time.Hour))
		for i := range 50 {
			begin(fmt.Sprint("s", i), u.ID, noon.Add(time.Duration(i)*time.Second))
		}
		want(w.t, "the first of fifty", in("s0"), true)
		begin("one more", u.ID, noon.Add(time.Minute))
		want(w.t, "the first", in("s0"), false)
		want(w.t, "the second", in("s1"), true)
		want(w.t, "the last", in("one more"), true)
		want(w.t, "another reader's", in("bob's"), true)
		w.holds("sessions", 50, fmt.Sprintf(`SELECT count(*) FROM sessions WHERE user_id = %d`, u.ID))
	})
}
