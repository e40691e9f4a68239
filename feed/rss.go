package feed

import (
	"slices"
	"strings"
)

func isRSS(local string, _ *token) bool { return local == "rss" || local == "channel" }

// isRDF recognises RSS 1.0 by its root, and RSS 1.1, which has the root channel, by its namespace.
func isRDF(local string, root *token) bool {
	return local == "rdf" || local == "channel" &&
		slices.ContainsFunc(root.attrs,
			func(a attribute) bool { return strings.HasSuffix(a.value, "//purl.org/net/rss1.1#") })
}

func parseRSS(src *source) (*Document, error) {
	d, feed, items := readFeed(src)
	d.Title = feed.line("title", "atom:title", "dc:title", "itunes:title")
	d.Description = feed.line("description", "atom:subtitle", "itunes:summary", "itunes:subtitle", "dc:description")
	// Of several channels the last counts.
	d.Language = firstOf(feed.last("language").content(), feed.value("dc:language"), d.Language)
	d.Link = resolve(src.address, feed.page())
	d.Self = resolve(src.address, feed.linked("self"))
	d.TTL = minutes(feed.last("ttl").content())
	d.SkipHours, d.SkipDays = hoursOf(feed.list("skiphours", "hour")), daysOf(feed.list("skipdays", "day"))
	bases := basesOf(d.Link, src.address)
	author := personName(firstOf(slices.Concat(feed.values("itunes:author"),
		[]string{feed.last("managingeditor").content()}, feed.values("dc:creator"))...))
	d.Posts = make([]Post, 0, len(items))
	for _, item := range items {
		p := rssPost(item, bases)
		p.feedAuthor = author
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func rssPost(item elements, bases []string) Post {
	guid := item.last("guid")
	p := Post{GUID: firstOf(guid.content(), item.value("id")), bases: bases}
	permalink := ""
	if !strings.EqualFold(guid.attr("isPermaLink"), "false") && isWeb(guid.content()) {
		permalink = p.GUID
	}
	p.linkTo(firstOf(item.page(), permalink), bases)
	p.original = absolute(item.value("feedburner:origlink", "pheedo:origlink"), bases)
	p.titles = item.texts("title", "atom:title", "dc:title", "itunes:title", "media:title")
	p.bodies = item.texts("content:encoded", "encoded", "xhtml:body", "fullitem", "body", "content", "atom:content",
		"description", "dc:description", "summary", "atom:summary", "itunes:summary", "media:description",
		"itunes:subtitle")
	authors := []string{item.last("author").content()}
	for _, a := range item.named("atom:author") {
		authors = append(authors, a.children.value("name", "email"))
	}
	authors = append(authors, people(item.values("dc:creator")))
	p.Author = firstPerson(append(authors, item.values("dc:author", "dcterms:creator", "itunes:author")...))
	p.Language = item.value("dc:language")
	p.Published = item.date("pubdate", "dc:date", "created", "published", "issued", "date", "dcterms:date", "updated")
	for _, e := range item.named("enclosure") {
		p.enclose(fileOf(e))
	}
	for _, l := range item.named("atom:link") {
		if l.attr("rel") == "enclosure" {
			p.enclose(fileOf(l))
		}
	}
	p.comments = absolute(firstOf(item.value("comments"), item.replies("atom:link")), bases)
	p.addMedia(item, item.linked(simpleChapters))
	return p
}

// page returns the link to the web page of a feed or item: the first <link>, otherwise the first Atom link for it.
func (t elements) page() string {
	return firstOf(t.first("link").attr("href"), t.linked("alternate"))
}

// linked returns the first Atom link with a relation inside RSS.
func (t elements) linked(rel string) string {
	for _, l := range t.named("atom:link") {
		if own := l.attr("rel"); own == rel || rel == "alternate" && own == "" {
			return l.attr("href")
		}
	}
	return ""
}
