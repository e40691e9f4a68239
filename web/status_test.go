package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

const feedURL = "https://site.example/feed.xml"

// knows adds a feed with one reader.
func (r *room) knows(f digest.Feed) digest.Feed {
	r.t.Helper()
	f.State, f.Host = digest.FeedActive, "site.example"
	r.feeds++
	_, d := r.user(fmt.Sprintf("reader%d@example.org", r.feeds))
	known, _, err := r.store.EnsureFeed(r.t.Context(), f)
	r.must(err)
	_, err = r.store.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: known.ID}, r.now)
	r.must(err)
	f.ID = known.ID
	return f
}

// polled stores the result of a poll.
func (r *room) polled(f digest.Feed, p store.PollRecord) {
	r.t.Helper()
	_, err := r.store.Record(r.t.Context(), p.At, []store.Polled{{Feed: f, Poll: p}})
	r.must(err)
}

// well returns the record of a feed that responded now.
func well(f digest.Feed, now time.Time) digest.Feed {
	f.ParsedAt, f.LastOKAt, f.LastAttemptAt, f.LastStatus = now, now, now, 304
	f.ETag, f.Conditional = `"a"`, digest.Works
	return f
}

func statusOf(address string) string { return "/status?url=" + url.QueryEscape(address) }

func TestStatusAsksForAnAddress(t *testing.T) {
	each(t, func(r *room) {
		r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		a := r.visitor().get("/status").status(http.StatusOK).shows("h1", "Feed status")
		if len(a.find("form.ask input[name=url]")) != 1 || strings.Contains(a.body, "site.example") {
			r.t.Error("the page should ask, and list nothing")
		}
		if a.Header.Get("X-Robots-Tag") != "" {
			r.t.Error("the question should be findable")
		}
		for _, v := range []string{"/status?url=", "/status?url=%20", "/status?other=x"} {
			r.visitor().get(v).status(http.StatusOK)
		}
	})
}

func TestStatusOfAFeed(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		r.polled(well(f, r.now.AddDate(0, 0, -1)), store.PollRecord{At: r.now.AddDate(0, 0, -1), Outcome: "unchanged",
			Status: 304, Requests: 1, Took: 85 * time.Millisecond, Note: "unchanged: 304"})
		failed := well(f, r.now)
		failed.LastOKAt, failed.LastStatus, failed.LastError, failed.Errors = r.now.AddDate(0, 0, -1), 503,
			"503 Service Unavailable", 1
		failed.FailingSince, failed.FirstErrorAt, failed.NotBefore = r.now, r.now, r.now.Add(4*time.Hour)
		failed.DocInterval, failed.SkipHours, failed.SkipDays = 12*time.Hour, 0x3f|1<<13, 1|1<<6
		r.polled(failed, store.PollRecord{At: r.now, Outcome: "failed", Status: 503, Requests: 2, Bytes: 310,
			Took: 1200 * time.Millisecond, Note: "503 Service Unavailable"})

		_, err := r.store.SetHostRule(r.t.Context(), digest.HostRule{Host: "site.example", Interval: 48 * time.Hour},
			r.now)
		r.must(err)

		a := r.visitor().get(statusOf("HTTPS://Site.example:443/feed.xml#x")).status(http.StatusOK)
		a.shows("h1", "Site").shows(".address", feedURL).shows(".standing strong", "penalised")
		if got := a.texts(".standing")[0]; !strings.Contains(got, "503 Service Unavailable") ||
			!strings.Contains(got, "2026-11-20 16:00 UTC") {
			r.t.Errorf("it stands so: %s", got)
		}
		facts := strings.Join(a.texts(".facts div"), "|")
		for _, want := range []string{"Last check20 Nov 2026, 12:00", "Last successful check19 Nov 2026, 12:00",
			"Failing since20 Nov 2026, 12:00", "Next check2"} {
			if !strings.Contains(strings.ReplaceAll(facts, " 20 Nov", "20 Nov"), want) {
				r.t.Errorf("no %q in %s", want, facts)
			}
		}
		a.shows(".answers li", "20 Nov 12:00 503 Service Unavailable 2 requests, 310 B, 1.2 s",
			"19 Nov 12:00 unchanged: 304 1 request, 0 B, 85 ms")
		a.shows(".legend li", "unchanged", "server error")
		a.shows("tbody tr", "20 Novserver error (1)310 B1.2 s", "19 Novunchanged (1)0 B85 ms")
		for selector, want := range map[string]int{"svg[role=img]": 1, "rect.unchanged": 1, "rect.broken": 1,
			"rect.bytes": 1, "circle.median": 2, "[style]": 0, "script": 0} {
			if got := len(a.find(selector)); got != want {
				r.t.Errorf("%d of %q, want %d", got, selector, want)
			}
		}
		rules := strings.Join(a.texts(".rules li"), " ")
		for _, want := range []string{"requires 12 hours between", "(UTC): 0–5, 13.", "on Saturday, Sunday (UTC)",
			"at least 2 days between two requests to this host", "returns 304"} {
			if !strings.Contains(rules, want) {
				r.t.Errorf("no %q in %s", want, rules)
			}
		}
		if a.Header.Get("X-Robots-Tag") == "" {
			r.t.Error("a feed's page may be indexed")
		}
		if got := a.texts(".standing")[0]; strings.Contains(got, "We ask again") {
			r.t.Errorf("it is said twice: %s", got)
		}
		german := r.visitor()
		german.header["Accept-Language"] = "de"
		if got := german.get(statusOf(feedURL)).texts(".standing")[0]; !strings.Contains(got,
			"503 Service Unavailable; nächste Abfrage: 20. Nov. 2026, 16:00 UTC") {
			r.t.Errorf("in German it stands so: %s", got)
		}
	})
}

