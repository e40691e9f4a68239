package poller

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// header returns the fields of lines, which may have line ends themselves.
func header(lines ...string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(strings.Join(lines, "\n"), "\n") {
		if name, value, found := strings.Cut(line, ": "); found {
			h.Add(name, value)
		}
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
	for _, test := range []struct{ want, header string }{
		{"", ""},
		{"1h", "Cache-Control: max-age=3600"},
		{"1h", "Cache-Control: public, MAX-AGE=3600, must-revalidate"}, // names in any case
		{"1h", `Cache-Control: max-age="3600"`},                        // quoted
		{"1h", "Cache-Control: max-age = 3600"},                        // spaces
		{"1h", "Cache-Control: private\nCache-Control: max-age=3600"},
		{"1h", "Cache-Control: max-age=3600, max-age=7200"},       // the first of duplicates
		{"50m", "Cache-Control: max-age=3600\nAge: 600"},          // time in caches
		{"", "Cache-Control: max-age=600\nAge: 3600"},             // stale already
		{"1h", "Cache-Control: max-age=3600\nAge: -5"},            // invalid Age
		{"24h", "Cache-Control: max-age=31536000"},                // a year: capped
		{"24h", "Cache-Control: max-age=99999999999999999999999"}, // overflow (RFC 9111 §1.2.2)
		{"", "Cache-Control: max-age=-1"},
		{"", "Cache-Control: max-age=abc\nExpires: " + fridayOne}, // unreadable: stale (§4.2.1)
		{"", "Cache-Control: no-cache, max-age=3600"},             // no-cache wins
		{"", "Cache-Control: max-age=3600, no-cache"},             // in any order
		{"", "Cache-Control: no-store, max-age=3600"},
		{"1h", `Cache-Control: no-cache="Set-Cookie, X", max-age=3600`}, // concerns fields only (§5.2.2.4)
		{"", "Cache-Control: s-maxage=3600"},                            // for shared caches
		{"", "Cache-Control: no-cache\nExpires: " + fridayOne},
		{"1h", "Cache-Control: max-age=3600\nExpires: 0"}, // max-age before Expires
		{"1h", "Expires: " + fridayOne + "\nDate: " + friday},
		{"1h", "Expires: " + fridayOne},                         // no Date: our clock
		{"", "Expires: " + fridayOne + "\nDate: " + lateFriday}, // past, by the server's clock
		{"24h", "Expires: " + saturday + "\nDate: " + friday},   // capped
		{"1h", "Expires: Friday, 20-Nov-26 01:00:00 GMT"},       // RFC 850
		{"1h", "Expires: Fri Nov 20 01:00:00 2026"},             // asctime
		{"1h", "Expires: Fri, 20 Nov 2026 02:00:00 +0100"},      // not standard
		{"", "Expires: 0"},
		{"", "Expires: -1"},
		{"", "Expires: soon"},
		{"1h", "Cache-Control: ,,;=,max-age=3600,"}, // extra punctuation
	} {
		if got := freshFor(header(test.header), midnight()); got != span(test.want) {
			t.Errorf("%q: %v, want %v", test.header, got, test.want)
		}
	}
}

// TestFreshUntil holds that both the answer and the document state freshness.
func TestFreshUntil(t *testing.T) {
	for _, test := range table(`
		doc  | status | before | header  | want | why
		     | 200    |        |         |      | nothing
		     | 200    |        | Cache-Control: max-age=3600 | 1h   | max-age
		     | 304    |        | Cache-Control: max-age=3600 | 1h   | max-age of a 304
		6h   | 200    |        |         | 6h   | ttl
		6h   | 304    |        |         | 6h   | ttl, after a 304
		6h   | 200    |        | Cache-Control: max-age=3600 | 6h   | ttl asks for more
		6h   | 200    |        | Cache-Control: max-age=36000 | 10h  | max-age asks for more
		720h | 200    |        | Cache-Control: max-age=31536000 | 24h  | a day at most
		6h   | 200    |        | Cache-Control: no-cache | 6h   | no-cache speaks of the answer, not of the document
		     | 304    | 12h    |         | 12h  | a 304 that says nothing renews the answer that is kept
		6h   | 304    | 12h    |         | 12h  | and so it does with ttl
		     | 304    | 12h0m1s |         | 12h  | stored times are whole seconds, which does not add up
		     | 304    | 12h    | Cache-Control: max-age=60 | 1m   | a 304 that says otherwise
		     | 304    | 12h    | Cache-Control: no-cache |      | a 304 that takes it back
		     | 304    | 12h    | Expires: 0 |      | a 304 that has expired
		     | 200    | 12h    |         |      | a 200 that says nothing any more`) {
		f, now := feedOf("read=-24h doc="+test["doc"]), midnight()
		f.FreshUntil = after(f.LastOKAt, span(test["before"]))
		succeed(&f, number(test["status"]), number(test["status"]) == 304, now)
		want := after(now, span(test["want"]))
		if got := freshUntil(f, header(test["header"]), number(test["status"]) == 304, now); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", test["why"], got, want)
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
