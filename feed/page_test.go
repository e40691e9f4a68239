package feed

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func urlsOf(offers []Offer) string {
	var out []string
	for _, o := range offers {
		out = append(out, strings.TrimPrefix(o.URL, "https://a.example"))
	}
	return strings.Join(out, " ")
}

func TestPageOffers(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`<link rel=alternate type="text/mf2+html" href=/stream/ title=Notes>`, "/stream/"},
		{`<link rel=alternate type="text/mf2+html" href="">`, ""},
		{`<link rel=alternate type=text/xml title=RSS href=/tx.xml>`, "/tx.xml"},
		{`<link rel=alternate type=application/xml href=/tx.xml><link rel=alternate type=text/xml href=/sitemap.xml>`,
			"/tx.xml"},
		{`<body><a rel=feed href=/notes>Notes</a>`, "/notes"},
		{`<body><a rel="alternate nofollow" type="application/rss+xml" href=/r>Follow</a>`, "/r"},
		{`<body><a rel=alternate hreflang=de href=/de>Deutsch</a>`, ""},
		{`<link rel=alternate type="text/xml+oembed" href=/oembed>`, ""},
	} {
		d := parsePage("<!doctype html><title>A</title>"+c.page, "https://a.example/")
		if got := urlsOf(d.Feeds); got != c.want {
			t.Errorf("%s: %q, want %q", c.page, got, c.want)
		}
	}
}

// TestPageLeads checks links that may be feeds, the likely ones first.
func TestPageLeads(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`<footer><a href="/syndication.php" title="RSS"><img src="rss.png" alt="RSS feed"></a></footer>`,
			"/syndication.php"},
		{`<a href=/about>About our feed-back</a><a href=/feedback>Feedback</a><a href=/x>Rsst</a>`, ""},
		{`<a href=/help/rss>What is RSS?</a><a href=/news.rss>News</a>`, "/help/rss /news.rss"},
		{`<a href=/subscribe>RSS</a><a href=/blog/feed.xml>here</a>`, "/blog/feed.xml /subscribe"},
		{`<a href=/s><i class="fa fa-rss"></i></a>`, "/s"},
		{`<a href=/s><svg aria-label="Atom feed"></svg></a>`, "/s"},
		{`<a href="https://en.wikipedia.org/wiki/RSS">RSS</a>`, ""},
		{`<a href="https://feeds.feedburner.com/ann">Subscribe by RSS</a>`, "https://feeds.feedburner.com/ann"},
		{`<a href="https://other.example/feed">A friend</a>`, ""},
		{`<a href="pcast://pod.example/p.xml">Subscribe</a>`, "pcast://pod.example/p.xml"},
		{`<a href="/?format=rss">Abo</a>`, "/?format=rss"},
		{`<a href="https://feedly.com/i/subscription/feed/https://a.example/f.xml">Feedly RSS</a>`, "/f.xml"},
		{`<a href="/rss.png">RSS</a><a href="#rss">RSS</a><a href="mailto:rss@a.example">RSS</a>`, ""},
	} {
		d := parsePage("<!doctype html><title>A</title><body>"+c.page, "https://a.example/")
		if got := urlsOf(d.Leads); got != c.want {
			t.Errorf("%s: %q, want %q", c.page, got, c.want)
		}
	}
}

func TestPageParts(t *testing.T) {
	d := parsePage(`<!doctype html><title>A</title><nav><a href=/about>About</a><a href="/blog">Blog</a><a href=/x>`+
		`Neuigkeiten</a>
		<a href=/blog/2026/11/a>News</a><a href="https://blog.a.example/">B</a><a
		href="https://b.example/blog">Blog</a></nav>`,
		"https://a.example/")
	if got := strings.Join(d.Parts, " "); got != "https://a.example/blog https://a.example/x https://blog.a.example/" {
		t.Error(got)
	}
}

