package poller

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"digest"
)

func linking(head, text string) string {
	return `<!doctype html><html><head><title>Home</title>` + head + `</head><body>` + text + `</body></html>`
}

const markedPosts = `<div class="h-feed"><div class="h-entry"><a class="u-url" href="/1">1</a><p class="e-content">` +
	`One</p></div>
	<div class="h-entry"><a class="u-url" href="/2">2</a><p class="e-content">Two</p></div></div>`

// TestFindBehind holds that a search finds feeds that the page does not state, in the documented order.
func TestFindBehind(t *testing.T) {
	for _, test := range table(`
		pages | asks | want | log | why
		/ body <a href=/s.php>RSS</a>, /s.php atom 1 | / | /s.php | GET/ GET/s.php | a visible link
		/ body <a href=/rss>RSS</a>, /rss body <a href=/all.xml>Feed: all</a>, /all.xml atom 1 | / | /all.xml | \
			GET/ GET/rss GET/all.xml | a page of links
		/ head <link rel=alternate type="text/mf2+html" href=/stream>, /stream posts | / | /stream | \
			GET/ GET/stream | marked posts elsewhere
		/ body <a href=/about>About</a><a href=/blog>Blog</a>, /blog page /blog?format=rss, \
			/blog?format=rss atom 1 | / | /blog?format=rss | GET/ GET/blog GET/blog?format=rss | the blog of a site
		/2026/11/post body, / page /all, /all atom 1 | /2026/11/post | /all | GET/2026/11/post GET/ GET/all | \
			the front page
		/2026/11/post body, / body, /rss atom 1 | /2026/11/post | /rss | GET/2026/11/post GET/ GET/feed GET/rss | \
			the usual places of the site
		/ head <meta name=generator content="Hugo 0.140">, /index.xml atom 1, /feed atom 2 | / | /index.xml | \
			GET/ GET/index.xml | the place of its program
		/ head <meta http-equiv=refresh content="0; url=/en/">, /en/ page /en/feed, /en/feed atom 1 | / | /en/feed | \
			GET/ GET/en/ GET/en/feed | a page that sends on
		/ head <meta http-equiv=refresh content="0; url=/f">, /f atom 1 | / | /f | GET/ GET/f | sent on to the feed
		/ page /posts.rss /latest.rss, /latest.rss atom 1, /posts.rss atom 2 | / | /latest.rss | \
			GET/ GET/latest.rss | topics before replies
		/ page /a /b, /a empty, /b atom 1 | / | /b | GET/ GET/a GET/b | posts before an empty feed
		/ page /a /b /comments/feed, /a empty, /comments/feed atom 1 | / | /a | GET/ GET/a GET/b | \
			an empty feed before none`) {
		s := newSite(t, paths(pagesOf(test["pages"])))
		c, err := newReader(t, s.url("/")).p.Find(context.Background(), s.url(test["asks"]), nobody)
		if err != nil {
			t.Errorf("%s: %v after %s", test["why"], err, targets(s.log()))
			continue
		}
		if got, want := targets(s.log()), s.url(test["want"]); got != test["log"] || c.Feeds[0].URL != want ||
			c.Read.Feed.URL != want {
			t.Errorf("%s: %s, found %s", test["why"], got, c.Feeds[0].URL)
		}
		c.Read.Release()
	}
}

