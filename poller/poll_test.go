package poller

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

const day1 = 24 * time.Hour

// started is a reader whose feed has been read once; the log is empty.
func started(t testing.TB, s *site, change ...func(*Options)) *reader {
	t.Helper()
	r := newReader(t, s.url("/feed"), change...)
	r.want(Changed)
	s.log()
	return r
}

func TestS1_FirstFetch(t *testing.T) {
	for _, mode := range []HeadMode{HeadLearned, HeadAlways, HeadNever} {
		s := newSite(t, conditional(atom(1), `"a"`, monday))
		r := newReader(t, s.url("/feed"), func(o *Options) { o.Head = mode })
		result := r.want(Changed)
		log := asked(t, s, "GET")
		sent(t, log[0], "If-None-Match", "")
		sent(t, log[0], "If-Modified-Since", "")
		if d := result.Document; d == nil || len(d.Entries) != 1 || r.feed.Title != "Weather" || r.feed.Kind != "atom" {
			t.Errorf("%s: %+v", mode, r.feed)
		}
		if r.feed.ParsedAt.IsZero() || r.feed.LastStatus != 200 || !r.feed.LastOKAt.Equal(r.feed.LastAttemptAt) || result.Requests != 1 {
			t.Errorf("%s: %+v", mode, r.feed)
		}
	}
}

// TestS2toS4_Echo: validators go back byte for byte, however odd.
func TestS2toS4_Echo(t *testing.T) {
	for _, etag := range []string{`"a"`, `W/"a"`, `"a-gzip"`, `foo`, `""`, `"größe"`, `"a b"`, `"a,b"`, ``} {
		for _, lm := range []string{monday, "Mon, 16 Nov 2026 08:00:00 +0000", "Mon, 16 Nov 2026 08:00:00 UTC",
			"Monday, 16-Nov-26 08:00:00 GMT", "Sun, 16 Nov 2026 08:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday", ""} {
			var header []string
			if etag != "" {
				header = append(header, "ETag: "+etag)
			}
			if lm != "" {
				header = append(header, "Last-Modified: "+lm)
			}
			s := newSite(t, nil)
			s.says(200, atom(1), header...)
			r := started(t, s, func(o *Options) { o.Head = HeadNever })
			r.poll()
			log := asked(t, s, "GET")
			sent(t, log[0], "If-None-Match", etag)
			sent(t, log[0], "If-Modified-Since", lm)
		}
	}
}

// TestValidatorsThatCannotBeKept: what could not go back byte for byte is not sent at all.
func TestValidatorsThatCannotBeKept(t *testing.T) {
	for _, etag := range []string{"\"\xe4\"", `"` + strings.Repeat("a", 3000) + `"`} {
		s := newSite(t, nil)
		s.says(200, atom(1), "ETag: "+etag, "Last-Modified: "+monday)
		r := started(t, s, func(o *Options) { o.Head = HeadNever })
		r.poll()
		log := asked(t, s, "GET")
		sent(t, log[0], "If-None-Match", "")
		sent(t, log[0], "If-Modified-Since", monday)
	}
}

// TestS5toS10_PairOfTheLast200 walks through answers; after each, the request
// that follows shows which validators are kept.
func TestS5toS10_PairOfTheLast200(t *testing.T) {
	type step struct {
		why             string
		status, version int
		etag, lm        string // of the answer
		inm, ims        string // of the request after it
	}
	steps := []step{
		{"the beginning", 200, 1, `"1"`, monday, `"1"`, monday},
		{"S6: touched, same body", 200, 1, `"2"`, tuesday, `"2"`, tuesday},
		{"S7: only the ETag moves", 200, 2, `"3"`, tuesday, `"3"`, tuesday},
		{"S7: only Last-Modified moves", 200, 3, `"3"`, monday, `"3"`, monday},
		{"S8: 304 with a newer Last-Modified", 304, 0, `"3"`, tuesday, `"3"`, tuesday},
		{"S8: 304 with none", 304, 0, ``, ``, `"3"`, tuesday},
		{"S9: 304 with another ETag", 304, 0, `"9"`, monday, `"3"`, tuesday},
		{"S5: no ETag any more", 200, 3, ``, monday, ``, monday},
		{"S5: no Last-Modified any more", 200, 4, `"5"`, ``, `"5"`, ``},
		{"S10: A", 200, 1, `"A"`, monday, `"A"`, monday},
		{"S10: B", 200, 2, `"B"`, tuesday, `"B"`, tuesday},
		{"S10: A again", 200, 1, `"A"`, monday, `"A"`, monday},
		{"neither: the next poll is plain", 200, 7, ``, ``, ``, ``},
	}
	s := newSite(t, nil)
	r := newReader(t, s.url("/feed"), func(o *Options) { o.Head = HeadNever })
	for i, step := range steps {
		var h []string
		if step.etag != "" {
			h = append(h, "ETag: "+step.etag)
		}
		if step.lm != "" {
			h = append(h, "Last-Modified: "+step.lm)
		}
		s.says(step.status, atom(step.version), h...)
		r.poll()
		log := asked(t, s, "GET")
		if i > 0 {
			sent(t, log[0], "If-None-Match", steps[i-1].inm)
			sent(t, log[0], "If-Modified-Since", steps[i-1].ims)
		}
		if r.feed.ETag != step.inm || r.feed.LastModified != step.ims {
			t.Errorf("%s: kept %q %q", step.why, r.feed.ETag, r.feed.LastModified)
		}
	}
}

