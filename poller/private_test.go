package poller

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"digest"
)

const canary = "canary-7f3a"

func newPrivate(t *testing.T, c digest.Credential, change ...func(*Options)) (r *reader, logged *bytes.Buffer) {
	t.Helper()
	logged = new(bytes.Buffer)
	change = append(change, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Open = func(sealed string) (digest.Credential, error) {
			if sealed != "sealed" {
				return digest.Credential{}, &digest.Error{Kind: digest.Unavailable, Message: "its key is lost"}
			}
			return c, nil
		}
	})
	r = newReader(t, c.PrivateAddress("abc"), change...)
	r.feed.Sealed = "sealed"
	return r, logged
}

// keepsSecret checks that records, results and the log contain no secret.
func keepsSecret(t *testing.T, logged *bytes.Buffer, results ...Result) {
	t.Helper()
	for _, res := range results {
		if res.Feed.ID != 0 && (!digest.IsPrivate(res.Feed.URL) || res.Feed.MovedTo+res.Feed.MovedFrom != "" ||
			res.Body != nil) {
			t.Errorf("%+v", res.Feed)
		}
		if shown := fmt.Sprintf("%+v %s %s %+v", res.Feed, res.Message, res.Address, res.Document); strings.Contains(
			shown, canary) {
			t.Error(shown)
		}
	}
	if strings.Contains(logged.String(), canary) {
		t.Error(logged)
	}
}

// whoSends answers requests with an Authorization field, and others with 401.
func whoSends(authorization string, then func(request) string) func(request) string {
	return func(r request) string {
		if got, _ := r.get("Authorization"); got != authorization {
			return reply(r, 401, "", `WWW-Authenticate: Basic realm="x"`)
		}
		return then(r)
	}
}

func TestPrivateFeeds(t *testing.T) {
	for name, test := range map[string]struct {
		credential    digest.Credential
		authorization string
		path          string
	}{
		"Basic":        {digest.Credential{User: "ann", Password: canary}, "Basic YW5uOmNhbmFyeS03ZjNh", "/feed"},
		"bearer":       {digest.Credential{Token: canary}, "Bearer " + canary, "/feed?x=1"},
		"secret query": {digest.Credential{Hidden: true}, "", "/feed?token=" + canary},
		"secret path":  {digest.Credential{Hidden: true}, "", "/" + canary + "/feed"},
		"secret and all": {digest.Credential{Hidden: true, User: "ann", Password: canary}, "Basic YW5uOmNhbmFyeS03ZjNh",
			"/" + canary},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, robotsAnd(says(404, ""), whoSends(test.authorization, good(1))))
			c := test.credential
			c.Address = s.url(test.path)
			r, logged := newPrivate(t, c, withRobots(&shelf{}))
			first, second := r.want(Changed), r.want(Unchanged)
			log := s.log()
			for _, request := range log {
				if request.target == "/robots.txt" {
					sent(t, request, "Authorization", "")
				} else if request.target != test.path {
					t.Errorf("asked for %s", request.target)
				}
			}
			sent(t, log[len(log)-1], "If-None-Match", `"1"`)
			keepsSecret(t, logged, first, second)
			if first.Feed.ValidatorURL != r.feed.URL || first.Address != r.feed.URL {
				t.Errorf("%+v", first)
			}
			s.answers(says(401, "", `WWW-Authenticate: Basic realm="`+canary+`"`))
			refused := r.want(Failed)
			keepsSecret(t, logged, refused)
			if test.authorization != "" && refused.Message != "the password is not accepted (401); give it anew" {
				t.Error(refused.Message)
			}
			r.feed.Sealed = "lost"
			s.log()
			if lost := r.want(Failed); lost.Requests != 0 || lost.Message != "its key is lost" {
				t.Errorf("%+v", lost)
			}
			asked(t, s, "")
		})
	}
}

