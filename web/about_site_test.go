package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
)

// TestAboutSite checks that a rule on the site itself limits, blocks or allows our requests.
// Nothing else can.
func TestAboutSite(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{})
		host := strings.TrimPrefix(b.URL, "http://")
		name := poller.WishName(r.base)
		v := r.atHome()
		v.get("/bot").status(http.StatusOK).contains("main", "Limit or block us")
		v.get("/bot/site?site="+b.URL).status(http.StatusOK).contains("dt", name+" block")
		if n := len(b.asked); n != 0 {
			t.Fatalf("a GET asked the site %d times", n)
		}
		_, d := r.user("ada@example.org")
		f, _, err := r.store.Feeds.EnsureFeed(t.Context(),
			digest.Feed{URL: b.URL + "/feed", Host: "127.0.0.1", Title: "A blog"})
		r.must(err)
		_, err = r.store.Subscriptions.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
		r.must(err)
		look := func(says string) answer {
			t.Helper()
			b.mu.Lock()
			b.pages[poller.WishFile] = says
			b.mu.Unlock()
			r.now = r.now.Add(time.Hour)
			return v.post("/bot/site", url.Values{"site": {b.URL + "/about"}}).status(http.StatusOK)
		}
		rules := func(want ...digest.HostRule) {
			t.Helper()
			got, err := r.store.Operator.HostRules(t.Context())
			r.must(err)
			if len(got) != len(want) {
				t.Fatalf("rules: %v, want %v", got, want)
			}
			for i := range got {
				if want[i].CreatedAt = got[i].CreatedAt; got[i] != want[i] {
					t.Errorf("rule %v, want %v", got[i], want[i])
				}
			}
		}
		look("read.example.com block").contains("[role=status]", "We found no line for us at 127.0.0.1").contains("li",
			"no line mentions "+name)
		rules()
		look(name+" interval 7d").contains("[role=status]", "We wait at least 7 days between two fetches of a feed.")
		rules(digest.HostRule{Host: "127.0.0.1", ByOwner: true, Interval: 7 * 24 * time.Hour})
		look("* block").contains("[role=status]", "We’ve stopped all requests to this host").contains("li code",
			host+poller.WishFile)
		rules(digest.HostRule{Host: "127.0.0.1", ByOwner: true, Blocked: true})
		stored, err := r.store.Feeds.FeedByURL(t.Context(), f.URL)
		r.must(err)
		if stored.State != digest.FeedDeclined {
			t.Errorf("its feed is %s", stored.State)
		}
		if log := r.log.String(); !strings.Contains(log,
			`msg="a site's owner set a rule" host=127.0.0.1 blocked=true`) {
			t.Error(log)
		}
		// a rule that is no longer published changes nothing
		look("").contains("[role=status]", "nothing has changed")
		rules(digest.HostRule{Host: "127.0.0.1", ByOwner: true, Blocked: true})
		look(name+" allow").contains("[role=status]", "We follow our usual rules again.")
		rules()
		look(name+" allow").contains("[role=status]", "We follow our usual rules again.")
		_, err = r.store.Operator.SetHostRule(t.Context(), digest.HostRule{Host: "127.0.0.1", Blocked: true}, r.now)
		r.must(err)
		look(name+" allow").contains("[role=status]",
			"we still send no requests, because a stricter rule blocks 127.0.0.1.")
	})
}

// atHome returns a visitor from an allowed network.
func (r *room) atHome() *visitor {
	v := r.visitor()
	v.header["X-Forwarded-For"] = "127.0.0.1"
	return v
}

// TestAboutSiteStranger checks that a stranger learns nothing about allowed networks.
func TestAboutSiteStranger(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{poller.WishFile: "* block"})
		for _, site := range []string{b.URL, "127.0.0.1", "http://127.0.0.1", "localhost"} {
			a := r.visitor().post("/bot/site", url.Values{"site": {site}}).status(http.StatusOK).contains(
				"[role=status]", "nothing has changed")
			if strings.Contains(a.body, "DIGEST_ALLOW") || strings.Contains(a.body, "refused") {
				t.Errorf("%s: %s", site, a.body)
			}
		}
		if asked := b.log(); asked != "" {
			t.Errorf("asked for %s", asked)
		}
	})
}

// TestAboutSiteWrong checks that invalid hosts cause no request, and that checks of one site are
// limited.
func TestAboutSiteWrong(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{})
		v := r.atHome()
		for _, bad := range []string{"", "no host", "ftp://a.example", strings.Repeat("a", 3000)} {
			a := v.post("/bot/site", url.Values{"site": {bad}})
			if a.StatusCode != http.StatusBadRequest || len(a.find(".wrong")) != 1 {
				t.Errorf("%.20q is answered %d", bad, a.StatusCode)
			}
		}
		v.post("/bot/site", url.Values{"site": {`"><script>alert(1)</script>`}}).status(http.StatusBadRequest)
		refused := 0
		for range 10 {
			if v.post("/bot/site", url.Values{"site": {b.URL}}).StatusCode == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused != 6 || len(b.asked) != 4 {
			t.Errorf("of 10 looks %d are refused, and the site is asked %d times", refused, len(b.asked))
		}
	})
}
