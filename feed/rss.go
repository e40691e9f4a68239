package feed

import (
	"slices"
	"strings"
)

// parseRSS reads RSS of any version.
func parseRSS(r *reading, address string) *Document {
	d := r.document()
	d.Title = r.feed.line("title", "atom:title", "dc:title", "itunes:title")
	d.Description = r.feed.line("description", "atom:subtitle", "itunes:summary", "itunes:subtitle", "dc:description")
	d.Language = firstOf(r.feed.value("language"), r.feed.value("dc:language"), r.language)
	d.Link, d.Self = resolve(address, rssLink(r.feed)), resolve(address, r.feed.link("self"))
	d.TTL = minutes(r.feed.value("ttl"))
	d.SkipHours, d.SkipDays = hoursOf(r.feed.list("skiphours", "hour")), daysOf(r.feed.list("skipdays", "day"))
	author := personName(r.feed.value("itunes:author", "managingeditor", "dc:creator"))
	d.Posts = make([]Post, 0, len(r.items))
	for _, item := range r.items {
		p := rssPost(item, []string{d.Link, address})
		p.feedAuthor = author
		d.Posts = append(d.Posts, p)
	}
	return d
}

func rssPost(t elements, bases []string) Post {
	p := Post{GUID: t.value("guid", "id"), bases: bases, images: t.images()}
	permalink := ""
	for guid := range t.named("guid") {
		if isWeb(p.GUID) && !strings.EqualFold(guid.attr("isPermaLink"), "false") {
			permalink = p.GUID
		}
	}
	p.Link = absolute(firstOf(rssLink(t), permalink), bases)
	p.original = absolute(t.value("feedburner:origlink", "pheedo:origlink"), bases)
	p.titles = t.all("title", "atom:title", "dc:title", "itunes:title", "media:title")
	p.bodies = t.all("content:encoded", "encoded", "xhtml:body", "fullitem", "body", "content", "atom:content",
		"description", "dc:description", "summary", "atom:summary", "itunes:summary", "media:description", "itunes:subtitle")
	authors := t.values("author")
	p.Author = firstPerson(slices.Concat(authors[max(0, len(authors)-1):], t.persons("atom:author"), []string{people(t.values("dc:creator"))},
		t.values("dc:author", "dcterms:creator", "itunes:author")))
	p.Language = t.value("dc:language")
	p.Published = t.date("pubdate", "dc:date", "created", "published", "issued", "date", "dcterms:date", "updated")
	for e := range t.named("enclosure") {
		p.enclose(e.attr("url"), e.attr("type"), byteCount(e.attr("length")))
	}
	p.encloseLinks(t)
	return p
}

// rssLink gives the address of the page of a feed or an item.
func rssLink(t elements) string {
	for l := range t.named("link") {
		if address := resolve(l.base, firstOf(innerText(l.raw), l.attr("href"))); address != "" {
			return strings.Clone(address)
		}
	}
	return t.link("alternate")
}
