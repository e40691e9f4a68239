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
	w.Helper()
	r := store.LetterRequest{Kind: kind, Email: email, Asker: asker, Life: time.Hour}
	l, answer := must2(w.Editions.RequestLetter(w.ctx, r, now))
	if (l.ID != 0) != (answer == store.LetterGranted) {
		w.Fatalf("%s, key %d", answer, l.ID)
	}
	return l, answer
}

// TestLetterRequests checks which letters count for whom.
func TestLetterRequests(t *testing.T) {
	each(t, func(w world) {
		must2(w.Readers.AddUser(w.ctx, "ann@example.org", "UTC", noon))
		now := noon
		expect := func(what string, kind allowance.Kind, email string, want store.LetterAnswer) store.Letter {
			w.Helper()
			l, got := w.asks(kind, email, "a", now)
			if got != want {
				w.Fatalf("%s: %s, want %s", what, got, want)
			}
			return l
		}
		first := expect("the first", allowance.SignIn, "Ann@Example.org", store.LetterGranted)
		expect("at once, in another case", allowance.SignIn, "ann@example.ORG", store.LetterAddressLimited)
		expect("of another kind", allowance.SignUp, "ann@example.org", store.LetterGranted)
		expect("from a browser that is known", allowance.KnownSignIn, "ann@example.org", store.LetterGranted)
		expect("to another mailbox", allowance.SignIn, "bob@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterSent(w.ctx, first.ID, now))
		now = now.Add(2 * time.Minute)
		second := expect("the second", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterUnsent(w.ctx, second.ID))
		third := expect("the second never came", allowance.SignIn, "ann@example.org", store.LetterGranted)
		w.ok(w.Editions.LetterSent(w.ctx, third.ID, now))
		now = now.Add(2 * time.Minute)
		expect("a fourth of any kind", allowance.SignIn, "ann@example.org", store.LetterAddressLimited)
		now = noon.Add(time.Hour)
		fourth := expect("when the first is an hour old", allowance.SignIn, "ann@example.org", store.LetterGranted)
		want(w, "the link works until another may come", fourth.Life, 2*time.Hour)
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
		want(w, "of one asker", granted["a"], 10)
		want(w, "the next of theirs, beside it", ask(allowance.SignUp, "www.example.org", "a"),
			store.LetterAskerLimited)
		want(w, "at another domain", ask(allowance.SignUp, "two.example", "a"), store.LetterGranted)
		for i := range 50 {
			if ask(allowance.SignUp, "example.org", fmt.Sprint("b", i)) == store.LetterGranted {
				granted["others"]++
			}
		}
		want(w, "of others", granted["others"], 40)
		want(w, "one more", ask(allowance.SignUp, "example.org", "c"), store.LetterDomainLimited)
		_, invited := must2(w.Editions.RequestLetter(w.ctx,
			store.LetterRequest{Kind: allowance.SignUp, Email: "guest@example.org", Invited: true}, noon))
		want(w, "with an invitation", invited, store.LetterGranted)
		want(w, "who joins a newsletter", ask(allowance.ToJoin(1), "example.org", "c"), store.LetterGranted)
		for i := range 60 {
			must2(w.Readers.AddUser(w.ctx, fmt.Sprintf("s%d@example.org", i), "UTC", noon))
			_, got := w.asks(allowance.SignIn, fmt.Sprintf("s%d@example.org", i), "a", noon)
			want(w, "a reader who signs in", got, store.LetterGranted)
		}
		want(w, "a reader with another address", ask(allowance.Address, "example.org", "a"), store.LetterGranted)
		_, later := w.asks(allowance.SignUp, "late@example.org", "c", noon.Add(time.Hour))
		want(w, "an hour later", later, store.LetterGranted)
	})
}

// TestInstanceOfLetters: newcomers share a bound on the letters of an hour, and half of it is for networks that
// request few. Readers have a bound of their own. Requests for addresses without an account do not count in it.
func TestInstanceOfLetters(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		var fill strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&fill, ",('sign-up', 'x%d@d%d.example', 'x%d@d%d.example', 'd%d.example', 'newcomers', "+
				"'botnet %d', %d, 1, 0)",
				i, i, i, i, i, i%50, noon.Unix())
		}
		const insert = `INSERT INTO letter_requests (kind, email_key, mailbox, domain, share, asker,
			requested_at, sent_at, answered) VALUES `
		w.exec(insert + fill.String()[1:])
		ask := func(kind allowance.Kind, email, asker string) store.LetterAnswer {
			w.Helper()
			_, answer := w.asks(kind, email, asker, noon)
			return answer
		}
		want(w, "of the botnet", ask(allowance.SignUp, "new@one.example", "botnet 7"), store.LetterAskerLimited)
		want(w, "of somebody new", ask(allowance.SignUp, "new@two.example", "honest"), store.LetterInstanceLimited)
		want(w, "who joins", ask(allowance.ToJoin(1), "new@two.example", "honest"), store.LetterInstanceLimited)
		want(w, "a reader", ask(allowance.SignIn, "ann@example.org", "honest"), store.LetterGranted)
		for i := range 300 {
			ask(allowance.SignIn, fmt.Sprintf("nobody%d@example.org", i), "botnet 7")
		}
		w.holds("of the readers' share", 1, `SELECT count(*) FROM letter_requests WHERE share = 'readers'`)
		w.ok(w.Editions.NoteLetters(w.ctx, digest.LetterNote{Domain: "one.example", At: noon}))
		w.ok(w.Editions.NoteLetters(w.ctx, digest.LetterNote{Domain: "two.example", At: noon.Add(time.Hour)}))
		w.ok(w.Editions.NoteLetters(w.ctx, digest.LetterNote{At: noon}))
		w.ok(w.Editions.NoteLetters(w.ctx, digest.LetterNote{SignIn: true, At: noon}))
		notes := must(w.Editions.LetterNotes(w.ctx))
		want(w, "notes", fmt.Sprint(notes),
			fmt.Sprint([]digest.LetterNote{{Domain: "two.example", At: noon.Add(time.Hour)}, {At: noon},
				{SignIn: true, At: noon}}))
		w.exec(`UPDATE letter_requests SET answered = 1 WHERE kind = 'sign-up' AND asker = 'botnet 1'`)
		want(w, "twenty were answered", ask(allowance.SignUp, "new@two.example", "honest"), store.LetterGranted)
	})
}

