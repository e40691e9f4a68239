package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
	"digest/store"
	"digest/test/tier"
)

// ask queues confirmation requests of a newsletter.
func (w world) ask(n digest.Newsletter, now time.Time, emails ...string) store.AskCount {
	w.Helper()
	var all []store.Joining
	for _, email := range emails {
		all = append(all, store.Joining{Email: email, TimeZone: "Asia/Tokyo"})
	}
	sum := must(w.Members.QueueAsks(w.ctx, n.ID, all, now))
	return sum
}

// askAll sends all requests that may be sent now, and returns how many.
func (w world) askAll(now time.Time) (n int) {
	w.Helper()
	return w.askBy(now, func(a newsletter.Ask) string { return a.Email })
}

// askBy is askAll with the caller's tokens.
func (w world) askBy(now time.Time, token func(newsletter.Ask) string) (n int) {
	w.Helper()
	for {
		a, found := must2(w.Members.NextAsk(w.ctx, now))
		if !found {
			return n
		}
		w.ok(w.Members.AskNow(w.ctx, a, []byte(token(a)), now))
		n++
	}
}

func numbered(a newsletter.Ask) string { return fmt.Sprint(a.ID) }

func (w world) counts(n digest.Newsletter, now time.Time) newsletter.AskCounts {
	w.Helper()
	counts, _ := must2(w.Members.AskCounts(w.ctx, n.ID, now))
	return counts
}

// addresses returns how many requests still have an address.
func (w world) addresses() int {
	w.Helper()
	n := w.count(`SELECT count(*) FROM confirmation_requests WHERE email <> ''`)
	return n
}

// TestWhomAListAsks checks which addresses of a list get a request.
func TestWhomAListAsks(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		other := w.newsletter("other", w.reader("olga", "UTC"))
		w.member(n, "member@example.org", "UTC")
		left := w.member(n, "left@example.org", "UTC")
		w.ok(w.Readers.SetDigestState(w.ctx, left.DigestID, digest.DigestLeft, noon))
		gone := w.member(n, "gone@example.org", "UTC")
		w.remove(gone.UserID, noon)
		must(w.Members.SuppressInNewsletter(w.ctx, n.ID,
			[]digest.NewsletterSuppression{{Email: "blocked@example.org", Reason: "blocked"}}, noon))
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: "bounced@example.org", Reason: digest.ForHardBounce,
			CreatedAt: noon}))
		w.member(other, "elsewhere@example.org", "UTC")
		w.ask(n, noon, "waits@example.org", "asked@example.org")
		want(w, "asked", w.askAll(noon), 2)

		for _, test := range []struct {
			email string
			want  store.AskCount
		}{
			{"new@example.org", store.AskCount{Queued: 1}},
			{"NEW@example.org", store.AskCount{Known: 1}},
			{"elsewhere@example.org", store.AskCount{Queued: 1}},
			{"anna@example.org", store.AskCount{Queued: 1}}, // has a digest here
			{"Asked@Example.org", store.AskCount{Known: 1}},
			{"member@example.org", store.AskCount{Barred: 1}},
			{"LEFT@example.org", store.AskCount{Barred: 1}},
			{"gone@example.org", store.AskCount{Barred: 1}},
			{"blocked@example.org", store.AskCount{Barred: 1}},
			{"bounced@example.org", store.AskCount{Barred: 1}},
		} {
			want(w, test.email, w.ask(n, noon, test.email), test.want)
		}
		w.setNewsletter(n, digest.NewsletterEnded, "", noon)
		oneLine(w, err2(w.Members.QueueAsks(w.ctx, n.ID, []store.Joining{{Email: "late@example.org"}}, noon)),
			digest.Conflict)
	})
}

