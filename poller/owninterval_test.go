package poller

import (
	"testing"
	"time"

	"digest"
)

func TestOwnInterval(t *testing.T) {
	const h, d = time.Hour, 24 * time.Hour
	now := midnight()
	newest := func(ago time.Duration) func(*digest.Feed) { return func(f *digest.Feed) { f.NewestAt = now.Add(-ago) } }
	learned := func(conditional, head digest.Ability) func(*digest.Feed) {
		return func(f *digest.Feed) { f.Conditional, f.Head = conditional, head }
	}
	address := func(s string) func(*digest.Feed) { return func(f *digest.Feed) { f.URL = s } }
	tests := []struct {
		why    string
		change func(*digest.Feed)
		want   time.Duration
	}{
		{"nothing unusual", func(*digest.Feed) {}, 0},
		{"new posts yesterday", newest(d), 0},
		{"silent for 29 days", newest(30*d - 1), 0},
		{"silent for 73 days: a fifth of a year", newest(73 * d), 12 * h / 5},
		{"silent for a year", newest(365 * d), 12 * h},
		{"silent for three years", newest(3 * 365 * d), 36 * h},
		{"silent for fourteen years", newest(14 * 365 * d), 7 * d},
		{"silent since 1970", newest(now.Sub(time.Unix(0, 0))), 7 * d},
		{"silent since the year 1", func(f *digest.Feed) { f.NewestAt = time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC) },
			7 * d},
		{"its dates are not known", func(f *digest.Feed) { f.NewestAt = time.Time{} }, 0},
		{"a post from the future", newest(-400 * d), 0},
		{"a password", address("https://me:secret@a.example/feed"), 12 * h},
		{"a name alone", address("https://me@a.example/feed"), 12 * h},
		{"an at sign in the path", address("https://a.example/@me/feed"), 0},
		{"a password and silence",
			func(f *digest.Feed) { newest(3 * 365 * d)(f); address("https://me:x@a.example/")(f) }, 36 * h},
		{"S33: no validators", func(f *digest.Feed) { f.ETag, f.LastModified = "", "" }, d},
		{"S33: no validators, the page of an account", func(f *digest.Feed) {
			f.ETag, f.LastModified, f.Kind = "", "",
				"activitystreams"
		}, 6 * h},
		{"S33: no validators, a busy account", func(f *digest.Feed) {
			f.ETag, f.LastModified, f.Kind,
				f.BusyInterval = "", "", "atproto", h
		}, 0},
		{"S33: only Last-Modified", func(f *digest.Feed) { f.ETag, f.LastModified = "", monday }, 0},
		{"S33: not read yet", func(f *digest.Feed) { f.ETag, f.ParsedAt = "", time.Time{} }, 0},
		{"S33: neither HEAD nor GET know conditions", learned(digest.Useless, digest.Useless), d},
		{"S33: GET knows none, HEAD is never asked", learned(digest.Useless, digest.Unknown), d},
		{"S33: only HEAD tells", learned(digest.Useless, digest.Works), 0},
		{"S33: only GET tells", learned(digest.Works, digest.Useless), 0},
		{"S33: HEAD is of no use, GET not known", learned(digest.Unknown, digest.Useless), 0},
		{"S37: the ETag is in the way, the date is tried",
			func(f *digest.Feed) { f.ByDate, f.Head = true, digest.Useless }, d},
		{"S37: the date works", func(f *digest.Feed) {
			f.ByDate, f.Conditional, f.Head = true, digest.Works,
				digest.Useless
		}, 0},
	}
	for _, test := range tests {
		f := digest.Feed{URL: "https://a.example/feed", Validators: digest.Validators{ETag: `"1"`},
			Schedule: digest.Schedule{ParsedAt: now}}
		test.change(&f)
		if got := OwnInterval(f, now); got != test.want {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}
