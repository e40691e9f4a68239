package poller

import (
	"testing"

	"digest"
)

func TestIllness(t *testing.T) {
	failing := func(status int, text string) digest.Feed {
		f := feedOf("errors=8")
		f.FailingSince, f.LastStatus, f.LastError = midnight().Add(-sickAfter), status, text
		return f
	}
	for _, test := range []struct {
		status int
		text   string
		want   digest.Illness
	}{
		{200, "the answer is not a feed but a web page", digest.PageInItsPlace},
		{200, "XML syntax error on line 1", digest.Unreadable},
		{401, "401 Unauthorized", digest.NeedsPassword},
		{403, "403 Forbidden", digest.Refused},
		{0, "the site's robots.txt disallows this program", digest.Refused},
		{404, "404 Not Found", digest.NotThere}, {410, "410 Gone", digest.NotThere},
		{429, "429 Too Many Requests", digest.Limited},
		{500, "500 Internal Server Error", digest.ServerFails},
		{503, "503 Service Unavailable, asked to wait 4 hours", digest.ServerFails},
		{0, "the certificate is not valid: x509: certificate has expired", digest.BadCertificate},
		{0, "no such host", digest.NoHost},
		{0, "there is no host of that name", digest.NoHost}, // from an older version
		{0, "the site's robots.txt asks this program not to read it", digest.Refused},
		{0, "connection refused", digest.NoAnswer},
		{301, "redirect loop", digest.OtherIllness}, {418, "418 I'm a teapot", digest.OtherIllness},
	} {
		f := failing(test.status, test.text)
		if got := Illness(f, midnight()); got != test.want {
			t.Errorf("%d %s: %q, want %q", test.status, test.text, got, test.want)
		}
		if got := Illness(f, at("-1s")); got != digest.Well {
			t.Errorf("%d %s, before a week: %q", test.status, test.text, got)
		}
	}
	few := failing(404, "404 Not Found")
	few.Errors = 2
	if got := Illness(few, at("720h")); got != digest.Well {
		t.Errorf("two polls in a month: %q", got)
	}
	if got := Illness(feedOf("read=-2160h newest=-9600h"), midnight()); got != digest.Well {
		t.Errorf("a quiet one: %q", got)
	}
}

// TestIllnessOfPolls holds that Illness recognises the errors of polls.
func TestIllnessOfPolls(t *testing.T) {
	for want, answer := range map[digest.Illness]func(request) string{
		digest.PageInItsPlace: func(q request) string { return reply(q, 200, page()) },
		digest.Unreadable:     func(q request) string { return reply(q, 200, "<rss") },
		digest.NeedsPassword:  func(q request) string { return reply(q, 401, "") },
		digest.Limited:        func(q request) string { return reply(q, 429, "") },
	} {
		s := newSite(t, nil)
		s.says(200, atom(1))
		r := newReader(t, s.url("/feed"))
		r.want(Changed)
		s.answers(answer)
		for range 7 {
			if r.want(Failed); Illness(r.feed, r.watch.now()) != digest.Well {
				t.Fatalf("%s: sick too early: %+v", want, r.feed)
			}
		}
		if r.want(Failed); Illness(r.feed, r.watch.now()) != want {
			t.Errorf("%s: %q, %s", want, Illness(r.feed, r.watch.now()), r.feed.LastError)
		}
		s.says(200, atom(1))
		if r.want(Unchanged); Illness(r.feed, r.watch.now()) != digest.Well {
			t.Errorf("%s: sick though it answered", want)
		}
	}
}
