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
	plain := func(version int, header ...string) func(request) string { // ignores conditions
		return func(r request) string { return reply(r, 200, atom(version), header...) }
	}
	seconds := time.Duration(0)
	answers := map[string]func(request) string{
		"1": good(1), "2": good(2), "without": plain(1), "another tag": plain(1, `ETag: "9"`),
		"plain": plain(1, `ETag: "1"`, "Last-Modified: "+monday), "tag": plain(1, `ETag: "1"`),
		"old tag": plain(2, `ETag: "1"`), "tuesday": plain(1, "Last-Modified: "+tuesday),
		"nothing":   func(request) string { return "" },
		"503, wait": says(503, "", "Retry-After: 60"),
		"now": func(r request) string {
			seconds++
			return reply(r, 200, atom(1), "Last-Modified: "+midnight().Add(seconds*time.Second).Format(http.TimeFormat))
		},
	}
	for _, status := range []int{400, 401, 403, 404, 405, 410, 429, 500, 501} {
		answers[fmt.Sprint(status)] = says(status, "")
	}
	// The answer to the first GET, and those to later requests.
	for _, test := range table(`
		first | HEAD   | GET    | polls  | head   | conditional | why
		1     | 1      | 1      | HEAD, GET, GET | works  | works  | all is well
		1     | plain  | 1      | HEAD, GET, GET | works  | works  | HEAD ignores conditions
		plain | plain  | plain  | HEAD, GET, HEAD, HEAD | works  | broken | everything ignores conditions
		1     | 405    | 1      | HEAD GET, GET, GET | broken | works  | HEAD 405
		1     | 501    | 1      | HEAD GET, GET | broken | works  | HEAD 501
		1     | 404    | 1      | HEAD GET, GET | broken | works  | HEAD 404
		1     | 400    | 1      | HEAD GET, GET | broken | works  | HEAD 400
		1     | 500    | 1      | HEAD GET, GET | broken | works  | HEAD 500
		1     | 410    | 1      | HEAD GET, GET | broken | works  | HEAD 410
		1     | nothing | 1      | HEAD GET, GET | broken | works  | HEAD closes
		1     | without | 1      | HEAD GET, GET | broken | works  | HEAD without validators
		1     | another tag | 1      | HEAD GET, GET | broken | works  | HEAD says changed, GET 304
		plain | another tag | plain  | HEAD GET, GET, GET | broken | broken  | HEAD says changed, GET the same bytes
		tuesday | now    | now    | HEAD GET, GET, GET | broken | broken  | Last-Modified is always now
		1     | 403    | 1      | HEAD, GET, GET | broken | works  | HEAD 403
		1     | 401    | 1      | HEAD, GET, GET | broken | works  | HEAD 401
		1     | 429    | 1      | HEAD, GET, GET | broken | works  | HEAD 429
		1     | 503, wait | 1      | HEAD, GET, GET | broken | works  | HEAD 503 with Retry-After
		1     | 2      | 2      | HEAD GET, GET, GET | works  | works  | HEAD told the truth: changed
		tag   | 405    | old tag | HEAD GET, GET | broken | broken  | S36: the ETag never changes`) {
		s := newSite(t, answers[test["first"]])
		r := started(t, s)
		s.answers(func(r request) string { return answers[test[r.method]](r) })
		var result Result
		for i, want := range strings.Split(test["polls"], ", ") {
			result = r.poll()
			if got := methods(s.log()); got != want {
				t.Errorf("%s: poll %d was %q, want %q", test["why"], i+1, got, want)
			}
		}
		if result.Outcome != Unchanged || string(r.feed.Head) != test["head"] ||
			string(r.feed.Conditional) != test["conditional"] {
			t.Errorf("%s: %s, HEAD %q, conditional GET %q", test["why"], result.Outcome, r.feed.Head,
				r.feed.Conditional)
		}
		if (r.feed.Head == digest.Useless) == r.feed.HeadRetestAt.IsZero() {
			t.Errorf("%s: tried again at %v", test["why"], r.feed.HeadRetestAt)
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