func TestS8_FreshnessFromEveryAnswer(t *testing.T) {
	hour := "Cache-Control: max-age=3600"
	s := newSite(t, conditional(atom(1), `"1"`, monday, hour))
	r := newReader(t, s.url("/feed"))
	for _, want := range []string{"GET", "HEAD", "GET"} { // 200, 304 to HEAD, 304
		r.poll()
		asked(t, s, want)
		if got := r.feed.FreshUntil.Sub(r.watch.now()); got != time.Hour {
			t.Errorf("%s: fresh for %v", want, got)
		}
	}
	s.answers(conditional(atom(1), `"2"`, monday))
	r.poll()
	if !r.feed.FreshUntil.IsZero() {
		t.Error("fresh though nothing was said")
	}
}

// TestS13_BadAnswersChangeNothing: and each has its line.
func TestS13_BadAnswersChangeNothing(t *testing.T) {
	long := strings.Repeat("x", 10<<20+1)
	tests := []struct {
		why, answer, says string
	}{
		{"truncated", "HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 5000\r\nConnection: close\r\n\r\n" + atom(2), "cut short"},
		{"truncated chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n<feed\r\n", "cut short"},
		{"truncated gzip", gzipped(atom(2), func(b string) string { return b[:len(b)-9] }), "cut short"},
		{"no gzip", gzipped("", func(string) string { return atom(2) }), "not the gzip"},
		{"unknown coding", answer200(atom(2), "Content-Encoding: deflate"), "unknown coding: deflate"},
		{"coded thrice", answer200(atom(2), "Content-Encoding: gzip, gzip, gzip"), "3 times"},
		{"too large", answer200(long), "larger than 10 MiB"},
		{"says it is a gigabyte", answer200(atom(2), "Content-Length: 1073741824", "Connection: close"), "larger than 10 MiB"},
		{"HTML error page", answer200("<!doctype html><html><head><title>Sorry</title></head><body><p>Down.</p></body></html>", "Content-Type: text/html"), "web page"},
		{"binary", answer200(string(zeros(500))), ""},
		{"nothing", answer200(""), ""},
		{"closed", "", "closed before the answer"},
		{"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "malformed HTTP"},
		{"500", "HTTP/1.1 500 X\r\nETag: \"2\"\r\nContent-Length: 0\r\n\r\n", "500 Internal Server Error"},
		{"404", "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n", "404 Not Found"},
		{"204", "HTTP/1.1 204 X\r\nETag: \"2\"\r\n\r\n", "204 No Content"},
		{"Cloudflare", "HTTP/1.1 403 X\r\nCf-Mitigated: challenge\r\nContent-Length: 0\r\n\r\n", "blocked by the site's protection"},
		{"302 to nowhere", "HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n", "nowhere"},
		{"headers without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Y: "+strings.Repeat("z", 990)+"\r\n", 100) + "\r\n", "header"},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			s := newSite(t, conditional(atom(1), `"1"`, monday, "Cache-Control: max-age=60"))
			r := started(t, s, func(o *Options) { o.Head = HeadNever })
			before := r.feed
			s.answers(func(request) string { return test.answer })
			result := r.want(Failed)
			asked(t, s, "GET")
			f := r.feed
			if f.ETag != before.ETag || f.LastModified != before.LastModified || f.BodyHash != before.BodyHash ||
				f.ParsedAt != before.ParsedAt || f.FreshUntil != before.FreshUntil || f.LastOKAt != before.LastOKAt {
				t.Errorf("the record has changed: %+v", f)
			}
			if !strings.Contains(f.LastError, test.says) || f.LastError == "" || strings.Contains(f.LastError, "127.0.0") {
				t.Errorf("says %q, want %q", f.LastError, test.says)
			}
			if f.Errors != 1 || f.NotBefore.IsZero() || f.FirstErrorAt.IsZero() || result.Document != nil {
				t.Errorf("%+v", f)
			}
			s.answers(conditional(atom(1), `"1"`, monday))
			r.want(Unchanged)
			if f := r.feed; f.Errors != 0 || !f.NotBefore.IsZero() || !f.FirstErrorAt.IsZero() || f.LastError != "" {
				t.Errorf("not forgiven: %+v", f)
			}
		})
	}
}