// TestAskedOnce: after any outcome of a request, no list sends the person another.
func TestAskedOnce(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		all := []string{"yes@example.org", "silent@example.org", "nobody@example.org", "spam@example.org",
			"refused@example.org", "joins@example.org"}
		w.ask(n, noon, all...)
		a := map[string]newsletter.Ask{}
		for range all {
			next, found := must2(w.Members.NextAsk(w.ctx, noon))
			want(w, "found", found, true)
			a[next.Email] = next
		}
		w.member(n, "joins@example.org", "UTC") // by the form, while the email is being composed
		oneLine(w, w.Members.AskNow(w.ctx, a["joins@example.org"], []byte("j"), noon), digest.Conflict)
		w.ok(w.Members.AskFailed(w.ctx, a["refused@example.org"], []byte("r"), newsletter.AskRefused, "554 no", noon))
		for _, email := range all[:4] {
			w.ok(w.Members.AskNow(w.ctx, a[email], []byte(email), noon))
		}
		must2(w.Members.ConfirmJoin(w.ctx, []byte("yes@example.org"), "192.0.2.1", noon.Add(time.Hour)))
		for email, kind := range map[string]digest.BounceKind{"nobody@example.org": digest.HardBounce,
			"spam@example.org": digest.Complaint} {
			got := must(w.Members.RecordAskBounce(w.ctx, noon, a[email].ID, digest.Bounce{Kind: kind}))
			want(w, "suppressed", got, map[digest.BounceKind]string{digest.HardBounce: email}[kind])
			oneLine(w, err2(w.Members.RecordAskBounce(w.ctx, noon, a[email].ID, digest.Bounce{Kind: kind})),
				digest.NotFound)
			oneLine(w, err3(w.Members.ConfirmJoin(w.ctx, []byte(email), "192.0.2.1", noon.Add(time.Hour))),
				digest.NotFound)
		}
		late := noon.Add(newsletter.AskLife)
		w.ok(w.Members.ForgetAsks(w.ctx, late))
		want(w, "counts", w.counts(n, late), newsletter.AskCounts{Confirmed: 1, Lapsed: 1, Bounced: 1, Complained: 1,
			Refused: 1, Waiting: 1})
		want(w, "again", w.ask(n, late, all...).Queued, 0)
		want(w, "asked again", w.askAll(late), 0)
		want(w, "counts", w.counts(n, late).Dropped, 1) // joined in between
		want(w, "addresses", w.addresses(), 0)
		events := must(w.Members.MemberEvents(w.ctx, n.ID, "silent@example.org"))
		want(w, "what is known of who was silent", len(events), 0)
		oneLine(w, err3(w.Members.ConfirmJoin(w.ctx, []byte("silent@example.org"), "192.0.2.1", late)), digest.NotFound)
	})
}

// TestAskProves: a person who presses the button joins with the proof of it, and the history has it.
func TestAskProves(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		w.ask(n, noon, "mo@example.org")
		asked, pressed := noon.Add(time.Hour), noon.Add(29*day)
		want(w, "asked", w.askAll(asked), 1)
		_, m := must2(w.Members.ConfirmJoin(w.ctx, []byte("mo@example.org"), "192.0.2.1", pressed))
		want(w, "proof", m.Proof, digest.Proof{Form: "import of " + noon.Format(time.DateOnly), Address: "192.0.2.1",
			AskedAt: asked, At: pressed})
		want(w, "zone", m.TimeZone, "Asia/Tokyo")
		events := must(w.Members.MemberEvents(w.ctx, n.ID, "mo@example.org"))
		wantDiff(w, "history", events, []store.MemberEvent{{At: asked, Kind: "asked", Detail: m.Form},
			{At: pressed, Kind: "joined", Detail: m.Form}})
	})
}

// TestAskCrash: if a worker dies before the email is accepted, another worker gets its request after a while, and the
// first cannot send it any longer. If it dies after that, the request counts as sent.
func TestAskCrash(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		w.ask(n, noon, "mo@example.org")
		first, found := must2(w.Members.NextAsk(w.ctx, noon))
		want(w, "found", found, true)
		want(w, "meanwhile", w.askAll(noon.Add(time.Minute)), 0)
		later := noon.Add(time.Hour)
		second, found := must2(w.Members.NextAsk(w.ctx, later))
		want(w, "found", found, true)
		oneLine(w, w.Members.AskNow(w.ctx, first, []byte("1"), later), digest.Conflict)
		w.ok(w.Members.AskFailed(w.ctx, first, []byte("1"), newsletter.AskRefused, "", later)) // has no effect either
		w.ok(w.Members.AskNow(w.ctx, second, []byte("2"), later))
		want(w, "afterwards", w.askAll(later.Add(day)), 0)

		// The server answers that it did not accept the email.
		w.ok(w.Members.AskAgain(w.ctx, second, []byte("2"), true, later.Add(time.Hour)))
		oneLine(w, err2(w.Members.JoinRequest(w.ctx, []byte("2"), later)), digest.NotFound)
		want(w, "too early", w.askAll(later), 0)
		third, found := must2(w.Members.NextAsk(w.ctx, later.Add(time.Hour)))
		want(w, "found", found, true)
		want(w, "tries", third.Tries, 1)
	})
}

// TestAskPace: a newsletter sends a limited number of requests a day, and an hour to one mail domain. A hold, a route
// or a domain in trouble, and a list with many bad addresses stop it.
func TestAskPace(t *testing.T) {
	tier.Alone(t)
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		var all []string
		for i := range newsletter.AsksADay + 50 {
			all = append(all, fmt.Sprintf("m%d@d%d.example", i, i%20))
		}
		for i := range newsletter.AsksToDomain + 5 {
			all = append(all, fmt.Sprintf("m%d@big.example", i))
		}
		w.ask(n, noon, all[newsletter.AsksADay+50:]...)
		want(w, "at one domain", w.askAll(noon), newsletter.AsksToDomain)
		want(w, "half an hour later", w.askAll(noon.Add(30*time.Minute)), 0)
		w.setNewsletter(n, digest.NewsletterHeld, "by the publisher", noon)
		at := noon.Add(61 * time.Minute)
		want(w, "held", w.askAll(at), 0)
		w.setNewsletter(n, digest.NewsletterActive, "", noon)
		for _, lane := range []string{"", "big.example"} {
			pause := func(until time.Time) func(digest.Lane) digest.Lane {
				return func(l digest.Lane) digest.Lane {
					l.Until, l.Pause = until, time.Hour
					return l
				}
			}
			must(w.Editions.ChangeLane(w.ctx, at, lane, pause(at.Add(time.Hour))))
			want(w, "in trouble", w.askAll(at), 0)
			must(w.Editions.ChangeLane(w.ctx, at, lane, pause(time.Time{})))
		}
		want(w, "an hour later", w.askAll(at), 5)
		w.ask(n, at, all[:newsletter.AsksADay+50]...)
		want(w, "of a day", w.askAll(at), newsletter.AsksADay-newsletter.AsksToDomain-5)
		want(w, "of the next day", w.askAll(at.Add(25*time.Hour)), 155)
	})
}

