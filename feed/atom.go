package feed

import (
	"cmp"
	"strings"
)

func isAtom(local string, _ *token) bool { return local == "feed" || local == "entry" }

func parseAtom(src *source) (*Document, error) {
	d, feed, entries := readFeed(src)
	address := src.address
	d.Title = feed.line("title", "dc:title")
	d.Description = feed.line("subtitle", "itunes:summary")
	d.Language = firstOf(d.Language, feed.value("dc:language"))
	d.Self = resolve(address, feed.related("self"))
	d.Link = resolve(firstOf(address, d.Self), feed.alternate())
	if id := feed.value("id"); d.Link == "" && isWeb(id) && id != d.Self {
		d.Link = id
	}
	bases := basesOf(d.Link, address, d.Self)
	if Host(address) == Host(d.Link) {
		bases = basesOf(address, d.Link, d.Self) // RFC 3986 §5.1.3: links are relative to the feed's address
	}
	author := feed.authors()
	d.Posts = make([]Post, 0, len(entries))
	for _, entry := range entries {
		p := atomPost(entry, bases)
		p.feedAuthor = author
		if source := entry.last("source").children; len(source.named("author")) > 0 {
			p.feedAuthor = source.authors()
		}
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func atomPost(entry elements, bases []string) Post {
	p := Post{GUID: entry.value("id"), bases: bases}
	p.linkTo(entry.alternate(), bases)
	if p.Link == "" && isWeb(p.GUID) {
		p.Link = p.GUID
	}
	if src := entry.first("content").attr("src"); p.Link == "" && isWeb(src) {
		p.Link = src
	}
	p.original = absolute(entry.value("feedburner:origlink"), bases)
	p.titles = entry.texts("title", "dc:title", "media:title")
	p.bodies = entry.texts("content", "content:encoded", "xhtml:body", "summary", "media:description",
		"dc:description", "itunes:summary")
	p.Author = firstPerson(append([]string{entry.authors(), people(entry.values("dc:creator"))},
		entry.values("itunes:author")...))
	p.Language = entry.value("dc:language")
	p.Published = entry.date("published", "issued", "created", "updated", "dc:date", "pubdate")
	for _, l := range entry.named("link") {
		if strings.EqualFold(l.attr("rel"), "enclosure") {
			p.enclose(fileOf(l))
		}
	}
	p.comments = absolute(entry.replies("link"), bases)
	p.addMedia(entry, entry.related(simpleChapters))
	return p
}

// replies returns the page with comments on an entry (RFC 4685 section 4).
func (t elements) replies(link string) string {
	for _, l := range t.named(link) {
		if strings.EqualFold(l.attr("rel"), "replies") && strings.Contains(l.attr("type"), "html") {
			return l.attr("href")
		}
	}
	return ""
}

// alternate returns the link to the web page of a feed or entry: the first that is HTML or states no type, otherwise
// the first of another type.
func (t elements) alternate() string {
	fallback := ""
	for _, l := range t.named("link") {
		rel, typ, href := strings.ToLower(l.attr("rel")), l.attr("type"), l.attr("href")
		if rel = rel[strings.LastIndexByte(rel, '/')+1:]; rel != "alternate" && l.attr("rel") != "" || href == "" {
			continue
		}
		if typ == "" || strings.Contains(typ, "html") {
			return href
		}
		fallback = cmp.Or(fallback, href)
	}
	return fallback
}

func (t elements) related(rel string) string {
	for _, l := range t.named("link") {
		if strings.EqualFold(l.attr("rel"), rel) {
			return l.attr("href")
		}
	}
	return ""
}

// authors joins the names of the authors; a person without a name counts by email address.
func (t elements) authors() string {
	var names []string
	for _, a := range t.named("author") {
		person := a.children
		names = append(names, firstPerson([]string{person.last("name").content(), person.last("email").content()}))
	}
	return people(names)
}
