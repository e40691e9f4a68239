package edition

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"

	"digest"
)

const (
	// text contains unique sentences.
	text = `<p>On Sunday we took the old boat out of the harbour for the first time since the storm, and found that
	her planks had dried more than we feared: water came in at every seam until the wood had swollen again.</p>`
	excerpt = `<p>On Sunday we took the old boat out of the harbour for the first time since the storm…</p>`
	ad      = "<p>Buy our paint, it keeps any water out. Buy our paint, it keeps any water out.</p>"
	photo   = `<img src="https://anna.example/boats.jpg"/>`
	boats   = "https://anna.example/2026/boats"
	link    = ` <a href="` + boats + `">anna.example/2026/boats</a></p>`
)

// read returns a post of the feed at an address.
func read(feed, url, content string) source {
	host, _, _ := strings.Cut(strings.TrimPrefix(feed, "https://"), "/")
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(host))
	if err != nil {
		domain = host
	}
	return source{Post: digest.Post{URL: url, Title: "The old boat", Content: content},
		Feed: digest.FeedLabel{URL: feed, Host: host, Domain: domain, Title: "Anna"}}
}

func blog(content string) source { return read("https://www.anna.example/feed", boats, content) }

func toot(content string) source {
	return read("https://social.example/users/anna/outbox", "https://social.example/@anna/1", content)
}

func (s source) titled(title string) source       { s.Title = title; return s }
func (s source) by(author string) source          { s.Author = author; return s }
func (s source) summed(summary string) source     { s.Summary = summary; return s }
func (s source) me(pages string) source           { s.Feed.Me = pages; return s }
func (s source) copiedTo(addresses string) source { s.Syndication = addresses; return s }
func (s source) shown(picture string) source      { s.ImageURL = picture; return s }

func (s source) heard() source {
	s.Enclosures = []digest.Enclosure{{URL: "https://anna.example/boats.mp3"}}
	return s
}

// A pair is two posts of different feeds, and the expected verdict.
type pair struct {
	post, other source
	want        verdict
}

// check judges pairs in both orders. The first post of a pair was stored first.
func check(t *testing.T, pairs map[string]pair) {
	t.Helper()
	for name, c := range pairs {
		a, b := newSource(c.post.Post, c.post.Feed), newSource(c.other.Post, c.other.Feed)
		a.ID, b.ID = 1, 2
		if got := judge(a, b); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		turned := map[verdict]verdict{bothStay: bothStay, firstLeft: secondLeft, secondLeft: firstLeft}[c.want]
		if got := judge(b, a); got != turned {
			t.Errorf("%s, the other way round: %d, want %d", name, got, turned)
		}
	}
}

