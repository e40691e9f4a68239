package web_test

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
	"digest/web"
)

// TestCrowdsShutNobodyOut sends requests from enough networks to use up every bucket of a limiter with one row, and
// then requests from other networks.
func TestCrowdsShutNobodyOut(t *testing.T) {
	tier.Alone(t)
	crowd := func(first string, networks int, bits uint) (passed int, ask func(string, time.Time) bool) {
		ask = web.SignIns()
		a := netip.MustParseAddr(first).As16()
		top := binary.BigEndian.Uint64(a[:8])
		for i := range networks {
			binary.BigEndian.PutUint64(a[:8], top+uint64(i)<<(64-bits))
			for range 20 {
				if ask(netip.AddrPortFrom(netip.AddrFrom16(a), 1).String(), noon) {
					passed++
				}
			}
		}
		return passed, ask
	}
	for what, c := range map[string]struct {
		first    string
		networks int
		bits     uint
		most     int
	}{
		"every /64 of a /48": {"2001:db8::1", 1 << 16, 64, 100},
		"every /48 of a /32": {"2001:db8::1", 1 << 16, 48, 500},
		"2,000 of IPv4":      {"::ffff:0:0", 0, 64, 0},
	} {
		passed, ask := crowd(c.first, c.networks, c.bits)
		if passed > c.most {
			t.Errorf("%s: %d passed, want %d at most", what, passed, c.most)
		}
		if c.networks == 0 { // scattered over the Internet
			for i := range 2000 {
				for range 20 {
					ask(fmt.Sprintf("%d.%d.%d.7:1", 11+i%200, i*7%250, i*13%250), noon)
				}
			}
		}
		refused := 0
		for i := range 1000 {
			if !ask(fmt.Sprintf("[2a01:%x::1]:1", i+1), noon) {
				refused++
			}
		}
		if refused > 20 {
			t.Errorf("%s: then %d of 1,000 others are refused", what, refused)
		}
	}
}

// TestFiveRequestsSilenceNobody lets a vandal request a reader's emails from one network. A browser that the reader
// has used still gets an email. The links work until the hour ends. Then the reader gets the next email on another
// network.
func TestFiveRequestsSilenceNobody(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		browser := r.visitor().at("192.0.2.1").signIn(ann)
		browser.post("/sign-out", nil).status(http.StatusSeeOther)
		vandal := r.visitor().at("203.0.113.5")
		for range 5 {
			vandal.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
			r.now = r.now.Add(2 * time.Minute)
		}
		caused := r.letters()
		if n := len(caused); n != 3 {
			r.t.Fatalf("the vandal causes %d letters, want 3", n)
		}
		browser.asks("/sign-in/email", "Ann@Example.org").status(http.StatusSeeOther)
		l := r.letter()
		elsewhere := r.visitor().at("198.51.100.77")
		elsewhere.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
		r.noLetter()
		r.now = r.now.Add(49 * time.Minute)
		for _, l := range caused {
			elsewhere.get("/sign-in?token="+l.token).status(http.StatusOK).shows("form button", "Sign in")
		}
		r.now = r.now.Add(time.Minute)
		elsewhere.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
		r.letter()
		browser.post("/sign-in", url.Values{"token": {l.token}}).status(http.StatusSeeOther)
		browser.get("/editions").status(http.StatusOK)
	})
}

// TestSiege lets a vandal with many networks request an email every minute for two days. The number of emails is
// bounded, the latest link always works, and a reader who used it gets another one immediately.
func TestSiege(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		known := r.visitor().signIn(ann)
		came := [2]int{}
		var latest letter
		for minute := range 2 * 24 * 60 {
			v := r.visitor().at(fmt.Sprintf("203.%d.%d.1", minute/200, minute%200))
			v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
			for _, l := range r.letters() {
				came[minute/(24*60)]++
				latest = l
			}
			r.now = r.now.Add(time.Minute)
			if minute%97 == 0 {
				r.visitor().get("/sign-in?token="+latest.token).status(http.StatusOK).shows("form button", "Sign in")
			}
		}
		if came[0] > 35 || came[1] > 24 {
			r.t.Errorf("letters on each day: %v", came)
		}
		known.asks("/sign-in/email", "ann@example.org")
		own := r.letter()
		reader := r.visitor().at("198.51.100.77")
		reader.post("/sign-in", url.Values{"token": {latest.token}}).status(http.StatusSeeOther)
		r.visitor().at("198.51.100.78").asks("/sign-in/email", "ann@example.org")
		r.letter()
		r.visitor().post("/sign-in", url.Values{"token": {own.token}}).status(http.StatusSeeOther)
	})
}

// TestStrangersCannotPassForAReadersBrowser checks that the cookie of a known browser is valid for one address and
// cannot be forged.
func TestStrangersCannotPassForAReadersBrowser(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		bobs := r.visitor().signIn(bob)
		anns := r.visitor().signIn(ann)
		for i := range 40 {
			r.visitor().at(fmt.Sprintf("203.0.%d.1", i)).asks("/sign-in/email", "ann@example.org")
			r.now = r.now.Add(time.Minute)
		}
		r.letters()
		name := anns.cookies["digest-known"][:26]
		for what, cookie := range map[string]string{
			"bob's": bobs.cookies["digest-known"], "made up": "x.y", "without a proof": name,
			"with another's proof": name + bobs.cookies["digest-known"][26:], "empty": "",
		} {
			v := r.visitor()
			v.cookies["digest-known"] = cookie
			v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
			if n := len(r.letters()); n != 0 {
				r.t.Errorf("%s: %d letters", what, n)
			}
		}
		anns.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
		r.letter()
	})
}

