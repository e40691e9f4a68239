package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// A hubCall is a request of a hub to a subscriber.
type hubCall struct {
	at     time.Time
	method string
	query  url.Values
	header http.Header
	body   string
}

// newHubSubscriber starts a subscriber that confirms every request and returns them.
func newHubSubscriber(t *testing.T) (callback string, came chan hubCall) {
	came = make(chan hubCall, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- hubCall{time.Now(), r.Method, r.URL.Query(), r.Header, string(body)}
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/callback?for=anna", came
}

func next(t *testing.T, came chan hubCall) hubCall {
	t.Helper()
	select {
	case c := <-came:
		return c
	case <-time.After(patience):
		t.Fatal("nothing came")
		return hubCall{}
	}
}

func (h *house) hubServer(address string, now time.Time) *exec.Cmd {
	h.t.Helper()
	cmd := h.command(h.t.Context(), "--now", instant(now), "--listen", address, "serve")
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	patientDial(h.t, address).Close()
	return cmd
}

// TestHubOfTheProgram checks that a subscriber can discover the hub of a newsletter's feed, subscribe, and receive
// the letter when it is sent, even if the process that accepted the subscription was killed.
func TestHubOfTheProgram(t *testing.T) {
	tier.Acceptance(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := newHouse(t, database)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, siegeFeed(1, false))
		}))
		defer site.Close()
		address := program.FreeAddress(t)
		h.set("DIGEST_BASE_URL=http://"+address, "DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=100ms",
			"DIGEST_LOG_LEVEL=warn", "DIGEST_TRUSTED_PROXIES=127.0.0.1")
		evening := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
		h.at(evening, "user", "add", "anna@example.org", "--time-zone", "UTC")
		h.at(evening, "newsletter", "create", "anna", "--owner", "anna@example.org", "--feed", site.URL+"/feed.xml",
			"--name", "Anna writes", "--address-line", "Anna, 1 Quay, Whitby")

		first := h.hubServer(address, evening.Add(3*time.Hour))
		hub, topic := discover(t, "http://"+address+"/n/anna/feed.xml")
		callback, came := newHubSubscriber(t)
		asked := time.Now()
		form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {callback},
			"hub.secret": {"a secret"}}
		ask, err := http.NewRequestWithContext(t.Context(), http.MethodPost, hub, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		// a proxy claims a loopback address
		ask.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"},
			"X-Forwarded-For": {"127.0.0.1"}}
		res, err := http.DefaultClient.Do(ask)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		verified := next(t, came)
		if res.StatusCode != http.StatusAccepted || verified.method != "GET" ||
			verified.query.Get("hub.topic") != topic || verified.query.Get("for") != "anna" ||
			verified.query.Get("hub.lease_seconds") != "864000" {
			t.Errorf("answered %d, verified by %s %v", res.StatusCode, verified.method, verified.query)
		}
		t.Logf("verified %v after it was asked", verified.at.Sub(asked).Round(time.Millisecond))
		h.awaitShow(evening.Add(3*time.Hour), "1 program subscribed at the hub")
		_ = first.Process.Kill()
		_ = first.Wait()

		second := h.hubServer(address, evening.Add(4*time.Hour-time.Second))
		begun := time.Now()
		delivered := next(t, came)
		mac := hmac.New(sha256.New, []byte("a secret"))
		mac.Write([]byte(delivered.body))
		if delivered.method != "POST" || delivered.header.Get("X-Hub-Signature") != "sha256="+
			hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("delivered by %s, signed %s", delivered.method, delivered.header.Get("X-Hub-Signature"))
		}
		if _, served := fetch(t, topic); served != delivered.body || !strings.Contains(served, "Evening of 1") {
			t.Errorf("delivered %s, served %s", delivered.body, served)
		}
		t.Logf("delivered %v after midnight, its plan and its release included",
			(delivered.at.Sub(begun) - time.Second).Round(time.Millisecond))
		_ = second.Process.Signal(os.Interrupt)
		if err := second.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
		select {
		case again := <-came:
			t.Errorf("something came once more: %+v", again)
		default:
		}
	})
}

// discover returns the hub and the topic of a feed from its Link fields (W3C WebSub section 4).
func discover(t *testing.T, address string) (hub, topic string) {
	t.Helper()
	res, err := http.Head(address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	links := regexp.MustCompile(`<([^>]*)>; rel="(hub|self)"`).FindAllStringSubmatch(
		strings.Join(res.Header.Values("Link"), ", "), -1)
	for _, l := range links {
		switch l[2] {
		case "hub":
			hub = l[1]
		case "self":
			topic = l[1]
		}
	}
	if hub == "" || topic == "" {
		t.Fatalf("the feed links to %q", res.Header.Values("Link"))
	}
	return hub, topic
}

func (h *house) awaitShow(now time.Time, words string) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		shown := h.at(now, "newsletter", "show", "anna")
		if strings.Contains(shown, words) {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("not %q:\n%s", words, shown)
		}
	}
}
