package poller

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
)

// A social is a server of the fediverse with one account, under any name.
type social struct {
	t      testing.TB
	key    *rsa.PublicKey
	now    func() time.Time
	wants  string // accepted signatures: "draft", "rfc", "both"; "": none is required
	pages  map[string]string
	says   map[string]int    // the status of some paths; 429 and 503 have a Retry-After of 15 minutes
	types  map[string]string // the Content-Type of some paths
	log    []string
	server *httptest.Server
}

var actorKey = sync.OnceValue(func() *rsa.PrivateKey {
	b, err := NewActorKey()
	if err != nil {
		panic(err)
	}
	key, err := ReadActorKey(b)
	if err != nil {
		panic(err)
	}
	return key
})

const (
	outboxAt   = "https://social.example/users/ann/outbox"
	outboxPage = outboxAt + "?page=true"
)

// socialPages returns the pages of ann's server. Her posts have these texts.
func socialPages(posts ...string) map[string]string {
	var items []string
	for i, text := range posts {
		items = append(items, fmt.Sprintf(
			`{"type":"Create","actor":"https://social.example/users/ann","to":["as:Public"],"object":{"type":"Note","id":"https://social.example/%d",
			"attributedTo":"https://social.example/users/ann","to":["as:Public"],"published":"2026-11-19T00:00:00Z","content":%q,"likes":{"totalItems":LIKES}}}`,
			i, text))
	}
	const context = `"@context":"https://www.w3.org/ns/activitystreams",`
	return map[string]string{
		"/.well-known/webfinger": `{"subject":"acct:ann@social.example","links":[{"rel":"http://webfinger.net/rel/profile-page","type":"text/html","href":"https://social.example/@ann"},
			{"rel":"self","type":"application/activity+json","href":"https://social.example/users/ann"}]}`,
		"/users/ann": `{` +
			context +
			`"type":"Person","id":"https://social.example/users/ann","name":"Ann",` +
			`"url":"https://social.example/@ann","inbox":"https://social.example/in","outbox":"` +
			outboxAt + `"}`,
		"/users/ann/outbox": `{` + context + `"type":"OrderedCollection","id":"` + outboxAt + `","first":"` +
			outboxPage + `"}`,
		"/users/ann/outbox?page=true": `{` + context + `"type":"OrderedCollectionPage","id":"` +
			outboxPage + `","orderedItems":[` + strings.Join(items, ",") + `]}`,
		"/@ann": `<html><head><title>Ann</title><link rel="alternate" type="application/rss+xml" ` +
			`href="/@ann.rss"><link rel="alternate" type="application/activity+json" href="/users/ann">`,
		"/@ann.rss": `<rss version="2.0"><channel><title>Ann</title><link>https://social.example/@ann</link><item>` +
			`<guid>1</guid><title>By RSS</title></item></channel></rss>`,
	}
}

func (s *social) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.URL.Query().Has("page") {
		path = r.URL.RequestURI()
	}
	page, found := s.pages[path]
	if r.URL.Path == "/robots.txt" || !found {
		http.NotFound(w, r)
		return
	}
	signed := s.signature(r)
	s.log = append(s.log, strings.TrimSpace(path+" "+signed))
	if isObject := strings.HasPrefix(path, "/users/"); isObject {
		if !strings.HasPrefix(r.Header.Get("Accept"), "application/activity+json") {
			http.Error(w, "not acceptable", http.StatusNotAcceptable)
			return
		}
		if s.wants != "" && s.wants != signed && (s.wants != "both" || signed == "") {
			http.Error(w, "who asks?", http.StatusUnauthorized)
			return
		}
	}
	if status := s.says[path]; status != 0 {
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "900")
		}
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(s.types[path], "application/activity+json; charset=utf-8"))
	fmt.Fprint(w, strings.ReplaceAll(page, "LIKES", fmt.Sprint(len(s.log))))
}

var draftSignature = regexp.MustCompile(
	`^keyId="https://news\.example\.org/actor#main-key",algorithm="rsa-sha256",headers="\(request-target\) host ` +
		`date",signature="([^"]+)"$`)

