package feed

import (
	"testing"
	"time"

	"digest"
)

func TestDomain(t *testing.T) {
	for host, want := range map[string]string{
		"example.com": "example.com", "Blog.Example.COM": "example.com", "a.b.example.co.uk": "example.co.uk",
		"example.com.": "example.com", "x.github.io": "x.github.io", "co.uk": "co.uk",
		"localhost": "localhost", "127.0.0.1": "127.0.0.1", "10.1.2.3": "10.1.2.3", "2001:db8::1": "2001:db8::1", "[::1]": "[::1]",
		"blog.xn--bcher-kva.de": "xn--bcher-kva.de", "a.example.test": "example.test", "": "",
		".": "", "a..b": "a..b", ".com": ".com", "..": ".",
	} {
		if got := Domain(host); got != want {
			t.Errorf("Domain(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestNewestAt(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(hours ...int) *Document {
		d := &Document{}
		for _, h := range hours {
			d.Entries = append(d.Entries, Entry{Published: now.Add(time.Duration(h) * time.Hour)})
		}
		return d
	}
	for name, c := range map[string]struct {
		doc  *Document
		want time.Time
	}{
		"none":                   {&Document{}, time.Time{}},
		"undated":                {&Document{Entries: []Entry{{}, {}}}, time.Time{}},
		"the newest of three":    {at(-50, -2, -30), now.Add(-2 * time.Hour)},
		"undated ones beside it": {&Document{Entries: []Entry{{}, {Published: now.Add(-time.Hour)}}}, now.Add(-time.Hour)},
		"a mistaken zone":        {at(-50, 5), now},
		"an announcement":        {at(-50, 24*30), now.Add(-50 * time.Hour)},
		"announcements alone":    {at(24*30, 24*60), time.Time{}},
	} {
		if got := c.doc.NewestAt(now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct{ ttl, sy, want time.Duration }{
		{0, 0, 0}, {time.Hour, 0, time.Hour}, {0, time.Hour, time.Hour},
		{30 * time.Minute, 12 * time.Hour, 12 * time.Hour}, {6 * time.Hour, time.Hour, 6 * time.Hour},
		{0, 7 * 24 * time.Hour, 24 * time.Hour}, {48 * time.Hour, time.Hour, 24 * time.Hour},
		{-time.Hour, -time.Minute, 0},
	} {
		if got := (&Document{TTL: c.ttl, UpdateEvery: c.sy}).Interval(); got != c.want {
			t.Errorf("ttl %v, sy %v: %v, want %v", c.ttl, c.sy, got, c.want)
		}
	}
}

func TestSkips(t *testing.T) {
	every := make([]int, 24)
	for i := range every {
		every[i] = i
	}
	week := []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	for name, c := range map[string]struct {
		doc   Document
		hours uint32
		days  digest.Weekdays
	}{
		"nothing":     {Document{}, 0, 0},
		"some":        {Document{SkipHours: []int{0, 3, 3, 23}, SkipDays: []string{"Sunday", "Saturday"}}, 1 | 1<<3 | 1<<23, 1 | 1<<6},
		"every hour":  {Document{SkipHours: every, SkipDays: []string{"Monday"}}, 0, 1 << 1},
		"every day":   {Document{SkipHours: []int{5}, SkipDays: week}, 1 << 5, 0},
		"all but one": {Document{SkipHours: every[1:], SkipDays: week[1:]}, 1<<24 - 2, digest.EveryDay - 1},
		"nonsense":    {Document{SkipHours: []int{-1, 24, 99}, SkipDays: []string{"Someday", ""}}, 0, 0},
	} {
		if hours, days := c.doc.Skips(); hours != c.hours || days != c.days {
			t.Errorf("%s: %b %b, want %b %b", name, hours, days, c.hours, c.days)
		}
	}
}
