package hub_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/feed"
	"digest/internal/hub"
	"digest/poller"
	"digest/push"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

var midnight = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

type subscriber struct {
	*httptest.Server
	mu       sync.Mutex
	wants    string // topic that it confirms
	answer   int    // status for deliveries
	modes    []string
	received []delivery
}

type delivery struct {
	body   string
	header http.Header
}

func newSubscriber(t testing.TB, topic string) *subscriber {
	s := &subscriber{wants: topic, answer: http.StatusNoContent}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		s.received = append(s.received, delivery{string(body), r.Header})
		w.WriteHeader(s.answer)
		return
	}
	q := r.URL.Query()
	s.modes = append(s.modes, fmt.Sprintf("%s %s %s", q.Get("hub.mode"), q.Get("hub.lease_seconds"), q.Get("key")))
	if q.Get("hub.topic") != s.wants {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, q.Get("hub.challenge"))
}

// seen returns the requests since the last call.
func (s *subscriber) seen() (modes []string, received []delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	modes, received = s.modes, s.received
	s.modes, s.received = nil, nil
	return modes, received
}

func (s *subscriber) answers(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = status
}

type house struct {
	t   testing.TB
	st  *store.Store
	n   digest.Newsletter
	f   digest.Feed
	now time.Time
	*hub.Hub
}

func each(t *testing.T, f func(h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) { f(newHouse(t, st)) })
}

func newHouse(t testing.TB, st *store.Store) *house {
	t.Helper()
	h := &house{t: t, st: st, now: noon}
	u, _, err := st.AddUser(t.Context(), "anna@example.org", "UTC", noon)
	h.ok(err)
	h.n, err = st.AddNewsletter(t.Context(),
		digest.Newsletter{Slug: "anna-writes", Name: "Anna & co", Cadence: digest.Daily, State: digest.NewsletterActive,
			Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}}, u.ID, noon)
	h.ok(err)
	h.f, _, err = st.EnsureFeed(t.Context(), digest.Feed{URL: "https://anna.example/feed", Host: "anna.example",
		Title: "Anna"})
	h.ok(err)
	h.ok(st.AddNewsletterFeed(t.Context(), h.n.ID, digest.Subscription{FeedID: h.f.ID}, noon))
	h.Hub = h.hub()
	return h
}

// hub returns the hub of a process. A test may have several.
func (h *house) hub() *hub.Hub {
	now := func() time.Time { return h.now }
	signer := digest.NewSigner([]byte("0123456789abcdef"))
	p := poller.New(poller.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, NoWait: true,
		Hosts: h.st})
	h.t.Cleanup(p.Close)
	return hub.New(hub.Options{
		Feeds: hub.Feeds{Store: h.st,
			Editions: edition.New(edition.Options{Store: h.st, Signer: signer, BaseURL: "https://digest.example"}),
			BaseURL:  "https://digest.example/", Open: true},
		Poller: p, Now: now, Hard: h.t.Context(), Log: slog.New(slog.DiscardHandler), Bell: make(chan struct{}, 1),
	})
}

