package metrics_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"digest"
	"digest/internal/metrics"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newMetrics(s *store.Store) *metrics.Metrics {
	return metrics.New(metrics.Options{Store: s, Version: "1.2.3", Now: func() time.Time { return noon },
		Storage:   func(bytes int64) digest.Storage { return digest.Storage{Bytes: bytes, Alarm: 1, Free: 2e9} },
		Fence:     func(context.Context) (store.Fence, error) { return store.Fence{Reason: "a copy"}, nil },
		Abandoned: func() (int, int64) { return 1, 3 }})
}

func scrape(t *testing.T, m http.Handler) (all map[string]string, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	all = map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if i := strings.LastIndexByte(line, ' '); i > 0 && !strings.HasPrefix(line, "#") {
			all[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return all, w.Body.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestScrape checks the metrics and their names, and that two processes report the same about one database.
func TestScrape(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		_, d, err := s.Readers.AddUser(ctx, "ada@example.org", "Europe/Paris", noon.Add(-48*time.Hour))
		must(t, err)
		f, _, err := s.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://secret.example/feed", Host: "secret.example",
			Title: "Secret"})
		must(t, err)
		_, err = s.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon)
		must(t, err)
		f.ParsedAt = noon
		_, err = s.Feeds.Record(ctx, noon,
			[]store.Polled{{Feed: f, Poll: store.PollRecord{At: noon, Outcome: "changed", Status: 200, Requests: 2,
				Bytes: 700}}})
		must(t, err)
		must(t, s.Feeds.Pinged(ctx, []string{f.URL}, noon.Add(-time.Minute)))
		must(t, s.Editions.Suppress(ctx, digest.Suppression{Email: "bob@example.org", Reason: digest.ForComplaint,
			CreatedAt: noon}))
		must(t, s.Operator.Unfence(ctx, "https://digest.example", noon))

		m := newMetrics(s)
		m.Observe("GET /posts/{id}")(http.StatusOK)
		m.Observe("")(http.StatusNotFound)
		got, body := scrape(t, m)
		for name, want := range map[string]string{
			`digest_database_up`: "1", `digest_readers`: "1", `digest_subscriptions`: "1",
			`digest_digests{state="active"}`: "1",
			`digest_feeds{state="active"}`:   "1", `digest_feeds{state="dead"}`: "0",
			`digest_polls_total{outcome="changed"}`: "1",
			`digest_polls_total{outcome="broken"}`:  "0", `digest_poll_requests_total`: "2",
			`digest_poll_received_bytes_total`:                "700",
			`digest_suppressed_addresses{reason="complaint"}`: "1", `digest_mails_total{result="sent"}`: "0",
			`digest_mail_waiting{reason="due"}`: "0",
			`digest_feeds_by_news{way="poll"}`:  "0", `digest_feeds_by_news{way="ping"}`: "1",
			`digest_feeds_by_news{way="push"}`: "0",
			// since 23:00 UTC, the midnight that began the 19th in Paris
			`digest_edition_lag_seconds`:         fmt.Sprint(37 * 3600),
			`digest_database_alarm{what="size"}`: "1", `digest_database_alarm{what="disk"}`: "0",
			`digest_database_free_bytes`: "2e+09", `digest_feeds_over_quota`: "0",
			`digest_fenced`: "1", `digest_build_info{version="1.2.3"}`: "1", `digest_documents_abandoned`: "1",
			`digest_documents_abandoned_total`:                                               "3",
			`digest_http_request_duration_seconds_count{code="200",route="GET /posts/{id}"}`: "1",
			`digest_http_request_duration_seconds_count{code="404",route="none"}`:            "1",
			`digest_job_last_beat_timestamp_seconds`: fmt.Sprintf("%.9ge+09",
				float64(noon.Unix())/1e9),
		} {
			if got[name] != want {
				t.Errorf("%s is %q, want %q", name, got[name], want)
			}
		}
		for _, secret := range []string{"secret", "Secret", "example.org", "digest.example"} {
			if strings.Contains(body, secret) {
				t.Errorf("%q is told", secret)
			}
		}
		lint(t, body)
		again, _ := scrape(t, newMetrics(s))
		if again["digest_poll_requests_total"] != "2" {
			t.Error("another process tells something else")
		}
	})
}

// TestLanes checks that each lane with trouble counts once, by its worst state.
func TestLanes(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	for name, l := range map[string]digest.Lane{
		"a.example": {Alarm: true, Until: noon.Add(time.Hour), Width: 1},
		"b.example": {Until: noon.Add(time.Hour), Width: 1},
		"c.example": {Until: noon.Add(time.Hour)},
		"d.example": {Until: noon.Add(-time.Hour), Width: 1},
		"e.example": {Until: noon.Add(-time.Hour), Reason: "it was busy"},
	} {
		_, err := s.Editions.ChangeLane(t.Context(), noon, name, func(was digest.Lane) digest.Lane {
			was.Alarm, was.Until, was.Width, was.Reason = l.Alarm, l.Until, l.Width, l.Reason
			return was
		})
		must(t, err)
	}
	got, _ := scrape(t, newMetrics(s))
	for state, want := range map[string]string{"alarm": "1", "resting": "2", "recovering": "1"} {
		if n := got[`digest_mail_lanes{state="`+state+`"}`]; n != want {
			t.Errorf("%s: %s lanes, want %s", state, n, want)
		}
	}
}

func lint(t *testing.T, body string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	must(t, err)
	problems = slices.DeleteFunc(problems,
		func(p promlint.Problem) bool { return !strings.HasPrefix(p.Metric, "digest_") })
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestNoDatabase checks that the metrics of the process are sent while the database does not answer.
func TestNoDatabase(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	m := metrics.New(metrics.Options{Store: s, Version: "1", Timeout: time.Nanosecond,
		Now: func() time.Time { return noon }})
	m.Observe("GET /")(http.StatusServiceUnavailable)
	got, _ := scrape(t, m)
	if got["digest_database_up"] != "0" ||
		got[`digest_http_request_duration_seconds_count{code="503",route="GET /"}`] != "1" {
		t.Errorf("got %v", got)
	}
}
