package feed

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mmcdole/gofeed/atom"
)

func isAtom(local string, _ *token) bool { return local == "feed" || local == "entry" }

func parseAtom(src *source) (*Document, error) {
	fr, address := repair(src), src.address
	f, err := (&atom.Parser{}).Parse(bytes.NewReader(fr.xml))
	if err == nil {
		err = fr.matches(len(f.Entries))
	}
	if err != nil {
		return nil, fmt.Errorf("reading atom: %w", err)
	}
	fr.addressed(f.Links)
	d := &Document{Kind: Atom, Repairs: fr.repairs, UpdateEvery: fr.updateEvery()}
	d.Title = fr.feed.line("title", "dc:title")
	d.Description = fr.feed.line("subtitle", "itunes:summary")
	d.Language = firstOf(fr.language, fr.feed.value("dc:language"))
	d.Self = resolve(address, relation(f.Links, "self"))
	d.Link = resolve(firstOf(address, d.Self), alternate(f.Links))
	if id := fr.feed.value("id"); d.Link == "" && isWeb(id) && id != d.Self {
		d.Link = id
	}
	for _, l := range f.Links {
		d.addHub(l.Rel, l.Href)
	}
	author := persons(f.Authors)
	bases := basesOf(d.Link, address, d.Self)
	if Host(address) == Host(d.Link) {
		bases = basesOf(address, d.Link, d.Self) // RFC 3986 §5.1.3: links are relative to the feed's address
	}
	d.Posts = make([]Post, 0, len(f.Entries))
	for i, entry := range f.Entries {
		fr.addressed(entry.Links)
		p := atomPost(fr.items[i], entry, bases)
		p.feedAuthor = author
		if entry.Source != nil && len(entry.Source.Authors) > 0 {
			p.feedAuthor = persons(entry.Source.Authors)
		}
		d.Posts = append(d.Posts, p)
	}
	return d, nil
}

func atomPost(t texts, entry *atom.Entry, bases []string) Post {
	x := entry.Extensions
	p := Post{GUID: t.value("id"), bases: bases}
	p.linkTo(alternate(entry.Links), bases)
	if p.Link == "" && isWeb(p.GUID) {
		p.Link = p.GUID
	}
	if src := t.first("content").src; p.Link == "" && isWeb(src) {
		p.Link = src
	}
	p.original = absolute(t.value("feedburner:origlink"), bases)
	p.titles = t.all("title", "dc:title", "media:title")
	p.bodies = t.all("content", "content:encoded", "xhtml:body", "summary", "media:description", "dc:description",
		"itunes:summary")
	p.Author = firstPerson(slices.Concat([]string{persons(entry.Authors), people(extension(x, "dc", "creator"))},
		extension(x, "itunes", "author")))
	p.Language = t.value("dc:language")
	p.Published = t.date("published", "issued", "created", "updated", "dc:date", "pubdate")
	for _, l := range entry.Links {
		if strings.EqualFold(l.Rel, "enclosure") {
			p.enclose(l.Href, l.Type, byteCount(l.Length))
		}
	}
	p.addMedia(t, x, relation(entry.Links, simpleChapters))
	return p
}

// alternate returns the link to the web page of a feed or entry: the first that is HTML or states no type, otherwise
// the first of another type.
func alternate(links []*atom.Link) string {
	fallback := ""
	for _, l := range links {
		rel := strings.ToLower(l.Rel)
		if rel = rel[strings.LastIndexByte(rel, '/')+1:]; rel != "alternate" || l.Href == "" {
			continue
		}
		if l.Type == "" || strings.Contains(l.Type, "html") {
			return l.Href
		}
		if fallback == "" {
			fallback = l.Href
		}
	}
	return fallback
}

func relation(links []*atom.Link, rel string) string {
	for _, l := range links {
		if strings.EqualFold(l.Rel, rel) {
			return l.Href
		}
	}
	return ""
}

// persons joins the names of persons; a person without a name counts by email address.
func persons(all []*atom.Person) string {
	var names []string
	for _, p := range all {
		names = append(names, firstPerson([]string{p.Name, p.Email}))
	}
	return people(names)
}
