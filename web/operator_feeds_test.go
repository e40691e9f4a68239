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

// TestOperatorFeeds checks that an operator finds a feed by address or host and sees its state.
// Readers and the secret part of the address are not shown.
func TestOperatorFeeds(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		r.troubles("It broke")
		_, d := r.user("ada@example.org")
		secret := digest.Credential{Address: "https://cast.example/rss/hushhush?t=hushhush", Hidden: true}
		user := digest.Credential{Address: "https://paid.example/feed", User: "ann", Password: "hushhush"}
		for _, c := range []digest.Credential{secret, user} {
			f, _, err := r.store.EnsureFeed(t.Context(),
				digest.Feed{URL: c.PrivateAddress("x1"), Host: hostOf(c.Shown()), Title: "A cast", Sealed: "sealed"})
			r.must(err)
			_, err = r.store.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
			r.must(err)
			f.LastError = "401 at https://ann:hushhush@paid.example/feed"
			r.polled(f, store.PollRecord{At: r.now, Outcome: "failed", Status: 401})
		}
		op.get("/operator/feeds").status(http.StatusOK).contains("label", "Feed address or host")
		op.get("/operator/feeds?q="+url.QueryEscape("ftp://nowhere")).status(http.StatusUnprocessableEntity).contains(
			".wrong", "a feed or a host")
		op.get("/operator/feeds?q=unknown.example").status(http.StatusOK).contains("[role=status]", "No results.")
		to := op.get("/operator/feeds?q=" + url.QueryEscape("https://bad.example/feed?key=secret")).status(
			http.StatusSeeOther).Header.Get("Location")
		op.get("/operator/feeds?q=" + url.QueryEscape(" bad.example/feed?key=secret")).status(
			http.StatusSeeOther).leads(to)
		page := op.get(to).status(http.StatusOK)
		page.contains(".standing", "dead").contains(".standing", "It broke").shows(".address",
			"https://bad.example/feed?...")
		op.get("/operator/feeds?q=www.bad.example").shows(".troubles .state", "dead")
		near := op.get("/operator/feeds?q=" +
			url.QueryEscape("https://ann:hushhush@bad.example/other")).status(http.StatusOK)
		near.contains("[role=status]", "No feed has this address").has(".troubles .head a", "href", to)
		pages := page.body + near.body
		for _, host := range []string{"cast.example", "paid.example"} {
			list := op.get("/operator/feeds?q="+host).status(http.StatusOK).shows(".troubles .head",
				"A cast").contains(".troubles .facts-line", "How new posts arrive: polls find new posts")
			one := op.get(list.attrs(".troubles .head a", "href")[0]).status(http.StatusOK)
			if len(one.find("a[href=/status]")) > 0 || !strings.Contains(one.body, "https://"+host+"/") {
				t.Error(one.body)
			}
			pages += list.body + one.body
		}
		for _, hidden := range []string{"key=secret", "hushhush", "#private", "x1", "sealed", "ada@", "bob@"} {
			if strings.Contains(pages, hidden) {
				t.Errorf("the pages show %s", hidden)
			}
		}
		for _, path := range []string{"/operator/feeds/999", "/operator/feeds/x", "/operator/feeds/-1"} {
			op.get(path).status(http.StatusNotFound)
			op.post(path+"/poll", nil).status(http.StatusNotFound)
		}
	})
}

func hostOf(address string) string {
	u, _ := url.Parse(address)
	return u.Hostname()
}