func TestRanked(t *testing.T) {
	link := regexp.MustCompile(`\[(\S+?)( [^]]*)?\]`)
	for _, c := range []struct{ why, address, page, want string }{
		{"comments last", "/", `[/comments/feed/][/feed/]`, "/feed/ /comments/feed/"},
		{"of a post of WordPress", "/2026/11/a-post/", `[/2026/11/a-post/feed/ title="Boote » Kommentare"][/feed/]`,
			"/feed/ /2026/11/a-post/feed/"},
		{"plain links of WordPress", "/?p=12", `[/?feed=rss2&amp;p=12][/?feed=rss2]`,
			"/?feed=rss2 /?feed=rss2&p=12"},
		{"in other words", "/", `[/a title="Boats: Kommentar-Feed"][/b title="Flux des commentaires"][/c]`, "/c /a /b"},
		{"Discourse", "/", `[/posts.rss title="Latest posts"][/latest.rss title="Latest topics"]`,
			"/latest.rss /posts.rss"},
		{"a topic of Discourse", "/t/x/12", `[/t/x/12.rss][/latest.rss]`,
			"/latest.rss /t/x/12.rss"},
		{"a topic alone", "/forum/t/x/12",
			`<meta name=generator content="Discourse 3.4.0 - ` +
				`https://github.com/discourse/discourse">[/forum/t/x/12.rss]`,
			"/forum/latest.rss /forum/t/x/12.rss"},
		{"a category of Discourse", "/c/x/5", `[/c/x/5.rss]`, "/c/x/5.rss"},
		{"Flarum", "/", `[/atom title="Forum activity"][/atom/discussions]`,
			"/atom/discussions /atom"},
		{"its language", "/", `<html lang=de>[/en/feed.xml][/de/feed.xml]`,
			"/de/feed.xml /en/feed.xml"},
		{"as links say", "/", `<html lang=de-CH>[/a hreflang=en][/b hreflang=de]`, "/b /a"},
		{"as titles say", "/", `<html lang=fr>[/a title="News (English)"][/b title="News (Français)"]`, "/b /a"},
		{"as the address says", "/pt/blog", `[/en.xml?lang=en][/x?lang=pt-BR]`,
			"/x?lang=pt-BR /en.xml?lang=en"},
		{"one language alone", "/", `<html lang=de>[/x][/en/feed]`, "/x /en/feed"},
		{"what may be none", "/", `<link rel=alternate type="application/json" href=/api>[/feed]`,
			"/feed /api"},
		{"as on the page", "/", `[/sport][/all]`, "/sport /all"},
	} {
		page := link.ReplaceAllString(c.page, `<link rel=alternate type="application/rss+xml" href="$1"$2>`)
		d := parsePage("<!doctype html>"+page+"<title>A</title>", "https://a.example"+c.address)
		if got := urlsOf(d.Ranked("https://a.example" + c.address)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestReleases checks that the releases of a project precede its commits.
func TestReleases(t *testing.T) {
	for _, c := range []struct{ address, page, want string }{
		{"https://github.com/o/r", `<link rel=alternate type="application/atom+xml" href="/o/r/commits/main.atom">`,
			"https://github.com/o/r/releases.atom https://github.com/o/r/commits/main.atom"},
		{"https://github.com/o/r/releases", `<link rel=alternate type="application/atom+xml" href="/o/r/tags.atom">` +
			`<link rel=alternate type="application/atom+xml" href="/o/r/releases.atom">`,
			"https://github.com/o/r/releases.atom https://github.com/o/r/tags.atom"},
		{"https://github.com/o", `<link rel=alternate type="application/atom+xml" href="/o.atom">`,
			"https://github.com/o.atom"},
		{"https://github.com/orgs/o/repositories", ``, ""},
		{"https://gitlab.com/g/s/r", `<link rel=alternate type="application/atom+xml" href="/g/s/r.atom">`,
			"https://gitlab.com/g/s/r/-/releases.atom https://gitlab.com/g/s/r.atom"},
		{"https://git.a.example/o/r/-/tree/main", `<meta property="og:site_name" content=GitLab>`,
			"https://git.a.example/o/r/-/releases.atom"},
		{"https://codeberg.org/o/r", `<link rel=alternate type="application/rss+xml" href="/o/r.rss">`,
			"https://codeberg.org/o/r/releases.rss https://codeberg.org/o/r.rss"},
		{"https://git.a.example/o/r", `<meta name=keywords content="git,forge,forgejo">`,
			"https://git.a.example/o/r/releases.rss"},
		{"https://git.sr.ht/~o/r", `<link rel=alternate type="application/rss+xml" href="/~o/r/log/rss.xml"><link ` +
			`rel=alternate type="application/rss+xml" href="/~o/r/refs/rss.xml">`,
			"https://git.sr.ht/~o/r/refs/rss.xml https://git.sr.ht/~o/r/log/rss.xml"},
		{"https://a.example/o/r", ``, ""},
	} {
		d := parsePage("<!doctype html><title>A</title>"+c.page, c.address)
		if got := urlsOf(d.Ranked(c.address)); got != c.want {
			t.Errorf("%s: %q, want %q", c.address, got, c.want)
		}
	}
}

func TestPlatforms(t *testing.T) {
	for typed, want := range map[string]string{
		"https://medium.com/@ann":                                "https://medium.com/feed/@ann",
		"medium.com/@ann/boats-0123456789ab":                     "https://medium.com/feed/@ann",
		"https://medium.com/boats-weekly":                        "https://medium.com/feed/boats-weekly",
		"https://medium.com/boats-weekly/a-0123456789ab?source=": "https://medium.com/feed/boats-weekly",
		"https://ann.medium.com/boats-0123456789ab":              "https://ann.medium.com/feed",
		"https://medium.com/tag/boats":                           "https://medium.com/feed/tag/boats",
		"https://medium.com/feed/@ann":                           "",
		"https://medium.com/p/0123456789ab":                      "",
		"https://medium.com/":                                    "",

		"https://www.reddit.com/r/boats/":                      "https://www.reddit.com/r/boats/.rss",
		"old.reddit.com/r/boats":                               "https://www.reddit.com/r/boats/.rss",
		"https://www.reddit.com/r/boats/top/?t=week":           "https://www.reddit.com/r/boats/top/.rss?t=week",
		"https://www.reddit.com/r/boats/comments/1abc/a_boat/": "https://www.reddit.com/r/boats/.rss",
		"https://www.reddit.com/u/ann/":                        "https://www.reddit.com/user/ann/.rss",
		"https://www.reddit.com/user/ann/submitted/":           "https://www.reddit.com/user/ann/submitted/.rss",
		"https://www.reddit.com/user/ann/m/sea/":               "https://www.reddit.com/user/ann/m/sea/.rss",
		"https://www.reddit.com/r/boats.rss":                   "",
		"https://www.reddit.com/":                              "",

		"https://www.tumblr.com/ann":                "https://ann.tumblr.com/rss",
		"https://www.tumblr.com/ann/7000/a-boat":    "https://ann.tumblr.com/rss",
		"https://www.tumblr.com/blog/view/ann":      "https://ann.tumblr.com/rss",
		"https://www.tumblr.com/dashboard/blog/ann": "https://ann.tumblr.com/rss",
		"ann.tumblr.com":                            "https://ann.tumblr.com/rss",
		"https://ann.tumblr.com/post/7000/a-boat":   "https://ann.tumblr.com/rss",
		"https://ann.tumblr.com/tagged/boats":       "https://ann.tumblr.com/tagged/boats/rss",
		"https://ann.tumblr.com/tagged/boats/rss":   "",
		"https://www.tumblr.com/explore/today":      "",

		"https://open.substack.com/pub/ann/p/boats":                                "https://ann.substack.com/feed",
		"https://feedly.com/i/subscription/feed%2Fhttps%3A%2F%2Fa.example%2Ff":     "https://a.example/f",
		"https://theoldreader.com/feeds/subscribe?url=https%3A%2F%2Fa.example%2Ff": "https://a.example/f",
		"https://www.subscribeonandroid.com/a.example/f.xml":                       "https://a.example/f.xml",
	} {
		got, err := AskedURL(typed)
		plain, _ := NormalURL(typed)
		if want == "" {
			want = plain
		}
		if err != nil || got != want {
			t.Errorf("%s is asked at %s (%v), want %s", typed, got, err, want)
		}
		if again, _ := AskedURL(got); again != got {
			t.Errorf("%s leads on to %s", got, again)
		}
	}
}

func TestPodcastLookup(t *testing.T) {
	const us = "https://itunes.apple.com/lookup?id=123456789"
	for address, want := range map[string]string{
		"https://podcasts.apple.com/us/podcast/boat-talk/id123456789":         us,
		"https://podcasts.apple.com/de/podcast/boat-talk/id123456789?i=10001": us + " " + us + "&country=de",
		"https://podcasts.apple.com/podcast/id123456789":                      us,
		"https://itunes.apple.com/fr/podcast/boat-talk/id123456789?mt=2":      us + " " + us + "&country=fr",
		"https://overcast.fm/itunes123456789/boat-talk":                       us,
		"https://pca.st/itunes/123456789":                                     us,
		"https://podcasts.apple.com/us/browse":                                "",
		"https://podcasts.apple.com.evil.example/us/podcast/x/id123456789":    "",
		"https://itunes.apple.com/lookup?id=123456789":                        "",
	} {
		lookup, abroad := PodcastLookup(address)
		if got := strings.TrimSpace(lookup + " " + abroad); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	const podcast = "https://a.example/p.xml"
	for answer, want := range map[string]string{
		`{"resultCount":1,"results":[{"kind":"podcast","feedUrl":"` + podcast + `"}]}`: podcast,
		`{"resultCount":0,"results":[]}`:                                               "",
		`{"results":[{"feedUrl":"file:///etc/passwd"}]}`:                               "",
		`{"results":[{"feedUrl":7},{"feedUrl":null},null]}`:                            "",
		`{`: "",
	} {
		if got := ReadPodcastLookup([]byte(answer)); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

func TestFeedSchemes(t *testing.T) {
	for typed, want := range map[string]string{
		"pcast://a.example/p.xml":         "http://a.example/p.xml",
		"itpc://a.example/p.xml":          "http://a.example/p.xml",
		"PODCAST://a.example/p.xml":       "http://a.example/p.xml",
		"itms-pcast://a.example/p.xml":    "http://a.example/p.xml",
		"podcast:https://a.example/p.xml": "https://a.example/p.xml",
		"feed://https://a.example/p.xml":  "https://a.example/p.xml",
		"feed://https//a.example/p.xml":   "https://a.example/p.xml",
		"feeds://a.example/p.xml":         "https://a.example/p.xml",
		"feed:a.example/p.xml":            "https://a.example/p.xml",
	} {
		if got, err := NormalURL(typed); err != nil || got != want {
			t.Errorf("%s: %s (%v), want %s", typed, got, err, want)
		}
	}
	if got, err := NormalURL("feed:8080/x"); err == nil {
		t.Errorf("a host with a port: %s", got)
	}
}

func TestGuessPaths(t *testing.T) {
	for _, c := range []struct{ address, generator, first, has, hasNot string }{
		{"https://a.example/", "", "/feed", "/rss", ""},
		{"https://a.example/2026/11/a-post", "", "/feed", "/rss", "/2026/11/feed"},
		{"https://a.example/blog/post.html?x", "", "/blog/feed", "/atom.xml", "/blog/post.html/feed"},
		{"https://a.example/blog", "", "/blog/feed", "/feed.xml", ""},
		{"https://a.example/~ann/post.html", "", "/~ann/feed", "/~ann/index.xml", "/feed"},
		{"https://a.example/posts/x", "Hugo 0.140", "/index.xml", "/posts/index.xml", ""},
		{"https://a.example/", "Wix.com Website Builder", "/blog-feed.xml", "/feed", ""},
	} {
		got := strings.Fields(strings.ReplaceAll(strings.Join(GuessPaths(c.address, c.generator), " "),
			"https://a.example", ""))
		if got[0] != c.first || !slices.Contains(got, c.has) || slices.Contains(got, c.hasNot) {
			t.Errorf("%s: %q", c.address, got)
		}
	}
	if GuessPaths("nonsense", "") != nil {
		t.Error("paths without a host")
	}
}

func TestAbove(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/":                  "",
		"https://a.example/2026/11/a-post/":   "/",
		"https://a.example/blog/2026/11/post": "/blog/ /",
		"https://a.example/blog":              "/",
		"https://a.example/~ann/x.html":       "/~ann/",
		"https://a.example/~ann/":             "",
		"https://a.example/de/blog/a-post":    "/de/blog/ /de/ /",
	} {
		if got := strings.ReplaceAll(strings.Join(Above(address), " "), "https://a.example", ""); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