func (h *house) ok(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

const topic = "https://digest.example/n/anna-writes/feed.xml"

// asks sends the request of a subscriber and runs the hub.
func (h *house) asks(s *subscriber, form ...string) (modes []string) {
	h.t.Helper()
	h.ok(h.Ask(h.t.Context(), h.request(s, form...), "127.0.0.1", true))
	h.ok(h.Work(h.t.Context()))
	modes, _ = s.seen()
	return modes
}

func (h *house) request(s *subscriber, form ...string) push.HubRequest {
	h.t.Helper()
	body := "hub.mode=subscribe&hub.topic=" + topic + "&hub.callback=" + s.URL + "/cb?key=1"
	if len(form) > 0 {
		body = strings.ReplaceAll(form[0], "CALLBACK", s.URL+"/cb?key=1")
	}
	r, err := push.ParseHubRequest("application/x-www-form-urlencoded", []byte(body), nil)
	h.ok(err)
	return r
}

func (h *house) letter(title string) {
	h.t.Helper()
	ctx := h.t.Context()
	next := midnight
	for !next.After(h.now) {
		next = next.AddDate(0, 0, 1)
	}
	seen := next.Add(-time.Hour)
	h.f.ParsedAt = seen
	p := digest.Post{FeedID: h.f.ID, Identity: title, Title: title, URL: "https://anna.example/" + title, SeenAt: seen,
		PublishedAt: seen, ContentHash: title, Content: "<p>" + title + "</p>"}
	_, err := h.st.Record(ctx, seen,
		[]store.Polled{{Feed: h.f, Posts: []digest.Post{p}, Listed: []string{title}, ReadAt: h.f.URL}})
	h.ok(err)
	h.now = next
	_, err = h.st.Plan(ctx, next, func(digest.Feed, time.Time) (time.Time, bool) { return time.Time{}, false })
	h.ok(err)
	_, err = h.st.Release(ctx, next, time.Minute)
	h.ok(err)
}

// TestHub checks a subscription from its first request to its end.
func TestHub(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, topic)
		modes := h.asks(s, "hub.mode=subscribe&hub.topic="+topic+
			"&hub.callback=CALLBACK&hub.secret=geheim&hub.lease_seconds=86400")
		if len(modes) != 1 || modes[0] != "subscribe 86400 1" {
			h.t.Fatalf("verified by %q", modes)
		}
		h.ok(h.Work(h.t.Context()))
		if _, got := s.seen(); len(got) != 0 {
			h.t.Fatalf("%d deliveries before there is a letter", len(got))
		}
		h.letter("boats")
		h.ok(h.Work(h.t.Context()))
		_, got := s.seen()
		if len(got) != 1 {
			h.t.Fatalf("%d deliveries", len(got))
		}
		mac := hmac.New(sha256.New, []byte("geheim"))
		mac.Write([]byte(got[0].body))
		if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); got[0].header.Get("X-Hub-Signature") != want {
			h.t.Errorf("signed %s, want %s", got[0].header.Get("X-Hub-Signature"), want)
		}
		if links := strings.Join(got[0].header.Values("Link"),
			", "); links != `<https://digest.example/hub>; rel="hub", <`+topic+`>; rel="self"` {
			h.t.Errorf("Link: %s", links)
		}
		served, err := h.Newsletter(h.t.Context(), h.n, h.now)
		h.ok(err)
		if string(served.Body) != got[0].body || got[0].header.Get("Content-Type") != hub.ContentType {
			h.t.Errorf("delivered %s, served %s", got[0].body, served.Body)
		}
		doc, err := feed.Parse([]byte(got[0].body), got[0].header.Get("Content-Type"), topic)
		if err != nil || len(doc.Posts) != 1 || !strings.Contains(got[0].body, "boats") ||
			!strings.Contains(got[0].body, `rel="hub" href="https://digest.example/hub"`) {
			h.t.Errorf("%v of %s", err, got[0].body)
		}
		h.ok(h.Work(h.t.Context()))
		if _, again := s.seen(); len(again) != 0 {
			h.t.Error("delivered twice")
		}

		modes = h.asks(s, "hub.mode=unsubscribe&hub.topic="+topic+"&hub.callback=CALLBACK")
		if len(modes) != 1 || modes[0] != "unsubscribe  1" {
			h.t.Errorf("the end verified by %q", modes)
		}
		h.letter("kites")
		h.ok(h.Work(h.t.Context()))
		if _, late := s.seen(); len(late) != 0 {
			h.t.Error("delivered after the end")
		}
	})
}

// TestHubVerifies checks that a callback that does not confirm is not subscribed.
func TestHubVerifies(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, "https://digest.example/n/other/feed.xml")
		if modes := h.asks(s); len(modes) != 1 {
			h.t.Errorf("asked by %q", modes)
		}
		h.letter("boats")
		h.ok(h.Work(h.t.Context()))
		if modes, got := s.seen(); len(got)+len(modes) != 0 {
			h.t.Errorf("delivered to who did not confirm: %v %v", modes, got)
		}
		for _, topic := range []string{
			"https://digest.example/n/other/feed.xml", "https://elsewhere.example/n/anna-writes/feed.xml",
			"https://digest.example/n/anna-writes",
			"http://digest.example/n/anna-writes/feed.xml", "https://digest.example/n/anna-writes/feed.xml?x=1",
			"https://digest.example/n/../anna-writes/feed.xml",
		} {
			r := h.request(s)
			r.Topic = topic
			if err := h.Ask(h.t.Context(), r, "127.0.0.1", true); digest.KindOf(err) != digest.NotFound {
				h.t.Errorf("%s: %v", topic, err)
			}
		}
		for _, state := range []digest.NewsletterState{digest.NewsletterPending, digest.NewsletterEnded} {
			h.ok(h.st.SetNewsletterState(h.t.Context(), h.n.ID, state, "", h.now))
			if err := h.Ask(h.t.Context(), h.request(s), "127.0.0.1", true); digest.KindOf(err) != digest.NotFound {
				h.t.Errorf("a newsletter that is %s: %v", state, err)
			}
		}
		if modes, _ := s.seen(); len(modes) != 0 {
			h.t.Errorf("asked by %q", modes)
		}
	})
}

