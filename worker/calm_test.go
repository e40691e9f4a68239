package worker_test

import (
	"testing"
	"time"

	"digest/store/storetest"
)

// TestS35_LatePollsKeepCalm holds that a cron job that starts on the hour polls overdue feeds after the hot
// minutes.
func TestS35_LatePollsKeepCalm(t *testing.T) {
	inWeek(t, time.Date(2026, 11, 19, 10, 30, 0, 0, time.UTC), func(t *testing.T, w *week) {
		w.subscribe("ann@example.org", "Europe/Paris")
		for _, f := range storetest.All(t, w.st.Feeds.Feeds(t.Context())) {
			ok(t, w.st.Feeds.Vouch(t.Context(), f.ID, time.Now().Add(80*time.Minute)))
		}
		time.Sleep(time.Until(w.begin.Truncate(time.Hour).Add(2*time.Hour + time.Second)))
		_, err := w.job().Tick(t.Context())
		ok(t, err)
		for _, host := range []string{"busy", "down"} {
			requests := w.requests[host]
			if last := requests[len(requests)-1].at; len(requests) < 2 || last.Minute() != 2 {
				t.Errorf("%s was asked %d times, last at %v", host, len(requests), last)
			}
		}
	})
}