// TestStatusRevealsNoReader checks that the page reveals neither readers, nor their number, nor their titles.
func TestStatusRevealsNoReader(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		_, d := r.user("ann@example.org")
		_, err := r.store.Subscribe(r.t.Context(),
			digest.Subscription{DigestID: d.ID, FeedID: f.ID, Title: "My private name", Folder: "My folder"}, r.now)
		r.must(err)
		r.polled(well(f, r.now), store.PollRecord{At: r.now, Outcome: "unchanged", Status: 304})
		two := r.visitor().get(statusOf(feedURL)).status(http.StatusOK)
		for _, secret := range []string{"example.org", "private name", "folder", "Paris", "subscriber"} {
			if strings.Contains(two.body, secret) {
				r.t.Errorf("the page tells %q", secret)
			}
		}
		r.must(r.store.Unsubscribe(r.t.Context(), d.ID, f.ID))
		if one := r.visitor().get(statusOf(feedURL)); one.body != two.body {
			r.t.Error("the page differs with the number of readers")
		}
	})
}

func TestStatusOfWhatIsNotKnown(t *testing.T) {
	each(t, func(r *room) {
		r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		for _, address := range []string{"https://site.example/", "http://site.example/feed.xml",
			"https://site.example/Feed.xml", feedURL + "?", feedURL + "?a=1", feedURL + "/", "site.example/feed",
			"https://%E0%A4%A@x.example/", "https://a.example/\xff"} {
			a := r.visitor().get(statusOf(address))
			if a.StatusCode != http.StatusNotFound && a.StatusCode != http.StatusBadRequest {
				r.t.Errorf("%q: status %d", address, a.StatusCode)
			}
		}
		a := r.visitor().get(statusOf("https://site.example/other")).status(http.StatusNotFound)
		if got := a.attrs("input[name=url]", "value"); got[0] != "https://site.example/other" ||
			a.Header.Get("X-Robots-Tag") == "" {
			r.t.Errorf("the form keeps %q, headers %v", got, a.Header)
		}
		for _, address := range []string{"nonsense", "javascript:alert(1)", "file:///etc/passwd", "https://",
			strings.Repeat("a", 20_000), "https://a.example/" + strings.Repeat("a", 20_000),
			`"><script>alert(1)</script>`} {
			a := r.visitor().get(statusOf(address)).status(http.StatusBadRequest)
			if len(a.find("script")) != 0 || len(a.body) > 10<<10 {
				r.t.Errorf("%.40q: %d bytes", address, len(a.body))
			}
		}
	})
}

// TestStatusByHand checks that a feed is found by an address with an unescaped query.
func TestStatusByHand(t *testing.T) {
	each(t, func(r *room) {
		r.knows(digest.Feed{URL: "https://site.example/?feed=rss&cat=1;2", Title: "Site"})
		for _, path := range []string{"/status?url=https://site.example/?feed=rss&cat=1;2",
			statusOf("https://site.example/?feed=rss&cat=1;2"),
			"/status?url=https://site.example/%3Ffeed=rss%26cat=1%3B2"} {
			r.visitor().get(path).status(http.StatusOK).shows("h1", "Site")
		}
	})
}

// TestStatusKeepsSecrets checks that a private feed is found only by its exact address, and that the secret parts of
// an address are hidden.
func TestStatusKeepsSecrets(t *testing.T) {
	each(t, func(r *room) {
		const private = "https://ann:pass-word@site.example/feed?key=k-e-y"
		r.knows(digest.Feed{URL: private, Title: "Private"})
		for _, near := range []string{"https://site.example/feed?key=k-e-y", "https://ann@site.example/feed?key=k-e-y",
			"https://ann:pass-word@site.example/feed", "https://ann:x@site.example/feed?key=k-e-y"} {
			a := r.visitor().get(statusOf(near)).status(http.StatusNotFound)
			if strings.Contains(a.body, "pass-word") || strings.Contains(a.body, "Private") {
				r.t.Errorf("%s is told of the private feed", near)
			}
		}
		a := r.visitor().get(statusOf(private)).status(http.StatusOK).shows(".address",
			"https://...@site.example/feed?key=k-e-y")
		if strings.Contains(a.body, "pass-word") || strings.Contains(a.body, "ann") {
			r.t.Error("the page has the password")
		}
	})
}

