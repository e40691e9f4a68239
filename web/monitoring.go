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

// An Observer is told of each request: when it comes, the pattern of its route,
// empty if there is none, and when it is answered the status of that.
type Observer func(route string) (answered func(status int))

// observed tells the observer of each request.
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

// tellChange says in the log which signed-in reader asked to change something, and what came of it: the pattern of the
// route, as paths hold tokens, and no address.
func (s *site) tellChange(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return w, func() {}
	}
	who, _ := s.signedIn(r) // before it changes that
	if who.ID == 0 {
		return w, func() {} // strangers must not fill the log
	}
	begun, seen := time.Now(), &watched{ResponseWriter: w, status: http.StatusOK}
	return seen, func() {
		s.Log.InfoContext(r.Context(), "form submitted", "route", r.Pattern, "status", seen.status, "reader",
			int64(who.ID), "took", time.Since(begun).Round(time.Millisecond).String())
	}
}

// A watched remembers the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
	wrote  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK { // 1xx come before the answer
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *watched) Write(b []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// metrics is for Prometheus, which has the token. For others there is nothing at
// the address. Without a token there is the listener of its own (NewMetricsServer).
func (s *site) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.Metrics == nil || !s.hasMetricsToken(r) {
		return errNotFound
	}
	s.Metrics.ServeHTTP(w, r)
	return nil
}

// hasMetricsToken reports whether a request brings the token. Hashes are
// compared, so that the time tells nothing of its length either.
func (s *site) hasMetricsToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if s.MetricsToken == "" || !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.MetricsToken))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// NewMetricsServer gives a server for a listener on which whoever reaches it may
// read the metrics.
func NewMetricsServer(metrics http.Handler, log *slog.Logger) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	return NewServer(mux, log)
}

const (
	// beatPatience is how long the hourly job may leave no heartbeat; it leaves
	// one every five minutes.
	beatPatience = 15 * time.Minute
	// healthTimeout is how long the database may take to answer.
	healthTimeout = 2 * time.Second
)

// A verdict is how this instance stands, for machines. It tells strangers no
// more than whether it works.
type verdict struct {
	Status   string `json:"status"`   // ok or unavailable
	Database string `json:"database"` // ok, or what is wrong
	Fence    string `json:"fence"`    // the same
	Job      string `json:"job"`      // the same; empty: not asked for, since it runs elsewhere
	Editions string `json:"editions"`
	Polls    string `json:"polls"`
	Mail     string `json:"mail"`
}

// health is for monitors: 200 while the database answers, the hourly job is at
// work, no fence stands and neither editions nor polls nor mail are late (digest.Lags), and else 503
// with a line that says why.
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

// examine asks the database how things stand.
func (s *site) examine(ctx context.Context) verdict {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	v := verdict{Status: "ok", Database: "ok"}
	err := s.Store.Ping(ctx)
	var beat time.Time
	var lags digest.Lags
	if err == nil && s.Beats {
		beat, _, err = s.Store.Heartbeat(ctx)
	}
	fenced := false
	if err == nil && s.Beats {
		fenced, err = s.fenced(ctx)
	}
	if err == nil && s.Beats {
		lags, err = s.Store.Lags(ctx, s.Now(), s.Spread.Deadline)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "health check failed", "err", err)
		v.Database = "the database does not answer"
		return v
	}
	if !s.Beats {
		return v
	}
	v.Fence, v.Job, v.Editions, v.Polls, v.Mail = "ok", "ok", "ok", "ok", "ok"
	if fenced {
		v.Fence = digest.Fenced
	}
	since := s.opened // who has just been started needs a moment
	if beat.After(since) {
		since = beat
	}
	if s.Now().Sub(since) > beatPatience {
		v.Job = "the hourly job is not at work"
	}
	if s.Now().Sub(s.opened) > beatPatience {
		v.note(lags.Late(digest.LimitsOfLags(s.Spread.Deadline), s.Now()))
	}
	return v
}

// note takes in what is late.
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

// writeJSON answers with JSON.
func writeJSON(w http.ResponseWriter, status int, answer any) error {
	body, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a visitor who has left is no error of ours
	return nil
}