// TestForgers: no feed can hide a post of another feed, or give it another title, picture, link or author. That
// holds for any text that the feed writes, and for any host at which the other feed is read.
func TestForgers(t *testing.T) {
	const burner, evil = "https://feeds.burner.example/anna", "https://evil.example/feed"
	const post, ours, theirs = "https://host.example/alice/1", "https://host.example/alice/feed.xml",
		"https://host.example/mallory/feed.xml"
	taken := func(content string) source { return read(evil, boats, content) }
	away := func(content string) source { return read(burner, boats, content) }
	check(t, map[string]pair{
		"another title":               {away(text), taken(text).titled("Sunk"), bothStay},
		"another title, stored first": {taken(text).titled("Sunk"), away(text), bothStay},
		"another title and a picture": {away(text), taken(photo + text).titled("Sunk"), bothStay},
		"one word more in the title":  {away(text), taken(text).titled("The old boat sunk"), bothStay},
		"a sign in the title":         {away(text), taken(text).titled("The old boat?"), bothStay},
		"a picture":                   {away(text), taken(text + photo), bothStay},
		"another picture": {away(text + photo),
			taken(text + `<img src="https://evil.example/boats.jpg"/>`), bothStay},
		"a picture beside the text":      {away(text), taken(text).shown("https://evil.example/1.jpg"), bothStay},
		"an advertisement":               {away(text), taken(text + ad), bothStay},
		"an advertisement, stored first": {taken(text + ad), away(text), bothStay},
		"another link": {away(text + link),
			taken(strings.ReplaceAll(text+link, "anna", "evil")), bothStay},
		"another number": {away(text + "<p>Account 56.</p>"), taken(text + "<p>Account 99.</p>"),
			bothStay},
		"text that is struck":           {away(text), taken("<del>" + text + "</del>"), bothStay},
		"a text for a headline":         {away(""), taken(ad), bothStay},
		"one word for a headline":       {away(""), taken("<p>Fraud</p>"), bothStay},
		"a text for an excerpt":         {away(excerpt), taken(text + ad), bothStay},
		"a sound":                       {away(text), taken(text).heard(), bothStay},
		"an author":                     {away(text), taken(text).by("Mallory"), bothStay},
		"a summary":                     {away(text), taken(text).summed("She sank."), bothStay},
		"all of it, later":              {away(text), taken(text), secondLeft},
		"a feed at home":                {blog(text), taken(text).titled("Sunk"), bothStay},
		"a feed at home, and all of it": {blog(text), taken(text), secondLeft},
		"a feed at home, stored later":  {taken(text), blog(text), firstLeft},
		"a feed at home, and more":      {blog(text), taken(text + ad), bothStay},
		"a headline at home":            {blog(""), taken(ad), bothStay},
		"another host of the domain":    {blog(""), read("https://evil.anna.example/feed", boats, ad), bothStay},
		"another host, of a feed read away": {away(text), read("https://evil.anna.example/feed", boats, text+ad),
			bothStay},
		"a subdomain, of an excerpt read away": {away(excerpt), read("https://evil.anna.example/feed", boats, text),
			bothStay},
		"a port": {away(excerpt), read("https://anna.example:8443/feed", boats, text),
			bothStay},
		"a host that ends alike": {away(excerpt), read("https://evilanna.example/feed", boats, text),
			bothStay},

		"a folder":                              {read(ours, post, text), read(theirs, post, text+ad), bothStay},
		"a folder, with the same":               {read(ours, post, text), read(theirs, post, text), secondLeft},
		"a folder, with the same, stored first": {read(theirs, post, text), read(ours, post, text), firstLeft},
		"a folder, with another title": {read(ours, post, text), read(theirs, post, text).titled("Sunk"),
			bothStay},
		"a folder, of an excerpt":    {read(ours, post, excerpt), read(theirs, post, text), bothStay},
		"a folder, of one read away": {read(burner, post, excerpt), read(theirs, post, text+ad), bothStay},
		"a folder that begins alike": {read(burner, post, excerpt),
			read("https://host.example/alice2/feed", post, text), bothStay},
		"a folder below another": {read(burner, post, excerpt),
			read("https://host.example/mallory/alice/feed", post, text), bothStay},
		"a file for each author": {read("https://host.example/feeds/alice.xml", post, excerpt),
			read("https://host.example/feeds/mallory.xml", post, text+ad), bothStay},
		"a query for each author": {read("https://host.example/rss?user=alice", post, excerpt),
			read("https://host.example/rss?user=mallory", post, text+ad), bothStay},
		"a bare key for each author": {read(burner, post, excerpt),
			read("https://host.example/rss.xml?mallory", post, text+ad), bothStay},
		"numbers for authors": {read("https://host.example/rss?id=1", post, excerpt),
			read("https://host.example/rss?id=2", post, text+ad), bothStay},
		"numbers for authors, more first": {read("https://host.example/rss?id=2", post, text+ad),
			read("https://host.example/rss?id=1", post, text), bothStay},
		"a secret address": {read(burner, post, excerpt),
			read("https://host.example/…", post, text+ad), bothStay},
		"an account": {read(burner, "https://social.example/@anna/1", excerpt),
			read("https://social.example/@mallory.rss", "https://social.example/@anna/1", text+ad), bothStay},
		"an outbox": {read(burner, "https://social.example/@anna/1", excerpt),
			read("https://social.example/users/mallory/outbox", "https://social.example/@anna/1", text+ad), bothStay},
		"a home page": {read("https://tilde.example/~anna/feed",
			"https://tilde.example/~anna/1", excerpt),
			read("https://tilde.example/~mallory/feed", "https://tilde.example/~anna/1", text+ad), bothStay},

		"a copy that is named": {blog(text).copiedTo("https://social.example/@anna/1"),
			read("https://social.example/@mallory.rss", "https://social.example/@anna/1", text+ad), bothStay},
		"a copy that is named, elsewhere": {blog("<p>A word.</p>").copiedTo("https://social.example/@anna/1"),
			read(evil, "https://social.example/@anna/1", ad), bothStay},
		"a copy that names back": {blog("<p>A word.</p>").copiedTo("https://social.example/@anna/1"),
			read(evil, "https://social.example/@anna/1", ad).copiedTo(boats), secondLeft},
		"the author's account": {blog("<p>A word.</p>").me("https://social.example/@anna"),
			read(evil, "https://social.example/@anna/1", ad), bothStay},
		"who is linked to": {toot("<p>The old boat" + link), taken(text + ad), bothStay},
		"who is linked to, with its words": {toot("<p>Utter lies" + link),
			blog(text).titled("Utter lies about the old boat"), bothStay},
		"who quotes a critic": {toot("<p>Utter lies, and my dog is dead" + link),
			blog(text + "<p>Utter lies, and my dog is dead, they say.</p>"), bothStay},
		"who quotes a critic, at the address": {read(evil, boats, "<p>Buy nothing here, it has killed my dog.</p>"),
			blog(ad + "<p>They write: Buy nothing here, it has killed my dog.</p>"), bothStay},
		"a critic in the title": {read("https://links.example/feed", boats,
			"Comments").titled("A fraud that will kill you"), blog(text), bothStay},
		"a critic before the title": {read("https://links.example/feed", boats,
			"Comments").titled("Debunked: The old boat"), blog(text), bothStay},
		"a critic of one link": {read("https://links.example/feed", boats,
			`<p><a href="https://proof.example/1">Proof</a></p>`), blog(text), bothStay},
		"a critic with a picture": {read("https://links.example/feed", boats,
			`<p><img src="https://links.example/1.jpg"/></p>`), blog(text), bothStay},
		"a critic who links on": {func() source {
			s := read("https://links.example/feed", boats, "")
			s.LeadsTo = "https://proof.example/1"
			return s
		}(), blog(text), bothStay},
	})
}

