package web_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/web/programs"
)

// callback returns the callback path and the secret of the subscription of a new feed at a hub, in that state.
func (r *room) callback(hub string, state digest.PushState) (path, secret string, f digest.Feed) {
	r.t.Helper()
	f = well(r.knows(digest.Feed{URL: feedURL}), r.now.Add(-2*time.Hour))
	f.Topic, f.Hubs = feedURL, hub
	r.polled(f, store.PollRecord{At: r.now.Add(-2 * time.Hour)})
	_, err := r.store.Feeds.ReconcilePushes(r.t.Context(), r.now)
	r.must(err)
	requests, _, err := r.store.Feeds.ClaimHubRequests(r.t.Context(), r.now, 10,
		func(int) time.Time { return r.now.Add(time.Hour) },
		func(hub string, _ bool) string { return feed.Domain(hub) })
	r.must(err)
	if len(requests) != 1 {
		r.t.Fatalf("%d requests", len(requests))
	}
	if state == digest.PushActive {
		meant, err := r.store.Feeds.VerifyPush(r.t.Context(), r.now, requests[0].ID, feedURL, r.now.Add(time.Hour),
			r.now.Add(time.Hour))
		r.must(err)
		if !meant {
			r.t.Fatal("not meant")
		}
	}
	return programs.CallbackAddress("", r.signer, requests[0].ID), requests[0].Secret, f
}

func signature(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// waiting returns the number of received pushes that are not stored yet.
func (r *room) waiting() (n int) {
	r.t.Helper()
	for {
		_, found, err := r.store.Feeds.ClaimPush(r.t.Context(), r.now, time.Hour)
		r.must(err)
		if !found {
			return n
		}
		n++
	}
}

// TestReceivePush checks that only correctly signed content is stored.
func TestReceivePush(t *testing.T) {
	each(t, func(r *room) {
		path, secret, f := r.callback("https://hub.example/", digest.PushActive)
		const body = "<rss/>"
		send := func(body, signature string) int {
			return r.sent("POST", path, "text/html", body, "X-Hub-Signature", signature).Code
		}
		if code := send(body, signature(secret, body)); code != http.StatusAccepted || r.waiting() != 1 {
			t.Errorf("answered %d", code)
		}
		for name, c := range map[string]struct {
			code            int
			body, signature string
		}{
			"not signed":  {http.StatusForbidden, body, ""},
			"forged":      {http.StatusAccepted, body, signature("x", body)},
			"another":     {http.StatusAccepted, body + " ", signature(secret, body)},
			"a huge body": {http.StatusAccepted, strings.Repeat("x", 11<<20), signature(secret, body)},
		} {
			if code := send(c.body, c.signature); code != c.code || r.waiting() != 0 {
				t.Errorf("%s: answered %d, want %d, and nothing stored", name, code, c.code)
			}
		}
		if !r.pinged(f) {
			t.Error("of a body that is too long the feed is not asked")
		}
		for range 100 {
			send(body, signature("x", body))
		}
		if code := send(body, signature("x", body)); code != http.StatusTooManyRequests {
			t.Errorf("a hundred forged ones, and the next is answered %d", code)
		}
		if code := send(body, signature(secret, body)); code != http.StatusAccepted || r.waiting() != 1 {
			t.Errorf("after that a signed one is answered %d", code)
		}
	})
}

// TestReceivePushInClear checks that a hub without the secret can only announce news.
func TestReceivePushInClear(t *testing.T) {
	each(t, func(r *room) {
		path, secret, f := r.callback("http://hub.example/", digest.PushActive)
		if w := r.sent("POST", path, "text/xml", "<rss/>", "X-Hub-Signature",
			signature(secret, "<rss/>")); w.Code != http.StatusAccepted || r.waiting() != 0 || !r.pinged(f) {
			t.Errorf("answered %d, asked is %t", w.Code, r.pinged(f))
		}
	})
}

// TestVerifyHub checks that only requested subscriptions are confirmed, and none for a guessed token, a HEAD request
// or another topic.
func TestVerifyHub(t *testing.T) {
	each(t, func(r *room) {
		path, _, _ := r.callback("https://hub.example/", digest.PushAsked)
		ask := func(method, path, mode, topic string) int {
			q := url.Values{"hub.mode": {mode}, "hub.topic": {topic}, "hub.challenge": {"<b>"},
				"hub.lease_seconds": {"86400"}}
			return r.sent(method, path+"?"+q.Encode(), "", "").Code
		}
		for _, c := range []struct{ method, path, mode, topic string }{
			{"HEAD", path, "subscribe", feedURL}, {"GET", path, "subscribe", feedURL + "x"},
			{"GET", path, "unsubscribe", feedURL},
			{"GET", path[:len(path)-1] + "a", "subscribe", feedURL}, {"GET", "/websub/x", "subscribe", feedURL},
			{"GET", path, "publish", feedURL}, {"GET", path, "denied", "x"},
		} {
			if code := ask(c.method, c.path, c.mode, c.topic); code != http.StatusNotFound {
				t.Errorf("%v: %d", c, code)
			}
		}
		if w := r.sent("POST", path, "text/xml", "x", "X-Hub-Signature", "x"); w.Code != http.StatusGone {
			t.Errorf("before it is verified a push is answered %d", w.Code)
		}
		for range 2 {
			if code := ask("GET", path, "subscribe", feedURL); code != http.StatusOK {
				t.Errorf("what was asked for: %d", code)
			}
		}
	})
}

// TestProgramsAreToldInALine checks that hubs and pingers get errors as one line of text.
func TestProgramsAreToldInALine(t *testing.T) {
	each(t, func(r *room) {
		path, _, _ := r.callback("https://hub.example/", digest.PushActive)
		for name, c := range map[string]struct {
			method, path, want string
			status             int
		}{
			"a guess":         {"POST", "/websub/x", "Page not found.\n", http.StatusNotFound},
			"another method":  {"PUT", path, "Method not allowed.\n", http.StatusMethodNotAllowed},
			"another way":     {"DELETE", "/RPC2", "Method not allowed.\n", http.StatusMethodNotAllowed},
			"a ping too long": {"POST", "/ping?url=" + strings.Repeat("x", 100), "", http.StatusBadRequest},
		} {
			w := r.sent(c.method, c.path, urlencoded, "")
			if w.Code != c.status || c.want != "" && w.Body.String() != c.want || w.Body.Len() > 200 ||
				w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("%s is answered %d %q", name, w.Code, w.Body)
			}
		}
		var codes []int
		for range 5000 {
			w := r.sent("POST", path, xmlType, "<rss/>", "X-Hub-Signature", "sha256="+strings.Repeat("0", 64))
			if codes = append(codes, w.Code); w.Code == http.StatusTooManyRequests {
				if w.Header().Get("Retry-After") != "60" || w.Body.String() != "Too many requests.\n" {
					t.Errorf("too many are answered %q, %v", w.Body, w.Header())
				}
				return
			}
		}
		t.Errorf("answers: %v", codes[:10])
	})
}