func answer200(body string, header ...string) string { return reply(request{}, 200, body, header...) }

func gzipped(body string, spoil func(string) string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(body))
	z.Close()
	coded := b.String()
	if spoil != nil {
		coded = spoil(coded)
	}
	return reply(request{}, 200, coded, "Content-Encoding: gzip")
}

func TestGzip(t *testing.T) {
	s := newSite(t, nil)
	s.answers(func(request) string { return gzipped(atom(1), nil) })
	r := newReader(t, s.url("/feed"))
	r.want(Changed)
	s.says(200, atom(1))
	if r.want(Unchanged); r.feed.BodyHash != hashOf([]byte(atom(1))) {
		t.Error("the hash is not that of the decoded bytes")
	}
}

// TestGigabyte: a body without a stated end is cut off at 10 MiB.
func TestGigabyte(t *testing.T) {
	s := newSite(t, nil)
	s.answers(func(request) string {
		return "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n" + strings.Repeat("<feed>  ", 4<<20)
	})
	r := newReader(t, s.url("/feed"))
	if result := r.want(Failed); result.Bytes > 11<<20 || !strings.Contains(result.Message, "larger than 10 MiB") {
		t.Errorf("%d bytes: %s", result.Bytes, result.Message)
	}
}

func TestS19_RetryAfterIsKept(t *testing.T) {
	for _, status := range []int{429, 503} {
		for value, want := range map[string]time.Duration{
			"600": 10 * time.Minute, "1000000000000": 7 * day1, "-1": 4 * time.Hour, "soon": 4 * time.Hour, "": 4 * time.Hour, "0": 0,
			"Fri, 20 Nov 2026 02:00:00 GMT": 2 * time.Hour, "Friday, 20-Nov-26 02:00:00 GMT": 2 * time.Hour, "Fri Nov 20 02:00:00 2026": 2 * time.Hour,
		} {
			s := newSite(t, nil)
			s.says(status, "", "Retry-After: "+value, "Date: "+friday)
			r := newReader(t, s.url("/feed"))
			r.want(Failed)
			asked(t, s, "GET")
			if got := r.feed.NotBefore.Sub(r.watch.now()); got != want {
				t.Errorf("%d %q: left alone for %v, want %v", status, value, got, want)
			}
		}
	}
}

// TestS20_GoneAndBack: the first 410 is noted, and forgotten once the feed answers well.
func TestS20_GoneAndBack(t *testing.T) {
	s := newSite(t, conditional(atom(1), `"1"`, monday))
	r := started(t, s)
	s.says(410, "")
	r.want(Failed)
	asked(t, s, "HEAD GET") // HEAD is not known yet
	first := r.watch.now()
	r.want(Failed)
	asked(t, s, "GET")
	if !r.feed.GoneAt.Equal(first) || !r.feed.FailingSince.Equal(first) || r.feed.LastStatus != 410 {
		t.Errorf("%+v", r.feed)
	}
	s.answers(conditional(atom(2), `"2"`, monday))
	r.want(Changed) // someone vouched for it
	if r.feed.State != digest.FeedActive || !r.feed.GoneAt.IsZero() || !r.feed.FailingSince.IsZero() {
		t.Errorf("%+v", r.feed)
	}
}

// TestS20_Dead: ninety days of errors end a feed, one success brings it back.
func TestS20_Dead(t *testing.T) {
	s := newSite(t, conditional(atom(1), `"1"`, monday))
	r := started(t, s)
	s.says(500, "")
	for range 90 {
		if r.want(Failed); r.feed.State != digest.FeedActive {
			t.Fatalf("%s after %v", r.feed.State, r.watch.now().Sub(r.feed.FirstErrorAt))
		}
	}
	r.want(Failed)
	if r.feed.State != digest.FeedDead || r.feed.Errors != 91 {
		t.Errorf("%s after %d errors", r.feed.State, r.feed.Errors)
	}
	s.answers(conditional(atom(1), `"1"`, monday))
	if r.want(Unchanged); r.feed.State != digest.FeedActive {
		t.Errorf("state %s", r.feed.State)
	}
}

// TestS21_NoSecondTry: an answer of 400 and more to a GET ends the poll.
func TestS21_NoSecondTry(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 410, 429, 451, 500, 502, 503} {
		s := newSite(t, nil)
		s.says(status, "")
		newReader(t, s.url("/feed")).want(Failed)
		asked(t, s, "GET")
	}
}