func TestAskStops(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		w.ask(n, noon, "a@a.example", "b@b.example", "c@c.example")
		for range 2 {
			a, _ := must2(w.Members.NextAsk(w.ctx, noon))
			w.ok(w.Members.AskNow(w.ctx, a, []byte(a.Email), noon))
			must(w.Members.RecordAskBounce(w.ctx, noon, a.ID, digest.Bounce{Kind: digest.Complaint}))
		}
		want(w, "asked", w.askAll(noon), 0)
		_, stopped := must2(w.Members.AskCounts(w.ctx, n.ID, noon))
		want(w, "says", stopped, "2 of the last 2 people asked to confirm marked the email as spam")
		late := noon.Add(newsletter.AskPatience)
		w.ok(w.Members.ForgetAsks(w.ctx, late))
		want(w, "forgotten", w.counts(n, late), newsletter.AskCounts{Complained: 2})
		want(w, "may be asked by a later list", w.ask(n, late, "a@a.example", "c@c.example"),
			store.AskCount{Queued: 1, Barred: 1})
	})
}

// TestWhoGoesIsNotAsked: a reader who removes their account gets no request from a list that was queued before.
func TestWhoGoesIsNotAsked(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		d := w.reader("ada", "UTC")
		w.ask(n, noon, "Ada@example.org")
		w.remove(d.UserID, noon)
		want(w, "asked", w.askAll(noon), 0)
		want(w, "addresses", w.addresses(), 0)
		want(w, "again", w.ask(n, noon, "ada@example.org"), store.AskCount{Known: 1})
	})
}

// TestAskOneMailbox: a list with many spellings of one mailbox sends it one request. The lists of many newsletters
// send it three an hour.
func TestAskOneMailbox(t *testing.T) {
	each(t, func(w world) {
		var spellings []string
		for i := range 250 {
			spellings = append(spellings, fmt.Sprintf("v.ictim+%d@gmail.com", i))
		}
		for i := range 5 {
			n := w.newsletter(fmt.Sprint("list-", i), w.reader(fmt.Sprint("owner", i), "UTC"))
			want(w, "queued", w.ask(n, noon, spellings...), store.AskCount{Queued: 1, Known: 249})
		}
		want(w, "in the first hour", w.askBy(noon, numbered), 3)
		want(w, "at its end", w.askBy(noon.Add(time.Hour-time.Second), numbered), 0)
		want(w, "in the next", w.askBy(noon.Add(time.Hour), numbered), 2)
		want(w, "and never again", w.askBy(noon.Add(day), numbered), 0)
	})
}

// TestAskPutOff: an email that no server accepted does not count.
func TestAskPutOff(t *testing.T) {
	each(t, func(w world) {
		for i := range 4 {
			w.ask(w.newsletter(fmt.Sprint("list-", i), w.reader(fmt.Sprint("owner", i), "UTC")), noon, "mo@example.org")
		}
		a, found := must2(w.Members.NextAsk(w.ctx, noon))
		want(w, "found", found, true)
		w.ok(w.Members.AskNow(w.ctx, a, []byte("h"), noon))
		w.ok(w.Members.AskAgain(w.ctx, a, []byte("h"), true, noon.Add(day)))
		want(w, "others", w.askBy(noon, numbered), 3)
	})
}

// TestAddOneMailbox: a publisher can add three spellings of one mailbox in an hour.
func TestAddOneMailbox(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"))
		add := func(email string, now time.Time) error {
			_, _, err := w.Members.Join(w.ctx, n.ID, store.Joining{Email: email, TimeZone: "UTC"}, now)
			return err
		}
		for i := range 3 {
			w.ok(add(fmt.Sprintf("victim+%d@example.org", i), noon))
		}
		oneLine(w, add("victim+4@example.org", noon), digest.Conflict)
		w.ok(add("victim+1@example.org", noon)) // is a member
		w.ok(add("other@example.org", noon))
		want(w, "who is added is mailed what they ask for", func() store.LetterAnswer {
			_, answer := w.asks("sign-up", "victim@example.org", "a", noon)
			return answer
		}(), store.LetterGranted)
		w.ok(add("victim+4@example.org", noon.Add(time.Hour)))
	})
}
