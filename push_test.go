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
		"nothing":                 {digest.News{}, time.Time{}},
		"a promise":               {digest.News{ExpiresAt: expires}, time.Time{}},
		"one push":                {digest.News{Pushes: 1, ExpiresAt: expires}, time.Time{}},
		"two pushes":              {digest.News{Pushes: 2, ExpiresAt: expires}, expires},
		"two pushes without news": {digest.News{AllPushes: 9, Pushes: 1, ExpiresAt: expires}, time.Time{}},
		"the promise is over":     {digest.News{Pushes: 9, ExpiresAt: now}, time.Time{}},
		"no promise":              {digest.News{Pushes: 9}, time.Time{}},
		"missed now":              {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now}, time.Time{}},
		"missed 29 days ago": {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now.Add(-29 * day)},
			time.Time{}},
		"missed 30 days ago": {digest.News{Pushes: 2, ExpiresAt: expires, MissedAt: now.Add(-30 * day)},
			expires},
		"missed, and one push since": {digest.News{Pushes: 1, ExpiresAt: expires, MissedAt: now.Add(-31 * day)},
			time.Time{}},
		"pushes only long ago matter": {digest.News{Pushes: 2, ExpiresAt: expires, LastPushAt: now.Add(-300 * day)},
			expires},
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
		"nothing":       {digest.News{}, digest.ByPoll, time.Time{}},
		"promised only": {digest.News{ExpiresAt: now.Add(1), PushedSince: since}, digest.ByPoll, time.Time{}},
		"pushed":        {digest.News{ExpiresAt: now.Add(1), PushedSince: since, Pushes: 1}, digest.ByPush, since},
		"pushed and pings": {digest.News{ExpiresAt: now.Add(1), PushedSince: since, Pushes: 1, LastPingAt: now},
			digest.ByPush, since},
		"no longer pushed": {digest.News{ExpiresAt: now, PushedSince: since, Pushes: 1, LastPingAt: now.Add(-1),
			PingedSince: since}, digest.ByPing, since},
		"pinged long ago": {digest.News{LastPingAt: now.Add(-31 * 24 * time.Hour)}, digest.ByPoll, time.Time{}},
	} {
		if way, since := c.news.Way(now); way != c.way || !since.Equal(c.since) {
			t.Errorf("%s: by %s since %v", name, way, since)
		}
	}
}

// TestHubHost sends requests in waves to hosts that confirm all, some or none of them.
func TestHubHost(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	type wave struct {
		after    time.Duration // since the previous wave
		wants    int           // requests that feeds need
		made     int
		confirms int // of them, before the next wave
		fails    int // requests with an error, before the next wave
	}
	const day = 24 * time.Hour
	for name, waves := range map[string][]wave{
		"nobody confirms": {{0, 60, 3, 0, 0}, {time.Hour, 57, 0, 0, 0}, {23 * time.Hour, 57, 1, 0, 0},
			{day - 1, 56, 0, 0, 0}, {1, 56, 1, 0, 0}},
		"each is confirmed": {{0, 1, 1, 1, 0}, {0, 1, 1, 1, 0}, {0, 1, 1, 1, 0}, {0, 1, 1, 1, 0}},
		"confirmed later": {{0, 1000, 3, 3, 0}, {time.Minute, 997, 3, 3, 0}, {0, 994, 6, 6, 0},
			{0, 988, 12, 12, 0}, {0, 976, 24, 24, 0}},
		"a hub that stops": {{0, 3, 3, 3, 0}, {0, 3, 3, 3, 0}, {day, 100, 6, 0, 0}, {day, 94, 1, 0, 0},
			{day, 93, 1, 1, 0}, {0, 92, 3, 3, 0}},
		"one of many is confirmed":  {{0, 9, 3, 1, 0}, {0, 9, 3, 1, 0}, {0, 9, 3, 0, 0}, {0, 9, 0, 0, 0}},
		"its silence ends by a yes": {{0, 9, 3, 0, 0}, {time.Hour, 6, 0, 1, 0}, {0, 6, 3, 0, 0}},
		"a known hub that fails": {{0, 3, 3, 3, 0}, {0, 3, 3, 3, 0}, {time.Hour, 3, 3, 0, 3},
			{time.Hour, 3, 0, 0, 0}, {day, 3, 1, 0, 1}},
		"one that fails now and then": {{0, 3, 3, 3, 0}, {0, 3, 3, 3, 0}, {0, 2, 2, 0, 2}, {0, 1, 1, 1, 0},
			{0, 2, 2, 0, 2}, {0, 4, 4, 0, 0}},
	} {
		h, at := digest.HubHost{Domain: "hub.example"}, now
		for i, w := range waves {
			at = at.Add(w.after)
			made := 0
			for range w.wants {
				var may bool
				if h, may = h.Ask(at); may {
					made++
				}
			}
			if made != w.made {
				t.Errorf("%s: wave %d has %d requests, want %d", name, i, made, w.made)
			}
			for range w.confirms {
				h = h.Confirm()
			}
			for range w.fails {
				h = h.Fail(at)
			}
		}
	}
}