// TestSignUpsBlockNoSignIns lets a stranger sign up fifty addresses of a domain, from one network and then from many.
func TestSignUpsBlockNoSignIns(t *testing.T) {
	each(t, func(r *room) {
		r.user("ann@club.example")
		vandal := r.visitor().at("203.0.113.5")
		n := 0
		for i := range 50 {
			if vandal.asks("/sign-up", fmt.Sprintf("r%d@club.example", i)).StatusCode == http.StatusSeeOther {
				n++
			}
		}
		if n != 10 {
			r.t.Errorf("one network signs up %d at a domain", n)
		}
		r.visitor().at("198.51.100.7").asks("/sign-up", "new@club.example").status(http.StatusSeeOther)
		for i := range 60 {
			r.visitor().at(fmt.Sprintf("203.0.%d.1", i)).asks("/sign-up", fmt.Sprintf("s%d@club.example", i))
		}
		r.visitor().at("198.51.100.8").asks("/sign-up",
			"late@club.example").status(http.StatusTooManyRequests).contains(".wrong", "Too many people")
		r.letters()
		for _, from := range []string{"198.51.100.9", "203.0.113.5"} { // the second is the vandal's network
			r.visitor().at(from).asks("/sign-in/email", "ann@club.example").status(http.StatusSeeOther)
			r.letter()
			r.now = r.now.Add(2 * time.Minute)
		}
	})
}

// TestALostLetterIsNoEnd checks that a reader whose first emails are lost gets further ones.
func TestALostLetterIsNoEnd(t *testing.T) {
	each(t, func(r *room) {
		r.user("ann@example.org")
		v := r.visitor()
		v.get("/sign-in?sent=1").contains("main", "two minutes")
		for i, after := range []time.Duration{0, 2 * time.Minute, 2 * time.Minute, 56 * time.Minute} {
			r.now = r.now.Add(after)
			v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
			if n := len(r.letters()); n != 1 {
				r.t.Fatalf("letter %d: %d came", i+1, n)
			}
		}
	})
}

// TestOneMailboxIsNotBombed requests emails from 42 networks to 250 spellings of one mailbox, with the sign-up form
// and two newsletters. Three emails are sent, all responses are the same, and using one link ends the wait.
func TestOneMailboxIsNotBombed(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		r.newsletter(anna)
		second := digest.Newsletter{Slug: "second", Name: "Second", Cadence: digest.Daily,
			State: digest.NewsletterActive, Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}}
		_, err := r.store.Newsletters.AddNewsletter(t.Context(), second, anna.ID, r.now)
		r.must(err)
		for i := range 250 {
			v := r.visitor().at(fmt.Sprintf("203.%d.113.9", i%42))
			email := fmt.Sprintf("v%si%sctim+%d@GMail.com", strings.Repeat(".", i%2), strings.Repeat(".", i/2%2), i)
			switch i % 3 {
			case 0:
				v.asks("/sign-up", email).leads("/sign-up?sent=1")
			case 1:
				v.asks("/n/anna-writes/join", email).leads("/n/anna-writes?asked=1")
			case 2:
				v.asks("/n/second/join", email).leads("/n/second?asked=1")
			}
		}
		came := r.letters()
		if len(came) != 3 {
			r.t.Fatalf("%d letters came, want 3", len(came))
		}
		for _, l := range came {
			if strings.HasPrefix(l.subject, "Confirm your address") {
				r.visitor().post("/sign-up/confirm", url.Values{"token": {l.token}}).status(http.StatusSeeOther)
			}
		}
		r.visitor().at("198.51.100.7").asks("/n/second/join", "victim@googlemail.com").leads("/n/second?asked=1")
		r.letter()
	})
}

// TestCrowdsAreTold checks what happens when a crowd uses up the limits of a domain and of the instance. The form
// tells others, readers can still sign in, and the operator sees it in the log and on their page.
func TestCrowdsAreTold(t *testing.T) {
	r := newRoom(t, storetest.Open(t, storetest.SQLite(t))) // one database: the limits are tested on all of them
	operator, _ := r.user("olga@example.org")
	r.must(r.store.Operator.SetOperator(t.Context(), operator.ID, true))
	for i := range 60 {
		r.visitor().at(fmt.Sprintf("203.%d.113.9", i)).asks("/sign-up", fmt.Sprintf("r%d@mx%d.club.example", i, i))
	}
	r.letters()
	r.visitor().asks("/sign-up", "late@club.example").status(http.StatusTooManyRequests).contains(".wrong",
		"Too many people")
	for i := range 950 {
		q := store.LetterRequest{Kind: allowance.SignUp, Email: fmt.Sprintf("x@d%d.example", i), Asker: fmt.Sprint(i)}
		if _, answer, err := r.store.Editions.RequestLetter(t.Context(), q,
			r.now); err != nil || answer != store.LetterGranted {
			r.t.Fatalf("%d: %s, %v", i, answer, err)
		}
	}
	r.visitor().asks("/sign-up", "new@two.example").status(http.StatusTooManyRequests).contains(".wrong",
		"Too many people")
	r.visitor().asks("/sign-in/email", "olga@example.org").status(http.StatusSeeOther)
	r.letter()
	page := r.visitor().signIn(operator).get("/operator")
	page.contains(".needs", "Too many sign-up emails went unanswered (club.example, 20 Nov 2026, 12:00)")
	page.contains(".needs", "Too many sign-up emails went unanswered (20 Nov 2026, 12:00)")
	if said := r.log.String(); strings.Count(said, "too many sign-up emails") != 2 {
		r.t.Errorf("the log says %s", said)
	}
}