// TestCopies: a post that one publisher has in several feeds appears once.
func TestCopies(t *testing.T) {
	const second = "https://anna.example/category/boats/feed"
	check(t, map[string]pair{
		"the site's second feed":               {blog(text), read(second, boats, text), secondLeft},
		"the site's second feed, stored first": {read(second, boats, text), blog(text), firstLeft},
		"the site's second feed, an excerpt": {blog(text),
			read(second, "https://www.anna.example/2026/boats/", excerpt), secondLeft},
		"the site's second feed has more":   {blog(excerpt), read(second, boats, text), bothStay},
		"the site's second feed, headlines": {blog(text), read(second, boats, ""), secondLeft},
		"the site's second feed, a smaller picture": {blog(text + photo),
			read(second, boats, strings.Replace(text+photo, "boats.jpg", "boats-300x200.jpg?w=300", 1)), secondLeft},
		"two feeds in one folder": {blog(text), read("https://anna.example/atom.xml", boats, text),
			secondLeft},
		"two feeds in one folder, one short": {blog(text),
			read("https://anna.example/atom.xml", boats, excerpt), bothStay},
		"the feed of the post's own folder": {read("https://paper.example/feed",
			"https://paper.example/world/1", text),
			read("https://paper.example/world/rss", "https://paper.example/world/1", text), firstLeft},
		"all posts of a site lead to one page": {blog(text),
			read(second, boats, "<p>Our dog has learned to swim, at last, and it is very proud of that.</p>").titled(
				"The dog"), bothStay},
		"a feed of the site at another host": {blog(text), read("https://feeds.anna.example/rss", boats, text),
			secondLeft},
		"a feed at another host with more": {blog(excerpt),
			read("https://feeds.anna.example/rss", boats, text), bothStay},
		"a feed at another host, and a planet": {read("https://rss.anna.example/all", boats, text),
			read("https://planet.example/rss", boats, text).titled("Anna: The old boat"), secondLeft},
		"FeedBurner's copy of the site's feed": {read("https://feeds.burner.example/anna", boats, text),
			blog(text), firstLeft},
		"FeedBurner's, and a planet": {read("https://feeds.burner.example/anna", boats, text),
			read("https://planet.example/rss", boats, text), secondLeft},
		"two planets": {read("https://planet.example/rss", boats, text),
			read("https://other.example/rss", boats, text), secondLeft},
		"a planet with the whole text": {blog(text),
			read("https://planet.example/rss", boats, text).titled("Anna: The old boat"), secondLeft},
		"a planet, by the author": {blog(text).by("Anna Smith"),
			read("https://planet.example/rss", boats, text).titled("Anna Smith: The old boat"), secondLeft},
		"an aggregator with its comments": {blog(text),
			read("https://news.example/rss", boats, `<a href="https://news.example/9">Comments</a>`), secondLeft},
		"an aggregator of a feed without texts": {blog(""), read("https://news.example/rss", boats, "Comments"),
			secondLeft},
		"a link blog with something to say": {blog(text), read("https://links.example/feed", boats,
			"<p>Anna knows more of boats than most of us, and how to write.</p>"), bothStay},
		"two aggregators": {read("https://news.example/rss", boats, "Comments"),
			read("https://other.example/rss", boats, "Comments"), secondLeft},
		"two aggregators, each with its comments": {read("https://news.example/rss", boats,
			`<a href="https://news.example/9">Comments</a>`),
			read("https://other.example/rss", boats, `<a href="https://other.example/9">Comments</a>`), bothStay},
		"two link blogs": {read("https://links.example/feed", boats,
			"<p>This is what I think of it, and you should.</p>"), read("https://other.example/feed", boats,
			"<p>How wrong can anybody be about all of this?</p>"), bothStay},
		"Medium": {read("https://medium.com/feed/@anna",
			"https://medium.com/@anna/boats", text),
			read("https://planet.example/rss", "https://medium.com/@anna/boats", excerpt), secondLeft},
		"Buttondown": {read("https://buttondown.com/anna/rss",
			"https://buttondown.com/anna/archive/boats/", text),
			read("https://planet.example/rss", "https://buttondown.com/anna/archive/boats/", excerpt), secondLeft},
		"Substack": {read("https://anna.substack.com/feed",
			"https://anna.substack.com/p/boats", text),
			read("https://mallory.substack.com/feed", "https://anna.substack.com/p/boats", text), secondLeft},
		"GitHub's pages": {read("https://anna.github.io/blog/index.xml",
			"https://anna.github.io/blog/boats/", text),
			read("https://planet.example/rss", "https://anna.github.io/blog/boats/", excerpt), secondLeft},
		"Blogger": {read("https://anna.blogspot.com/feeds/posts/default?alt=rss",
			"https://anna.blogspot.com/2026/11/boats.html", text), read("https://planet.example/rss",
			"https://anna.blogspot.com/2026/11/boats.html", excerpt), secondLeft},
		"its recording": {blog(text),
			read("https://anna.example/podcast.xml", boats, text).heard(), bothStay},
		"an announcement by the author's account": {blog(text),
			toot("<p>The old boat" + link).me("https://anna.example/"), secondLeft},
		"one in other words, which the site names": {blog(text).copiedTo("https://social.example/@anna/1"),
			toot("<p>I wrote up our first trip of the year, in which we nearly drown. Read it:" +
				link).me("https://anna.example/"), secondLeft},
		"a critic whom the site names as its copy": {blog(text).copiedTo("https://social.example/@anna/1"),
			toot("<p>I do not agree with any of this, and it is dangerous to say so" + link), bothStay},
		"a critic of two words": {blog(text), toot("<p>Utter lies" + link), bothStay},
		"the author's few words": {blog(text),
			toot("<p>New on my blog: The old boat" + link).me("https://anna.example/"), secondLeft},
		"the author's many words": {blog(text),
			toot("<p>I should have listened to everybody who told me never to do it again" +
				link).me("https://anna.example/"), bothStay},
		"a stranger who only passes it on": {blog(text), toot("<p>The old boat" + link), secondLeft},
		"a stranger who disagrees": {blog(text),
			toot("<p>I do not agree with any of this, and it is dangerous to say so" + link), bothStay},
		"a note and its copy, by the author's word": {blog("<p>Water came in at every seam.</p>"),
			toot("<p>Water came in at every seam.</p>").me("https://anna.example"), secondLeft},
		"a site that says another's post is its own": {blog("<p>Water came in at every seam.</p>").copiedTo(
			"https://social.example/@anna/1"), toot("<p>Water came in at every seam.</p>"), firstLeft},
		"the same words of two people": {blog("<p>Happy new year to all!</p>"),
			toot("<p>Happy new year to all!</p>"), bothStay},
		"a thief who takes the whole post": {blog(text),
			read("https://evil.example/feed", boats, text+"<p>Buy.</p>"), secondLeft},
		"a thief who names it as a copy": {blog(text),
			read("https://evil.example/feed", "https://evil.example/1", text).copiedTo(boats), secondLeft},
		"a thief who says its site is theirs": {blog(text),
			read("https://evil.example/feed", "https://evil.example/1", text+
				"<p>Buy our paint.</p>").titled("Paint").me("https://anna.example/"), secondLeft},
		"a picture, with a link": {blog(text),
			toot(`<p><img src="https://social.example/1.jpg"/> <a href="` +
				boats + `">boats</a></p>`).me("https://anna.example/"), bothStay},
		"a summary alone": {blog(""),
			toot("").summed("Quite another thing that nobody else has said as well as she did").me(
				"https://anna.example/"), bothStay},
		"nothing but a mail address": {blog(`<p><a href="mailto:anna@anna.example">Mail</a></p>`),
			read("https://evil.example/feed", "", ad), bothStay},
		"no addresses at all": {read("https://anna.example/feed", "", text),
			read("https://evil.example/feed", "", text), bothStay},
	})
}

