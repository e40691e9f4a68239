package feed

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mmcdole/gofeed/atom"

	"digest"
)

// parseAtom reads Atom 0.3 and 1.0.
func parseAtom(sk *skeleton, address string) (*Document, error) {
	f, err := (&atom.Parser{}).Parse(bytes.NewReader(sk.xml))
	if err != nil {
		return nil, fmt.Errorf("reading atom: %w", err)
	}
	d := &Document{Kind: Atom, Repairs: sk.repairs}
	d.Title = firstPlain(sk, f.Title, value(f.Extensions, "dc", "title"))
	d.Description = firstPlain(sk, f.Subtitle, value(f.Extensions, "itunes", "summary"))
	d.Language = firstOf(sk.lang, value(f.Extensions, "dc", "language"))
	d.Self = resolve(address, relation(f.Links, "self"))
	d.Link = resolve(firstOf(address, d.Self), alternate(f.Links))
	if id := value(f.Extensions, "dcterms", "identifier"); d.Link == "" && isWeb(id) && id != d.Self {
		d.Link = id
	}
	for _, l := range f.Links {
		if l.Rel == "hub" && isWeb(l.Href) {
			d.Hubs = append(d.Hubs, l.Href)
		}
	}
	d.UpdateEvery = updateEvery(value(f.Extensions, "sy", "updateperiod"), value(f.Extensions, "sy", "updatefrequency"))
	owner := people(f.Authors)
	bases := []string{d.Link, address, d.Self}
	if Host(address) == Host(d.Link) {
		bases = []string{address, d.Link, d.Self} // RFC 3986 §5.1.3: relative to where it was published
	}
	d.Posts = make([]Post, 0, len(f.Entries))
	for _, entry := range f.Entries {
		e := atomEntry(sk, entry, bases)
		e.owner = owner
		if entry.Source != nil && len(entry.Source.Authors) > 0 {
			e.owner = people(entry.Source.Authors)
		}
		d.Posts = append(d.Posts, e)
	}
	return d, nil
}

func atomEntry(sk *skeleton, entry *atom.Entry, bases []string) Post {
	x := entry.Extensions
	e := Post{GUID: value(x, "dcterms", "identifier")}
	e.Link = absolute(alternate(entry.Links), bases)
	if e.Link == "" && isWeb(e.GUID) {
		e.Link = e.GUID
	}
	if e.Link == "" && entry.Content != nil && isWeb(entry.Content.Src) {
		e.Link = entry.Content.Src
	}
	e.original = absolute(value(x, "feedburner", "origlink"), bases)
	e.titles = sk.some(entry.Title, value(x, "dc", "title"), value(x, "media", "title"))
	content := ""
	if entry.Content != nil {
		content = entry.Content.Value
	}
	e.bodies = sk.some(content, value(x, "content", "encoded"), value(x, "xhtml", "body"), entry.Summary,
		value(x, "media", "description"), value(x, "dc", "description"), value(x, "itunes", "summary"))
	e.Author = firstPerson([]string{people(entry.Authors), strings.Join(values(x, "dc", "creator"), ", "), value(x, "itunes", "author")})
	e.Language = firstOf(value(x, "dc", "language"))
	e.Published = firstDate(value(x, "dcterms", "issued"), value(x, "dcterms", "submitted"), value(x, "dcterms", "created"), value(x, "dcterms", "modified"),
		value(x, "dc", "date"), value(x, "dcterms", "available"))
	e.Enclosure = atomEnclosure(entry.Links, bases)
	e.images = mediaImages(x)
	e.bases = bases
	return e
}

func atomEnclosure(links []*atom.Link, bases []string) *digest.Enclosure {
	for _, l := range links {
		if strings.EqualFold(l.Rel, "enclosure") && l.Href != "" {
			return enclosure(absolute(l.Href, bases), l.Type, l.Length)
		}
	}
	return nil
}

// alternate chooses the link to the page itself: of several the first that is
// HTML or does not say what it is.
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

// people joins the names of persons.
func people(persons []*atom.Person) string {
	var names []string
	for _, p := range persons {
		name := personName(p.Name)
		if name == "" {
			name = personName(p.Email)
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