// TestHubKeepsStrangersOut checks that the hub calls a callback in a private network only if the request came from
// there (I7).
func TestHubKeepsStrangersOut(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, topic)
		h.ok(h.Ask(h.t.Context(), h.request(s), "127.0.0.1", false))
		h.ok(h.Work(h.t.Context()))
		if modes, _ := s.seen(); len(modes) != 0 {
			h.t.Errorf("asked by %q", modes)
		}
	})
}

// TestHubRetries checks that a failed delivery is retried with the newest feed, and that a callback that is gone ends
// the subscription.
func TestHubRetries(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, topic)
		h.asks(s)
		s.answers(http.StatusInternalServerError)
		h.letter("boats")
		h.ok(h.Work(h.t.Context()))
		first := h.now
		h.now = first.Add(59 * time.Second)
		h.ok(h.Work(h.t.Context()))
		if _, got := s.seen(); len(got) != 1 {
			h.t.Errorf("%d deliveries, want one", len(got))
		}
		h.now = first.Add(time.Minute)
		h.ok(h.Work(h.t.Context()))
		h.letter("kites")
		s.answers(http.StatusAccepted)
		h.ok(h.Work(h.t.Context()))
		_, got := s.seen()
		if len(got) != 2 || !strings.Contains(got[1].body, "kites") || !strings.Contains(got[1].body, "boats") {
			h.t.Errorf("%d deliveries: %+v", len(got), got)
		}
		s.answers(http.StatusGone)
		h.letter("seams")
		h.ok(h.Work(h.t.Context()))
		h.letter("knots")
		h.ok(h.Work(h.t.Context()))
		if _, got := s.seen(); len(got) != 1 {
			h.t.Errorf("%d deliveries to who is gone, want one", len(got))
		}
	})
}

// TestHubDenies checks that the subscribers of an ended newsletter are notified.
func TestHubDenies(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, topic)
		h.asks(s)
		h.ok(h.st.SetNewsletterState(h.t.Context(), h.n.ID, digest.NewsletterEnded, "", h.now))
		h.ok(h.Work(h.t.Context()))
		h.ok(h.Work(h.t.Context()))
		if modes, _ := s.seen(); len(modes) != 1 || modes[0] != "denied  1" {
			h.t.Errorf("told %q", modes)
		}
	})
}

// TestHubOfSeveralProcesses checks that each of many subscribers gets an issue once from several processes.
func TestHubOfSeveralProcesses(t *testing.T) {
	const many = 12
	each(t, func(h *house) {
		var all []*subscriber
		for i := range many {
			s := newSubscriber(t, topic)
			all = append(all, s)
			r := h.request(s)
			h.ok(h.Ask(h.t.Context(), r, fmt.Sprintf("%d.example", i), true))
		}
		h.ok(h.Work(h.t.Context()))
		h.letter("boats")
		var together sync.WaitGroup
		for range 3 {
			other := h.hub()
			together.Go(func() {
				if err := other.Work(h.t.Context()); err != nil {
					h.t.Error(err)
				}
			})
		}
		together.Wait()
		h.now = h.now.Add(5 * time.Minute) // retry the hosts that were busy
		h.ok(h.Work(h.t.Context()))
		for i, s := range all {
			if modes, got := s.seen(); len(modes) != 1 || len(got) != 1 {
				h.t.Errorf("subscriber %d: %q, and %d deliveries", i, modes, len(got))
			}
		}
	})
}

// TestHubStops checks that a stop returns unfinished calls to the queue.
func TestHubStops(t *testing.T) {
	each(t, func(h *house) {
		s := newSubscriber(t, topic)
		h.ok(h.Ask(h.t.Context(), h.request(s), "127.0.0.1", true))
		stopped, stop := context.WithCancel(h.t.Context())
		stop()
		h.ok(h.Work(stopped))
		if modes, _ := s.seen(); len(modes) != 0 {
			h.t.Errorf("asked by %q", modes)
		}
		h.ok(h.Work(h.t.Context()))
		if modes, _ := s.seen(); len(modes) != 1 {
			h.t.Errorf("asked by %q", modes)
		}
	})
}
