package web_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/web"
)

// operator adds an operator and signs in.
func (r *room) operator() *visitor {
	r.t.Helper()
	u, _ := r.user("operator@example.org")
	r.must(r.store.Operator.SetOperator(r.t.Context(), u.ID, true))
	return r.visitor().signIn(u)
}

// troubles creates all kinds of problems with the given text.
func (r *room) troubles(words string) {
	r.t.Helper()
	ctx := r.t.Context()
	u, d := r.user("bob@example.org")
	f, _, err := r.store.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://bad.example/feed?key=secret",
		Host:  "bad.example",
		Title: words})
	r.must(err)
	ok, _, err := r.store.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://good.example/feed", Host: "good.example"})
	r.must(err)
	for _, id := range []digest.FeedID{f.ID, ok.ID} {
		_, err = r.store.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: d.ID, FeedID: id}, r.now)
		r.must(err)
	}
	f.State, f.Errors, f.LastError, f.FirstErrorAt, f.FailingSince = digest.FeedDead, 9, words, r.now.AddDate(0, -1, 0),
		r.now.AddDate(0, -1, 0)
	_, err = r.store.Feeds.Record(ctx, r.now,
		[]store.Polled{{Feed: f, Poll: store.PollRecord{At: r.now, Outcome: "failed", Status: 503, Note: words}}})
	r.must(err)
	r.must(r.store.Editions.Suppress(ctx, digest.Suppression{Email: u.Email, Reason: digest.ForHardBounce,
		Evidence:  words,
		CreatedAt: r.now}))
	_, err = r.store.Editions.ChangeLane(ctx, r.now, "gmail.example", func(l digest.Lane) digest.Lane {
		l.Alarm, l.Until, l.Reason = true, r.now.Add(time.Hour), words
		return l
	})
	r.must(err)
	r.must(r.store.Operator.Unfence(ctx, r.base, r.now.Add(-time.Hour)))
	r.now = r.now.Add(time.Second)
	r.delivered(words)
}

// delivered makes an edition and sends it.
func (r *room) delivered(title string) {
	r.t.Helper()
	_, d := r.user("cleo@example.org")
	r.arrives(d, digest.Post{Identity: "p", Title: title, ContentHash: "h"})
	r.midnight() // also sends the edition
}

// TestWhoReadsMetrics checks that the metrics need the token, even for clients on this machine.
func TestWhoReadsMetrics(t *testing.T) {
	told := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "told") })
	open := func(token string) http.Handler {
		return web.New(web.Options{BaseURL: "https://digest.example",
			Signer:  digest.NewSigner([]byte("sixteen or more bytes")),
			Metrics: told, MetricsToken: token, TrustedProxies: digest.Proxies{Networks: loopback()},
			Now: func() time.Time { return noon }})
	}
	const token = "a token of some length"
	for _, c := range []struct {
		name, peer, host, token string
		header                  []string // name, value
		want                    int
	}{
		{name: "this machine", peer: "127.0.0.1:999", host: "127.0.0.1:8080", want: 404},
		{name: "this machine, where there is a token", peer: "[::1]:999", host: "localhost:8080", token: token,
			want: 404},
		{name: "as Prometheus asks", peer: "127.0.0.1:999", host: "[::1]:8080",
			header: []string{"X-Prometheus-Scrape-Timeout-Seconds", "10"}, want: 404},
		{name: "another machine, which says it is this one", peer: "203.0.113.9:999", host: "localhost",
			header: []string{"X-Forwarded-For", "127.0.0.1"}, want: 404},
		{name: "through a proxy", peer: "127.0.0.1:999", host: "localhost",
			header: []string{"X-Forwarded-For", "127.0.0.1"}, want: 404},
		{name: "the token", peer: "203.0.113.9:999", host: "digest.example", token: token,
			header: []string{"Authorization", "Bearer " + token}, want: 200},
		{name: "the token, through a proxy", peer: "127.0.0.1:999", host: "digest.example", token: token,
			header: []string{"Authorization", "bearer " + token, "X-Forwarded-For", "203.0.113.9"}, want: 200},
		{name: "another token", peer: "203.0.113.9:999", host: "digest.example", token: token,
			header: []string{"Authorization", "Bearer x"}, want: 404},
		{name: "the token as a password", peer: "203.0.113.9:999", host: "digest.example", token: token,
			header: []string{"Authorization", "Basic " + token}, want: 404},
		{name: "no token where none is set", peer: "203.0.113.9:999", host: "digest.example",
			header: []string{"Authorization", "Bearer "}, want: 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := httptest.NewRequest("GET", "/metrics", nil)
			req.RemoteAddr, req.Host = c.peer, c.host
			for i := 0; i < len(c.header); i += 2 {
				req.Header.Set(c.header[i], c.header[i+1])
			}
			w := httptest.NewRecorder()
			open(c.token).ServeHTTP(w, req)
			if w.Code != c.want || strings.Contains(w.Body.String(), "told") != (c.want == 200) {
				t.Errorf("status %d, want %d", w.Code, c.want)
			}
		})
	}
	w := httptest.NewRecorder()
	own := web.NewMetricsServer(told, slog.New(slog.DiscardHandler)).Handler
	own.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	other := httptest.NewRecorder()
	own.ServeHTTP(other, httptest.NewRequest("GET", "/", nil))
	if w.Code != 200 || other.Code != 404 {
		t.Errorf("on a listener of its own: /metrics %d, / %d", w.Code, other.Code)
	}
}

