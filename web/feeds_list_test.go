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

// many subscribes a digest to feeds. A name has the form "Name in Folder" or "Name".
func (r *room) many(d digest.Digest, names ...string) (feeds []digest.Feed) {
	r.t.Helper()
	for i, name := range names {
		title, folder, _ := strings.Cut(name, " in ")
		f, _, err := r.store.EnsureFeed(r.t.Context(), digest.Feed{URL: fmt.Sprintf("https://%d.example/feed", i),
			Host: fmt.Sprintf("%d.example", i), Title: title})
		r.must(err)
		f.ParsedAt, f.LastOKAt = r.now, r.now
		_, err = r.store.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID, Folder: folder},
			r.now)
		r.must(err)
		_, err = r.store.Record(r.t.Context(), r.now, []store.Polled{{Feed: f}})
		r.must(err)
		feeds = append(feeds, f)
	}
	return feeds
}

// failsSince records that a feed has failed since then.
func (r *room) failsSince(f digest.Feed, since time.Time, status int, why string) {
	r.t.Helper()
	f.Errors, f.FirstErrorAt, f.FailingSince, f.LastStatus, f.LastError = 9, since, since, status, why
	f.NotBefore = r.now.Add(3 * time.Hour)
	_, err := r.store.Record(r.t.Context(), r.now, []store.Polled{{Feed: f}})
	r.must(err)
}

// TestHeadingOfWhatIsWell checks that the heading "No problems" appears only if no feed has a
// problem.
func TestHeadingOfWhatIsWell(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		feeds := r.many(d, "Zebra", "Nut")
		v.get("/feeds").status(http.StatusOK).shows(".picker h2", "No problems")
		r.failsSince(feeds[0], r.now.Add(-time.Hour), 503, "503")
		v.get("/feeds").status(http.StatusOK).shows(".picker h2", "Your sites").contains(".picker .why",
			"We haven’t been able to read this feed since")
	})
}

// TestFeedsAreFoundAndSorted checks the search by name or address, without regard to case and
// accents, and the four orders, which all begin with feeds with problems.
func TestFeedsAreFoundAndSorted(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		feeds := r.many(d, "Zebra in News", "École", "apple in news", "Broken in News", "Long broken", "Mango in News",
			"Nut", "Oak", "Pear", "Quince")
		r.failsSince(feeds[3], r.now.AddDate(0, 0, -7), 503, "503")
		r.failsSince(feeds[4], r.now.AddDate(0, -2, 0), 0, "no answer")
		r.must(r.store.PauseSubscription(t.Context(), d.ID, feeds[7].ID))

		a := v.get("/feeds").status(http.StatusOK)
		a.shows("h2", "Problems", "No folder", "News", "news", "Paused").shows(".in-trouble .name", "Broken",
			"Long broken")
		a.contains(".in-trouble .why",
			"The site’s server has an error (since 13 November). We’ll check again tonight. · News")
		for _, word := range []string{"UTC", "active", "midnight", "50"} {
			if text := strings.Join(a.texts(".picker"), " "); strings.Contains(text, word) {
				r.t.Errorf("the list says %s: %s", word, text)
			}
		}
		for query, want := range map[string]string{
			"sort=name":             "Broken|Long broken|apple|École|Mango|Nut|Pear|Quince|Zebra|Oak",
			"sort=trouble":          "Long broken|Broken|apple|École|Mango|Nut|Pear|Quince|Zebra|Oak",
			"find=ECOLE":            "École",
			"find=5.example":        "Mango",
			"find=an&sort=name":     "Mango",
			"folder=News":           "Broken|Mango|Zebra",
			"folder=News&find=z":    "Zebra",
			"find=%22%3E%3Cscript":  "",
			"sort=nonsense&sheet=x": "Broken|Long broken|École|Nut|Pear|Quince|Mango|Zebra|apple|Oak",
		} {
			a := v.get("/feeds?" + query).status(http.StatusOK)
			if got := strings.Join(a.texts(".rows .name"), "|"); !strings.EqualFold(got, want) {
				r.t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	})
}

// TestLastPostIsNoHiddenOne checks that the list does not reveal posts since the last midnight, not
// even by date (I2).
func TestLastPostIsNoHiddenOne(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		old := post("Old")
		old.PublishedAt = r.now.AddDate(0, 0, -2)
		r.brings(digest.Subscription{DigestID: d.ID}, "Had", old)
		r.midnight()
		r.now = r.now.Add(5 * time.Hour)
		f := r.knows(digest.Feed{URL: "https://site.example/1"})
		f.NewestAt, f.ParsedAt = r.now, r.now
		hidden := post("Hidden")
		hidden.PublishedAt, hidden.SeenAt = r.now, r.now
		_, err := r.store.Record(t.Context(), r.now,
			[]store.Polled{{Feed: f, Posts: []digest.Post{hidden}, Listed: []string{"Hidden", "Old"}}})
		r.must(err)
		v.get("/feeds?sort=last").status(http.StatusOK).shows(".picks .when", "18 November")
	})
}

