package store_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/store"
	"digest/store/storetest"
)

func (w world) asks(kind allowance.Kind, email, asker string, now time.Time) (store.Letter, store.LetterAnswer) {
	w.t.Helper()
	r := store.LetterRequest{Kind: kind, Email: email, Asker: asker, Life: time.Hour}
	l, answer, err := w.Editions.RequestLetter(w.ctx(), r, now)
	w.ok(err)
	if (l.ID != 0) != (answer == store.LetterGranted) {
		w.t.Fatalf("%s, key %d", answer, l.ID)
	}
	return l, answer
}

// TestLetterRequests checks which letters count for whom.
func TestLetterRequests(t *testing.T) {
	each(t, func(w world) {
		_, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
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
		expect("to another mailbox", allowance.SignIn, "bob@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterSent(w.ctx(), first.ID, now))
		now = now.Add(2 * time.Minute)
		second := expect("the second", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterUnsent(w.ctx(), second.ID))
		third := expect("the second never came", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterSent(w.ctx(), third.ID, now))
		now = now.Add(2 * time.Minute)
		expect("a fourth of any kind", allowance.SignIn, "ann@example.org", store.LetterAddressLimited)
		now = noon.Add(time.Hour)
		fourth := expect("when the first is an hour old", allowance.SignIn, "ann@example.org", store.LetterGranted)
		want(w.t, "the link works until another may come", fourth.Life, 2*time.Hour)
	})
}

// TestSignUpsOfADomain: an asker with many sign-ups is limited before all others, and sign-ins are not limited.
func TestSignUpsOfADomain(t *testing.T) {
	each(t, func(w world) {
		n := 0
		ask := func(kind allowance.Kind, domain, asker string) store.LetterAnswer {
			n++
			_, got := w.asks(kind, fmt.Sprintf("r%d@%s", n, domain), asker, noon)
			return got
		}
		granted := map[string]int{}
		for range 12 {
			if ask(allowance.SignUp, "mx.example.org", "a") == store.LetterGranted {
				granted["a"]++
			}
		}
		want(w.t, "of one asker", granted["a"], 10)
		want(w.t, "the next of theirs, beside it", ask(allowance.SignUp, "www.example.org", "a"),
			store.LetterAskerLimited)
		want(w.t, "at another domain", ask(allowance.SignUp, "two.example", "a"), store.LetterGranted)
		for i := range 50 {
			if ask(allowance.SignUp, "example.org", fmt.Sprint("b", i)) == store.LetterGranted {
				granted["others"]++
			}
		}
		want(w.t, "of others", granted["others"], 40)
		want(w.t, "one more", ask(allowance.SignUp, "example.org", "c"), store.LetterDomainLimited)
		_, invited, err := w.Editions.RequestLetter(w.ctx(),
			store.LetterRequest{Kind: allowance.SignUp, Email: "guest@example.org", Invited: true}, noon)
		w.ok(err)
		want(w.t, "with an invitation", invited, store.LetterGranted)
		want(w.t, "who joins a newsletter", ask(allowance.ToJoin(1), "example.org", "c"), store.LetterGranted)
		for i := range 60 {
			_, _, err := w.Readers.AddUser(w.ctx(), fmt.Sprintf("s%d@example.org", i), "UTC", noon)
			w.ok(err)
			_, got := w.asks(allowance.SignIn, fmt.Sprintf("s%d@example.org", i), "a", noon)
			want(w.t, "a reader who signs in", got, store.LetterGranted)
		}
		want(w.t, "a reader with another address", ask(allowance.Address, "example.org", "a"), store.LetterGranted)
		_, later := w.asks(allowance.SignUp, "late@example.org", "c", noon.Add(time.Hour))
		want(w.t, "an hour later", later, store.LetterGranted)
	})
}

// TestInstanceOfLetters: newcomers share a bound on the letters of an hour, and half of it is for networks that
// request few. Readers have a bound of their own. Requests for addresses without an account do not count in it.
func TestInstanceOfLetters(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		var fill strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&fill, ",('sign-up', 'x%d@d%d.example', 'x%d@d%d.example', 'd%d.example', 'newcomers', 'botnet %d', %d, 1, 0)",
				i, i, i, i, i, i%50, noon.Unix())
		}
		const insert = `INSERT INTO letter_requests (kind, email_key, mailbox, domain, share, asker,
			requested_at, sent_at, answered) VALUES `
		w.ok(w.Exec(w.ctx(), insert+fill.String()[1:]))
		ask := func(kind allowance.Kind, email, asker string) store.LetterAnswer {
			w.t.Helper()
			_, answer := w.asks(kind, email, asker, noon)
			return answer
		}
		want(w.t, "of the botnet", ask(allowance.SignUp, "new@one.example", "botnet 7"), store.LetterAskerLimited)
		want(w.t, "of somebody new", ask(allowance.SignUp, "new@two.example", "honest"), store.LetterInstanceLimited)
		want(w.t, "who joins", ask(allowance.ToJoin(1), "new@two.example", "honest"), store.LetterInstanceLimited)
		want(w.t, "a reader", ask(allowance.SignIn, "ann@example.org", "honest"), store.LetterGranted)
		for i := range 300 {
			ask(allowance.SignIn, fmt.Sprintf("nobody%d@example.org", i), "botnet 7")
		}
		w.holds("of the readers' share", 1, `SELECT count(*) FROM letter_requests WHERE share = 'readers'`)
		w.ok(w.Editions.NoteLetters(w.ctx(), digest.LetterNote{Domain: "one.example", At: noon}))
		w.ok(w.Editions.NoteLetters(w.ctx(), digest.LetterNote{Domain: "two.example", At: noon.Add(time.Hour)}))
		w.ok(w.Editions.NoteLetters(w.ctx(), digest.LetterNote{At: noon}))
		w.ok(w.Editions.NoteLetters(w.ctx(), digest.LetterNote{SignIn: true, At: noon}))
		notes, err := w.Editions.LetterNotes(w.ctx())
		w.ok(err)
		want(w.t, "notes", fmt.Sprint(notes),
			fmt.Sprint([]digest.LetterNote{{Domain: "two.example", At: noon.Add(time.Hour)}, {At: noon},
				{SignIn: true, At: noon}}))
		w.ok(w.Exec(w.ctx(), `UPDATE letter_requests SET answered = 1 WHERE kind = 'sign-up' AND asker = 'botnet 1'`))
		want(w.t, "twenty were answered", ask(allowance.SignUp, "new@two.example", "honest"), store.LetterGranted)
	})
}