// TestStatusByAFormerAddress checks that the former address of a feed does not reveal the key in its new address.
func TestStatusByAFormerAddress(t *testing.T) {
	each(t, func(r *room) {
		was := well(r.knows(digest.Feed{URL: feedURL, Title: "Site"}), r.now)
		r.polled(was, store.PollRecord{At: r.now, Outcome: "unchanged"})
		moving := was
		moving.MovedTo, moving.MovedSince = "https://u:pass-word@site.example/b?key=k-e-y", r.now
		r.polled(moving, store.PollRecord{At: r.now.Add(time.Second), Outcome: "unchanged"})
		r.visitor().get(statusOf(feedURL)).status(http.StatusOK).shows(".facts .wide",
			"How new posts arrivepolls find new posts", "Redirects tohttps://...@site.example/b?...")
		moved := was
		moved.URL = "https://u:pass-word@site.example/b?key=k-e-y"
		r.polled(moved, store.PollRecord{At: r.now.Add(2 * time.Second), Outcome: "unchanged"})
		a := r.visitor().get(statusOf(feedURL)).status(http.StatusOK).shows("h1", "Site")
		if strings.Contains(a.body, "pass-word") || strings.Contains(a.body, "k-e-y") {
			r.t.Errorf("the page tells a secret: %s", a.texts(".address"))
		}
	})
}

func TestStatusOfAHostileFeed(t *testing.T) {
	const bad = `"'></title></h1><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}` + "\u202e"
	each(t, func(r *room) {
		f := well(r.knows(digest.Feed{URL: feedURL, Title: bad + strings.Repeat("long ", 1000)}), r.now)
		f.Errors, f.LastError, f.LastStatus, f.MovedTo = 1, bad, 500, "javascript:alert(1)//"+bad
		r.polled(f, store.PollRecord{At: r.now, Outcome: bad, Status: 500, Note: bad})
		a := r.visitor().get(statusOf(feedURL)).status(http.StatusOK)
		for _, selector := range []string{"script", "img", "[onerror]", "[style]"} {
			if got := len(a.find(selector)); got != 0 {
				r.t.Errorf("the page has %d of %q", got, selector)
			}
		}
		for _, href := range a.attrs("a", "href") {
			if !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "#") {
				r.t.Errorf("a link to %s", href)
			}
		}
		if len(a.body) > 12<<10 {
			r.t.Errorf("a page of %d bytes", len(a.body))
		}
	})
}

// TestStatusIsNoList checks that a client that tries many addresses is stopped, and others are not.
func TestStatusIsNoList(t *testing.T) {
	each(t, func(r *room) {
		from := func(address string) *visitor {
			v := r.visitor()
			v.header["X-Forwarded-For"] = "10.0.0.1, " + address // only the last address is from the proxy
			return v
		}
		for i := range 60 {
			from("2001:db8::" + fmt.Sprint(i)).get(
				statusOf(fmt.Sprintf("https://a.example/%d", i))).status(http.StatusNotFound)
		}
		a := from("2001:db8::beef").get(statusOf("https://a.example/")).status(http.StatusTooManyRequests)
		if a.Header.Get("Retry-After") == "" {
			r.t.Error("no Retry-After")
		}
		from("2001:db8::beef").get("/status").status(http.StatusOK)
		others := 0
		for i := range 4 { // one of them may share the bucket
			if from(fmt.Sprintf("198.51.100.%d", i)).get(
				statusOf("https://a.example/")).StatusCode == http.StatusNotFound {
				others++
			}
		}
		if others < 3 {
			r.t.Errorf("%d of 4 others are answered", others)
		}
		r.now = r.now.Add(2 * time.Second)
		from("2001:db8::1").get(statusOf("https://a.example/")).status(http.StatusNotFound)
		from("2001:db8::1").get(statusOf("https://a.example/")).status(http.StatusTooManyRequests)
	})
}

func TestStatusOfAFeedThatNobodyWaitsFor(t *testing.T) {
	each(t, func(r *room) {
		f, _, err := r.store.EnsureFeed(r.t.Context(), digest.Feed{URL: feedURL, Host: "site.example"})
		r.must(err)
		a := r.visitor().get(statusOf(feedURL)).status(http.StatusOK).shows("h1", "Untitled feed")
		if got := a.texts(".standing")[0]; !strings.Contains(got, "so we don’t check it") {
			r.t.Errorf("it stands so: %s", got)
		}
		gone := f
		gone.State, gone.GoneAt, gone.LastStatus, gone.LastError = digest.FeedGone, r.now, 410, "410 Gone"
		r.polled(gone, store.PollRecord{At: r.now, Outcome: "failed", Status: 410, Note: "410 Gone"})
		r.visitor().get(statusOf(feedURL)).shows(".standing strong", "gone").shows(".facts dd", "not scheduled", "never",
			"never", "polls find new posts")
	})
}

func TestStatusWithoutADatabase(t *testing.T) {
	each(t, func(r *room) {
		r.breakDatabase()
		a := r.visitor().get(statusOf(feedURL)).status(http.StatusInternalServerError)
		if strings.Contains(r.log.String(), "site.example") || strings.Contains(a.body, "sql") {
			r.t.Errorf("told: %s %s", r.log, a.body)
		}
	})
}
