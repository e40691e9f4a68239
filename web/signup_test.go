package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/web"
	"digest/web/page"
)

// asks posts a sign-in or sign-up form.
func (v *visitor) asks(path, email string) answer {
	v.t.Helper()
	return v.post(path, url.Values{"email": {email}, "zone": {"Europe/Paris"}})
}

// at sets the visitor's IP address, which the tests' proxy reports.
func (v *visitor) at(address string) *visitor {
	v.header["X-Forwarded-For"] = address
	return v
}

// TestNobodyLearnsWhoHasAnAccount checks that whole responses are the same with and without an account.
func TestNobodyLearnsWhoHasAnAccount(t *testing.T) {
	each(t, func(r *room) {
		r.user("known@example.org")
		r.user("mute@example.org")
		r.must(r.store.Editions.Suppress(t.Context(),
			digest.Suppression{Email: "mute@example.org", Reason: digest.ForComplaint,
				CreatedAt: r.now}))
		say := func(a answer) string {
			a.Header.Del("Date")
			return fmt.Sprint(a.StatusCode, a.Header, a.body)
		}
		for _, path := range []string{"/sign-up", "/sign-in/email"} {
			var first string
			for i, email := range []string{"known@example.org", "stranger@example.org", "mute@example.org",
				"known@example.org", "stranger@example.org"} {
				a := r.visitor().at(fmt.Sprintf("203.0.113.%d", i)).asks(path, email).status(http.StatusSeeOther)
				said := say(a) + say(r.visitor().get(a.Header.Get("Location")))
				if first == "" {
					first = said
				}
				if said != first {
					r.t.Errorf("%s %s: %s\nwant %s", path, email, said, first)
				}
			}
		}
		got := ""
		for _, l := range r.letters() {
			got += l.to + ": " + l.subject + "\n"
		}
		const want = "known@example.org: Your sign-in link\nknown@example.org: Your sign-in " +
			"link\nstranger@example.org: Confirm your address\n"
		if got != want {
			r.t.Errorf("came\n%swant\n%s", got, want)
		}
	})
}

// TestSignInFormsOfOtherSites posts every sign-in and sign-up form from another site.
func TestSignInFormsOfOtherSites(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		r.must(r.store.Operator.SetOperator(t.Context(), u.ID, true))
		v := r.visitor().signIn(u)
		v.header["Origin"], v.header["Sec-Fetch-Site"] = "https://evil.example", "cross-site"
		for _, path := range []string{"/sign-in", "/sign-in/email", "/sign-in/operator", "/sign-out",
			"/sign-out/everywhere", "/sign-up", "/sign-up/confirm",
			"/operator/invitations", "/operator/invitations/1/revoke", "/settings/address", "/settings/address/cancel",
			"/settings/address/confirm",
			"/settings/passkeys/1/remove", "/passkeys/register/begin", "/passkeys/register/finish",
			"/passkeys/sign-in/begin", "/passkeys/sign-in/finish"} {
			v.asks(path, "bob@example.org").status(http.StatusForbidden).shows("h1", "This form came from another site")
		}
		r.noLetter()
		delete(v.header, "Origin")
		delete(v.header, "Sec-Fetch-Site")
		v.get("/editions").status(http.StatusOK)
	})
}

func TestOneButtonOfMany(t *testing.T) {
	each(t, func(r *room) {
		r.visitor().asks("/sign-up", "ann@example.org")
		form := url.Values{"token": {r.letter().token}}
		var in atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				switch a := r.visitor().post("/sign-up/confirm", form); a.StatusCode {
				case http.StatusSeeOther:
					in.Add(1)
				case http.StatusForbidden:
				default:
					r.t.Errorf("status %d", a.StatusCode)
				}
			})
		}
		all.Wait()
		if got := in.Load(); got != 1 {
			r.t.Errorf("%d came in with one link", got)
		}
	})
}

func TestLetterLimits(t *testing.T) {
	each(t, func(r *room) {
		v := r.visitor().at("203.0.113.7")
		n := 0
		for ; n < 100; n++ {
			if v.asks("/sign-up", fmt.Sprintf("r%d@d%d.example", n, n)).StatusCode != http.StatusSeeOther {
				break
			}
		}
		if n != 20 {
			r.t.Errorf("%d letters from one address", n)
		}
		v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther) // sign-ins have their own limit
		if got := v.asks("/sign-up", "ann@example.org").status(http.StatusTooManyRequests).attrs("#email",
			"value"); got[0] != "ann@example.org" {
			r.t.Errorf("kept %q", got)
		}
		for n = 1; n < 100; n++ {
			if a := v.asks("/sign-in/email",
				fmt.Sprintf("r%d@d%d.example", n, n)); a.StatusCode != http.StatusSeeOther {
				a.status(http.StatusTooManyRequests).contains(".wrong", "Try again in an hour")
				break
			}
		}
		if n != 20 {
			r.t.Errorf("%d letters to sign in from one address", n)
		}
		r.now = r.now.Add(time.Hour)
		v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)

		crowd := func(domain string) int {
			for i := range 600 {
				v := r.visitor().at(fmt.Sprintf("198.%d.%d.1", i/200, i%200))
				if v.asks("/sign-up", fmt.Sprintf("r%d@%s", i, domain)).StatusCode != http.StatusSeeOther {
					return i
				}
			}
			return 600
		}
		if n := crowd("small.example"); n != 50 {
			r.t.Errorf("%d letters to one domain", n)
		}
		r.open("") // a restart keeps the counts
		if n := crowd("small.example"); n != 0 {
			r.t.Errorf("%d letters to one domain after a restart", n)
		}
		r.letters()
		r.visitor().at("203.0.113.9").asks("/sign-up", "day@example.org")
		r.letter()
		r.open("")
		r.visitor().at("203.0.113.9").asks("/sign-up", "Day@example.org").status(http.StatusSeeOther)
		r.noLetter()
		r.now = r.now.Add(24 * time.Hour)
		r.visitor().at("203.0.113.9").asks("/sign-up", "day@example.org")
		r.letter()
	})
}

// TestOperatorLink checks that there is no link for a second owner.
func TestOperatorLink(t *testing.T) {
	each(t, func(r *room) {
		r.operator()
		if link, err := web.OperatorLink(t.Context(), r.store, r.base, r.now); link != "" || err != nil {
			r.t.Errorf("another owner's link: %q, %v", link, err)
		}
	})
}

// TestWithoutMail checks that the sign-in and sign-up pages say so if the instance sends no email.
func TestWithoutMail(t *testing.T) {
	each(t, func(r *room) {
		handler := web.New(web.Options{Store: r.store, Signer: r.signer, BaseURL: r.base, SignUp: page.SignUpOpen,
			Now: func() time.Time { return r.now }})
		for path, status := range map[string]int{"/sign-up": http.StatusForbidden, "/sign-in": http.StatusOK} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code != status || strings.Contains(w.Body.String(), `name="email"`) {
				r.t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
			}
		}
	})
}
