package poller

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

// from redirects some paths and serves a feed on the others.
func from(status int, hops map[string]string, then func(request) string) func(request) string {
	return func(r request) string {
		if to, ok := hops[r.target]; ok {
			return reply(r, status, "", "Location: "+to)
		}
		return then(r)
	}
}

// TestS28_PermanentIsBelievedLater holds that a redirect is confirmed at the second poll, 20 hours later.
func TestS28_PermanentIsBelievedLater(t *testing.T) {
	for _, status := range []int{301, 308} {
		s := newSite(t, from(status, map[string]string{"/feed": "/middle", "/middle": "/new"},
			good(1)))
		r := newReader(t, s.url("/feed"))
		r.want(Changed)
		if r.feed.MovedTo != s.url("/new") || !r.feed.MovedSince.Equal(r.watch.now()) || r.feed.URL != s.url("/feed") {
			t.Fatalf("%d: first sighting: %+v", status, r.feed)
		}
		r.watch.pass(19*time.Hour - day1) // poll adds a day
		r.want(Unchanged)
		if r.feed.URL != s.url("/feed") {
			t.Fatalf("%d: believed after 19 hours", status)
		}
		r.want(Unchanged)
		if r.feed.URL != s.url("/new") || r.feed.MovedTo != "" || r.feed.ValidatorURL != s.url("/new") ||
			r.feed.Host != "127.0.0.1" {
			t.Fatalf("%d: second sighting: %+v", status, r.feed)
		}
		s.log()
		r.want(Unchanged)
		log := asked(t, s, "GET")
		if log[0].target != "/new" {
			t.Errorf("asked for %s", log[0].target)
		}
		sent(t, log[0], "If-None-Match", `"1"`)
	}
}

// TestS28_NameUntilItIsBelieved holds that a feed that redirects to another site keeps its title until the
// move is confirmed, so that its readers know which feed moved.
func TestS28_NameUntilItIsBelieved(t *testing.T) {
	other := newSite(t, conditional(strings.ReplaceAll(atom(2), "Weather", "Elsewhere"), `"2"`, monday))
	answer := good(1)
	_, r := newFeed(t, func(r request) string { return answer(r) })
	r.want(Changed)
	named := r.feed.Title
	answer = from(301, map[string]string{"/feed": other.url("/")}, nil)
	if r.want(Changed); r.feed.Title != named || named != "Weather" || r.feed.MovedTo != other.url("/") {
		t.Errorf("%q is called %q, on its way to %q", named, r.feed.Title, r.feed.MovedTo)
	}
	answer = from(301, map[string]string{"/feed": "/new"},
		conditional(strings.ReplaceAll(atom(3), "Weather", "New name"), `"3"`, monday))
	if r.want(Changed); r.feed.Title != "New name" {
		t.Errorf("within its own site it is called %q", r.feed.Title)
	}
}

// TestS28_NoAddressToMoveTo holds that a redirect to an address that is too long to store is followed, but
// is no move.
func TestS28_NoAddressToMoveTo(t *testing.T) {
	long := "/" + strings.Repeat("x", 2048)
	s, r := newFeed(t, from(301, map[string]string{"/feed": long}, good(1)))
	r.want(Changed)
	r.want(Unchanged)
	r.want(Unchanged)
	if r.feed.URL != s.url("/feed") || r.feed.ValidatorURL != s.url(long) {
		t.Errorf("moved to an address of %d bytes, validators of %d", len(r.feed.URL), len(r.feed.ValidatorURL))
	}
}

func TestS28_TemporaryIsNeverRemembered(t *testing.T) {
	for _, status := range []int{302, 303, 307} {
		s, r := newFeed(t, from(status, map[string]string{"/feed": "/now"}, good(1)))
		r.want(Changed)
		for range 4 {
			s.log()
			r.want(Unchanged)
			log := s.log()
			if len(log) != 2 || log[0].target != "/feed" || log[1].target != "/now" {
				t.Fatalf("%d: %v", status, log)
			}
			sent(t, log[0], "If-None-Match", "") // S12
			sent(t, log[1], "If-None-Match", `"1"`)
		}
		if r.feed.URL != s.url("/feed") || r.feed.MovedTo != "" {
			t.Errorf("%d: %+v", status, r.feed)
		}
	}
}