// TestSpellingsOfOneMailbox requests letters to many spellings of one mailbox, with all forms, newsletters and
// lists. Three are sent in an hour, and the reader can still sign in.
func TestSpellingsOfOneMailbox(t *testing.T) {
	each(t, func(w world) {
		must2(w.Readers.AddUser(w.ctx, "vic.tim@gmail.com", "UTC", noon))
		granted := func(now time.Time, spell func(i int) string) (n int) {
			for i := range 60 {
				kind := []allowance.Kind{allowance.SignUp, allowance.ToJoin(int64(i)), allowance.Address}[i%3]
				if l, answer := w.asks(kind, spell(i), fmt.Sprint(i), now); answer == store.LetterGranted {
					w.ok(w.Editions.LetterSent(w.ctx, l.ID, now))
					n++
				}
			}
			return n
		}
		dots := func(i int) string {
			return "vict"[:1+i%4] + "." + "victim"[1+i%4:] + fmt.Sprintf("+%d@GoogleMail.com", i)
		}
		want(w, "letters to a mailbox at Gmail", granted(noon, dots), 3)
		want(w, "within the hour", granted(noon.Add(59*time.Minute), dots), 0)
		want(w, "in the next", granted(noon.Add(time.Hour), dots), 3)
		_, signIn := w.asks(allowance.SignIn, "vic.tim@gmail.com", "reader", noon.Add(time.Hour))
		want(w, "a sign-in link", signIn, store.LetterGranted)
		want(w, "to one elsewhere",
			granted(noon, func(i int) string { return fmt.Sprintf("victim+%d@example.org", i) }), 3)
		for _, other := range []string{"victims@example.org", "vic.tim@example.org", "victim,1@example.org",
			"victim+1@two.example", "+1@example.org"} {
			_, answer := w.asks(allowance.SignUp, other, "a", noon)
			want(w, other, answer, store.LetterGranted)
		}
	})
}

