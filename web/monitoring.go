package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"digest"
)

// An Observer observes a request. It gets the pattern of the route, or "" if none matches, and
// returns a function that gets the status of the response.
type Observer func(route string) (answered func(status int))

func (s *site) observed(mux *http.ServeMux, next http.Handler) http.Handler {
	if s.Observe == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, route := mux.Handler(r)
		answered := s.Observe(route)
		seen := &watched{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		answered(seen.status)
	})
}

// tellChange logs changes by signed-in readers, with the status of the response. It logs the
// pattern of the route, because paths contain tokens, and no client address.
func (s *site) tellChange(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return w, func() {}
	}
	who, _ := s.signedIn(r) // the request may end the session
	if who.ID == 0 {
		return w, func() {} // strangers must not fill the log
	}
	begun, seen := time.Now(), &watched{ResponseWriter: w, status: http.StatusOK}
	return seen, func() {
		s.Log.InfoContext(r.Context(), "form submitted", "route", r.Pattern, "status", seen.status, "reader",
			int64(who.ID), "took", time.Since(begun).Round(time.Millisecond).String())
	}
}

// A watched response writer records the status.
type watched struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (w *watched) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK { // 1xx precede the response
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap supports http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// metrics serves Prometheus metrics to clients with the token. Other clients get 404. For metrics
// without a token see NewMetricsServer.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.Metrics == nil || !s.hasMetricsToken(r) {
		return errNotFound
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
	return NewServer(mux, log)
}

const (
	// beatPatience is the maximum age of a heartbeat. The hourly job writes one every five minutes.
	beatPatience = 15 * time.Minute
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
		return plain(w, status, text)
	}
	return writeJSON(w, status, v)
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
		fenced, err = s.fenced(ctx)
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
	if s.Now().Sub(since) > beatPatience {
		v.Job = "the hourly job is not running"
	}
	if s.Now().Sub(s.opened) > beatPatience {
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

func writeJSON(w http.ResponseWriter, status int, answer any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a client that has disconnected is not our error
	return nil
}
