package poller

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
)

func header(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

const (
	friday     = "Fri, 20 Nov 2026 00:00:00 GMT"
	fridayOne  = "Fri, 20 Nov 2026 01:00:00 GMT"
	saturday   = "Sat, 21 Nov 2026 06:00:00 GMT"
	lateFriday = "Fri, 20 Nov 2026 10:00:00 GMT" // a server whose clock is 10 hours fast
)

func TestFreshness(t *testing.T) {
	const h, s = time.Hour, time.Second
	tests := []struct {
		want   time.Duration
		header []string
	}{
		{0, nil},
		{h, []string{"Cache-Control: max-age=3600"}},
		{h, []string{"Cache-Control: public, MAX-AGE=3600, must-revalidate"}}, // names in any case
		{h, []string{`Cache-Control: max-age="3600"`}},                        // quoted
		{h, []string{"Cache-Control: max-age = 3600"}},                        // spaces
		{h, []string{"Cache-Control: private", "Cache-Control: max-age=3600"}},
		{h, []string{"Cache-Control: max-age=3600, max-age=7200"}},              // the first of duplicates
		{50 * time.Minute, []string{"Cache-Control: max-age=3600", "Age: 600"}}, // time in caches
		{0, []string{"Cache-Control: max-age=600", "Age: 3600"}},                // stale already
		{h, []string{"Cache-Control: max-age=3600", "Age: -5"}},                 // invalid Age
		{24 * h, []string{"Cache-Control: max-age=31536000"}},                   // a year: capped
		{24 * h, []string{"Cache-Control: max-age=99999999999999999999999"}},    // overflow (RFC 9111 §1.2.2)
		{0, []string{"Cache-Control: max-age=-1"}},
		{0, []string{"Cache-Control: max-age=abc", "Expires: " + fridayOne}}, // unreadable: stale (§4.2.1)
		{0, []string{"Cache-Control: no-cache, max-age=3600"}},               // no-cache wins
		{0, []string{"Cache-Control: max-age=3600, no-cache"}},               // in any order
		{0, []string{"Cache-Control: no-store, max-age=3600"}},
		{h, []string{`Cache-Control: no-cache="Set-Cookie, X", max-age=3600`}}, // concerns fields only (§5.2.2.4)
		{0, []string{"Cache-Control: s-maxage=3600"}},                          // for shared caches
		{0, []string{"Cache-Control: no-cache", "Expires: " + fridayOne}},
		{h, []string{"Cache-Control: max-age=3600", "Expires: 0"}}, // max-age before Expires
		{h, []string{"Expires: " + fridayOne, "Date: " + friday}},
		{h, []string{"Expires: " + fridayOne}},                        // no Date: our clock
		{0, []string{"Expires: " + fridayOne, "Date: " + lateFriday}}, // past, by the server's clock
		{24 * h, []string{"Expires: " + saturday, "Date: " + friday}}, // capped
		{h, []string{"Expires: Friday, 20-Nov-26 01:00:00 GMT"}},      // RFC 850
		{h, []string{"Expires: Fri Nov 20 01:00:00 2026"}},            // asctime
		{h, []string{"Expires: Fri, 20 Nov 2026 02:00:00 +0100"}},     // not standard
		{0, []string{"Expires: 0"}}, {0, []string{"Expires: -1"}}, {0, []string{"Expires: soon"}},
		{3600 * s, []string{"Cache-Control: ,,;=,max-age=3600,"}}, // extra punctuation
	}
	for _, test := range tests {
		if got := freshFor(header(test.header...), midnight()); got != test.want {
			t.Errorf("%q: %v, want %v", test.header, got, test.want)
		}
	}
}

// TestFreshUntil holds that both the answer and the document state freshness.
func TestFreshUntil(t *testing.T) {
	const h = time.Hour
	now := midnight()
	tests := []struct {
		why    string
		doc    time.Duration // ttl or sy:updatePeriod
		status int
		before time.Duration // fresh for that long, by the good answer a day ago
		header []string
		want   time.Duration // 0: no statement
	}{
		{why: "nothing", status: 200},
		{why: "max-age", status: 200, header: []string{"Cache-Control: max-age=3600"}, want: h},
		{why: "max-age of a 304", status: 304, header: []string{"Cache-Control: max-age=3600"}, want: h},
		{why: "ttl", doc: 6 * h, status: 200, want: 6 * h},
		{why: "ttl, after a 304", doc: 6 * h, status: 304, want: 6 * h},
		{why: "ttl asks for more", doc: 6 * h, status: 200, header: []string{"Cache-Control: max-age=3600"},
			want: 6 * h},
		{why: "max-age asks for more", doc: 6 * h, status: 200, header: []string{"Cache-Control: max-age=36000"},
			want: 10 * h},
		{why: "a day at most", doc: 30 * 24 * h, status: 200, header: []string{"Cache-Control: max-age=31536000"},
			want: 24 * h},
		{why: "no-cache speaks of the answer, not of the document", doc: 6 * h, status: 200,
			header: []string{"Cache-Control: no-cache"}, want: 6 * h},
		{why: "a 304 that says nothing renews the answer that is kept", status: 304, before: 12 * h, want: 12 * h},
		{why: "and so it does with ttl", doc: 6 * h, status: 304, before: 12 * h, want: 12 * h},
		{why: "stored times are whole seconds, which does not add up", status: 304, before: 12*h + time.Second,
			want: 12 * h},
		{why: "a 304 that says otherwise", status: 304, before: 12 * h, header: []string{"Cache-Control: max-age=60"},
			want: time.Minute},
		{why: "a 304 that takes it back", status: 304, before: 12 * h, header: []string{"Cache-Control: no-cache"}},
		{why: "a 304 that has expired", status: 304, before: 12 * h, header: []string{"Expires: 0"}},
		{why: "a 200 that says nothing any more", status: 200, before: 12 * h},
	}
	for _, test := range tests {
		f := digest.Feed{Schedule: digest.Schedule{DocInterval: test.doc, LastOKAt: now.Add(-24 * h)}}
		f.FreshUntil = after(f.LastOKAt, test.before)
		succeed(&f, test.status, test.status == 304, now)
		if got := freshUntil(f, header(test.header...), test.status == 304, now); !got.Equal(after(now, test.want)) {
			t.Errorf("%s: %v, want %v", test.why, got, after(now, test.want))
		}
	}
}

func TestS19_RetryAfter(t *testing.T) {
	const h, d = time.Hour, 24 * time.Hour
	tests := []struct {
		value string
		date  string
		want  time.Duration
		ok    bool
	}{
		{"120", "", 2 * time.Minute, true},
		{" 120 ", "", 2 * time.Minute, true},
		{"0", "", 0, true},
		{"1000000000000", "", 7 * d, true}, // 10^12
		{"99999999999999999999999999", "", 7 * d, true},
		{"-5", "", 0, false},
		{"+5", "", 0, false},
		{"1.5", "", 0, false},
		{"soon", "", 0, false},
		{"", "", 0, false},
		{fridayOne, friday, h, true},                        // IMF-fixdate
		{"Friday, 20-Nov-26 01:00:00 GMT", friday, h, true}, // RFC 850
		{"Fri Nov 20 01:00:00 2026", friday, h, true},       // asctime
		{"Fri, 20 Nov 2026 01:00:00 UTC", friday, h, true},  // not standard
		{"Fri, 20 Nov 2026 02:00:00 +0100", friday, h, true},
		{fridayOne, "", h, true},                               // no Date: our clock
		{"Fri, 20 Nov 2026 11:00:00 GMT", lateFriday, h, true}, // against the server's clock, not ours
		{fridayOne, lateFriday, 0, true},                       // past there
		{friday, fridayOne, 0, true},
		{"Sun, 20 Nov 2050 00:00:00 GMT", friday, 7 * d, true}, // obeyed for a week
	}
	for _, test := range tests {
		h := http.Header{"Retry-After": {test.value}}
		if test.date != "" {
			h.Set("Date", test.date)
		}
		got, ok := retryAfter(h, midnight())
		if got != test.want || ok != test.ok {
			t.Errorf("%q at %q: %v %v, want %v %v", test.value, test.date, got, ok, test.want, test.ok)
		}
	}
}

func FuzzFreshness(f *testing.F) {
	f.Add("max-age=3600, no-cache", "10", friday)
	f.Add(`max-age="1", x="a\",b", max-age=9`, "", "0")
	f.Fuzz(func(t *testing.T, cacheControl, age, expires string) {
		h := http.Header{"Cache-Control": {cacheControl}, "Age": {age}, "Expires": {expires}}
		if d := freshFor(h, midnight()); d < 0 || d > maxFresh {
			t.Errorf("%v", d)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120", friday)
	f.Add(fridayOne, friday)
	f.Fuzz(func(t *testing.T, value, date string) {
		h := http.Header{"Retry-After": {value}, "Date": {date}}
		if d, ok := retryAfter(h, midnight()); d < 0 || d > maxRetryAfter || !ok && d != 0 {
			t.Errorf("%v %v", d, ok)
		}
	})
}