// TestSpellingsOfOneMailbox requests letters to many spellings of one mailbox, with all forms, newsletters and
// lists. Three are sent in an hour, and the reader can still sign in.
func TestSpellingsOfOneMailbox(t *testing.T) {
	each(t, func(w world) {
		_, _, err := w.Readers.AddUser(w.ctx(), "vic.tim@gmail.com", "UTC", noon)
		w.ok(err)
		granted := func(now time.Time, spell func(i int) string) (n int) {
			for i := range 60 {
				kind := []allowance.Kind{allowance.SignUp, allowance.ToJoin(int64(i)), allowance.Address}[i%3]
				if l, answer := w.asks(kind, spell(i), fmt.Sprint(i), now); answer == store.LetterGranted {
					w.ok(w.Editions.LetterSent(w.ctx(), l.ID, now))
					n++
				}
			}
			return n
		}
		dots := func(i int) string {
			return "vict"[:1+i%4] + "." + "victim"[1+i%4:] + fmt.Sprintf("+%d@GoogleMail.com", i)
		}
		want(w.t, "letters to a mailbox at Gmail", granted(noon, dots), 3)
		want(w.t, "within the hour", granted(noon.Add(59*time.Minute), dots), 0)
		want(w.t, "in the next", granted(noon.Add(time.Hour), dots), 3)
		_, signIn := w.asks(allowance.SignIn, "vic.tim@gmail.com", "reader", noon.Add(time.Hour))
		want(w.t, "a sign-in link", signIn, store.LetterGranted)
		want(w.t, "to one elsewhere",
			granted(noon, func(i int) string { return fmt.Sprintf("victim+%d@example.org", i) }), 3)
		for _, other := range []string{"victims@example.org", "vic.tim@example.org", "victim,1@example.org",
			"victim+1@two.example", "+1@example.org"} {
			_, answer := w.asks(allowance.SignUp, other, "a", noon)
			want(w.t, other, answer, store.LetterGranted)
		}
	})
}

