package digest_test

import (
	"testing"
	"time"

	"digest"
)

func TestTrustedUntil(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	expires := now.Add(5 * day)
	for name, c := range map[string]struct {
		news digest.News
		want time.Time
	}{
		"nothing":                     {digest.News{}, time.Time{}},
		"a promise":                   {digest.News{ExpiresAt: expires}, time.Time{}},
		"one push":                    {digest.News{Pushes: 1, ExpiresAt: expires}, time.Time{}},
		"two pushes":                  {digest.News{Pushes: 2, ExpiresAt: expires}, expires},
		"two pushes without news":     {digest.News{AllPushes: 9, Pushes: 1, ExpiresAt: expires}, time.Time{}},
		"the promise is over":         {digest.News{Pushes: 9, ExpiresAt: now}, time.Time{}},
		"no promise":                  {digest.News{Pushes: 9}, time.Time{}},
		"missed now":                  {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now}, time.Time{}},
		"missed 29 days ago":          {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now.Add(-29 * day)}, time.Time{}},
		"missed 30 days ago":          {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now.Add(-30 * day)}, expires},
		"missed, and one push since":  {digest.News{Pushes: 1, ExpiresAt: expires, MissedAt: now.Add(-31 * day)}, time.Time{}},
		"pushes only long ago matter": {digest.News{Pushes: 2, ExpiresAt: expires, LastPushAt: now.Add(-300 * day)}, expires},
	} {
		if got := c.news.TrustedUntil(now); !got.Equal(c.want) {
			t.Errorf("%s: until %v, want %v", name, got, c.want)
		}
	}
}

func TestMissedBy(t *testing.T) {
	since := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		since, read time.Time
		announced   bool
		want        bool
	}{
		"no hub":                      {time.Time{}, since, false, false},
		"pushed since before":         {since, since.Add(time.Hour), false, true},
		"pushed since that very read": {since, since, false, true},
		"not pushed then":             {since, since.Add(-time.Second), false, false},
		"never read":                  {since, time.Time{}, false, false},
		"announced":                   {since, since.Add(time.Hour), true, false},
	} {
		if got := (digest.News{PushedSince: c.since}).MissedBy(c.read, c.announced); got != c.want {
			t.Errorf("%s: missed is %t", name, got)
		}
	}
}

func TestWayOfNews(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	since := now.Add(-time.Hour)
	for name, c := range map[string]struct {
		news  digest.News
		way   digest.Way
		since time.Time
	}{
		"nothing":          {digest.News{}, digest.ByPoll, time.Time{}},
		"promised only":    {digest.News{ExpiresAt: now.Add(1), PushedSince: since}, digest.ByPoll, time.Time{}},
		"pushed":           {digest.News{ExpiresAt: now.Add(1), PushedSince: since, Pushes: 1}, digest.ByPush, since},
		"pushed and pings": {digest.News{ExpiresAt: now.Add(1), PushedSince: since, Pushes: 1, LastPingAt: now}, digest.ByPush, since},
		"no longer pushed": {digest.News{ExpiresAt: now, PushedSince: since, Pushes: 1, LastPingAt: now.Add(-1), PingedSince: since}, digest.ByPing, since},
		"told by a cloud":  {digest.News{LastPingAt: now.Add(-1), PingedSince: since, CloudUntil: now.Add(1)}, digest.ByCloud, since},
		"cloud promises":   {digest.News{CloudUntil: now.Add(1)}, digest.ByPoll, time.Time{}},
		"cloud left":       {digest.News{LastPingAt: now.Add(-1), PingedSince: since, CloudUntil: now}, digest.ByPing, since},
		"pinged long ago":  {digest.News{LastPingAt: now.Add(-31 * 24 * time.Hour)}, digest.ByPoll, time.Time{}},
	} {
		if way, since := c.news.Way(now); way != c.way || !since.Equal(c.since) {
			t.Errorf("%s: by %s since %v", name, way, since)
		}
	}
}

func TestNewsShown(t *testing.T) {
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
		"found by polls; 3 polls saved while it was left to its hubs":                                                                                                            {SavedPolls: 3},
		"pushed by its hub since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); polled as well until it has pushed news 2 times":                                  pushed,
		"pushed by its hub since 2026-11-20 11:00 UTC (2 times, the last 2026-11-20 11:00 UTC); left to it and polled once a week since 2026-11-20 11:00 UTC, 6 polls saved":     trusted,
		"pushed by its hub since 2026-11-20 11:00 UTC (1 time, the last 2026-11-20 11:00 UTC); polled as well, since it missed a post that a poll found at 2026-11-20 11:00 UTC": missed,
	} {
		if got := news.Shown(now); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
