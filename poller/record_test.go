package poller

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

const rhythmic = `<?xml version="1.0"?><rss version="2.0"><channel><title>Weather</title><link>https://weather.example/</link>
<ttl>180</ttl><skipHours><hour>3</hour><hour>24</hour></skipHours><skipDays><day>Sunday</day></skipDays>
<item><guid>1</guid><title>Day 1</title><pubDate>Thu, 19 Nov 2026 08:00:00 GMT</pubDate></item>
<item><guid>2</guid><title>Day 2</title><pubDate>Mon, 01 Nov 2027 08:00:00 GMT</pubDate></item>
</channel></rss>`

// TestWhatADocumentSays holds that these statements are in the record of a polled and of a found feed, and
// stay while the document does not change.
func TestWhatADocumentSays(t *testing.T) {
	s, r := newFeed(t, conditional(rhythmic, `"1"`, monday, "Cache-Control: max-age=60"))
	r.want(Changed)
	found, err := find(r.p, s.url("/feed"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []digest.Feed{r.feed, found.Feed} {
		if f.DocInterval != 3*time.Hour || f.SkipHours != 1<<3|1<<0 || f.SkipDays != 1<<time.Sunday ||
			f.Parser != feed.Version ||
			f.Domain != "127.0.0.1" || !f.NewestAt.Equal(time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC)) {
			t.Errorf("%+v", f)
		}
		if !f.FreshUntil.Equal(r.watch.now().Add(3 * time.Hour)) {
			t.Errorf("fresh until %v", f.FreshUntil)
		}
	}
	was := r.feed
	r.want(Unchanged)
	if f := r.feed; f.DocInterval != was.DocInterval || f.SkipHours != was.SkipHours ||
		!f.NewestAt.Equal(was.NewestAt) || f.OwnInterval != 0 {
		t.Errorf("%+v", f)
	}
	r.watch.pass(2 * 365 * day1)
	if r.want(Unchanged); r.feed.OwnInterval < day1 || r.feed.OwnInterval > 25*time.Hour {
		t.Errorf("two silent years: every %v", r.feed.OwnInterval)
	}
}

// TestNewestIsNotForgotten holds that posts that leave the document do not change the newest date.
func TestNewestIsNotForgotten(t *testing.T) {
	s := newSite(t, says(200, atom(1)))
	r := started(t, s)
	newest := r.feed.NewestAt
	s.says(200, strings.ReplaceAll(atom(2), "2026-11-19", "2020-01-01"))
	if r.want(Changed); newest.IsZero() || !r.feed.NewestAt.Equal(newest) {
		t.Errorf("%v, then %v", newest, r.feed.NewestAt)
	}
}

// TestDomain holds that a feed that was never read has its domain, because the first answer may be a 429.
func TestDomain(t *testing.T) {
	r := newReader(t, "http://a.b.example.co.uk/feed", func(o *Options) { o.DialContext = nothingThere })
	if r.want(Failed); r.feed.Domain != "example.co.uk" {
		t.Errorf("%q", r.feed.Domain)
	}
}

// TestS13_EndlessHeader holds that at most 64 kB of header are read, of any answer.
func TestS13_EndlessHeader(t *testing.T) {
	for _, status := range []string{"200 OK", "404 Not Found", "301 Moved", "103 Early Hints"} {
		s, r := newFeed(t, nil)
		s.answers(func(request) string {
			return "HTTP/1.1 " + status + "\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 10000)
		})
		if result := r.want(Failed); result.Message != "the response header is larger than 64 kB" ||
			result.Requests != 1 {
			t.Errorf("%s: %s", status, result.Message)
		}
	}
}

// TestS21_HeadThatWasGood holds that an error answer to a HEAD that worked before ends the poll without a
// GET. The poller then learns HEAD again.
func TestS21_HeadThatWasGood(t *testing.T) {
	plain := says(200, atom(1), `ETag: "1"`)
	for _, status := range []int{400, 404, 410, 500, 502, 503} {
		s := newSite(t, plain)
		r := started(t, s)
		for range 3 {
			r.want(Unchanged)
		}
		asked(t, s, "HEAD GET HEAD")
		s.says(status, "")
		r.want(Failed)
		asked(t, s, "HEAD")
		s.answers(func(q request) string {
			if q.method == "HEAD" {
				return reply(q, status, "")
			}
			return plain(q)
		})
		r.want(Unchanged)
		asked(t, s, "GET") // after a failure it tells more
		r.want(Unchanged)
		asked(t, s, "HEAD GET")
		if r.feed.Head != digest.Useless || r.feed.Errors != 0 {
			t.Errorf("%d: %+v", status, r.feed)
		}
	}
	for _, status := range []int{405, 501} { // the method was the cause
		s := newSite(t, plain)
		r := started(t, s)
		for range 3 {
			r.want(Unchanged)
		}
		s.log()
		s.answers(func(q request) string {
			if q.method == "HEAD" {
				return reply(q, status, "")
			}
			return plain(q)
		})
		r.want(Unchanged)
		asked(t, s, "HEAD GET")
	}
}

// TestHeadWhileTheSiteIsDown holds that an outage says little about HEAD, which is tried again soon.
func TestHeadWhileTheSiteIsDown(t *testing.T) {
	s := newSite(t, good(1))
	r := started(t, s)
	s.says(500, "")
	r.want(Failed)
	asked(t, s, "HEAD GET")
	for range 5 {
		r.want(Failed)
		asked(t, s, "GET")
	}
	if wait := r.feed.HeadRetestAt.Sub(r.watch.now()); wait > 2*day1 {
		t.Errorf("HEAD is tried again in %v", wait)
	}
}

// TestS32_ChangedIsTwoAtMost holds that a changed feed needs at most two requests, and one as soon as the
// server's behaviour is known.
func TestS32_ChangedIsTwoAtMost(t *testing.T) {
	s := newSite(t, good(1))
	r := started(t, s)
	s.answers(good(2))
	r.want(Changed)
	asked(t, s, "HEAD GET")
	r.want(Unchanged)
	asked(t, s, "GET")
	for version := 3; version < 6; version++ {
		s.answers(conditional(atom(version), `"`+string(rune('0'+version))+`"`, tuesday))
		r.want(Changed)
		asked(t, s, "GET")
	}
}

// TestRedirectKeepsItsConnection holds that the body of a redirect is read, so that the next request needs
// no new connection.
func TestRedirectKeepsItsConnection(t *testing.T) {
	s := newSite(t, func(r request) string {
		if r.target == "/feed" {
			return reply(r, 302, "<p>Moved.</p>", "Location: /now")
		}
		return good(1)(r)
	})
	newReader(t, s.url("/feed")).want(Changed)
	if log := asked(t, s, "GET GET"); log[0].conn != log[1].conn {
		t.Error("two connections for two requests")
	}
}

func nothingThere(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}
