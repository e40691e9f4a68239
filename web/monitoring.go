package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/web/page"
)

// metrics serves Prometheus metrics to clients with the token. Other clients get 404. For metrics
// without a token see NewMetricsServer.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.Metrics == nil || !s.hasMetricsToken(r) {
		return page.ErrNotFound
	}
	s.Metrics.ServeHTTP(w, r)
	return nil
}

// hasMetricsToken reports whether the request has the token. It compares hashes, so that the
// duration does not reveal the length of the token.
func (s *site) hasMetricsToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if s.MetricsToken == "" || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.MetricsToken))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// NewMetricsServer returns a server that serves the metrics without a token. Its listener must be
// private.
func NewMetricsServer(metrics http.Handler, log *slog.Logger) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	return page.NewServer(mux, log)
}

const (
	// healthTimeout limits the queries of a health check.
	healthTimeout = 2 * time.Second
)

// A verdict is the result of a health check. It is public, so it contains no details.
type verdict struct {
	Status   string `json:"status"`   // ok or unavailable
	Database string `json:"database"` // ok, or the problem
	Fence    string `json:"fence"`    // ok, or the problem
	Job      string `json:"job"`      // ok, or the problem; "" if another process runs the job
	Editions string `json:"editions"`
	Polls    string `json:"polls"`
	Mail     string `json:"mail"`
}

// health serves the health check. It returns 200, or 503 with one reason. The check fails if the
// database fails, the hourly job does not run, the fence is active, or work is late (digest.Lags).
func (s *site) health(w http.ResponseWriter, r *http.Request) error {
	v := s.examine(r.Context())
	status, text := http.StatusOK, "ok\n"
	for _, fault := range []string{v.Database, v.Fence, v.Job, v.Editions, v.Polls, v.Mail} {
		if fault != "" && fault != "ok" {
			status, text = http.StatusServiceUnavailable, fault+"\n"
			v.Status = "unavailable"
			break
		}
	}
	w.Header().Add("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "application/json") {
		return page.Plain(w, status, text)
	}
	return page.WriteJSON(w, status, v)
}

func (s *site) examine(ctx context.Context) verdict {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	v := verdict{Status: "ok", Database: "ok"}
	err := s.Store.Ping(ctx)
	var beat time.Time
	var lags digest.Lags
	if err == nil && s.Beats {
		beat, _, err = s.Store.Operator.Heartbeat(ctx)
	}
	fenced := false
	if err == nil && s.Beats {
		fenced, err = s.Fenced(ctx)
	}
	if err == nil && s.Beats {
		lags, err = s.Store.Operator.Lags(ctx, s.Now(), s.Spread.Deadline)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "health check failed", "err", err)
		v.Database = "the database does not respond"
		return v
	}
	if !s.Beats {
		return v
	}
	v.Fence, v.Job, v.Editions, v.Polls, v.Mail = "ok", "ok", "ok", "ok", "ok"
	if fenced {
		v.Fence = digest.Fenced
	}
	since := s.opened // a process that has just started needs time for its first heartbeat
	if beat.After(since) {
		since = beat
	}
	if s.Now().Sub(since) > page.BeatPatience {
		v.Job = "the hourly job is not running"
	}
	if s.Now().Sub(s.opened) > page.BeatPatience {
		v.note(lags.Late(digest.LimitsOfLags(s.Spread.Deadline), s.Now()))
	}
	return v
}

func (v *verdict) note(late digest.Lags) {
	if !late.Editions.IsZero() {
		v.Editions = "editions are late"
	}
	if !late.Polls.IsZero() {
		v.Polls = "polls are late"
	}
	if !late.Mail.IsZero() {
		v.Mail = "mail is late"
	}
}