// TestMailboxIsAnswered: the use of any link in a mailbox ends the wait of all its spellings.
func TestMailboxIsAnswered(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("kites", w.reader("anna", "UTC"))
		for name, use := range map[string]func(hash []byte, email string) error{
			"a sign-up": func(hash []byte, email string) error {
				w.ok(w.Sessions.AddSignUp(w.ctx, hash, store.SignUp{Email: email, TimeZone: "UTC"}, noon,
					noon.Add(day)))
				_, err := w.Sessions.ConfirmSignUp(w.ctx, hash, false, noon)
				return err
			},
			"a newsletter": func(hash []byte, email string) error {
				w.ok(w.Members.AddJoinRequest(w.ctx, hash,
					store.JoinRequest{NewsletterID: n.ID, Email: email, TimeZone: "UTC"}, noon, noon.Add(day)))
				_, _, err := w.Members.ConfirmJoin(w.ctx, hash, "192.0.2.1", noon)
				return err
			},
			"a sign-in": func(hash []byte, email string) error {
				u, _, err := w.Readers.AddUser(w.ctx, email, "UTC", noon)
				w.ok(err)
				w.ok(w.Sessions.AddSignIn(w.ctx, hash, u.ID, noon, noon.Add(time.Hour)))
				_, err = w.Sessions.UseSignIn(w.ctx, hash, noon)
				return err
			},
			"another address": func(hash []byte, email string) error {
				u, _, err := w.Readers.AddUser(w.ctx, "old"+email, "UTC", noon)
				w.ok(err)
				w.ok(w.Readers.AddAddressChange(w.ctx, u.ID, email, []byte("old"), hash, noon, noon.Add(day), day))
				_, err = w.Readers.ConfirmAddress(w.ctx, hash, nil, noon)
				return err
			},
		} {
			email := strings.ReplaceAll(name, " ", "") + "@gmail.com"
			spelled := strings.ReplaceAll(name, " ", ".") + "+x@gmail.com"
			for i := range 3 {
				_, got := w.asks(allowance.ToJoin(int64(100+i)), spelled, "a", noon)
				want(w, name, got, store.LetterGranted)
			}
			_, got := w.asks(allowance.ToJoin(200), email, "a", noon)
			want(w, name+", before", got, store.LetterAddressLimited)
			w.ok(use([]byte(name), email))
			_, got = w.asks(allowance.ToJoin(200), email, "a", noon)
			want(w, name+", after", got, store.LetterGranted)
		}
	})
}

// TestLettersAreAnswered: a used link, void links and a new account permit another letter.
func TestLettersAreAnswered(t *testing.T) {
	each(t, func(w world) {
		siege := func(email string) {
			w.Helper()
			for i := range 40 {
				if l, answer := w.asks(allowance.SignIn, email, fmt.Sprint(i),
					noon.Add(time.Duration(i-40)*time.Minute)); answer == store.LetterGranted {
					w.ok(w.Editions.LetterSent(w.ctx, l.ID, noon))
				}
			}
			_, answer := w.asks(allowance.SignIn, email, "r", noon)
			want(w, "under siege", answer, store.LetterAddressLimited)
		}
		free := func(what, email string) {
			w.Helper()
			_, answer := w.asks(allowance.SignIn, email, "r", noon)
			want(w, what, answer, store.LetterGranted)
		}
		siege("ann@example.org")
		u, _ := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "UTC", noon))
		free("an account", "ann@example.org")
		w.ok(w.Sessions.AddSignIn(w.ctx, []byte("h"), u.ID, noon, noon.Add(time.Hour)))
		must(w.Sessions.UseSignIn(w.ctx, []byte("h"), noon))
		free("a link was used", "ann@example.org")
		must(w.Sessions.EndSessions(w.ctx, u.ID))
		free("signed out everywhere", "ann@example.org")
		siege("new@example.org")
		w.ok(w.Readers.SetEmail(w.ctx, u.ID, "new@example.org"))
		free("another address", "new@example.org")
	})
}