// TestMailboxIsAnswered: the use of any link in a mailbox ends the wait of all its spellings.
func TestMailboxIsAnswered(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("kites", w.reader("anna", "UTC"))
		for name, use := range map[string]func(hash []byte, email string) error{
			"a sign-up": func(hash []byte, email string) error {
				w.ok(w.Sessions.AddSignUp(w.ctx(), hash, store.SignUp{Email: email, TimeZone: "UTC"}, noon,
					noon.Add(day)))
				_, err := w.Sessions.ConfirmSignUp(w.ctx(), hash, false, noon)
				return err
			},
			"a newsletter": func(hash []byte, email string) error {
				w.ok(w.Members.AddJoinRequest(w.ctx(), hash,
					store.JoinRequest{NewsletterID: n.ID, Email: email, TimeZone: "UTC"}, noon, noon.Add(day)))
				_, _, err := w.Members.ConfirmJoin(w.ctx(), hash, "192.0.2.1", noon)
				return err
			},
			"a sign-in": func(hash []byte, email string) error {
				u, _, err := w.Readers.AddUser(w.ctx(), email, "UTC", noon)
				w.ok(err)
				w.ok(w.Sessions.AddSignIn(w.ctx(), hash, u.ID, noon, noon.Add(time.Hour)))
				_, err = w.Sessions.UseSignIn(w.ctx(), hash, noon)
				return err
			},
			"another address": func(hash []byte, email string) error {
				u, _, err := w.Readers.AddUser(w.ctx(), "old"+email, "UTC", noon)
				w.ok(err)
				w.ok(w.Readers.AddAddressChange(w.ctx(), u.ID, email, []byte("old"), hash, noon, noon.Add(day), day))
				_, err = w.Readers.ConfirmAddress(w.ctx(), hash, nil, noon)
				return err
			},
		} {
			email := strings.ReplaceAll(name, " ", "") + "@gmail.com"
			spelled := strings.ReplaceAll(name, " ", ".") + "+x@gmail.com"
			for i := range 3 {
				_, got := w.asks(allowance.ToJoin(int64(100+i)), spelled, "a", noon)
				want(w.t, name, got, store.LetterGranted)
			}
			_, got := w.asks(allowance.ToJoin(200), email, "a", noon)
			want(w.t, name+", before", got, store.LetterAddressLimited)
			w.ok(use([]byte(name), email))
			_, got = w.asks(allowance.ToJoin(200), email, "a", noon)
			want(w.t, name+", after", got, store.LetterGranted)
		}
	})
}

