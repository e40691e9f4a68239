package poller

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

// offering returns a page that offers feeds, each given as "address title".
func offering(feeds ...string) string {
	var links strings.Builder
	for _, f := range feeds {
		address, title, _ := strings.Cut(f, " ")
		links.WriteString(`<link rel="alternate" type="application/atom+xml" href="` + address + `" title="` +
			title + `">`)
	}
	return "<!DOCTYPE html><html><head><title>Home</title>" + links.String() +
		"</head><body><p>Hello.</p></body></html>"
}

// made returns a rebuilt site: a page is in the place of the feed, and bodies are elsewhere.
func made(t *testing.T, offers []string, bodies map[string]string) (*site, *reader) {
	s := newSite(t, nil)
	s.says(200, atom(1))
	r := newReader(t, s.url("/feed"))
	r.want(Changed)
	bodies["/feed"] = offering(offers...)
	s.answers(func(q request) string {
		if _, asked := q.get("If-None-Match"); asked && bodies[q.target] != "" {
			return reply(q, 304, "")
		}
		return paths(bodies)(q)
	})
	return s, r
}

func gets(s *site) string {
	var b []string
	for _, r := range s.log() {
		if r.method == "GET" {
			b = append(b, r.target)
		}
	}
	return strings.Join(b, " ")
}

// TestFeedOfThePageInItsPlace holds that a page in a feed's place acts as a permanent redirect to the feed
// that it offers. The feed is read immediately, and the move is confirmed 20 hours later.
func TestFeedOfThePageInItsPlace(t *testing.T) {
	s, r := made(t, []string{"/comments/feed Comments on Weather", "/other Other news", "/new Weather » Feed"},
		map[string]string{"/new": atom(2), "/other": atom(3)})
	s.log()
	result := r.want(Changed)
	if got := gets(s); got != "/feed /new" {
		t.Fatalf("asked: %s", got)
	}
	if r.feed.URL != s.url("/feed") || r.feed.MovedTo != s.url("/new") || r.feed.Errors != 0 ||
		result.Address != s.url("/new") {
		t.Fatalf("first sighting: %+v", r.feed)
	}
	r.watch.pass(19*time.Hour - day1)
	if r.want(Unchanged); r.feed.URL != s.url("/feed") {
		t.Fatalf("believed after 19 hours: %+v", r.feed)
	}
	if r.want(Unchanged); r.feed.URL != s.url("/new") || r.feed.MovedTo != "" {
		t.Fatalf("second sighting: %+v", r.feed)
	}
	s.log()
	r.want(Unchanged)
	if got := gets(s); strings.Contains(got, "/feed") {
		t.Errorf("asked again: %s", got)
	}
}

// TestPageThatOffersNoSuchFeed holds that a page is no news and no move if its site offers no feed that is
// plainly the same.
func TestPageThatOffersNoSuchFeed(t *testing.T) {
	elsewhere := newSite(t, nil)
	elsewhere.says(200, atom(2))
	another := strings.ReplaceAll(strings.ReplaceAll(atom(2), "Weather", "Front page"), "weather.example",
		"front.example")
	for why, test := range map[string]struct {
		offers []string
		bodies map[string]string
		most   string // the requests
	}{
		"none":            {nil, map[string]string{}, "/feed"},
		"itself":          {[]string{"/feed Weather"}, map[string]string{}, "/feed"},
		"on another site": {[]string{elsewhere.url("/new") + " Weather"}, map[string]string{}, "/feed"},
		"comments": {[]string{"/comments/feed Comments on Weather"},
			map[string]string{"/comments/feed": atom(2)}, "/feed"},
		"of the whole site":    {[]string{"/all Front page"}, map[string]string{"/all": another}, "/feed /all"},
		"by a title that lies": {[]string{"/all Weather"}, map[string]string{"/all": another}, "/feed /all"},
		"a page again": {[]string{"/new Weather"},
			map[string]string{"/new": offering("/newer Weather"), "/newer": atom(2)}, "/feed /new"},
		"nothing, one after all": {[]string{"/new Weather", "/newer Weather"}, map[string]string{"/newer": atom(2)},
			"/feed /new"},
	} {
		s, r := made(t, test.offers, test.bodies)
		s.log()
		r.want(Failed)
		if got := gets(s); got != test.most {
			t.Errorf("%s: asked %s", why, got)
		}
		if r.feed.MovedTo != "" || r.feed.Title != "Weather" || !strings.HasSuffix(r.feed.LastError, webPage) ||
			r.feed.LastStatus != 200 {
			t.Errorf("%s: %+v", why, r.feed)
		}
	}
	if got := gets(elsewhere); got != "" {
		t.Errorf("another site was asked: %s", got)
	}
}

// TestPageWhoseFeedIsLimited holds that a site that limits the second request gets no further one before
// its Retry-After.
func TestPageWhoseFeedIsLimited(t *testing.T) {
	s, r := made(t, []string{"/new Weather"}, map[string]string{})
	pages := paths(map[string]string{"/feed": offering("/new Weather")})
	s.answers(func(q request) string {
		if q.target == "/new" {
			return reply(q, 429, "", "Retry-After: 90000")
		}
		return pages(q)
	})
	r.want(Failed)
	if r.feed.LastStatus != 429 || r.feed.NotBefore.Sub(r.watch.now()) < 24*time.Hour {
		t.Errorf("%+v", r.feed)
	}
}

