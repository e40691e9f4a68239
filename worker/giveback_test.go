package worker_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"digest/poller"
)

type busyHosts struct{}

func (busyHosts) LeaseHost(context.Context, time.Time, string, time.Duration) (string, time.Time, error) {
	return "", time.Time{}, errors.New("it is leased")
}

func (busyHosts) GiveBackHost(context.Context, string, string, time.Time) error { return nil }

// TestPollThatCameToNothing holds that a feed that redirects to a busy host does not block its own host,
// and is polled again after the gap.
func TestPollThatCameToNothing(t *testing.T) {
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		p.says(http.StatusFound, "Location", strings.Replace(p.URL, "127.0.0.1", "localhost", 1)+"/feed.xml")
		h.set("2026-11-19 00:10")
		job := h.job()
		job.Poller = poller.New(poller.Options{
			BaseURL: "http://localhost:8080", Hosts: busyHosts{}, HostInterval: time.Millisecond,
			AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			Now:           func() time.Time { return h.clock },
		})
		t.Cleanup(job.Poller.Close)
		_, err := job.Tick(t.Context())
		ok(t, err)
		f := h.feed(p)
		if !f.LastAttemptAt.Equal(h.clock) || f.Errors != 0 || f.PollAt.IsZero() || !f.LeaseUntil.IsZero() {
			t.Errorf("attempt %v, %d errors, queued for %v, leased until %v", f.LastAttemptAt, f.Errors, f.PollAt,
				f.LeaseUntil)
		}
		token, _, err := h.st.Feeds.LeaseHost(t.Context(), h.clock.Add(time.Second), f.Host, time.Second)
		if err != nil || token == "" {
			t.Errorf("its host is kept: %v", err)
		}
		p.requests()
		p.says(0)
		if asked := h.hours("2026-11-19 01:05", 2, p); len(asked) != 1 || asked[0] != "19T02" {
			t.Errorf("asked again at %v", asked)
		}
	})
}