// TestOperatorAsksFeed checks that a poll is queued for the earliest allowed time (I5), and not for
// a blocked feed or a feed without readers.
func TestOperatorAsksFeed(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		_, d := r.user("ada@example.org")
		f, _, err := r.store.EnsureFeed(t.Context(), digest.Feed{URL: "https://a.example/feed", Host: "a.example"})
		r.must(err)
		f = well(f, r.now)
		path := fmt.Sprint("/operator/feeds/", f.ID)
		op.post(path+"/poll", nil).status(http.StatusConflict).contains(".wrong",
			"No reader needs this feed right now, so we don’t check it.")
		_, err = r.store.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
		r.must(err)
		f.NotBefore = r.now.Add(90 * time.Minute)
		r.polled(f, store.PollRecord{At: r.now, Outcome: "unchanged", Status: 304})
		op.get(path).shows("main form button", "Queue a poll").contains(".hint",
			"allow the next poll at 20 Nov 2026, 13:30 UTC")
		queued := func(want time.Time) {
			r.t.Helper()
			is, err := r.store.Feed(t.Context(), f.ID)
			r.must(err)
			if !is.PollAt.Equal(want) {
				r.t.Errorf("it is to be asked at %s, want %s", is.PollAt, want)
			}
		}
		op.get(op.post(path+"/poll", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"Next check: 20 Nov 2026, 13:30 UTC")
		queued(f.NotBefore)
		r.logged(`msg="an operator queued a poll" operator=1 feed=1`)
		r.now = r.now.Add(3 * time.Hour)
		op.get(path).shows("main form button", "Queue a poll")
		op.get(op.post(path+"/poll", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"Next check: as soon as possible")
		queued(f.NotBefore)

		op.post("/operator/hosts", url.Values{"host": {"https://A.example/feed"}}).status(http.StatusSeeOther)
		op.post(path+"/poll", nil).status(http.StatusConflict).contains(".wrong", "The operator blocked its host.")
		op.get(path).shows("main form button")
	})
}

// TestOperatorHosts checks that an operator can block a host and unblock it, and that a rule of its
// owner stays in force.
func TestOperatorHosts(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		op.get("/operator/hosts").contains(".sheet", "No rules yet.")
		for _, bad := range []string{"", "10.0.0.0/8", "no host", "ftp://a.example", "co.uk"} {
			op.post("/operator/hosts", url.Values{"host": {bad}}).status(http.StatusUnprocessableEntity).contains(
				".wrong", "Nothing was changed.")
		}
		op.get(op.post("/operator/hosts", url.Values{"host": {" Blog.Example. "}}).status(
			http.StatusSeeOther).Header.Get("Location")).contains(".notice", "Host blocked.")
		r.logged(`msg="an operator blocked a host" operator=1 host=blog.example feeds=0`)
		_, err := r.store.SetHostRule(t.Context(),
			digest.HostRule{Host: "owned.example", ByOwner: true, Interval: 48 * time.Hour}, r.now)
		r.must(err)
		page := op.get("/operator/hosts").shows(".troubles .head", "blog.example", "owned.example")
		page.has("input[name=host]", "value", "blog.example", "")
		page.contains(".troubles .why", "set by the site’s owner")
		op.get(op.post("/operator/hosts/end", url.Values{"host": {"owned.example"}}).status(
			http.StatusSeeOther).Header.Get("Location")).contains(".notice", "Nothing was changed.")
		op.get(op.post("/operator/hosts/end", url.Values{"host": {"blog.example"}}).status(
			http.StatusSeeOther).Header.Get("Location")).contains(".notice", "Rule removed.")
		r.logged(`msg="an operator removed a host rule" operator=1 host=blog.example`)
		op.get("/operator/hosts").shows(".troubles .head", "owned.example")
	})
}

// TestOperatorResumesMail checks that an operator can resume a lane, and that its limits stay.
func TestOperatorResumesMail(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		for _, name := range []string{"", "gmail.example"} {
			_, err := r.store.ChangeLane(t.Context(), r.now, name, func(l digest.Lane) digest.Lane {
				l.Until, l.Pause, l.Failures, l.Reason = r.now.Add(time.Hour), time.Hour, 3, "451 later"
				l.Connections = 2
				return l
			})
			r.must(err)
		}
		page := op.get("/operator").status(http.StatusOK)
		page.contains(".troubles .head", "All email: paused until 20 Nov 2026, 13:00")
		page.has("input[name=lane]", "value", "", "gmail.example")
		for _, name := range []string{"gmail.example", ""} {
			form := url.Values{"lane": {name}}
			op.get(op.post("/operator/mail/resume", form).status(http.StatusSeeOther).Header.Get("Location")).contains(
				".notice", "Email resumes within a minute")
			l, err := r.store.Lane(t.Context(), name)
			r.must(err)
			if l.IsPaused(r.now) || l.Reason != "" || l.Failures != 0 || l.Connections != 2 {
				t.Errorf("%+v", l)
			}
			op.get(op.post("/operator/mail/resume", form).status(http.StatusSeeOther).Header.Get("Location")).contains(
				".notice", "Nothing was changed.")
		}
		r.logged(`msg="an operator resumed a lane" operator=1 lane=gmail.example`,
			`msg="an operator resumed a lane" operator=1 lane=""`)
	})
}
