package poller

import (
	"testing"

	"digest"
)

func TestIllness(t *testing.T) {
	for _, test := range table(`
		status | want        | text
		200    | page        | the answer is not a feed but a web page
		200    | unreadable  | XML syntax error on line 1
		401    | password    | 401 Unauthorized
		403    | refused     | 403 Forbidden
		0      | refused     | the site's robots.txt disallows this program
		404    | missing     | 404 Not Found
		410    | missing     | 410 Gone
		429    | limited     | 429 Too Many Requests
		500    | server      | 500 Internal Server Error
		503    | server      | 503 Service Unavailable, asked to wait 4 hours
		0      | certificate | the certificate is not valid: x509: certificate has expired
		0      | name        | no such host
		0      | name        | there is no host of that name
		0      | refused     | the site's robots.txt asks this program not to read it
		0      | silent      | connection refused
		301    | other       | redirect loop
		418    | other       | 418 I'm a teapot`) {
		f := feedOf("errors=8 status=" + test["status"])
		f.FailingSince, f.LastError = midnight().Add(-sickAfter), test["text"]
		if got := Illness(f, midnight()); string(got) != test["want"] {
			t.Errorf("%v: %q", test, got)
		}
		if got := Illness(f, at("-1s")); got != digest.Well {
			t.Errorf("%v, before a week: %q", test, got)
		}
		if f.Errors = 2; Illness(f, at("720h")) != digest.Well {
			t.Errorf("%v, two polls in a month", test)
		}
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
