package feed

import "slices"

// parseAtom reads Atom 0.3 and 1.0.
func parseAtom(r *reading, address string) *Document {
	d := r.document()
	d.Title = r.feed.line("title", "dc:title")
	d.Description = r.feed.line("subtitle", "itunes:summary")
	d.Language = firstOf(r.language, r.feed.value("dc:language"))
	d.Self = resolve(address, r.feed.link("self"))
	d.Link = resolve(firstOf(address, d.Self), r.feed.link("alternate"))
	if id := r.feed.value("id"); d.Link == "" && isWeb(id) && id != d.Self {
		d.Link = id
	}
	author := people(r.feed.persons("atom:author"))
	bases := []string{d.Link, address, d.Self}
	if Host(address) == Host(d.Link) {
		bases = []string{address, d.Link, d.Self} // RFC 3986 §5.1.3: relative to where it was published
	}
	d.Posts = make([]Post, 0, len(r.items))
	for _, item := range r.items {
		p := atomPost(item, bases)
		p.feedAuthor = author
		if of := item.persons("source/atom:author"); len(of) > 0 {
			p.feedAuthor = people(of)
		}
		d.Posts = append(d.Posts, p)
	}
	return d
}

func atomPost(t elements, bases []string) Post {
	p := Post{GUID: t.value("id"), bases: bases, images: t.images()}
	p.Link = absolute(t.link("alternate"), bases)
	if p.Link == "" && isWeb(p.GUID) {
		p.Link = p.GUID
	}
	for content := range t.named("content") {
		if src := content.attr("src"); p.Link == "" && isWeb(src) {
			p.Link = src
		}
	}
	p.original = absolute(t.value("feedburner:origlink"), bases)
	p.titles = t.all("title", "dc:title", "media:title")
	p.bodies = t.all("content", "content:encoded", "xhtml:body", "summary", "media:description", "dc:description", "itunes:summary")
	p.Author = firstPerson(slices.Concat([]string{people(t.persons("atom:author")), people(t.values("dc:creator"))}, t.values("itunes:author")))
	p.Language = t.value("dc:language")
	p.Published = t.date("published", "issued", "created", "updated", "dc:date", "pubdate")
	p.encloseLinks(t)
	return p
}