// pagesOf reads the bodies of a site: paths, with what each of them has.
func pagesOf(text string) map[string]string {
	bodies := map[string]string{}
	for entry := range strings.SplitSeq(text, ", ") {
		path, body, _ := strings.Cut(entry, " ")
		kind, rest, _ := strings.Cut(body, " ")
		switch kind {
		case "atom":
			bodies[path] = atom(number(rest))
		case "page":
			bodies[path] = page(strings.Fields(rest)...)
		case "head":
			bodies[path] = linking(rest, "")
		case "body":
			bodies[path] = linking("", rest)
		case "posts":
			bodies[path] = linking("", markedPosts)
		case "empty":
			bodies[path] = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Nothing yet</title>` +
				`<id>urn:none</id></feed>`
		}
	}
	return bodies
}

// TestFindByLinkField holds that feeds in the Link fields of an answer precede the offers of its page.
func TestFindByLinkField(t *testing.T) {
	s := newSite(t, func(r request) string {
		switch r.target {
		case "/":
			return reply(r, 200, page("/two"), `Link: </wp-json/>; rel="https://api.w.org/", </one>; `+
				`rel="alternate"; type="application/rss+xml"; title="One"`)
		case "/one", "/two":
			return reply(r, 200, atom(1))
		}
		return reply(r, 404, "")
	})
	c, err := newReader(t, s.url("/")).p.Find(context.Background(), s.url("/"), nobody)
	if got := told(s, c); err != nil || got != "/one Weather atom 1 Day 1; /two  application/atom+xml" {
		t.Errorf("%q %v", got, err)
	}
}

// TestFindSaysWhy holds that an error names the feeds of a page and the reasons for their failures.
func TestFindSaysWhy(t *testing.T) {
	for _, test := range table(`
		pages | asks | says | why
		/ page /old.xml | / | no working feed at PAGE: its only feed, HOST/old.xml, cannot be read: 404 Not Found | the only one is missing
		/ page /old.xml, /old.xml page | / | no working feed at PAGE: its only feed, HOST/old.xml, cannot be read: a web page | \
			the only one is a page
		/ body <a href=/news.rss>RSS</a> | / | no working feed at PAGE: its only feed, HOST/news.rss, cannot be read: 404 Not Found | \
			a visible link
		/ page /a /b | / | no working feed at PAGE: none of its 2 feeds can be read. The first one, HOST/a, failed: 404 Not Found | several
		/ body <a href=/help>What is RSS?</a>, /help page | / | no feed at PAGE: the page offers none | words alone are no offer
		/ body <div class="h-feed"><h1 class="p-name">Soon</h1></div> | / | no feed at PAGE: the page offers none | marked, without posts
		/2026/one body, / posts | /2026/one | no feed at PAGE: the page offers none, but HOST/ has posts; try that address | \
			a front page of posts`) {
		s := newSite(t, paths(pagesOf(test["pages"])))
		_, err := find(newReader(t, s.url("/")).p, s.url(test["asks"]))
		want := strings.NewReplacer("PAGE", s.url(test["asks"]), "HOST", s.url("")).Replace(test["says"])
		if err == nil || digest.KindOf(err) != digest.Invalid || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", test["why"], err, want)
		}
	}
}

// TestFindIsBounded holds that a search sends at most mostRequests for any page.
func TestFindIsBounded(t *testing.T) {
	var links, text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&links, `<link rel=alternate type="application/rss+xml" href="/f%d">`, i)
		fmt.Fprintf(&text, `<a href="/l%d.rss">RSS</a><a href="/%d/blog">Blog</a>`, i, i)
	}
	for _, text := range []string{linking(links.String(), text.String()), linking("", text.String()), linking("", "")} {
		s := newSite(t, paths(map[string]string{"/a/b/c": text}))
		_, err := find(newReader(t, s.url("/")).p, s.url("/a/b/c"))
		if n := len(s.log()); n > mostRequests || n < mostRequests/2 || err == nil {
			t.Errorf("%d requests: %v", n, err)
		}
	}
}

// TestFindGuessesAreNoOffers holds that a forbidden usual place is no error.
func TestFindGuessesAreNoOffers(t *testing.T) {
	s := newSite(t, func(r request) string {
		if r.target == "/" {
			return reply(r, 200, page())
		}
		return reply(r, 403, "")
	})
	result, err := find(newReader(t, s.url("/")).p, s.url("/"))
	if err == nil || !strings.Contains(err.Error(), "offers none") || !result.Feed.NotBefore.IsZero() {
		t.Errorf("%+v %v", result.Feed.NotBefore, err)
	}
	asked(t, s, "GET GET")
}

// TestFindGoesOnElsewhere holds that a refusing feed on another host does not end the search.
func TestFindGoesOnElsewhere(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("feeds.example:80", func(r request) string { return reply(r, 403, "") })
		n.site("a.example:80", paths(map[string]string{"/": page("http://feeds.example/a", "/feed"), "/feed": atom(1)}))
		result, err := find(n.reader(t, "http://a.example/").p, "http://a.example/")
		if err != nil || result.Feed.URL != "http://a.example/feed" {
			t.Error(result.Feed.URL, err)
		}
	})
}