// TestHealthOfTheJob checks that a health check reports whether everything works, without details.
func TestHealthOfTheJob(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ada@example.org")
		_ = u
		r.beats = true
		r.open("")
		v := r.visitor()
		healthy := func(status int, text string) {
			t.Helper()
			if got := v.get("/healthz").status(status).body; got != text+"\n" {
				t.Errorf("it says %q, want %q", got, text)
			}
		}
		healthy(http.StatusOK, "ok") // the process has just started
		r.must(r.store.Operator.Unfence(t.Context(), r.base, r.now.Add(20*time.Minute)))
		r.now = r.now.Add(30 * time.Minute)
		healthy(http.StatusOK, "ok")
		r.now = r.now.Add(6 * time.Minute)
		healthy(http.StatusServiceUnavailable, "the hourly job is not running")
		r.now = parisMidnight.Add(10 * time.Minute) // the room's deadline is 0
		r.must(r.store.Operator.Unfence(t.Context(), r.base, r.now))
		healthy(http.StatusOK, "ok")
		r.now = parisMidnight.Add(10*time.Minute + time.Second)
		r.must(r.store.Operator.Unfence(t.Context(), r.base, r.now))
		healthy(http.StatusServiceUnavailable, "editions are late")

		v.header["Accept"] = "application/json"
		answer := v.get("/healthz").status(http.StatusServiceUnavailable)
		var got map[string]string
		r.must(json.Unmarshal([]byte(answer.body), &got))
		if fmt.Sprint(got) !=
			"map[database:ok editions:editions are late fence:ok job:ok mail:ok polls:ok status:unavailable]" {
			t.Errorf("it says %v", got)
		}
		r.must(r.store.Close())
		delete(v.header, "Accept")
		healthy(http.StatusServiceUnavailable, "the database does not respond")
	})
}

// TestLateWork checks that monitors and the operator see late polls and mail.
func TestLateWork(t *testing.T) {
	each(t, func(r *room) {
		r.beats = true
		r.open("")
		op := r.operator()
		says := func(status int, text, need, lags string) {
			t.Helper()
			r.must(r.store.Operator.Unfence(t.Context(), r.base, r.now))
			if got := r.visitor().get("/healthz").status(status).body; got != text+"\n" {
				t.Errorf("it says %q, want %q", got, text)
			}
			page := op.get("/operator").status(http.StatusOK)
			if all := page.texts("dd"); !slices.Contains(all, lags) {
				t.Errorf("%q are on the page, want %q", all, lags)
			}
			needs := strings.Join(page.texts(".needs"), " ")
			if need == "" && needs != "" || !strings.Contains(needs, need) {
				t.Errorf("the operator reads %q, want %q", needs, need)
			}
		}
		f, _, err := r.store.Feeds.EnsureFeed(t.Context(), digest.Feed{URL: "https://f.example/", Host: "f.example"})
		r.must(err)
		r.must(r.store.Feeds.Vouch(t.Context(), f.ID, r.now.Add(time.Hour)))
		r.now = r.now.Add(time.Hour + 10*time.Minute)
		says(http.StatusOK, "ok", "", "on time / since 20 Nov 2026, 13:00 / on time")
		r.now = r.now.Add(time.Second)
		says(http.StatusServiceUnavailable, "polls are late",
			"Feeds have been waiting for a poll since 20 Nov 2026, 13:00.",
			"on time / since 20 Nov 2026, 13:00 / on time")
		_, _, err = r.store.Feeds.ClaimFeeds(t.Context(), r.now,
			store.ClaimOptions{N: 1, Lease: 20 * time.Hour, Token: "t"})
		r.must(err)
		says(http.StatusOK, "ok", "", "on time / on time / on time")

		_, d := r.user("bob@example.org")
		r.arrives(d, digest.Post{Identity: "p", Title: "p", ContentHash: "h"})
		r.beforeMidnight(0)
		_, err = r.store.Feeds.Plan(t.Context(), r.now, func(digest.Feed, time.Time) (time.Time, bool) {
			return time.Time{},
				false
		})
		r.must(err)
		_, err = r.store.Editions.Release(t.Context(), r.now, 0)
		r.must(err)
		r.now = r.now.Add(2*time.Hour + time.Second)
		says(http.StatusServiceUnavailable, "mail is late", "Email due at",
			"on time / on time / since 20 Nov 2026, 23:00")
	})
}

