package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

const (
	// beatPatience is how long the hourly job may leave no heartbeat; it leaves
	// one every five minutes.
	beatPatience = 15 * time.Minute
	// lateBy is how much later than it waits for its slowest feed an edition may
	// be before it is hopeless.
	lateBy = time.Hour
	// healthTimeout is how long the database may take to answer.
	healthTimeout = 2 * time.Second
)

// latePatience is how long after its midnight an edition may be missing.
func (s *site) latePatience() time.Duration { return s.Spread.Deadline + lateBy }

// A verdict is how this instance stands, for machines. It tells strangers no
// more than whether it works.
type verdict struct {
	Status   string `json:"status"`   // ok or unavailable
	Database string `json:"database"` // ok, or what is wrong
	Job      string `json:"job"`      // the same; empty: not asked for, since it runs elsewhere
	Editions string `json:"editions"`
}

// health is for monitors: 200 while the database answers, the hourly job is at
// work and no edition is hopelessly late, and else 503 with a line that says why.
func (s *site) health(w http.ResponseWriter, r *http.Request) error {
	v := s.examine(r.Context())
	status, text := http.StatusOK, "ok\n"
	for _, fault := range []string{v.Database, v.Job, v.Editions} {
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
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a visitor who has left is no error of ours
	return nil
}

// examine asks the database how things stand.
func (s *site) examine(ctx context.Context) verdict {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	v := verdict{Status: "ok", Database: "ok"}
	err := s.Store.Ping(ctx)
	var beat, late time.Time
	var waits bool
	if err == nil && s.Beats {
		beat, _, err = s.Store.Heartbeat(ctx)
	}
	if err == nil && s.Beats {
		late, waits, err = s.Store.Waits(ctx, s.Now())
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "health check failed", "error", err)
		v.Database = "the database does not answer"
		return v
	}
	if !s.Beats {
		return v
	}
	v.Job, v.Editions = "ok", "ok"
	since := s.opened // who has just been started needs a moment
	if beat.After(since) {
		since = beat
	}
	if s.Now().Sub(since) > beatPatience {
		v.Job = "the hourly job is not at work"
	}
	if waits && s.Now().Sub(late) > s.latePatience() && s.Now().Sub(s.opened) > beatPatience {
		v.Editions = "editions are late"
	}
	return v
}