// TestSeveralAtOnce checks that the selected feeds can be moved, displayed, paused, unsubscribed
// and restored together.
func TestSeveralAtOnce(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		feeds := r.many(d, "One in News", "Two", "Three in News", "Four")
		_, err := r.store.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, FeedID: feeds[0].ID, Words: "football"},
			r.now)
		r.must(err)
		ids := func(of url.Values) url.Values {
			of.Set("from", "/feeds?sort=name")
			for _, f := range feeds[:3] {
				of.Add("feed", fmt.Sprint(f.ID))
			}
			of.Add("feed", "999999")
			of.Add("feed", "x")
			return of
		}
		a := v.get("/feeds/several?"+ids(url.Values{}).Encode()).status(http.StatusOK).shows("h1",
			"3 sites selected").shows(".named li", "One", "Three", "Two")
		a.has(".back a", "href", "/feeds?sort=name")
		v.get("/feeds/several").status(http.StatusBadRequest).shows("h1", "Nothing selected").has("main .button",
			"href", "/feeds")
		v.get("/feeds/several?feed=999999").status(http.StatusBadRequest)

		v.post("/feeds/several/folder", ids(url.Values{"folder": {" Old/ "}})).status(http.StatusSeeOther)
		v.get("/feeds?folder=Old").shows(".rows .name", "One", "Three", "Two")
		v.post("/feeds/several/display",
			ids(url.Values{"display": {"headlines"}, "most": {"3"}})).status(http.StatusSeeOther)
		sub, err := r.store.Subscription(t.Context(), d.ID, feeds[1].ID)
		r.must(err)
		if sub.Display != digest.Headlines || sub.Most != 3 || sub.Folder != "Old" {
			r.t.Errorf("it is %+v", sub.Subscription)
		}
		for _, wrong := range []url.Values{{"display": {"x"}, "most": {"0"}}, {"display": {""}, "most": {"-1"}},
			{"display": {""}, "most": {"1e9"}}} {
			v.post("/feeds/several/display", ids(wrong)).status(http.StatusBadRequest).shows("p.wrong",
				"That isn’t one of the choices. Nothing was changed.")
		}
		v.post("/feeds/several/pause", ids(url.Values{"until": {"2026-11-01"}})).status(http.StatusBadRequest).contains(
			"p.wrong", "is too early")
		v.post("/feeds/several/pause", ids(url.Values{"until": {"2026-12-01"}})).status(http.StatusSeeOther)
		v.get("/feeds").shows("h2", "No folder", "Paused").contains(".in-paused .why",
			"paused until Tuesday 1 December 2026 · Old")
		v.post("/feeds/several/resume", ids(url.Values{})).status(http.StatusSeeOther)
		v.post("/feeds/several/pause", ids(url.Values{"for": {"week"}})).status(http.StatusSeeOther)

		a = v.post("/feeds/several/leave", ids(url.Values{})).status(http.StatusOK).shows("h1",
			"Unfollowed").shows(".named li", "One", "Three", "Two")
		a.contains("form .hint", "waiting posts").has("[name=from]", "value", "/feeds?sort=name")
		if got := v.takes(); got != "Four" {
			r.t.Errorf("takes %q", got)
		}
		v.post("/feeds/return", url.Values{"feed": a.attrs("input[name=feed]", "value"),
			"from": a.attrs("[name=from]", "value")}).status(http.StatusSeeOther).leads("/feeds?saved=again&sort=name")
		v.get("/feeds?saved=again&sort=name").status(http.StatusOK)
		if got := v.takes(); got != "Four|One|Three|Two" {
			r.t.Errorf("takes %q", got)
		}
		v.get("/feeds").contains(".in-paused .why", "paused until Friday 27 November 2026 · Old")
		filters, err := r.store.Filters(t.Context(), d.ID)
		r.must(err)
		if len(filters) != 1 || filters[0].FeedID != feeds[0].ID {
			r.t.Errorf("the filters are %+v", filters)
		}
	})
}

// TestWayBackIsOnesOwn checks that readers can restore only their own former subscriptions.
func TestWayBackIsOnesOwn(t *testing.T) {
	each(t, func(r *room) {
		_, bob := r.reader("bob@example.org")
		f := r.many(bob, "Another's")[0]
		v, _ := r.reader("ann@example.org")
		v.post("/feeds/return", url.Values{"feed": {fmt.Sprint(f.ID)}}).status(http.StatusSeeOther)
		for _, text := range []string{"", "0", "x", "-1", "99999999999999999999"} {
			v.post("/feeds/return", url.Values{"feed": {text}}).status(http.StatusBadRequest)
		}
		if got := v.takes(); got != "" {
			r.t.Errorf("takes %q", got)
		}
		v.get(fmt.Sprintf("/feeds/%d/posts", f.ID)).status(http.StatusNotFound)
	})
}

