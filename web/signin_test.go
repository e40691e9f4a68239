package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

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