func TestLetterRequestsAtOnce(t *testing.T) {
	each(t, func(w world) {
		var granted atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, answer, err := w.Editions.RequestLetter(w.ctx,
					store.LetterRequest{Kind: allowance.SignIn, Email: "ann@example.org"}, noon)
				if err != nil {
					w.Error(err)
				}
				if answer == store.LetterGranted {
					granted.Add(1)
				}
			})
		}
		all.Wait()
		want(w, "granted", granted.Load(), 1)
	})
}

func TestForgetLetterRequests(t *testing.T) {
	each(t, func(w world) {
		u, _ := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "UTC", noon))
		w.ok(w.Readers.AddAddressChange(w.ctx, u.ID, "Änn@new.example", []byte("o"), []byte("n"), noon, noon.Add(day),
			day))
		w.asks(allowance.Address, "Änn@new.example", "a", noon)
		w.asks(allowance.SignUp, "bob@example.org", "a", noon)
		cy, _ := w.asks(allowance.SignUp, "cy@example.org", "a", noon)
		w.ok(w.Editions.LetterSent(w.ctx, cy.ID, noon))
		w.ok(w.Editions.ForgetLetterRequests(w.ctx))
		w.holds("wishes", 0, `SELECT count(*) FROM address_changes`)
		_, bob := w.asks(allowance.SignUp, "bob@example.org", "b", noon)
		want(w, "bob may ask again", bob, store.LetterGranted)
		_, again := w.asks(allowance.SignUp, "cy@example.org", "b", noon)
		want(w, "cy has had his letter", again, store.LetterAddressLimited)
	})
}

// TestVoidLinks: mail that is claimed after VoidLinks has links of the next round.
func TestVoidLinks(t *testing.T) {
	each(t, func(w world) {
		_, d := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "Europe/Paris", noon))
		f := w.feed("f.example")
		w.subscribe(d, f)
		w.posted(f, "p")
		w.ok(w.Readers.VoidLinks(w.ctx, d.ID))
		want(w, "released", w.hour(parisMidnight), 1)
		claimed := w.claimEditions(parisMidnight, 9, "t")
		want(w, "claimed", len(claimed), 1)
		want(w, "in the mail", claimed[0].LinkRound, 1)
		w.exec(fmt.Sprintf(`UPDATE digests SET link_round = %d`, digest.LastLinkRound))
		w.ok(w.Readers.VoidLinks(w.ctx, d.ID))
		d = must(w.Readers.Digest(w.ctx, d.ID))
		want(w, "after the last round", d.LinkRound, 1)
		oneLine(w, w.Readers.VoidLinks(w.ctx, 99), digest.NotFound)
	})
}

// TestSessionsAreCapped checks that the fifty-first session ends the one that was not used for longest.
func TestSessionsAreCapped(t *testing.T) {
	each(t, func(w world) {
		u, _ := must2(w.Readers.AddUser(w.ctx, "ann@example.org", "UTC", noon))
		bob, _ := must2(w.Readers.AddUser(w.ctx, "bob@example.org", "UTC", noon))
		begin := func(name string, user digest.UserID, at time.Time) {
			w.Helper()
			w.ok(w.Sessions.AddSession(w.ctx, []byte(name), user, at, at.Add(90*day)))
		}
		in := func(name string) bool {
			_, err := w.Sessions.SessionUser(w.ctx, []byte(name), noon.Add(day))
			return err == nil
		}
		begin("bob's", bob.ID, noon.Add(-time.Hour))
		for i := range 50 {
			begin(fmt.Sprint("s", i), u.ID, noon.Add(time.Duration(i)*time.Second))
		}
		want(w, "the first of fifty", in("s0"), true)
		begin("one more", u.ID, noon.Add(time.Minute))
		want(w, "the first", in("s0"), false)
		want(w, "the second", in("s1"), true)
		want(w, "the last", in("one more"), true)
		want(w, "another reader's", in("bob's"), true)
		renewed := must(w.Sessions.RenewSession(w.ctx, []byte("s1"), noon.Add(time.Hour), noon.Add(91*day)))
		want(w, "renewed", renewed, true)
		begin("another", u.ID, noon.Add(2*time.Hour))
		want(w, "the second, which was used", in("s1"), true)
		want(w, "the third", in("s2"), false)
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
