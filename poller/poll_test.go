package poller

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const day1 = 24 * time.Hour

// started returns a reader whose feed was read once, and clears the log.
func started(t testing.TB, s *site, change ...func(*Options)) *reader {
	t.Helper()
	r := newReader(t, s.url("/feed"), change...)
	r.want(Changed)
	s.log()
	return r
}

func TestS1_FirstFetch(t *testing.T) {
	for _, mode := range []HeadMode{HeadLearned, HeadAlways, HeadNever} {
		s, r := newFeed(t, conditional(atom(1), `"a"`, monday), func(o *Options) { o.Head = mode })
		result := r.want(Changed)
		log := asked(t, s, "GET")
		sent(t, log[0], "If-None-Match", "")
		sent(t, log[0], "If-Modified-Since", "")
		if d := result.Document; d == nil || len(d.Posts) != 1 || r.feed.Title != "Weather" || r.feed.Kind != "atom" {
			t.Errorf("%s: %+v", mode, r.feed)
		}
		if r.feed.ParsedAt.IsZero() || r.feed.LastStatus != 200 || !r.feed.LastOKAt.Equal(r.feed.LastAttemptAt) ||
			result.Requests != 1 {
			t.Errorf("%s: %+v", mode, r.feed)
		}
	}
}

// TestS13_BadAnswersChangeNothing also checks the error of each answer, and that no answer to a GET causes a second
// request (S21).
func TestS13_BadAnswersChangeNothing(t *testing.T) {
	long, zipped := strings.Repeat("x", 10<<20+1), string(pack(t, []byte(atom(2)), "gzip"))
	tests := []struct {
		why, answer, says string
	}{
		{"truncated", "HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 5000\r\nConnection: close\r\n\r\n" +
			atom(2), "incomplete"},
		{"truncated chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n<feed\r\n",
			"incomplete"},
		{"truncated gzip", answer200(zipped[:len(zipped)-9], "Content-Encoding: gzip"), "incomplete"},
		{"no gzip", answer200(atom(2), "Content-Encoding: gzip"), "declared as gzip"},
		{"unknown coding", answer200(atom(2), "Content-Encoding: compress"), "unknown coding: compress"},
		{"coded thrice", answer200(atom(2), "Content-Encoding: gzip, gzip, gzip"), "3 times"},
		{"too large", answer200(long), "larger than 10 MiB"},
		{"without a length", "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n" + long, "larger than 10 MiB"},
		{"says it is a gigabyte", answer200(atom(2), "Content-Length: 1073741824", "Connection: close"),
			"larger than 32 MiB"},
		{"HTML error page", answer200(
			"<!doctype html><html><head><title>Sorry</title></head><body><p>Down.</p></body></html>",
			"Content-Type: text/html"), "web page"},
		{"binary", answer200(string(zeros(500))), ""},
		{"nothing", answer200(""), ""},
		{"closed", "", "closed before the response"},
		{"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "malformed HTTP"},
		{"500", "HTTP/1.1 500 X\r\nETag: \"2\"\r\nContent-Length: 0\r\n\r\n", "500 Internal Server Error"},
		{"404", "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n", "404 Not Found"},
		{"204", "HTTP/1.1 204 X\r\nETag: \"2\"\r\n\r\n", "204 No Content"},
		{"Cloudflare", "HTTP/1.1 403 X\r\nCf-Mitigated: challenge\r\nContent-Length: 0\r\n\r\n",
			"blocked by the site's bot protection"},
		{"302 to nowhere", "HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n", "not on the web"},
		{"headers without end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Y: "+strings.Repeat("z", 990)+"\r\n", 100) +
			"\r\n", "header"},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			s := newSite(t, good(1, "Cache-Control: max-age=60"))
			r := started(t, s, head(HeadNever))
			before := r.feed
			s.answers(func(request) string { return test.answer })
			result := r.want(Failed)
			asked(t, s, "GET")
			f := r.feed
			if f.ETag != before.ETag || f.LastModified != before.LastModified || f.BodyHash != before.BodyHash ||
				f.ParsedAt != before.ParsedAt || f.FreshUntil != before.FreshUntil || f.LastOKAt != before.LastOKAt {
				t.Errorf("the record has changed: %+v", f)
			}
			if !strings.Contains(f.LastError, test.says) || f.LastError == "" ||
				strings.Contains(f.LastError, "127.0.0") {
				t.Errorf("says %q, want %q", f.LastError, test.says)
			}
			if f.Errors != 1 || f.NotBefore.IsZero() || f.FirstErrorAt.IsZero() || result.Document != nil {
				t.Errorf("%+v", f)
			}
			s.answers(good(1))
			r.want(Unchanged)
			if f := r.feed; f.Errors != 0 || !f.NotBefore.IsZero() || !f.FirstErrorAt.IsZero() || f.LastError != "" {
				t.Errorf("not forgiven: %+v", f)
			}
		})
	}
}

func answer200(body string, header ...string) string { return reply(request{}, 200, body, header...) }

func TestS19_RetryAfterIsKept(t *testing.T) {
	for _, status := range []int{429, 503} {
		for value, want := range map[string]time.Duration{
			"600": 10 * time.Minute, "soon": 4 * time.Hour, "": 4 * time.Hour, "0": 0,
			"Fri, 20 Nov 2026 02:00:00 GMT": 2 * time.Hour,
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

func TestParserPanics(t *testing.T) {
	_, r := newFeed(t, good(1))
	r.p.parse = nil // so that a call panics
	if r.want(Failed); !strings.Contains(r.feed.LastError, "bug in this program") {
		t.Error(r.feed.LastError)
	}
}

func TestQueueAndLeaseAreGivenBack(t *testing.T) {
	_, r := newFeed(t, good(1))
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
	if got, want := agent("1.0\r\nX: y", "https://a.example/(x)/"),
		"digest/1.0X:y (+https://a.example/x/bot; "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fmt.Sprint(agent("", "")); got != "digest/0 (+/bot; " {
		t.Error(got)
	}
}