func TestHome(t *testing.T) {
	for _, c := range []struct {
		feed, post string
		want       home
	}{
		{"https://anna.example/feed", "https://anna.example/2026/1", atHost},
		{"http://www.anna.example:80/?feed=rss2", "https://anna.example/?p=1", atHost},
		{"https://anna.example/index.php?format=feed&type=rss", "https://anna.example/1", atHost},
		{"https://anna.example/blog/feed.rss.xml", "https://anna.example/blog/1", atHost + 1},
		{"https://anna.example/blog/feed.xml", "https://anna.example/2026/1", away},
		{"https://anna.example/tag/boats/feed", "https://anna.example/boats", away},
		{"https://host.example/a/b/atom.xml", "https://host.example/a/b/c", atHost + 2},
		{"https://host.example/a/b/atom.xml", "https://host.example/a/c", away},
		{"https://social.example/@anna.rss", "https://social.example/users/anna/statuses/1", atHost + 1},
		{"https://host.example/Anna/feed", "https://host.example/anna/1", away},
		{"https://reddit.example/r/golang/.rss", "https://reddit.example/r/golang/comments/1", atHost + 2},
		{"https://reddit.example/r/mallory/.rss", "https://reddit.example/r/golang/comments/1", away},
		{"https://anna.example/feed", "https://anna.example:8080/1", away},
		{"https://feeds.anna.example/x", "https://anna.example/1", inDomain},
		{"https://anna.example/x", "https://blog.anna.example/1", inDomain},
		{"https://mallory.anna.example/x", "https://anna.example/1", away},
		{"https://feeds.feeds.anna.example/x", "https://anna.example/1", away},
		{"https://evil.example/feed", "https://anna.example/1", away},
		{"", "https://anna.example/1", away}, {"https://anna.example/feed", "", away}, {"", "", away},
		{"https://[", "https://[", away},
	} {
		if got := homeOf(c.post, read(c.feed, "", "").Feed); got != c.want {
			t.Errorf("%s of %s: %d, want %d", c.post, c.feed, got, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.Anna.example/Boats/": "anna.example/Boats", "http://anna.example/Boats#top": "anna.example/Boats",
		"https://anna.example": "anna.example", "https://anna.example/": "anna.example",
		"https://anna.example/?p=1": "anna.example/?p=1",
		"":                          "", "mailto:anna@anna.example": "",
	} {
		if got := place(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
