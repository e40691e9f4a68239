// Package microformats parses the items that a web page marks with classes: microformats2 (h-entry, p-name, ...), and
// the classic names (hentry, entry-title, ...) on elements without microformats2.
//
// It follows microformats.org/wiki/microformats2-parsing, with the value class pattern, implied properties, classic
// includes and rel. microformats_test.go runs the public test suite of the microformats project.
//
// The package is pure. Its input was parsed by internal/hypertext, which limits the cost of that. Parse limits the
// texts that this package creates.
package microformats

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page is the microformats of a page.
type Page struct {
	Items []*Item
	Rels  map[string][]string // addresses by rel, each once, in document order
	Links map[string]Link     // by address
}

// An Item is an object such as an entry, a card or a feed.
type Item struct {
	Types      []string // such as "h-entry"; sorted
	ID         string
	Properties map[string][]Value // by name without prefix
	Children   []*Item            // nested items that are not properties

}

// A Value is the value of a property from one element.
type Value struct {
	Text string
	HTML string  // of e-*: the content of the element; "" otherwise
	Alt  *string // of a picture with an alt attribute
	Item *Item   // nested item of the value; nil: only text
	Seen string  // of p-*: visible text of the element, if Text is an attribute; "": none, or the same

	prefix string // of its class
}

// A Link is the information about an address with a rel.
type Link struct {
	Rels                         []string // sorted
	Text                         string
	Media, Hreflang, Title, Type string
}

// Is reports whether the item has a type, such as "h-entry".
func (i *Item) Is(kind string) bool { return slices.Contains(i.Types, kind) }

// First returns the text of the first value of a property, or "".
func (i *Item) First(name string) string {
	if vs := i.Properties[name]; len(vs) > 0 {
		return vs[0].Text
	}
	return ""
}

// Parse parses a page with an address. All texts and addresses of its items together have at most room bytes more than
// the page. They can be larger than the page, because a nested element adds to the text of each element around it.
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
	include int // depth of nested includes
}

// look collects the base, the ids and the rels of a page before its items are parsed.
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

const maxRels = 50

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

// resolve makes an address absolute. The added bytes count as text, because a page may have a long base and many links.
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

// setBase sets the base of relative addresses, unless it is too long.
func (p *parser) setBase(address string) {
	const most = 2048 // in bytes
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