// TestCredentialsStayWhereTheyBelong holds that credentials go to their origin only.
func TestCredentialsStayWhereTheyBelong(t *testing.T) {
	const basic = "Basic bWU6Y2FuYXJ5LTdmM2E="
	for _, status := range []int{301, 302, 303, 307, 308} {
		other := newSite(t, good(1))
		s := newSite(t, func(r request) string {
			switch r.target {
			case "/feed":
				return reply(r, status, "", "Location: /within?"+canary)
			default:
				return reply(r, status, "", "Location: "+other.url("/x?"+canary))
			}
		})
		r, logged := newPrivate(t, digest.Credential{Address: s.url("/feed"), Hidden: true, User: "me",
			Password: canary})
		results := []Result{r.want(Changed), r.want(Unchanged), r.want(Unchanged)}
		keepsSecret(t, logged, results...)
		for _, request := range s.log() {
			sent(t, request, "Authorization", basic)
		}
		for _, request := range other.log() {
			sent(t, request, "Authorization", "")
			sent(t, request, "Referer", "")
			sent(t, request, "If-None-Match", "") // not stored, because the address may be a secret
		}
		other.answers(says(401, ""))
		if refused := r.want(Failed); !strings.Contains(refused.Message, other.url("")) ||
			!strings.Contains(refused.Message, "the password is not sent") {
			t.Error(refused.Message)
		}
		for _, request := range other.log() {
			sent(t, request, "Authorization", "")
		}
	}
}

// TestOldAddressWithPassword holds that a feed with a password in its address, from before the instance had
// a key, is polled as before.
func TestOldAddressWithPassword(t *testing.T) {
	s := newSite(t, whoSends("Basic bWU6c2VjcmV0", good(1)))
	address := "http://me:secret@" + s.address + "/feed"
	r := newReader(t, address)
	r.want(Changed)
	r.want(Unchanged)
	log := s.log()
	sent(t, log[len(log)-1], "If-None-Match", `"1"`)
	if r.feed.URL != address || r.feed.ValidatorURL != address {
		t.Errorf("%+v", r.feed)
	}
}

// TestForAnotherHost holds that a credential for one host is sent to no other, whatever the record says.
func TestForAnotherHost(t *testing.T) {
	s := newSite(t, good(1))
	r, _ := newPrivate(t, digest.Credential{Address: s.url("/feed"), Token: canary})
	r.feed.Host = "other.example"
	r.want(Failed)
	asked(t, s, "")
}

func TestSecretAddressIsNoBase(t *testing.T) {
	document := `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><link rel="self" href=""/><entry>` +
		`<id>1</id><title>x</title>` +
		`<updated>2026-11-20T00:00:00Z</updated><content type="html">&lt;a href="#top"&gt;up&lt;/a&gt; &lt;img src="/p.png"&gt;</content></entry></feed>`
	s := newSite(t, conditional(document, `"1"`, monday))
	r, logged := newPrivate(t, digest.Credential{Address: s.url("/" + canary + "/feed?" + canary), Hidden: true})
	res := r.want(Changed)
	keepsSecret(t, logged, res)
	for _, p := range res.Document.Posts {
		post := p.Sanitise(r.watch.now())
		if text := fmt.Sprintf("%+v", post); strings.Contains(text, canary) ||
			!strings.Contains(post.Content, s.url("/p.png")) {
			t.Error(text)
		}
	}
}