// signature checks the signature of a request like a server and returns its kind, or "" if it is missing or
// wrong.
func (s *social) signature(r *http.Request) string {
	text, signature, kind := "", "", "draft"
	if input, ok := strings.CutPrefix(r.Header.Get("Signature-Input"), "sig1="); ok {
		kind = "rfc"
		text = fmt.Sprintf("\"@method\": GET\n\"@target-uri\": https://%s%s\n\"@signature-params\": %s", r.Host,
			r.URL.RequestURI(), input)
		signature = strings.Trim(strings.TrimPrefix(r.Header.Get("Signature"), "sig1="), ":")
		if want := fmt.Sprintf(`("@method" "@target-uri");created=%d;`+
			`keyid="https://news.example.org/actor#main-key";alg="rsa-v1_5-sha256"`, s.now().Unix()); input != want {
			s.t.Errorf("Signature-Input %s, want %s", input, want)
		}
	} else if m := draftSignature.FindStringSubmatch(r.Header.Get("Signature")); m != nil {
		date, err := http.ParseTime(r.Header.Get("Date"))
		if err != nil || s.now().Sub(date).Abs() > time.Minute {
			s.t.Errorf("signed at %s: %v", r.Header.Get("Date"), err)
		}
		signature = m[1]
		text = fmt.Sprintf("(request-target): get %s\nhost: %s\ndate: %s", r.URL.RequestURI(), r.Host,
			r.Header.Get("Date"))
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	sum := sha256.Sum256([]byte(text))
	if err != nil || rsa.VerifyPKCS1v15(s.key, crypto.SHA256, sum[:], raw) != nil {
		if signature != "" {
			s.t.Errorf("a wrong signature of %q", text)
		}
		return ""
	}
	return kind
}

// newSocial returns a server and a reader of its account. Every name resolves to the server.
func newSocial(t testing.TB, wants, base string, pages map[string]string) (*social, *reader) {
	s := &social{t: t, key: &actorKey().PublicKey, wants: wants, pages: pages}
	s.server = httptest.NewTLSServer(s)
	t.Cleanup(s.server.Close)
	r := newReader(t, outboxPage, func(o *Options) {
		o.BaseURL, o.AllowNetworks = base, nil
		o.ActorKey = func(context.Context) (*rsa.PrivateKey, error) { return actorKey(), nil }
		o.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.server.Listener.Addr().String())
		}
	})
	s.now = r.p.now
	roots := x509.NewCertPool()
	roots.AddCert(s.server.Certificate())
	r.p.transport.TLSClientConfig.RootCAs, r.p.transport.TLSClientConfig.ServerName = roots, "example.com"
	return s, r
}

func (s *social) asked(want ...string) {
	s.t.Helper()
	if got := strings.Join(s.log, ", "); got != strings.Join(want, ", ") {
		s.t.Errorf("asked\n%s, want\n%s", got, strings.Join(want, ", "))
	}
	s.log = nil
}

const newsBase = "https://news.example.org"

func TestFindFediverse(t *testing.T) {
	const finger, actor, outbox, page = "/.well-known/webfinger", "/users/ann draft", "/users/ann/outbox draft",
		"/users/ann/outbox?page=true draft"
	for _, typed := range []string{"@ann@social.example", "https://social.example/@ann",
		"https://social.example/users/ann"} {
		s, r := newSocial(t, "draft", newsBase, socialPages("Hello"))
		found, err := find(r.p, typed)
		if err != nil || found.Feed.URL != outboxPage || found.Feed.Title != "Ann" ||
			found.Feed.SiteURL != "https://social.example/@ann" || found.Feed.Kind != "activitystreams" {
			t.Errorf("%s: %+v %v", typed, found.Feed, err)
		}
		first := finger
		switch {
		case strings.HasSuffix(typed, "/@ann"):
			first = "/@ann"
		case typed[0] == 'h':
			first = "/users/ann" // a feed request, which the actor's page does not answer
		}
		s.asked(first, actor, outbox, page)
	}
}

// TestPollOutbox holds that a poll is one request, and that changes around the posts are no changes.
func TestPollOutbox(t *testing.T) {
	s, r := newSocial(t, "draft", newsBase, socialPages("Hello"))
	r.feed.Kind, r.feed.Title, r.feed.SiteURL = "activitystreams", "Ann", "https://social.example/@ann"
	r.want(Changed)
	r.want(Unchanged)
	s.asked("/users/ann/outbox?page=true draft", "/users/ann/outbox?page=true draft")
	s.pages = socialPages("Hello", "World")
	r.want(Changed)
	if r.feed.Title != "Ann" || r.feed.SiteURL != "https://social.example/@ann" {
		t.Errorf("%+v", r.feed)
	}
}

// TestOtherSignature holds that a host that rejects the draft gets one request signed by RFC 9421, and that
// the accepted kind is remembered.
func TestOtherSignature(t *testing.T) {
	s, r := newSocial(t, "rfc", newsBase, socialPages("Hello"))
	r.feed.Kind = "activitystreams"
	r.want(Changed)
	r.want(Unchanged)
	const page = "/users/ann/outbox?page=true "
	s.asked(page+"draft", page+"rfc", page+"rfc")

	s, r = newSocial(t, "nothing that we have", newsBase, socialPages("Hello"))
	r.feed.Kind = "activitystreams"
	r.want(Failed)
	s.asked(page+"draft", page+"rfc")
	r.want(Failed)
	s.asked(page + "draft")
}

