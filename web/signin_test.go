package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest/web"
)

func TestSignInLinkShowsAButton(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		token := r.token(u)
		v := r.visitor()
		for range 3 { // link scanners open it first
			a := v.get("/sign-in?token="+token).status(http.StatusOK).shows("form button", "Sign in")
			if got := a.attrs("input[name=token]", "value"); len(got) != 1 || got[0] != token || len(v.cookies) != 0 {
				r.t.Fatalf("form holds %q, cookies %v", got, v.cookies)
			}
		}
		a := v.post("/sign-in", url.Values{"token": {token}}).status(http.StatusSeeOther)
		if got := a.Header.Get("Location"); got != "/" {
			r.t.Errorf("leads to %q", got)
		}
		v.get("/editions").status(http.StatusOK)
		r.visitor().get("/sign-in").status(http.StatusOK).shows("form button", "Email me a link")
	})
}

func TestSignInTokenWorksOnce(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		form := url.Values{"token": {r.token(u)}}
		r.visitor().post("/sign-in", form).status(http.StatusSeeOther)
		v := r.visitor()
		v.post("/sign-in", form).status(http.StatusForbidden).shows("h1", "This link no longer works").
			shows("a.button", "Sign in")
		if len(v.cookies) != 0 {
			r.t.Errorf("cookies %v", v.cookies)
		}
	})
}

func TestSignInTokenWorksOnceForTwoAtOnce(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		form := url.Values{"token": {r.token(u)}}
		var in atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if r.visitor().post("/sign-in", form).StatusCode == http.StatusSeeOther {
					in.Add(1)
				}
			})
		}
		all.Wait()
		if got := in.Load(); got != 1 {
			r.t.Errorf("%d came in with one link", got)
		}
	})
}

func TestSignInRefusals(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		old := r.token(u)
		r.now = r.now.Add(web.SignInTTL + time.Second)
		token := r.token(u)
		for name, value := range map[string]string{
			"expired": old, "none": "", "guessed": strings.Repeat("A", 52), "cut": token[:len(token)-1],
			"lower case": strings.ToLower(token),
		} {
			v := r.visitor()
			v.post("/sign-in", url.Values{"token": {value}}).status(http.StatusForbidden)
			if len(v.cookies) != 0 {
				r.t.Errorf("%s: cookies %v", name, v.cookies)
			}
		}
		r.visitor().post("/sign-in?token="+token, nil).status(http.StatusForbidden) // the token must be in the form
		r.visitor().do("POST", "/sign-in", urlencoded, strings.NewReader("token=%zz")).status(http.StatusBadRequest)
		r.visitor().post("/sign-in",
			url.Values{"token": {strings.Repeat("A", 1<<20)}}).status(http.StatusRequestEntityTooLarge)
		r.visitor().post("/sign-in", url.Values{"token": {token}}).status(http.StatusSeeOther)
	})
}

func TestSessionCookie(t *testing.T) {
	for base, want := range map[string]string{
		"":                        "digest=S; Path=/; Max-Age=7862400; HttpOnly; SameSite=Lax",
		"https://digest.example/": "__Host-digest=S; Path=/; Max-Age=7862400; HttpOnly; Secure; SameSite=Lax",
	} {
		each(t, func(r *room) {
			u, _ := r.user("ann@example.org")
			if base != "" {
				r.open(base)
			}
			v := r.visitor()
			a := v.post("/sign-in", url.Values{"token": {r.token(u)}}).status(http.StatusSeeOther)
			got := a.Header.Get("Set-Cookie")
			secret := v.cookies["digest"] + v.cookies["__Host-digest"]
			got = strings.Replace(got, secret, "S", 1)
			if len(secret) < 50 {
				r.t.Errorf("secret %q is short", secret)
			}
			if got != want {
				r.t.Errorf("base %q: cookie %q, want %q", base, got, want)
			}
			if sts := a.Header.Get("Strict-Transport-Security"); (sts != "") != (base != "") {
				r.t.Errorf("base %q: HSTS %q", base, sts)
			}
		})
	}
}

func TestSessionIsNeverFixed(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor()
		v.cookies["digest"] = "planted"
		v.signIn(u)
		first := v.cookies["digest"]
		if first == "planted" {
			r.t.Fatal("the planted session was taken")
		}
		v.signIn(u)
		if v.cookies["digest"] == first {
			r.t.Error("the second sign-in kept the session")
		}
		for _, old := range []string{"planted", first} {
			w := r.visitor()
			w.cookies["digest"] = old
			w.get("/editions").status(http.StatusSeeOther)
		}
	})
}

// TestSessionIsRenewed checks that a session ends 90 days after its last use, in the database and in the browser.
func TestSessionIsRenewed(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		secret := v.cookies["digest"]
		for range 3 {
			if set := v.get("/filters").status(http.StatusOK).Header.Get("Set-Cookie"); strings.Contains(set, secret) {
				r.t.Error("it is renewed twice in a day")
			}
			r.now = r.now.Add(90 * 24 * time.Hour)
			set := v.get("/filters").status(http.StatusOK).Header.Get("Set-Cookie")
			if !strings.Contains(set, "digest="+secret+";") || !strings.Contains(set, "Max-Age=7862400") {
				r.t.Errorf("it is not renewed: %q", set)
			}
		}
		r.now = r.now.Add(91 * 24 * time.Hour)
		v.get("/filters").leads("/sign-in")
	})
}

func TestSessionEnds(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		secret := v.cookies["digest"]
		v.get("/editions").shows("footer form button", "Sign out")
		if got := v.post("/sign-out", nil).status(http.StatusSeeOther).Header.Get("Location"); got != "/" {
			r.t.Errorf("leads to %q", got)
		}
		if _, in := v.cookies["digest"]; in {
			r.t.Errorf("cookies %v", v.cookies)
		}
		v.cookies["digest"] = secret // a thief has a copy
		v.get("/editions").status(http.StatusSeeOther)

		v = r.visitor().signIn(u)
		r.now = r.now.Add(91 * 24 * time.Hour)
		v.get("/editions").status(http.StatusSeeOther)
	})
}