func TestOfferedInsteadOnOneHost(t *testing.T) {
	f := digest.Feed{URL: "https://ann.example.org/feed", Kind: "rss", Title: "Ann",
		SiteURL: "https://ann.example.org/"}
	for address, ok := range map[string]bool{
		"https://ann.example.org/new": true, "https://www.example.org/new": true,
		"http://ann.example.org/new": false, "https://example.net/new": false, "ftp://ann.example.org/new": false,
	} {
		r, err := routeTo(f.URL)
		if err != nil {
			t.Fatal(err)
		}
		page := &feed.Document{Kind: feed.HTML, Feeds: []feed.Offer{{URL: address}}}
		if _, got := offeredInstead(f, &answer{route: r}, page); got != ok {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// newReaderOfRefresh returns a reader of a feed in whose place a page has a Refresh field.
func newReaderOfRefresh(t *testing.T) *reader {
	s, r := made(t, nil, map[string]string{})
	s.answers(func(q request) string {
		if q.target == "/feed" {
			return reply(q, 200, offering(), "Refresh: 0; url=/rss.xml")
		}
		return reply(q, 200, atom(2))
	})
	return r
}

func refreshing(content string) string {
	return `<!doctype html><title>Redirecting</title><meta http-equiv="Refresh" content="` + content +
		`"><a href="/elsewhere">Here</a>`
}

// TestFeedMovedByRefresh holds that the poller reads a feed behind a page that refreshes to it in the same
// poll. It confirms the move like a permanent redirect.
func TestFeedMovedByRefresh(t *testing.T) {
	renamed := strings.ReplaceAll(strings.ReplaceAll(atom(2), "Weather", "Climate"), "weather.example",
		"climate.example")
	byField := newReaderOfRefresh(t)
	if byField.want(Changed); !strings.HasSuffix(byField.feed.MovedTo, "/rss.xml") {
		t.Fatalf("by a field of the header: %+v", byField.feed)
	}
	for why, document := range map[string]string{"the same": atom(2), "of another title": renamed} {
		s, r := made(t, nil, map[string]string{"/rss.xml": document})
		bodies := map[string]string{"/feed": refreshing("0;url=/rss.xml"), "/rss.xml": document}
		s.answers(paths(bodies))
		s.log()
		if r.want(Changed); gets(s) != "/feed /rss.xml" || r.feed.MovedTo != s.url("/rss.xml") || r.feed.Errors != 0 {
			t.Fatalf("%s: first sighting: %+v", why, r.feed)
		}
		if r.want(Unchanged); r.feed.URL != s.url("/rss.xml") || r.feed.MovedTo != "" {
			t.Fatalf("%s: second sighting: %+v", why, r.feed)
		}
	}
}

// TestRefreshThatIsNoMove holds that a refresh to a page, to itself, to another refresh, or to another feed
// of another site moves nothing.
func TestRefreshThatIsNoMove(t *testing.T) {
	elsewhere := newSiteAt(t, "127.0.0.2:0", nil)
	elsewhere.says(200, strings.ReplaceAll(strings.ReplaceAll(atom(2), "Weather", "Front page"), "weather.example",
		"front.example"))
	for why, test := range map[string]struct{ content, most string }{
		"a page":          {"0;url=/page", "/feed /page"},
		"itself":          {"0;url=/feed", "/feed"},
		"another refresh": {"0;url=/again", "/feed /again"},
		"another feed":    {"0;url=" + elsewhere.url("/other"), "/feed"},
		"a late one":      {"300;url=/rss.xml", "/feed"},
		"none":            {"30", "/feed"},
	} {
		s, r := made(t, nil, map[string]string{})
		s.answers(paths(map[string]string{
			"/feed": refreshing(test.content), "/page": offering(), "/again": refreshing("0;url=/rss.xml"),
			"/rss.xml": atom(2),
		}))
		s.log()
		if r.want(Failed); gets(s) != test.most || r.feed.MovedTo != "" ||
			!strings.HasSuffix(r.feed.LastError, webPage) {
			t.Errorf("%s: asked %s: %+v", why, gets(s), r.feed)
		}
	}
}

// TestRefreshToAnotherSite holds that the poller confirms a refresh to the same feed on another site like a
// redirect, unless a reader wants the old address.
func TestRefreshToAnotherSite(t *testing.T) {
	elsewhere := newSiteAt(t, "127.0.0.2:0", conditional(atom(2), `"2"`, monday))
	for _, stays := range []bool{false, true} {
		s, r := made(t, nil, map[string]string{})
		s.answers(paths(map[string]string{"/feed": refreshing("0;url=" + elsewhere.url("/new"))}))
		r.feed.MoveUndone = stays
		result := r.poll()
		if moved := result.Outcome == Changed && r.feed.MovedTo == elsewhere.url("/new"); moved == stays {
			t.Errorf("stays %v: %s: %+v", stays, result.Message, r.feed)
		}
	}
}