// TestOutboxMoved holds that a collection without posts of its own costs one more request, for its first
// page. After a day, the page is the feed's address.
func TestOutboxMoved(t *testing.T) {
	pages := socialPages("Hello")
	s, r := newSocial(t, "both", newsBase, pages)
	r.feed.Kind, r.feed.URL = "activitystreams", outboxAt
	r.want(Changed)
	s.asked("/users/ann/outbox draft", "/users/ann/outbox?page=true draft")
	r.want(Unchanged)
	if r.feed.URL != outboxPage {
		t.Errorf("the feed is at %s", r.feed.URL)
	}
	s.log = nil
	r.want(Unchanged)
	s.asked("/users/ann/outbox?page=true draft")

	pages["/users/ann/outbox?page=true"] = pages["/users/ann/outbox"] // a loop
	if result := r.want(Failed); result.Requests != 1 {
		t.Errorf("%d requests", result.Requests)
	}
}

// TestFediverseFallsBack holds that an account is read by RSS if requests cannot be signed, if the outbox
// has no posts, or if the page names no account.
func TestFediverseFallsBack(t *testing.T) {
	for why, test := range map[string]struct {
		wants, base string
		pages       map[string]string
	}{
		"no public address": {"draft", "http://localhost:8080", socialPages("Hello")},
		"refused":           {"nothing that we have", newsBase, socialPages("Hello")},
		"an empty outbox":   {"draft", newsBase, socialPages()},
	} {
		for _, typed := range []string{"@ann@social.example", "https://social.example/@ann"} {
			_, r := newSocial(t, test.wants, test.base, test.pages)
			found, err := find(r.p, typed)
			if err != nil || found.Feed.URL != "https://social.example/@ann.rss" || found.Feed.Kind != "rss" {
				t.Errorf("%s, %s: %+v %v", why, typed, found.Feed, err)
			}
		}
	}
	pages := socialPages("Hello")
	delete(pages, "/@ann.rss")
	_, r := newSocial(t, "draft", "http://localhost:8080", pages)
	if _, err := find(r.p, "@ann@social.example"); err == nil ||
		!strings.Contains(err.Error(), "DIGEST_BASE_URL") {
		t.Errorf("without RSS: %v", err)
	}
	_, r = newSocial(t, "", "http://localhost:8080", socialPages("Hello"))
	if found, err := find(r.p, "@ann@social.example"); err != nil ||
		found.Feed.URL != outboxPage {
		t.Errorf("where nobody wants a signature: %+v %v", found.Feed, err)
	}
}

// TestFediverseMoves holds that a search finds a moved account at its new address if the new account
// confirms it.
func TestFediverseMoves(t *testing.T) {
	for also, want := range map[string]string{`["https://social.example/users/old"]`: outboxPage,
		`[]`: "https://social.example/@ann.rss"} {
		pages := socialPages("Hello")
		pages["/.well-known/webfinger"] = strings.ReplaceAll(pages["/.well-known/webfinger"], "users/ann", "users/old")
		pages["/users/old"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Person",` +
			`"id":"https://social.example/users/old","inbox":"https://social.example/in","outbox":"https://social.example/users/old/outbox","movedTo":"https://social.example/users/ann"}`
		pages["/users/ann"] = strings.Replace(pages["/users/ann"], `"name"`, `"alsoKnownAs":`+also+`,"name"`, 1)
		_, r := newSocial(t, "draft", newsBase, pages)
		if found, err := find(r.p, "@old@social.example"); err != nil || found.Feed.URL != want {
			t.Errorf("known as %s: %+v %v", also, found.Feed, err)
		}
	}
}

// TestFediverseLeadsNotHome holds that an answer of WebFinger cannot name an address in a network that the
// operator allows for typed addresses (I7).
func TestFediverseLeadsNotHome(t *testing.T) {
	s := &search{session: New(Options{NoWait: true, AllowNetworks: loopback()}).newSession(digest.Feed{}, 1),
		known: nobody}
	s.led = true
	if _, err := s.actor(context.Background(), &person{}, "http://127.0.0.1:1/users/ann"); err == nil ||
		!strings.Contains(err.Error(), "is private") {
		t.Errorf("asked: %v", err)
	}
}

func TestIsPublicBase(t *testing.T) {
	for base, want := range map[string]bool{"https://news.example.org": true, "https://news.example.org:8443": true,
		"http://localhost:8080": false, "https://192.168.1.7": false,
		"https://nas": false, "https://nas.local": false, "https://8.8.8.8": true, "": false} {
		if IsPublicBase(base) != want {
			t.Errorf("%s is public: %v", base, !want)
		}
	}
}