// TestSecretAddressAsWritten holds that the secret address is removed in every form in which programs write
// it.
func TestSecretAddressAsWritten(t *testing.T) {
	const secret = "example.org:8443/f_1/a%2fb?user=1&key=" + canary
	s := &session{private: &private{address: "https://" + secret, hidden: true}}
	for name, written := range map[string]string{
		"as it is":                secret,
		"HTML":                    html.EscapeString(secret),
		"HTML, by number":         strings.ReplaceAll(secret, "&", "&#038;"),
		"HTML, by hexadecimal":    strings.ReplaceAll(secret, "&", "&#x26;"),
		"HTML in HTML":            html.EscapeString(html.EscapeString(secret)),
		"WordPress's in HTML":     html.EscapeString(strings.ReplaceAll(secret, "&", "&#038;")),
		"JSON, slashes escaped":   strings.ReplaceAll(secret, "/", `\/`),
		"JSON, ampersand escaped": strings.ReplaceAll(secret, "&", `\u0026`),
		"part of a query":         url.QueryEscape(secret),
		"part of one, lower case": strings.ToLower(url.QueryEscape(secret)),
	} {
		for _, around := range []string{"https://%s", `<a href="https://%s">x</a>`, "go?url=%s"} {
			document := fmt.Sprintf(around, written)
			if got, want := string(s.document(&answer{body: []byte(document)})),
				fmt.Sprintf(around, "example.org:8443/"); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	for relative, want := range map[string]string{
		`<a href="/f_1/a%2fb?user=1&amp;key=` + canary + `">x</a>`: `<a href="/">x</a>`, `<a href="?user=1&#038;key=` +
			canary + `">x</a>`: `<a href="?">x</a>`,
		`{"u":"\/f_1\/a%2fb?user=1\u0026key=` + canary + `"}`: `{"u":"\/"}`,
	} {
		if got := string(s.document(&answer{body: []byte(relative)})); got != want {
			t.Errorf("%s: %s, want %s", relative, got, want)
		}
	}
	for _, other := range []string{"https://example.org:8443/f_1", "https://example.org/f_1/a%2fb?user=1&key=" +
		canary[:4], "https://exampleXorg:8443/f_1"} {
		if got := string(s.document(&answer{body: []byte(other)})); got != other {
			t.Errorf("%s became %s", other, got)
		}
	}
}

func TestFindPrivate(t *testing.T) {
	const basic = "Basic YW5uOmNhbmFyeS03ZjNh"
	page := `<html><head><link rel="alternate" type="application/atom+xml" href="/feed"></head></html>`
	s := newSite(t, whoSends(basic, func(r request) string {
		if r.target == "/feed" {
			return good(1)(r)
		}
		return reply(r, 200, page, "Content-Type: text/html")
	}))
	r, logged := newPrivate(t, digest.Credential{})
	for _, path := range []string{"/feed", "/page"} {
		c := digest.Credential{Address: s.url(path), User: "ann", Password: canary}
		res, err := r.p.FindPrivate(t.Context(), &c)
		if err != nil || c.Address != s.url("/feed") {
			t.Fatalf("%s: %s %v", path, c.Address, err)
		}
		res.Conceal(c.PrivateAddress("abc"), "sealed", c)
		if res.Feed.URL != c.PrivateAddress("abc") || res.Feed.ValidatorURL != res.Feed.URL ||
			res.Feed.Sealed != "sealed" || res.Feed.Host == "" || len(res.Document.Posts) != 1 ||
			res.Feed.OwnInterval.Hours() < 12 {
			t.Errorf("%s: %+v", path, res.Feed)
		}
		res.Feed.ID = 1
		keepsSecret(t, logged, res)
	}
	for name, c := range map[string]digest.Credential{
		"wrong password": {Address: s.url("/feed"), User: "ann", Password: canary + "2"},
		"secret address": {Address: s.url("/" + canary), Hidden: true},
		"long secret":    {Address: s.url("/" + strings.Repeat("x", 180) + canary), Hidden: true},
	} {
		res, err := r.p.FindPrivate(t.Context(), &c)
		if _, ok := errors.AsType[*SearchError](err); !ok || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: %v", name, err)
		}
		res.Feed.URL = ""
		keepsSecret(t, logged, res)
		if strings.Contains(err.Error(), canary) {
			t.Error(err)
		}
	}
	// The password is not for a feed at another origin.
	other := newSite(t, good(1))
	s.answers(says(301, "", "Location: "+other.url("/feed")))
	c := digest.Credential{Address: s.url("/feed"), User: "ann", Password: canary}
	if _, err := r.p.FindPrivate(t.Context(), &c); err == nil || !strings.Contains(err.Error(), other.url("")) ||
		strings.Contains(err.Error(), canary) {
		t.Error(err)
	}
	sent(t, other.log()[0], "Authorization", "")
}
