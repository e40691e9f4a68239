package poller

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
)

func TestHeadFirst(t *testing.T) {
	for _, test := range table(`
		feed                                         | learned | always | never | why
		etag                                         | false   | false  | false | never read
		parsed=-24h                                  | false   | false  | false | no validators
		parsed=-24h modified                         | true    | true   | false | only Last-Modified
		parsed=-24h etag                             | true    | true   | false | nothing known
		parsed=-24h etag doubted                     | false   | false  | false | in doubt
		parsed=-24h etag get=works                   | false   | true   | false | conditional GET works
		parsed=-24h etag head=works                  | false   | true   | false | HEAD works, GET not tried
		parsed=-24h etag head=works get=broken       | true    | true   | false | only HEAD works
		parsed=-168h etag head=works get=broken      | false   | true   | false | only HEAD works, no GET for a week
		parsed=-24h etag head=broken retest=1s       | false   | true   | false | HEAD is useless
		parsed=-24h etag head=broken retest=0        | true    | true   | false | HEAD was useless 90 days ago
		parsed=-24h etag head=broken get=broken retest=1h | false   | true   | false | neither works`) {
		for mode, want := range map[HeadMode]string{HeadLearned: test["learned"], HeadAlways: test["always"],
			HeadNever: test["never"]} {
			if got := fmt.Sprint(headFirst(feedOf(test["feed"]), mode, midnight())); got != want {
				t.Errorf("%s, %s: HEAD first is %v", test["why"], mode, got)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	received, _ := http.ParseTime(tuesday)
	tests := []struct {
		etag, lm string // stored
		header   string // "ETag|Last-Modified|Date"
		want     match
	}{
		{`"1"`, ``, `"1"||`, same},
		{`W/"1"`, ``, `"1"||`, same}, // weak comparison
		{`"1-gzip"`, ``, `"1"||`, same},
		{`"1"`, ``, `W/"1-br"||`, same},
		{`"1"`, ``, `"2"||`, different},
		{`"1"`, ``, `||`, nothing},
		{``, monday, `||`, nothing},
		{`"1"`, ``, `|` + monday + `|`, nothing}, // no field in common
		{``, monday, `|` + monday + `|`, same},
		{``, monday, `|` + tuesday + `|`, different},
		{``, monday, `|` + monday + `|Mon, 16 Nov 2026 08:00:30 GMT`, different}, // too recent to prove anything
		{``, monday, `|` + monday + `|Mon, 16 Nov 2026 08:02:00 GMT`, same},
		{`"1"`, monday, `"1"|` + tuesday + `|`, different}, // S7
		{`"1"`, monday, `"2"|` + monday + `|`, different},  // S7
		{`"1"`, monday, `"1"|` + monday + `|` + monday, same},
		{`"1"`, monday, `|` + monday + `|`, same},
		{``, `yesterday`, `|yesterday|`, different}, // unreadable: no proof
	}
	for _, test := range tests {
		f := strings.Split(test.header, "|")
		h := header("ETag: "+f[0], "Last-Modified: "+f[1], "Date: "+f[2])
		if got := (validators{etag: test.etag, lastModified: test.lm}).compare(h, received); got != test.want {
			t.Errorf("%q %q against %q: %d, want %d", test.etag, test.lm, test.header, got, test.want)
		}
	}
}

// TestHeadLearned plays servers with different behaviour. It checks the requests of each poll and the
// learned state.
func TestHeadLearned(t *testing.T) {
	first := good(1)
	plain := func(version int, header ...string) func(request) string { // ignores conditions
		return func(r request) string { return reply(r, 200, atom(version), header...) }
	}
	split := func(head, get func(request) string) func(request) string {
		return func(r request) string {
			if r.method == "HEAD" {
				return head(r)
			}
			return get(r)
		}
	}
	status := func(n int, header ...string) func(request) string {
		return func(r request) string { return reply(r, n, "", header...) }
	}
	seconds := time.Duration(0)
	both := []string{`ETag: "1"`, "Last-Modified: " + monday}
	tests := []struct {
		why    string
		first  func(request) string // answers the first fetch
		then   func(request) string // answers the later polls
		polls  string
		head   digest.Ability
		cond   digest.Ability
		ending Outcome
	}{
		{"all is well", first, first, "HEAD, GET, GET", digest.Works, digest.Works, Unchanged},
		{"HEAD ignores conditions", first, split(plain(1, both...), first), "HEAD, GET, GET", digest.Works,
			digest.Works, Unchanged},
		{"everything ignores conditions", plain(1, both...), plain(1, both...), "HEAD, GET, HEAD, HEAD", digest.Works,
			digest.Useless, Unchanged},
		{"HEAD 405", first, split(status(405), first), "HEAD GET, GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 501", first, split(status(501), first), "HEAD GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 404", first, split(status(404), first), "HEAD GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 400", first, split(status(400), first), "HEAD GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 500", first, split(status(500), first), "HEAD GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 410", first, split(status(410), first), "HEAD GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD closes", first, split(func(request) string { return "" }, first), "HEAD GET, GET", digest.Useless,
			digest.Works, Unchanged},
		{"HEAD without validators", first, split(plain(1), first), "HEAD GET, GET", digest.Useless, digest.Works,
			Unchanged},
		{"HEAD says changed, GET 304", first, split(plain(1, `ETag: "9"`), first), "HEAD GET, GET", digest.Useless,
			digest.Works, Unchanged},
		{"HEAD says changed, GET the same bytes", plain(1, both...), split(plain(1, `ETag: "9"`), plain(1, both...)),
			"HEAD GET, GET, GET", digest.Useless, digest.Useless, Unchanged},
		{"Last-Modified is always now", plain(1, "Last-Modified: "+tuesday), func(r request) string {
			seconds++
			return reply(r, 200, atom(1), "Last-Modified: "+midnight().Add(seconds*time.Second).Format(http.TimeFormat))
		}, "HEAD GET, GET, GET", digest.Useless, digest.Useless, Unchanged},
		{"HEAD 403", first, split(status(403), first), "HEAD, GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 401", first, split(status(401), first), "HEAD, GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 429", first, split(status(429), first), "HEAD, GET, GET", digest.Useless, digest.Works, Unchanged},
		{"HEAD 503 with Retry-After", first, split(status(503, "Retry-After: 60"), first), "HEAD, GET, GET",
			digest.Useless, digest.Works, Unchanged},
		{"HEAD told the truth: changed", first, good(2), "HEAD GET, GET, GET",
			digest.Works, digest.Works, Unchanged},
		{"S36: the ETag never changes", plain(1, `ETag: "1"`), split(status(405), plain(2, `ETag: "1"`)),
			"HEAD GET, GET", digest.Useless, digest.Useless, Unchanged},
	}
	for _, test := range tests {
		s := newSite(t, test.first)
		r := started(t, s)
		s.answers(test.then)
		var result Result
		for i, want := range strings.Split(test.polls, ", ") {
			result = r.poll()
			if got := methods(s.log()); got != want {
				t.Errorf("%s: poll %d was %q, want %q", test.why, i+1, got, want)
			}
		}
		if result.Outcome != test.ending || r.feed.Head != test.head || r.feed.Conditional != test.cond {
			t.Errorf("%s: %s, HEAD %q, conditional GET %q", test.why, result.Outcome, r.feed.Head, r.feed.Conditional)
		}
		if (r.feed.Head == digest.Useless) == r.feed.HeadRetestAt.IsZero() {
			t.Errorf("%s: tried again at %v", test.why, r.feed.HeadRetestAt)
		}
	}
}

func TestParseHeadMode(t *testing.T) {
	for _, s := range []string{"learned", "always", "never"} {
		if m, err := ParseHeadMode(s); err != nil || string(m) != s {
			t.Error(m, err)
		}
	}
	if _, err := ParseHeadMode("sometimes"); err == nil {
		t.Error("accepted")
	}
}

// TestConditionsAreLearnedAnew holds that a server that ignored its ETag, and sends none now, may know its
// date.
func TestConditionsAreLearnedAnew(t *testing.T) {
	s, r := newFeed(t, says(200, atom(1), `ETag: "1"`, "Last-Modified: "+monday), head(HeadNever))
	r.want(Changed)
	r.want(Unchanged)
	if r.feed.Conditional != digest.Useless {
		t.Fatalf("%+v", r.feed)
	}
	s.answers(conditional(atom(2), "", tuesday))
	r.want(Changed)
	r.want(Unchanged)
	if r.feed.Conditional != digest.Works || r.feed.OwnInterval != 0 {
		t.Errorf("%s, every %v", r.feed.Conditional, r.feed.OwnInterval)
	}
}

// stuckHead answers HEAD as unchanged, and GET with the document.
func stuckHead(version int) func(request) string {
	return func(q request) string {
		if q.method == "HEAD" {
			return reply(q, 304, "", `ETag: "1"`)
		}
		return reply(q, 200, atom(version), fmt.Sprintf(`ETag: "%d"`, version))
	}
}

// TestStuckHEAD holds that if HEAD never shows a change, a weekly GET finds it. After that, HEAD is not used.
func TestStuckHEAD(t *testing.T) {
	sameETag := func(version int) func(request) string { return says(200, atom(version), `ETag: "1"`) }
	for _, answer := range []func(int) func(request) string{stuckHead, sameETag} {
		s := newSite(t, answer(1))
		r := started(t, s)
		for range 3 {
			r.want(Unchanged)
		}
		if r.feed.Head != digest.Works {
			t.Fatalf("%+v", r.feed)
		}
		s.answers(answer(2))
		for days := 0; r.poll().Outcome != Changed; days++ {
			if days > 7 {
				t.Fatal("the news never came")
			}
		}
		if r.feed.Head != digest.Useless {
			t.Errorf("HEAD is still trusted: %+v", r.feed)
		}
		s.log()
		s.answers(answer(3))
		r.want(Changed)
		asked(t, s, "GET")
	}
}

// TestHeadWithAnotherLength holds that the same ETag with another length is a change.
func TestHeadWithAnotherLength(t *testing.T) {
	sized := func(version int) func(request) string {
		body := atom(version) + strings.Repeat("\n", version)
		return func(q request) string {
			fields := []string{`ETag: "1"`, fmt.Sprintf("Content-Length: %d", len(body))}
			if q.method == "HEAD" {
				return "HTTP/1.1 200 OK\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n"
			}
			return "HTTP/1.1 200 OK\r\n" + strings.Join(fields, "\r\n") + "\r\n\r\n" + body
		}
	}
	s := newSite(t, sized(1))
	r := started(t, s)
	for range 3 {
		r.want(Unchanged)
	}
	s.log()
	s.answers(sized(2))
	r.want(Changed)
	asked(t, s, "HEAD GET")
}

// TestHeadKeepsFreshness holds that a HEAD that states no freshness renews the freshness of the GET (RFC
// 9111 §4.3.5).
func TestHeadKeepsFreshness(t *testing.T) {
	s := newSite(t, func(q request) string {
		if q.method == "HEAD" {
			return reply(q, 200, "", `ETag: "1"`)
		}
		return reply(q, 200, atom(1), `ETag: "1"`, "Cache-Control: max-age=43200")
	})
	r := started(t, s)
	r.want(Unchanged)
	if got := r.feed.FreshUntil.Sub(r.watch.now()); got < 11*time.Hour {
		t.Errorf("fresh for %v after a HEAD", got)
	}
}