// TestLettersAreAnswered: a used link, void links and a new account permit another letter.
func TestLettersAreAnswered(t *testing.T) {
	each(t, func(w world) {
		siege := func(email string) {
			w.t.Helper()
			for i := range 40 {
				if l, answer := w.asks(allowance.SignIn, email, fmt.Sprint(i),
					noon.Add(time.Duration(i-40)*time.Minute)); answer == store.LetterGranted {
					w.ok(w.Editions.LetterSent(w.ctx(), l.ID, noon))
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
		u, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		free("an account", "ann@example.org")
		w.ok(w.Sessions.AddSignIn(w.ctx(), []byte("h"), u.ID, noon, noon.Add(time.Hour)))
		_, err = w.Sessions.UseSignIn(w.ctx(), []byte("h"), noon)
		w.ok(err)
		free("a link was used", "ann@example.org")
		_, err = w.Sessions.EndSessions(w.ctx(), u.ID)
		w.ok(err)
		free("signed out everywhere", "ann@example.org")
		siege("new@example.org")
		w.ok(w.Readers.SetEmail(w.ctx(), u.ID, "new@example.org"))
		free("another address", "new@example.org")
	})
}

func TestLetterRequestsAtOnce(t *testing.T) {
	each(t, func(w world) {
		var granted atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, answer, err := w.Editions.RequestLetter(w.ctx(),
					store.LetterRequest{Kind: allowance.SignIn, Email: "ann@example.org"}, noon)
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
		u, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		w.ok(w.Readers.AddAddressChange(w.ctx(), u.ID, "Änn@new.example", []byte("o"), []byte("n"), noon, noon.Add(day),
			day))
		w.asks(allowance.Address, "Änn@new.example", "a", noon)
		w.asks(allowance.SignUp, "bob@example.org", "a", noon)
		cy, _ := w.asks(allowance.SignUp, "cy@example.org", "a", noon)
		w.ok(w.Editions.LetterSent(w.ctx(), cy.ID, noon))
		w.ok(w.Editions.ForgetLetterRequests(w.ctx()))
		w.holds("wishes", 0, `SELECT count(*) FROM address_changes`)
		_, bob := w.asks(allowance.SignUp, "bob@example.org", "b", noon)
		want(w.t, "bob may ask again", bob, store.LetterGranted)
		_, again := w.asks(allowance.SignUp, "cy@example.org", "b", noon)
		want(w.t, "cy has had his letter", again, store.LetterAddressLimited)
	})
}

// TestVoidLinks: mail that is claimed after VoidLinks has links of the next round.
func TestVoidLinks(t *testing.T) {
	each(t, func(w world) {
		_, d, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "Europe/Paris", noon)
		w.ok(err)
		f := w.feed("f.example")
		w.subscribe(d, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.VoidLinks(w.ctx(), d.ID))
		want(w.t, "released", w.hour(parisMidnight), 1)
		claimed := w.claimEditions(parisMidnight, 9, "t")
		want(w.t, "claimed", len(claimed), 1)
		want(w.t, "in the mail", claimed[0].LinkRound, 1)
		w.ok(w.Exec(w.ctx(), fmt.Sprintf(`UPDATE digests SET link_round = %d`, digest.LastLinkRound)))
		w.ok(w.Readers.VoidLinks(w.ctx(), d.ID))
		d, err = w.Readers.Digest(w.ctx(), d.ID)
		w.ok(err)
		want(w.t, "after the last round", d.LinkRound, 1)
		want(w.t, "of no digest", digest.KindOf(w.Readers.VoidLinks(w.ctx(), 99)), digest.NotFound)
	})
}

// TestSessionsAreCapped checks that the fifty-first session ends the one that was not used for longest.
func TestSessionsAreCapped(t *testing.T) {
	each(t, func(w world) {
		u, _, err := w.Readers.AddUser(w.ctx(), "ann@example.org", "UTC", noon)
		w.ok(err)
		bob, _, err := w.Readers.AddUser(w.ctx(), "bob@example.org", "UTC", noon)
		w.ok(err)
		begin := func(name string, user digest.UserID, at time.Time) {
			w.t.Helper()
			w.ok(w.Sessions.AddSession(w.ctx(), []byte(name), user, at, at.Add(90*day)))
		}
		in := func(name string) bool {
			_, err := w.Sessions.SessionUser(w.ctx(), []byte(name), noon.Add(day))
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
		renewed, err := w.Sessions.RenewSession(w.ctx(), []byte("s1"), noon.Add(time.Hour), noon.Add(91*day))
		w.ok(err)
		want(w.t, "renewed", renewed, true)
		begin("another", u.ID, noon.Add(2*time.Hour))
		want(w.t, "the second, which was used", in("s1"), true)
		want(w.t, "the third", in("s2"), false)
		w.holds("sessions", 50, fmt.Sprintf(`SELECT count(*) FROM sessions WHERE user_id = %d`, u.ID))
	})
}

// TestMailboxPlan holds that SQLite, which uses a partial index only for a query with its condition, counts by index.
func TestMailboxPlan(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	plan, err := s.MailboxPlan(t.Context())
	if err != nil || !strings.Contains(plan, "confirmation_requests_mailbox") ||
		!strings.Contains(plan, "letter_requests_share") {
		t.Errorf("%s, %v", plan, err)
	}
}
