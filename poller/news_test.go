package poller

import (
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

func TestNewsWords(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	hour := now.Add(-time.Hour)
	pushed := digest.News{ExpiresAt: now.Add(1), PushedSince: hour, Pushes: 1, AllPushes: 1, LastPushAt: hour}
	trusted, missed := pushed, pushed
	trusted.Pushes, trusted.AllPushes, trusted.TrustedAt, trusted.SavedPolls = 2, 2, hour, 6
	missed.MissedAt = hour
	for want, news := range map[string]digest.News{
		"polls find new posts": {},
		"polls find new posts; its hub confirmed a subscription at 2026-11-20 11:00 UTC but has pushed nothing yet":          {ExpiresAt: now.Add(1), PushedSince: hour},
		"pings announce new posts (since 2026-11-20 10:00 UTC; 1 time, the last 2026-11-20 11:00 UTC); polls find the rest":  {LastPingAt: hour, PingedSince: hour.Add(-time.Hour), Pings: 1},
		"pings announce new posts (since 2026-11-20 10:00 UTC; 2 times, the last 2026-11-20 11:00 UTC); polls find the rest": {LastPingAt: hour, PingedSince: hour.Add(-time.Hour), Pings: 2},
		"polls find new posts; its hub did not confirm our subscription; next attempt after 2026-11-20 13:00 UTC":            {HubQuietUntil: now.Add(time.Hour)},
		"polls find new posts; 3 polls saved so far": {SavedPolls: 3, HubQuietUntil: now},
		"its hub has pushed new posts since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); we also poll it until the hub has pushed new posts 2 times":                           pushed,
		"its hub has pushed new posts since 2026-11-20 11:00 UTC (2 times, the last 2026-11-20 11:00 UTC); polled once a week since 2026-11-20 11:00 UTC; 6 polls saved so far":                 trusted,
		"its hub has pushed new posts since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); also polled, because the hub missed a post that a poll found at 2026-11-20 11:00 UTC": missed,
	} {
		if got := NewsWords(news, now).In(catalogue.English()); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
