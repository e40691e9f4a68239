// Package microformats reads the objects that a web page marks by the classes of its
// elements: microformats2 (h-entry, p-name, ...), and the older names (hentry,
// entry-title, ...) where a page has no others.
//
// The rules are those of microformats.org/wiki/microformats2-parsing, with the value
// class pattern, implied properties, the includes of the older names, and rel. The
// public suite of the microformats project is the judge of it (microformats_test.go).
//
// The package is pure. What it reads was parsed by internal/hypertext, which bounds the
// cost of that; the texts made here are bounded by Parse.
package microformats

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page is what the markup of one page says.
type Page struct {
	Items []*Item
	Rels  map[string][]string // the addresses of each rel, each once, in document order
	Links map[string]Link     // by address
}

// An Item is one object: an entry, a card, a feed.
type Item struct {
	Types      []string // "h-entry"; sorted
	ID         string
	Properties map[string][]Value // by name, without the prefix
	Children   []*Item            // objects inside it that are none of its properties

}

// A Value is what one element says of a property.
type Value struct {
	Text string
	HTML string  // of e-*: the inside of the element; "" otherwise
	Alt  *string // of a picture that has one
	Item *Item   // the object that is the value; nil: it is the text alone
	Seen string  // of p-*: the text of the element, if Text is an attribute; "": none, or the same

	prefix string // of the class that gave it
}

// A Link is what a page says of an address that it gives a rel.
type Link struct {
	Rels                         []string // sorted
	Text                         string
	Media, Hreflang, Title, Type string
}

// Is reports whether the item is of a type, such as "h-entry".
func (i *Item) Is(kind string) bool { return slices.Contains(i.Types, kind) }

// First gives the text of the first value of a property, "" if there is none.
func (i *Item) First(name string) string {
	if vs := i.Properties[name]; len(vs) > 0 {
		return vs[0].Text
	}
	return ""
}

// Parse reads a page that was published at an address. The texts and addresses of all its items
// together are at most room bytes more than the page: an element within others adds to the text of each.
func Parse(root *html.Node, address string, room int) *Page {
	p := &parser{page: &Page{Rels: map[string][]string{}, Links: map[string]Link{}}, ids: map[string]*html.Node{},
		room: room}
	p.setBase(address)
	p.look(root, new(bool))
	p.walk(root, nil)
	return p.page
}

type parser struct {
	page    *Page
	base    *url.URL
	ids     map[string]*html.Node
	room    int
	include int // how many includes we are in
}

// look notes the base, the ids and the rels of a page before its items are read.
func (p *parser) look(n *html.Node, based *bool) {
	if n.DataAtom == atom.Template {
		return
	}
	if n.Type == html.ElementNode {
		if id := attr(n, "id"); id != "" && p.ids[id] == nil {
			p.ids[id] = n
		}
		switch n.DataAtom {
		case atom.Base:
			if href := attr(n, "href"); href != "" && !*based {
				*based = true
				p.setBase(p.resolve(href))
			}
		case atom.A, atom.Area, atom.Link:
			p.link(n)
		}
	}
	for c := range n.ChildNodes() {
		p.look(c, based)
	}
}

// maxRels is how many rels a page keeps for each address.
const maxRels = 50

// link notes the rels of an address.
func (p *parser) link(n *html.Node) {
	rels := strings.Fields(attr(n, "rel"))
	if len(rels) == 0 || !has(n, "href") {
		return
	}
	to := p.resolve(attr(n, "href"))
	l := p.page.Links[to]
	for _, rel := range rels {
		if len(l.Rels) < maxRels && !slices.Contains(l.Rels, rel) {
			l.Rels, p.page.Rels[rel] = append(l.Rels, rel), append(p.page.Rels[rel], to)
		}
	}
	slices.Sort(l.Rels)
	for name, into := range map[string]*string{"media": &l.Media, "hreflang": &l.Hreflang, "title": &l.Title,
		"type": &l.Type} {
		if *into == "" {
			*into = attr(n, name)
		}
	}
	if l.Text == "" {
		l.Text = p.raw(n, true)
	}
	p.page.Links[to] = l
}

// resolve makes an address absolute. What it grows by counts as text: a page may have a long base, and many links.
func (p *parser) resolve(ref string) string {
	ref = strings.TrimSpace(ref)
	u, err := url.Parse(ref)
	if err != nil || p.base == nil || p.room <= 0 {
		return ref
	}
	whole := p.base.ResolveReference(u).String()
	p.room -= max(0, len(whole)-len(ref))
	return whole
}

// setBase sets the address to which other addresses are relative, unless it is too long.
func (p *parser) setBase(address string) {
	const most = 2048 // bytes
	if len(address) <= most {
		p.base, _ = url.Parse(address)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func classes(n *html.Node) []string {
	if n.Type != html.ElementNode {
		return nil
	}
	return strings.FieldsFunc(attr(n, "class"), func(r rune) bool { return strings.ContainsRune(space, r) })
}
