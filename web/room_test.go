package web_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/seal"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/web"
	"digest/web/page"

	"golang.org/x/net/html"
)

// noon is the time at which tests begin.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A room is a web view over a store, with a clock that tests move.
type room struct {
	t      testing.TB
	store  *store.Store
	signer *digest.Signer
	base   string
	now    time.Time

	addresses []string // of this instance, for the bot page
	pictures  page.PictureFetcher
	sounds    page.SoundFetcher
	signUp    page.SignUp
	publish   page.Publishing
	outbox    *mailer.Outbox
	mail      string // directory of the Maildir
	names     *txtRecords
	keys      *seal.Keys
	letterLog lockedBuffer
	beats     bool // health checks the hourly job
	trusted   []netip.Prefix
	bySocket  bool // clients on the socket are trusted proxies
	fenced    bool // the web view has a fence

	onlineOnly bool   // without offline reading
	accepts    string // Accept-Language of browsers; "": none
	observe    page.Observer
	storage    page.Measure

	reportAddress string

	handler http.Handler
	client  *http.Transport // not the default one: closing a test server closes its idle connections
	log     *bytes.Buffer
	feeds   int // number of feeds so far
}

func newRoom(t testing.TB, s *store.Store) *room {
	r := &room{t: t, now: noon, signUp: page.SignUpOpen, trusted: loopback(), mail: t.TempDir(), store: s,
		signer: digest.NewSigner([]byte("sixteen or more bytes")), log: &bytes.Buffer{}, client: &http.Transport{}}
	r.names, r.keys = &txtRecords{}, seal.Beside(filepath.Join(t.TempDir(), "digest.db"))
	t.Cleanup(r.client.CloseIdleConnections)
	r.open("")
	return r
}

// loopback returns the addresses of the tests' proxy, whose X-Forwarded-For names each visitor.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// open starts the web view. base is its public URL; "" uses the server's own.
func (r *room) open(base string) {
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.handler.ServeHTTP(w, req) }))
	r.t.Cleanup(server.Close)
	r.base = server.URL
	r.handler = web.New(web.Options{
		Store: r.store, Editions: edition.New(edition.Options{Store: r.store.Editions, Signer: r.signer,
			BaseURL: r.base}),
		Signer: r.signer, SignUp: r.signUp, Publishing: r.publish, Outbox: r.openOutbox(),
		BaseURL: cmp.Or(base, server.URL), Version: "1.2.3",
		Subscriber: r.subscriber(), Pings: r.store.Feeds, Pictures: r.pictures, Sounds: r.sounds,
		Addresses: r.addresses, Spread: poller.Spread{Window: 15 * time.Minute},
		Fence: r.look(cmp.Or(base, server.URL)), Beats: r.beats, Offline: !r.onlineOnly, Observe: r.observe,
		Storage: r.storage, Domains: r.registrar(), ReportAddress: r.reportAddress,
		TrustedProxies: digest.Proxies{Networks: r.trusted, Socket: r.bySocket},
		Contact:        "ada@example.org", Now: func() time.Time { return r.now },
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	})
}

// look returns the Fence function of the web view. It finds no fence unless r.fenced is set.
func (r *room) look(base string) func(context.Context) (store.Fence, error) {
	return func(ctx context.Context) (store.Fence, error) {
		if !r.fenced {
			return store.Fence{}, nil
		}
		return r.store.Operator.LookFence(ctx, base, r.now, store.FenceRules{After: 36 * time.Hour, Most: 100})
	}
}

// A visitor is a browser: it keeps cookies and does not follow redirects.
type visitor struct {
	*room
	cookies map[string]string
	header  map[string]string
}

func (r *room) visitor() *visitor {
	v := &visitor{room: r, cookies: map[string]string{}, header: map[string]string{"X-Forwarded-For": "192.0.2.1"}}
	if r.accepts != "" {
		v.header["Accept-Language"] = r.accepts
	}
	return v
}

// An answer is a response with its body.
type answer struct {
	*http.Response
	t    testing.TB
	body string
}

func (v *visitor) get(path string) answer { v.t.Helper(); return v.do("GET", path, "", nil) }