// TestS28_Doubts checks permanent redirects that are not confirmed.
func TestS28_Doubts(t *testing.T) {
	good := good(1)
	moved := from(301, map[string]string{"/feed": "/new"}, good)
	tests := []struct {
		why    string
		second func(request) string
		moved  bool // MovedTo is set after the second poll
	}{
		{"one hop is temporary", func(r request) string {
			if r.target == "/new" {
				return reply(r, 302, "", "Location: /newer")
			}
			return moved(r)
		}, false},
		{"it has gone away", good, false},
		{"it leads elsewhere", from(301, map[string]string{"/feed": "/other"}, good), true},
		{"the target is no feed", from(301, map[string]string{"/feed": "/new"}, func(r request) string {
			return reply(r, 200, "<html><body>Log in to the hotel's network.</body></html>")
		}), true},
	}
	for _, test := range tests {
		s, r := newFeed(t, moved)
		r.want(Changed)
		s.answers(test.second)
		r.poll()
		if r.feed.URL != s.url("/feed") || (r.feed.MovedTo != "") != test.moved {
			t.Errorf("%s: %s, moved to %q", test.why, r.feed.URL, r.feed.MovedTo)
		}
	}
}

// TestS29_Refused holds that the poll ends with one error and no further request.
func TestS29_Refused(t *testing.T) {
	tests := []struct {
		why, to  string
		requests int
		says     string
	}{
		{"a circle", "/feed", 1, "loop"},
		{"a circle of two", "/circle", 2, "loop"},
		{"eleven hops", "/hop/1", 11, "more than 10 times"},
		{"file", "file:///etc/passwd", 1, "not on the web"},
		{"gopher", "gopher://x.example/", 1, "not on the web"},
		{"data", "data:text/xml,<feed/>", 1, "not on the web"},
		{"a private address", "http://10.0.0.1/feed", 1, "is private"},
		{"the metadata service", "http://169.254.169.254/latest/", 1, "is private"},
		{"no host", "http://", 1, "not on the web"},
		{"nonsense", "http://[::1/", 1, "not on the web"},
		{"a host with a zone", "http://ann:x@[fe80::1%25lo]/", 1, "is private"},
	}
	for _, test := range tests {
		s := newSite(t, nil)
		s.answers(func(r request) string {
			to := test.to
			switch {
			case r.target == "/circle":
				to = "/feed"
			case strings.HasPrefix(r.target, "/hop/"):
				to = r.target + "1"
			}
			return reply(r, 301, "", "Location: "+to)
		})
		r := newReader(t, s.url("/feed"))
		result := r.want(Failed)
		if log := s.log(); len(log) != test.requests || !strings.Contains(result.Message, test.says) {
			t.Errorf("%s: %d requests, %s", test.why, len(log), result.Message)
		}
		if r.feed.MovedTo != "" || r.feed.NotBefore.IsZero() {
			t.Errorf("%s: %+v", test.why, r.feed)
		}
	}
}

func TestHTTPSToHTTPIsRefused(t *testing.T) {
	r, err := routeTo("https://a.example/feed")
	if err != nil {
		t.Fatal(err)
	}
	a := &answer{route: r, status: 301, header: header("Location: http://a.example/feed")}
	if _, err := a.follow(); err == nil || !strings.Contains(err.Error(), "https to http") {
		t.Error(err)
	}
}

func TestLocation(t *testing.T) {
	for _, test := range []struct{ base, field, want string }{
		{"http://a.example/x/feed", "other", "http://a.example/x/other"},
		{"http://a.example/x/feed", "//b.example", "http://b.example/"},
		{"http://a.example/feed", "/a b?c d#top", "http://a.example/a%20b?c%20d"},
		{"http://a.example/feed", "?b=2&a=1", "http://a.example/feed?b=2&a=1"},
		{"http://a.example/feed", "http://you:guess@a.example/", "http://a.example/"},
		{"http://a.example/feed", "HTTP://B.example/X", "http://b.example/X"},
		{"http://a.example/100%/feed", "50%.xml?x=%", "http://a.example/100%/50%.xml?x=%"},
		{"http://a.example/feed", `\new\a|b[1].xml`, "http://a.example/new/a|b[1].xml"},
		{"http://a.example/feed", "/é.xml?ü", "http://a.example/%C3%A9.xml?%C3%BC"},
		{"http://a.example/feed", "/\xe9.xml", "http://a.example/%C3%A9.xml"},
		{"http://a.example/feed", "http://bücher.example/", "http://xn--bcher-kva.example/"},
	} {
		r, err := routeTo(test.base)
		if err != nil {
			t.Fatal(err)
		}
		a := &answer{route: r, status: 302, header: header("Location: " + test.field)}
		next, err := a.follow()
		if err != nil || next.address != test.want {
			t.Errorf("%s then %q: %q %v, want %q", test.base, test.field, next.address, err, test.want)
		}
	}
}

