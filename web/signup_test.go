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

func TestSignUp(t *testing.T) {
	each(t, func(r *room) {
		v := r.visitor()
		v.get("/sign-up").status(http.StatusOK).shows("form.ask button", "Email me a link")
		to := v.asks("/sign-up", " Ann+news@Bücher.example ").status(http.StatusSeeOther).Header.Get("Location")
		v.get(to).status(http.StatusOK).shows("h1", "Check your email")
		l := r.letter()
		if l.to != "Ann+news@xn--bcher-kva.example" || l.subject != "Confirm your address" {
			r.t.Fatalf("%q came to %s", l.subject, l.to)
		}
		for range 3 { // link scanners open it first
			v.get("/sign-up/confirm?token="+l.token).status(http.StatusOK).shows("form button", "Create account")
			v.do("HEAD", "/sign-up/confirm?token="+l.token, "", nil).status(http.StatusOK)
		}
		if _, err := r.store.UserByEmail(t.Context(), l.to); digest.KindOf(err) != digest.NotFound ||
			len(v.cookies) != 0 {
			r.t.Fatalf("before the button: %v, cookies %v", err, v.cookies)
		}
		form := url.Values{"token": {l.token}}
		v.post("/sign-up/confirm", form).status(http.StatusSeeOther)
		v.get("/settings").status(http.StatusOK).contains(".groups span", "Ann+news@xn--bcher-kva.example", "Paris")
		r.visitor().post("/sign-up/confirm", form).status(http.StatusForbidden).shows("h1", "This link no longer works")
		r.visitor().get("/sign-up/confirm?token=" + l.token).status(http.StatusForbidden)
	})
}

// TestNothingTypedIsMailed checks that emails contain nothing that the visitor typed.
func TestNothingTypedIsMailed(t *testing.T) {
	each(t, func(r *room) {
		r.user("known@typed.example")
		for _, email := range []string{"typed+words@typed.example", "known@typed.example"} {
			r.visitor().post("/sign-up", url.Values{"email": {email}, "zone": {"America/Argentina/Ushuaia"},
				"name": {"Typed"}, "subject": {"Typed"}}).status(http.StatusSeeOther)
			l := r.letter()
			for _, part := range []string{l.text, l.html, l.subject} {
				if strings.Contains(strings.ToLower(part), "typed") || strings.Contains(part, "Ushuaia") {
					r.t.Errorf("%s holds what was typed:\n%s", l.subject, part)
				}
			}
		}
	})
}

// TestNobodyLearnsWhoHasAnAccount checks that whole responses are the same with and without an account.
func TestNobodyLearnsWhoHasAnAccount(t *testing.T) {
	each(t, func(r *room) {
		r.user("known@example.org")
		r.user("mute@example.org")
		r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: "mute@example.org", Reason: digest.ForComplaint,
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
		const want = "known@example.org: Your sign-in link\nknown@example.org: Your sign-in link\nstranger@example.org: Confirm your address\n"
		if got != want {
			r.t.Errorf("came\n%swant\n%s", got, want)
		}
	})
}

func TestSignInByMail(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor()
		v.asks("/sign-in/email", "ANN@example.org").status(http.StatusSeeOther)
		l := r.letter()
		v.get("/sign-in?token="+l.token).status(http.StatusOK).contains("main", "ann@example.org")
		v.do("HEAD", "/sign-in?token="+l.token, "", nil).status(http.StatusOK)
		v.asks("/sign-in/email", "ann@example.org").status(http.StatusSeeOther)
		r.noLetter() // emails are at least two minutes apart
		r.now = r.now.Add(3 * time.Minute)
		v.asks("/sign-in/email", "ann@example.org")
		second := r.letter()
		v.post("/sign-in", url.Values{"token": {l.token}}).status(http.StatusSeeOther)
		v.get("/editions").status(http.StatusOK)
		r.now = r.now.Add(2 * time.Hour)
		// After two hours the link has expired.
		r.visitor().post("/sign-in", url.Values{"token": {second.token}}).status(http.StatusForbidden)
		// A link from the command line works for a day.
		old := r.visitor().signIn(u)
		old.get("/editions").status(http.StatusOK)
	})
}

