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
		"found by polls": {},
		"found by polls; a hub has promised to push it since 2026-11-20 11:00 UTC, and has not done so yet":                                                                      {ExpiresAt: now.Add(1), PushedSince: hour},
		"a ping says when there is some (since 2026-11-20 10:00 UTC; 1 time, the last 2026-11-20 11:00 UTC), else it is found by polls":                                          {LastPingAt: hour, PingedSince: hour.Add(-time.Hour), Pings: 1},
		"its rssCloud server says when there is some (since 2026-11-20 10:00 UTC; 2 times, the last 2026-11-20 11:00 UTC), else it is found by polls":                            {LastPingAt: hour, PingedSince: hour.Add(-time.Hour), Pings: 2, CloudUntil: now.Add(1)},
		"found by polls; its hub confirmed none of the latest requests, and gets no more before 2026-11-20 13:00 UTC":                                                            {HubQuietUntil: now.Add(time.Hour)},
		"found by polls; 3 polls saved while it was left to its hubs":                                                                                                            {SavedPolls: 3, HubQuietUntil: now},
		"pushed by its hub since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); polled as well until it has pushed news 2 times":                                  pushed,
		"pushed by its hub since 2026-11-20 11:00 UTC (2 times, the last 2026-11-20 11:00 UTC); left to it and polled once a week since 2026-11-20 11:00 UTC, 6 polls saved":     trusted,
		"pushed by its hub since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); polled as well, since it missed a post that a poll found at 2026-11-20 11:00 UTC": missed,
	} {
		if got := NewsWords(news, now).In(catalogue.English()); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