// TestRedirectWithRetryAfter holds that the Retry-After of a followed redirect is kept.
func TestRedirectWithRetryAfter(t *testing.T) {
	s := newSite(t, nil)
	s.answers(func(r request) string {
		if r.target == "/feed" {
			return reply(r, 307, "", "Location: /x", "Retry-After: 7200")
		}
		return good(1)(r)
	})
	r := newReader(t, s.url("/feed"))
	r.want(Changed)
	if got := r.feed.NotBefore.Sub(r.watch.now()); got != 2*time.Hour {
		t.Errorf("not before %v", got)
	}
}

// TestS12_HeadThroughRedirect holds that the GET goes directly to the address to which the HEAD was
// redirected.
func TestS12_HeadThroughRedirect(t *testing.T) {
	hops := map[string]string{"/feed": "/now"}
	s := newSite(t, from(302, hops, good(1)))
	r := started(t, s, head(HeadAlways))
	s.answers(from(302, hops, good(2)))
	r.want(Changed)
	asked(t, s, "HEAD HEAD GET")
	hops["/feed"] = "/moved"
	s.answers(from(302, hops, conditional(atom(3), `"2"`, tuesday)))
	r.want(Changed)
	log := asked(t, s, "HEAD HEAD GET")
	sent(t, log[1], "If-None-Match", "") // S12: another URL
	sent(t, log[2], "If-None-Match", "")
}

// TestI7_RedirectMatrix holds that a redirect to a private address fails in every spelling, and sends
// nothing there.
func TestI7_RedirectMatrix(t *testing.T) {
	redirected := func(host string) Result {
		s, r := newFeed(t, says(301, "", "Location: http://"+host+":8080/feed"), func(o *Options) {
			o.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		})
		result := r.want(Failed)
		if asked(t, s, "GET"); result.Requests != 1 || r.feed.MovedTo != "" {
			t.Errorf("%s: %s, %d requests", host, result.Message, result.Requests)
		}
		return result
	}
	for host := range strings.FieldsSeq(`0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.2 169.254.169.254 172.16.0.1 192.0.0.1
		192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
		[::] [::1] [::ffff:10.0.0.1] [::10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1] [100::1] [2001::1] [2001:db8::1]
		[2002:a00:1::] [3fff::1] [5f00::1] [fc00::1] [fe80::1] [fe80::1%25eth0] [fec0::1] [ff02::1]
		[2606:2800:220::1%251]`) {
		if result := redirected(host); result.Message != errNotPublic.Error() {
			t.Errorf("%s: %s", host, result.Message)
		}
	}
	for host := range strings.FieldsSeq(`2130706434 0x7f000002 127.2 017700000002 localhost. 127.0.0.2. ` +
		`１２７.0.0.2`) {
		redirected(host) // as a name it may also be unknown, or refuse
	}
}

// TestS28_BackWhereItWas holds that a feed that moved to another spelling of its address returns to the old
// one if it is missing within a month. It does not return to another address, which is another feed's.
func TestS28_BackWhereItWas(t *testing.T) {
	const next = "https://new.example/feed"
	for _, test := range []struct {
		status, polls int
		age           string
		old           string
		missing, back bool
	}{
		{404, 1, "", "http://new.example/feed", false, false},
		{404, 2, "", "http://new.example/feed", true, true},
		{410, 1, "", "https://www.new.example/feed", true, true},
		{500, 3, "", "http://new.example/feed", false, false},
		{410, 1, "744h", "http://new.example/feed", true, false},
		{410, 1, "", "https://old.example/feed", true, false}, // another feed's, now or later
	} {
		now, f := midnight(), digest.Feed{URL: test.old, Host: feed.Host(test.old)}
		moveTo(&f, next, now)
		now = now.Add(span(test.age))
		for range test.polls {
			now = now.Add(day1)
			fail(&f, failure{status: test.status}, now)
		}
		want := map[bool]string{false: next, true: test.old}[test.back]
		if f.URL != want || f.State == digest.FeedGone || test.back &&
			(f.Host != feed.Host(want) || !f.GoneAt.IsZero()) || Missing(f) != test.missing {
			t.Errorf("%d: %+v", test.status, f)
		}
	}
}