func TestSignInForms(t *testing.T) {
	each(t, func(r *room) {
		long := strings.Repeat("a", 60<<10)
		for _, email := range []string{"", "ann", "@example.org", "ann@", "ann@@example.org", "Ann <ann@example.org>",
			"ann@example.org, bob@example.org",
			"ann@example.org\r\nBcc: bob@example.org", "ann\n@example.org", "ann@exa mple.org", "ann@-example.org",
			long + "@example.org", "ann@" + long + ".org",
			"j\u200bürgen@example.org", "ann@example.org\x00", "<script>alert(1)</script>@example.org"} {
			for _, path := range []string{"/sign-up", "/sign-in/email"} {
				a := r.visitor().asks(path, email).status(http.StatusUnprocessableEntity).shows(".wrong",
					"That isn’t an email address. Enter one like reader@example.org.")
				kept := a.attrs("#email", "value")
				if want := strings.NewReplacer("\x00", "\uFFFD", "\r\n", "\n").Replace(email); len(kept) != 1 ||
					strings.NewReplacer("\r\n", "\n").Replace(kept[0]) != want {
					r.t.Errorf("%q is kept as %.80q", email, kept)
				}
				if path == "/sign-up" && a.attrs("#zone", "value")[0] != "Europe/Paris" {
					r.t.Errorf("%q: the zone is lost", email)
				}
			}
		}
		a := r.visitor().post("/sign-up",
			url.Values{"email": {"ann@example.org"}, "zone": {"Europe/Pariss"}}).status(http.StatusUnprocessableEntity)
		if near := a.attrs(".choices button", "value"); len(near) == 0 || near[0] != "Europe/Paris" {
			r.t.Errorf("near: %q", near)
		}
		for _, zone := range []string{"", "Local", "../../etc/passwd", long, "\x00"} {
			a := r.visitor().post("/sign-up",
				url.Values{"email": {"ann@example.org"}, "zone": {zone}}).status(http.StatusUnprocessableEntity)
			if a.attrs("#email", "value")[0] != "ann@example.org" {
				r.t.Errorf("zone %.20q: the address is lost", zone)
			}
		}
		r.visitor().asks("/sign-up", strings.Repeat("a", 70<<10)).status(http.StatusRequestEntityTooLarge)
		r.noLetter()
	})
}

