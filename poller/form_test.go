package poller

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestPostForm holds that a form is sent unchanged, also after 307 and 308, and after no other redirect.
func TestPostForm(t *testing.T) {
	var got []string
	s := newAnswers(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+
			string(body)+r.Header.Get("Cookie")+r.Header.Get("Referer"))
		if !strings.HasPrefix(r.UserAgent(), "digest/1.2 (+https://news.example/bot; 7 subscribers") {
			t.Errorf("asked as %s", r.UserAgent())
		}
		switch r.URL.Path {
		case "/307":
			http.Redirect(w, r, "/308", http.StatusTemporaryRedirect)
		case "/308":
			http.Redirect(w, r, "/good", http.StatusPermanentRedirect)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
		case "/302":
			http.Redirect(w, r, "/good", http.StatusFound)
		case "/bad":
			http.Error(w, "no such\ntopic", http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	p := newReader(t, s.URL).p
	post := func(path string) FormAnswer {
		got = nil
		return p.PostForm(t.Context(), Form{Address: s.URL + path, Values: url.Values{"a": {"b c"}}, MayBeHome: true,
			Subscribers: 7})
	}
	const sent = " application/x-www-form-urlencoded a=b+c"
	for path, want := range map[string]struct {
		answer FormAnswer
		asked  string
	}{
		"/good":   {FormAnswer{Status: 202}, "POST /good" + sent},
		"/307":    {FormAnswer{Status: 202}, "POST /307" + sent + "|POST /308" + sent + "|POST /good" + sent},
		"/circle": {FormAnswer{Why: "redirect loop"}, "POST /circle" + sent},
		"/302":    {FormAnswer{Status: 302, Why: "answered 302"}, "POST /302" + sent},
		"/bad":    {FormAnswer{Status: 400, Why: "answered 400: no such topic"}, "POST /bad" + sent},
	} {
		if answer := post(path); answer != want.answer || strings.Join(got, "|") != want.asked {
			t.Errorf("%s: %+v, asked %q; want %+v, %q", path, answer, got, want.answer, want.asked)
		}
	}
}

// TestPostFormStaysOnItsSite holds that a hub cannot redirect requests to a site that no feed names.
func TestPostFormStaysOnItsSite(t *testing.T) {
	victim := newAnswers(t, func(http.ResponseWriter, *http.Request) { t.Error("another site is asked") })
	s := newAnswers(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, victim.URL+"/any", http.StatusPermanentRedirect)
	})
	p := newReader(t, s.URL).p
	a := p.PostForm(t.Context(), Form{Address: s.URL + "/hub", MayBeHome: true})
	if want := "redirected to another site, " + strings.TrimPrefix(victim.URL, "http://") +
		", which is sent nothing"; a != (FormAnswer{Why: want}) {
		t.Errorf("%+v, want %s", a, want)
	}
}

// TestPostFormIsGuarded holds that a hub cannot name a private address (I7).
func TestPostFormIsGuarded(t *testing.T) {
	s := newAnswers(t, func(w http.ResponseWriter,
		_ *http.Request) {
		t.Error("asked")
		w.WriteHeader(http.StatusAccepted)
	})
	p := newReader(t, s.URL).p
	for _, address := range []string{s.URL + "/", "http://[::1]:1/", "http://10.0.0.1/", "ftp://a.example/", ""} {
		if a := p.PostForm(t.Context(), Form{Address: address, MayBeHome: false}); a.Status != 0 || a.Why == "" {
			t.Errorf("%q: %+v", address, a)
		}
	}
	secure := httptest.NewTLSServer(http.RedirectHandler(s.URL, http.StatusTemporaryRedirect))
	t.Cleanup(secure.Close)
	p = newReader(t, s.URL, func(o *Options) {
		o.Roots = secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}).p
	if a := p.PostForm(t.Context(),
		Form{Address: secure.URL, MayBeHome: true}); a.Why != "redirected from https to http" {
		t.Errorf("a secret is told in clear: %+v", a)
	}
}

func TestReachedFrom(t *testing.T) {
	home := loopback()
	for _, c := range []struct {
		base, hub string
		want      bool
	}{
		{"https://news.example.org", "https://hub.example/", true},
		{"http://localhost:8080", "https://hub.example/", false},
		{"http://localhost:8080", "https://127.0.0.1:5/hub", true},
		{"http://localhost:8080", "https://192.0.2.1/hub", false},
	} {
		if got := New(Options{BaseURL: c.base, AllowNetworks: home}).ReachedFrom(c.hub); got != c.want {
			t.Errorf("%s can reach %s: %t", c.hub, c.base, got)
		}
	}
}

// TestLeftToHubs holds that a feed with trusted hubs is polled once a week, and at each midnight while it
// has problems.
func TestLeftToHubs(t *testing.T) {
	for _, test := range table(`
		feed                           | left  | why
		pushed=24h read=-24h           | true  | trusted
		read=-24h                      | false | not trusted
		pushed=0 read=-24h             | false | no longer
		pushed=24h read=-144h          | true  | six days ago
		pushed=24h read=-167h20m       | false | a week ago, and a while
		pushed=24h read=-24h errors=1  | false | it failed
		pushed=24h read=-24h waiting=1 | false | posts wait
		pushed=24h                     | false | never read`) {
		f := feedOf("state=active tried=-24h " + test["feed"])
		_, asked := MidnightPoll(f, midnight(), midnight(), Spread{Gap: time.Hour, NoWait: true})
		if left := fmt.Sprint(!asked); left != test["left"] {
			t.Errorf("%s: left to its hubs is %s", test["why"], left)
		}
	}
}