// TestS22toS27_HeaderPurity: every request of every kind carries exactly these fields.
func TestS22toS27_HeaderPurity(t *testing.T) {
	s := newSite(t, nil)
	s.answers(func(r request) string {
		if r.target == "/feed?b=2&a=%31&&=" {
			return reply(r, 302, "", "Location: /final", "Set-Cookie: a=b")
		}
		return conditional(atom(1), `"1"`, monday, "Set-Cookie: c=d")(r)
	})
	r := newReader(t, s.url("/feed?b=2&a=%31&&="), func(o *Options) { o.Head = HeadAlways })
	r.want(Changed)
	s.answers(func(q request) string {
		if q.method == "HEAD" {
			return reply(q, 405, "")
		}
		return conditional(atom(2), `"2"`, tuesday)(q)
	})
	r.want(Changed)
	log := asked(t, s, "GET GET HEAD GET")
	for _, q := range log {
		sent(t, q, "User-Agent", "digest/1.2 (+https://news.example/bot; 3 subscribers; feed-id=1)")
		sent(t, q, "Accept-Encoding", "gzip, br, zstd")
		sent(t, q, "Accept", acceptTypes)
		sent(t, q, "Host", s.address)
		if len(q.lines) != 4 {
			t.Errorf("%s %s: %q", q.method, q.target, q.lines)
		}
	}
	for i, target := range []string{"/feed?b=2&a=%31&&=", "/final", "/feed?b=2&a=%31&&=", "/feed?b=2&a=%31&&="} {
		if log[i].target != target {
			t.Errorf("asked for %s, want %s", log[i].target, target)
		}
	}
}

// TestS24_TargetIsKept: path and query go out byte for byte.
func TestS24_TargetIsKept(t *testing.T) {
	for _, target := range []string{"/a%2Fb/c", "/a//b", "/?", "/x?a=b+c&d=%20;e", "/%7Ejoe/", "/a;b=c", "/a:b@c", "/(x)!*'", "/?q=ä", "/a/../b"} {
		s := newSite(t, conditional(atom(1), `"1"`, monday))
		newReader(t, s.url(target)).want(Changed)
		if got := asked(t, s, "GET")[0].target; got != target {
			t.Errorf("asked for %s, want %s", got, target)
		}
	}
}

func TestS32_UnchangedIsOneRequest(t *testing.T) {
	s := newSite(t, conditional(atom(1), `"1"`, monday))
	r := started(t, s)
	for i, want := range []string{"HEAD", "GET", "GET", "GET"} {
		r.want(Unchanged)
		log := asked(t, s, want)
		sent(t, log[0], "If-None-Match", `"1"`)
		if r.feed.LastStatus != 304 {
			t.Errorf("poll %d: status %d", i, r.feed.LastStatus)
		}
	}
	if r.feed.Conditional != digest.Works || r.feed.Head != digest.Works {
		t.Errorf("learned %q %q", r.feed.Head, r.feed.Conditional)
	}
	s.answers(conditional(atom(2), `"2"`, tuesday))
	r.want(Changed)
	asked(t, s, "GET")
}

func TestS33_NoValidators(t *testing.T) {
	s := newSite(t, nil)
	s.says(200, atom(1))
	r := started(t, s)
	for _, mode := range []HeadMode{HeadLearned, HeadAlways} {
		r.p.head = mode
		result := r.want(Unchanged)
		asked(t, s, "GET")
		if result.Document != nil {
			t.Error("the same bytes were parsed again")
		}
	}
	s.says(200, atom(2))
	r.want(Changed)
}

func TestParserPanics(t *testing.T) {
	s := newSite(t, conditional(atom(1), `"1"`, monday))
	r := newReader(t, s.url("/feed"))
	r.p.parse = nil // calling it panics
	if r.want(Failed); !strings.Contains(r.feed.LastError, "fault of this program") {
		t.Error(r.feed.LastError)
	}
}

func TestQueueAndLeaseAreGivenBack(t *testing.T) {
	s := newSite(t, conditional(atom(1), `"1"`, monday))
	r := newReader(t, s.url("/feed"))
	r.feed.PollAt, r.feed.LeaseUntil = r.watch.now(), r.watch.now()
	result := r.want(Changed)
	if f := result.Feed; !f.PollAt.IsZero() || !f.LeaseUntil.IsZero() || !f.LastAttemptAt.Equal(r.watch.now()) {
		t.Errorf("%+v", f)
	}
	if !result.HostFreeAt.Equal(r.watch.now()) {
		t.Errorf("host free at %v", result.HostFreeAt)
	}
}

func TestUserAgentIsOneLine(t *testing.T) {
	if got, want := agent("1.0\r\nX: y", "https://a.example/(x)/"), "digest/1.0X:y (+https://a.example/x/bot; "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fmt.Sprint(agent("", "")); got != "digest/0 (+/bot; " {
		t.Error(got)
	}
}