// TestSignInFormsOfOtherSites posts every sign-in and sign-up form from another site.
func TestSignInFormsOfOtherSites(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		r.must(r.store.SetOperator(t.Context(), u.ID, true))
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

func TestSignUpModes(t *testing.T) {
	each(t, func(r *room) {
		for mode, title := range map[web.SignUp]string{web.SignUpClosed: "Sign-up is closed",
			web.SignUpInvitation: "need an invitation", "": "Sign-up is closed"} {
			r.signUp = mode
			r.open("")
			r.visitor().get("/sign-up").status(http.StatusForbidden).contains("main", title)
			r.visitor().asks("/sign-up", "ann@example.org").status(http.StatusForbidden).contains("main", title)
			r.noLetter()
		}
	})
}

func TestInvitation(t *testing.T) {
	each(t, func(r *room) {
		r.signUp = web.SignUpInvitation
		r.open("")
		ann, _ := r.user("ann@example.org")
		r.visitor().signIn(ann).get("/operator/invitations").status(http.StatusNotFound)
		r.visitor().signIn(ann).post("/operator/invitations", nil).status(http.StatusNotFound)
		r.must(r.store.SetOperator(t.Context(), ann.ID, true))
		v := r.visitor().signIn(ann)
		page := v.post("/operator/invitations", nil).status(http.StatusOK).texts("pre")
		if len(page) != 1 {
			r.t.Fatalf("links %q", page)
		}
		_, token, _ := strings.Cut(page[0], "/sign-up?invitation=")
		v.get("/operator/invitations").shows("pre").shows(".acts button", "Cancel")
		guest := func(email string) answer {
			return r.visitor().post("/sign-up", url.Values{"email": {email}, "zone": {"UTC"}, "invitation": {token}})
		}
		r.visitor().get("/sign-up?invitation="+token).status(http.StatusOK).shows("form.ask button", "Email me a link")
		r.visitor().get("/sign-up?invitation=guessed").status(http.StatusForbidden)
		guest("bob@example.org").status(http.StatusSeeOther)
		bob := r.letter()
		guest("cy@example.org").status(http.StatusSeeOther) // the button uses up the invitation, not the form
		cy := r.letter()
		r.visitor().post("/sign-up/confirm", url.Values{"token": {cy.token}}).status(http.StatusSeeOther)
		r.visitor().post("/sign-up/confirm", url.Values{"token": {bob.token}}).status(http.StatusConflict).shows("h1",
			"This link no longer works")
		guest("dan@example.org").status(http.StatusForbidden)
		v.get("/operator/invitations").contains("main", "Used 20 Nov").shows(".acts button")

		v.post("/operator/invitations", nil).status(http.StatusOK)
		list, err := r.store.Invitations(t.Context())
		r.must(err)
		revoke := fmt.Sprintf("/operator/invitations/%d/revoke", list[0].ID)
		v.post(revoke, nil).status(http.StatusSeeOther)
		v.post(revoke, nil).status(http.StatusNotFound)
	})
}

func TestOperatorLink(t *testing.T) {
	each(t, func(r *room) {
		link, err := web.OperatorLink(t.Context(), r.store, r.base, r.now)
		r.must(err)
		void := strings.TrimPrefix(link, r.base)
		link, err = web.OperatorLink(t.Context(), r.store, r.base, r.now)
		r.must(err)
		path := strings.TrimPrefix(link, r.base)
		r.visitor().get(void).status(http.StatusForbidden)
		v := r.visitor()
		if got := v.get(path).status(http.StatusOK).shows("h1", "Welcome").attrs("#email",
			"value"); got[0] != "ada@example.org" {
			r.t.Errorf("offers %q", got)
		}
		_, token, _ := strings.Cut(path, "token=")
		v.post("/sign-in", url.Values{"token": {token}}).status(http.StatusForbidden) // no reader's link
		form := url.Values{"token": {token}, "email": {"ada"}, "zone": {"Europe/Paris"}}
		v.post("/sign-in/operator", form).status(http.StatusUnprocessableEntity)
		form.Set("email", "ada@example.org")
		form.Set("zone", "Mars")
		v.post("/sign-in/operator", form).status(http.StatusUnprocessableEntity)
		form.Set("zone", "Europe/Paris")
		v.post("/sign-in/operator", form).status(http.StatusSeeOther)
		v.get("/operator/invitations").status(http.StatusOK)
		r.visitor().post("/sign-in/operator", form).status(http.StatusForbidden)
		r.visitor().get(path).status(http.StatusForbidden)
		if link, err := web.OperatorLink(t.Context(), r.store, r.base, r.now); link != "" || err != nil {
			r.t.Errorf("another owner's link: %q, %v", link, err)
		}
	})
}

func TestSignOutEverywhere(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		here, there, bobs, link := r.visitor().signIn(u), r.visitor().signIn(u), r.visitor().signIn(bob), r.token(u)
		here.post("/sign-out/everywhere", nil).status(http.StatusSeeOther)
		for _, v := range []*visitor{here, there} {
			v.get("/editions").status(http.StatusSeeOther)
		}
		r.visitor().post("/sign-in", url.Values{"token": {link}}).status(http.StatusForbidden)
		bobs.get("/editions").status(http.StatusOK)
		r.visitor().post("/sign-out/everywhere", nil).status(http.StatusForbidden)
	})
}

// TestWithoutMail checks that the sign-in and sign-up pages say so if the instance sends no email.
func TestWithoutMail(t *testing.T) {
	each(t, func(r *room) {
		handler := web.New(web.Options{Store: r.store, Signer: r.signer, BaseURL: r.base, SignUp: web.SignUpOpen,
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