// parisMidnight is the beginning of 21 November in Paris.
var parisMidnight = time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)

// TestObserved checks that the observer gets the pattern of each route, never the path.
func TestObserved(t *testing.T) {
	each(t, func(r *room) {
		var seen []string
		r.observe = func(route string) func(int) {
			return func(status int) { seen = append(seen, fmt.Sprint(route, " ", status)) }
		}
		r.open("")
		v := r.visitor()
		v.get("/bot").status(http.StatusOK)
		v.get("/unsubscribe/secret").status(http.StatusNotFound)
		v.get("/nothing/here").status(http.StatusNotFound)
		v.header["Sec-Fetch-Site"] = "cross-site"
		v.post("/sign-out", nil).status(http.StatusForbidden)
		want := "[GET /bot 200 GET /unsubscribe/{token} 404  404 POST /sign-out 403]"
		if fmt.Sprint(seen) != want {
			t.Errorf("it saw %v, want %s", seen, want)
		}
	})
}

// TestStorageIsTold checks that the operator learns of low storage, and that the operator and the
// reader see a feed over its quota.
func TestStorageIsTold(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		ada, d := r.user("ada@example.org")
		f, _, err := r.store.Feeds.EnsureFeed(t.Context(),
			digest.Feed{URL: "https://flood.example/feed", Host: "flood.example", Title: "Flood"})
		r.must(err)
		_, err = r.store.Subscriptions.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
		r.must(err)
		f.ParsedAt, f.LastOKAt = r.now.Add(-time.Hour), r.now
		post := digest.Post{Identity: "p", Title: "Large", Content: strings.Repeat("x", 5<<20)}
		_, err = r.store.Feeds.Record(t.Context(), r.now,
			[]store.Polled{{Feed: f, Listed: []string{"p"}, Posts: []digest.Post{post}}})
		r.must(err)

		const why = "over the daily limit: one post has been waiting since 2026-11-20 12:00 UTC; the first poll " +
			"after 2026-11-21 00:00 UTC stores it if the feed still lists it"
		mine := r.visitor().signIn(ada)
		for _, path := range []string{"/feeds", fmt.Sprintf("/feeds/%d", f.ID)} {
			if page := mine.get(path).status(http.StatusOK); !strings.Contains(page.body,
				"The feed has more new posts than we store in one day") || strings.Contains(page.body, "UTC") {
				t.Errorf("%s does not say why a post waits", path)
			}
		}
		page := op.get("/operator").status(http.StatusOK)
		page.shows(".troubles .why bdi", why)
		const over = "1 feed is over its daily quota (DIGEST_FEED_QUOTA, DIGEST_ACCOUNT_QUOTA). Its other posts " +
			"wait. View"
		page.shows(".needs li", over)

		for what, c := range map[string]struct {
			storage digest.Storage
			says    string
		}{
			"size": {digest.Storage{Bytes: 21e9, Alarm: 20e9, Free: -1},
				"The database has grown to 21 GB, above the alarm threshold of 20 GB (DIGEST_DATABASE_ALARM)."},
			"disk": {digest.Storage{Bytes: 1e9, Alarm: 20e9, Free: 5e8}, "The database’s disk has only 500 MB free."},
		} {
			r.storage = func(int64) digest.Storage { return c.storage }
			r.open("")
			if words := strings.Join(op.get("/operator").texts(".needs li"), " "); !strings.Contains(words, c.says) {
				t.Errorf("%s: the page says %q", what, words)
			}
		}
	})
}