// post posts a form. Behind a link in an email it posts it as the page's button does.
func (v *visitor) post(path string, form url.Values) answer {
	v.t.Helper()
	for _, root := range []string{"/unsubscribe/", "/moved/", "/remedies/", "/trial/", "/save/", "/site/", "/undo/"} {
		if strings.HasPrefix(path, root) {
			form = maps.Clone(form)
			if form == nil {
				form = url.Values{}
			}
			form.Set("pressed", "yes")
		}
	}
	return v.do("POST", path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (v *visitor) do(method, path, contentType string, body io.Reader) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for name, value := range v.header {
		req.Header.Set(name, value)
	}
	for name, value := range v.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := v.client.RoundTrip(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.keep(resp.Cookies())
	v.outbox.Wait() // emails are written outside of requests
	return answer{resp, v.t, string(b)}
}

func (v *visitor) keep(cookies []*http.Cookie) {
	for _, c := range cookies {
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
			continue
		}
		v.cookies[c.Name] = c.Value
	}
}

// signIn signs in with a new link.
func (v *visitor) signIn(u digest.User) *visitor {
	v.t.Helper()
	v.post("/sign-in", url.Values{"token": {v.token(u)}}).status(http.StatusSeeOther)
	return v
}

// token returns the token of a new sign-in link.
func (r *room) token(u digest.User) string {
	r.t.Helper()
	link, err := web.SignInLink(r.t.Context(), r.store, r.base, u.ID, r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	_, token, ok := strings.Cut(link, r.base+"/sign-in?token=")
	if !ok {
		r.t.Fatalf("sign-in link is %q", link)
	}
	return token
}

func (r *room) stands(d digest.Digest, want digest.DigestState) {
	r.t.Helper()
	d, err := r.store.Readers.Digest(context.Background(), d.ID)
	r.must(err)
	if d.State != want {
		r.t.Errorf("digest is %s, want %s", d.State, want)
	}
}

func (r *room) unsubscribePath(d digest.Digest) string {
	return "/unsubscribe/" + r.signer.Sign(digest.ForUnsubscribe, int64(d.ID))
}

func (a answer) status(want int) answer {
	a.t.Helper()
	if a.StatusCode != want {
		a.t.Fatalf("%s %s: status %d, want %d\n%s", a.Request.Method, a.Request.URL, a.StatusCode, want, a.body)
	}
	return a
}

// leads checks the path of a redirect.
func (a answer) leads(to string) answer {
	a.t.Helper()
	if got := a.Header.Get("Location"); got != to {
		a.t.Errorf("leads to %q, want %q", got, to)
	}
	return a
}

// find returns the nodes that match a selector: steps of tag, .class or #id with any
// number of [attr] or [attr=value], each inside the one before.
func (a answer) find(selector string) []*html.Node {
	a.t.Helper()
	root, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		a.t.Fatal(err)
	}
	found := []*html.Node{root}
	for step := range strings.FieldsSeq(selector) {
		var next []*html.Node
		for _, n := range found {
			for c := range n.Descendants() {
				if matches(c, step) {
					next = append(next, c)
				}
			}
		}
		found = next
	}
	return found
}

func matches(n *html.Node, step string) bool {
	if n.Type != html.ElementNode {
		return false
	}
	step, conditions, _ := strings.Cut(step, "[")
	for condition := range strings.SplitSeq(conditions, "[") {
		name, value, exact := strings.Cut(strings.TrimSuffix(condition, "]"), "=")
		if got, has := attr(n, name); condition != "" && (!has || exact && got != value) {
			return false
		}
	}
	if tag, class, ok := strings.Cut(step, "."); ok {
		got, _ := attr(n, "class")
		return (tag == "" || n.Data == tag) && strings.Contains(" "+got+" ", " "+class+" ")
	}
	if tag, id, ok := strings.Cut(step, "#"); ok {
		got, _ := attr(n, "id")
		return (tag == "" || n.Data == tag) && got == id
	}
	return step == "" || n.Data == step
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// texts returns the text of every matching node that is not hidden.
func (a answer) texts(selector string) []string {
	a.t.Helper()
	var all []string
	for _, n := range a.find(selector) {
		if slices.ContainsFunc(n.Attr, func(at html.Attribute) bool { return at.Key == "hidden" }) {
			continue // not visible
		}
		all = append(all, textOf(n))
	}
	return all
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// shows checks the texts of the matching nodes.
func (a answer) shows(selector string, want ...string) answer {
	a.t.Helper()
	got := a.texts(selector)
	if strings.Join(got, "|") != strings.Join(want, "|") {
		a.t.Fatalf("%s: %s shows %q, want %q", a.Request.URL, selector, got, want)
	}
	return a
}

// attrs returns an attribute of every matching node.
func (a answer) attrs(selector, name string) []string {
	a.t.Helper()
	var all []string
	for _, n := range a.find(selector) {
		value, _ := attr(n, name)
		all = append(all, value)
	}
	return all
}

// has checks an attribute of every matching node.
func (a answer) has(selector, name string, want ...string) answer {
	a.t.Helper()
	if got := a.attrs(selector, name); !slices.Equal(got, want) {
		a.t.Errorf("%s: %s of %s is %.200q, want %.200q", a.Request.URL, name, selector, got, want)
	}
	return a
}