// TestAllPostsOfAFeed checks that all received posts of a feed are listed, newest first and in
// pages, even after unsubscribing.
func TestAllPostsOfAFeed(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		var posts []digest.Post
		for i := range 60 {
			p := post(fmt.Sprintf("Post %02d", i))
			p.PublishedAt = r.now.Add(-time.Duration(60-i) * time.Minute)
			posts = append(posts, p)
		}
		r.brings(digest.Subscription{DigestID: d.ID}, "Prolific", posts...)
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		v.get(path + "/posts").status(http.StatusOK).shows(".delivered li") // hidden until midnight
		r.midnight()
		a := v.get(path+"/posts").status(http.StatusOK).shows("h1", "All posts")
		if n := len(a.find(".delivered li")); n != 50 {
			r.t.Errorf("%d posts on a page", n)
		}
		older := a.attrs(".turn a", "href")
		if len(older) != 1 {
			r.t.Fatalf("leads on to %q", older)
		}
		if b := v.get(older[0]).status(http.StatusOK); len(b.find(".delivered li")) != 10 ||
			len(b.attrs(".turn a", "href")) != 1 {
			r.t.Errorf("the second page has %d", len(b.find(".delivered li")))
		}
		v.get(path + "/posts?after=x").status(http.StatusNotFound)
		v.get(path + "/posts?after=99999999999.1").status(http.StatusNotFound)
		v.post(path+"/leave", nil).status(http.StatusOK)
		a = v.get(path+"/posts").status(http.StatusOK).shows("h1", "Prolific")
		v.post("/feeds/return", url.Values{"feed": a.attrs("input[name=feed]", "value")}).status(http.StatusSeeOther)
		if got := v.takes(); got != "Prolific" {
			r.t.Errorf("takes %q", got)
		}
	})
}

// TestPauseOnItsOwnPage checks that a pause ends on a day in the reader's time zone, and that the
// page links back to the previous page.
func TestPauseOnItsOwnPage(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.many(d, "One")
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		from := "/editions/2026-11-21?sheet=2#site-3"
		v.get(path+"?from="+url.QueryEscape(from)).status(http.StatusOK).has(".back a", "href", from)
		for _, bad := range []string{"https://evil.example/", "//evil.example", `/\evil.example`,
			"javascript:alert(1)"} {
			v.get(path+"?from="+url.QueryEscape(bad)).status(http.StatusOK).has(".back a", "href", "/feeds")
		}
		for _, day := range []string{"2026-11-20", "2028-01-01", "soon", ""} {
			v.post(path+"/pause", url.Values{"until": {day}}).status(http.StatusBadRequest).contains("#pause .wrong",
				"Nothing was changed.")
		}
		to := v.post(path+"/pause", url.Values{"until": {"2026-12-24"}, "from": {from}}).status(
			http.StatusSeeOther).Header.Get("Location")
		a := v.get(to).status(http.StatusOK).shows(".done", "Paused until the edition of Thursday 24 December 2026.")
		a.has(".back a", "href", from)
		v.post(path+"/pause", url.Values{"for": {"week"}}).status(http.StatusSeeOther)
		v.get(path).contains(".notice", "Paused until the edition of Friday 27 November 2026")
	})
}

// TestAtMostInAnEdition checks that posts over the reader's limit stay readable behind a link and
// on their own pages. This includes visitors with the link of the edition.
func TestAtMostInAnEdition(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		var posts []digest.Post
		for i := range 5 {
			p := post(fmt.Sprint("Post ", i))
			p.PublishedAt = r.now.Add(-time.Duration(i) * time.Hour)
			posts = append(posts, p)
		}
		r.brings(digest.Subscription{DigestID: d.ID}, "Prolific", posts...)
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		v.post(path, url.Values{"most": {"2"}}).status(http.StatusSeeOther)
		v.get(path).status(http.StatusOK).shows("#most option[selected]", "At most 2 posts")
		other := post("Else")
		other.URL = "https://other.example/else"
		r.brings(digest.Subscription{DigestID: d.ID}, "Other", other)
		r.midnight()
		a := v.get("/").status(http.StatusOK).shows("h3", "Else", "Post 0", "Post 1").shows(".beyond a",
			"Site settings for Other", "and 3 more", "Site settings for Prolific")
		a.has(".change", "href", "/feeds/2?from=%2F%23site-0", "/feeds/1?from=%2F%23site-1")
		more := a.attrs(".beyond a", "href")[1]
		all := v.get(more).status(http.StatusOK).shows("h3", "Post 0", "Post 1", "Post 2", "Post 3",
			"Post 4").shows(".beyond a", "Site settings for Prolific")
		last := all.postPaths()[4]
		v.get(last).status(http.StatusOK).shows("h1", "Post 4")
		if got := v.get(last).attrs(".folio a", "href"); len(got) != 3 ||
			!strings.HasPrefix(got[2], "/editions/2026-11-21?site=1#post-") ||
			!strings.HasPrefix(got[1], path+"?from=") {
			r.t.Errorf("it leads to %q", got)
		}
		mailed := "/e/" + r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))
		r.visitor().get(mailed+"?site=1").status(http.StatusOK).shows("h3", "Post 0", "Post 1", "Post 2", "Post 3",
			"Post 4").shows(".change")
		for _, wrong := range []string{"?site=99", "?site=x", "?site=-1", "?site=1&sheet=2"} {
			v.get("/" + wrong).status(http.StatusNotFound)
		}
	})
}
