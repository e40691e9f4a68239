package microformats

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An open item is the item whose elements the parser is reading.
type open struct {
	item    *Item
	classic []string // its classic root classes; nil: microformats2
	date    string   // day of its previous date, for a time without one

	// Each prevents implied properties.
	named, linked, nested bool
}

// A property is the prefix (p, u, dt, e) and the name of a property.
type property struct{ prefix, name string }

// walk parses n and its descendants into the innermost open item.
func (p *parser) walk(n *html.Node, in *open) {
	if n.Type == html.ElementNode {
		if n.DataAtom == atom.Template || p.include > 0 && p.room <= 0 {
			return
		}
		if p.include > 0 {
			// Many includes may refer to the same elements.
			p.room -= 16
		}
		if target := p.included(n, in); target != nil {
			p.inside(target, in)
			return
		}
		roots, classic := rootsOf(n, in)
		props := propertiesOf(n, in)
		if len(roots) > 0 {
			p.item(n, in, roots, classic, props)
			return
		}
		for _, prop := range props {
			p.add(in, prop, p.value(n, prop.prefix, in))
		}
		p.relations(n, in)
	}
	for c := range n.ChildNodes() {
		p.walk(c, in)
	}
}

func (p *parser) item(n *html.Node, in *open, roots, classic []string, props []property) {
	o := &open{item: &Item{Types: roots, Properties: map[string][]Value{}}, classic: classic}
	if classic == nil {
		o.item.ID = attr(n, "id")
	}
	for c := range n.ChildNodes() {
		p.walk(c, o)
	}
	for _, from := range p.elsewhere(n) {
		p.inside(from, o)
	}
	if classic == nil {
		p.imply(n, o)
	}
	switch {
	case in == nil:
		p.page.Items = append(p.page.Items, o.item)
		return
	case len(props) == 0:
		in.item.Children = append(in.item.Children, o.item)
	}
	in.nested = true
	// A value excludes the properties of both.
	both := &open{classic: slices.Concat(in.classic, classic), date: in.date}
	for _, prop := range props {
		v := p.value(n, prop.prefix, both)
		v.Item = o.item
		switch prop.prefix {
		case "p":
			v.Text = cmp.Or(o.item.by("p", "name"), v.Text)
		case "u":
			v.Text = cmp.Or(o.item.by("u", "url"), v.Text)
		}
		p.add(in, prop, v)
	}
}

func (p *parser) add(in *open, prop property, v Value) {
	in.item.Properties[prop.name] = append(in.item.Properties[prop.name], v)
	in.named = in.named || prop.prefix == "p" || prop.prefix == "e"
	in.linked = in.linked || prop.prefix == "u"
}

// rootsOf returns the types of the item that n begins, and the classic root classes of these types. Both are empty if n
// begins no item.
func rootsOf(n *html.Node, in *open) (types, classic []string) {
	names := classes(n)
	for _, c := range names {
		if prefix, _ := split(c); prefix == "h" {
			types = append(types, c)
		}
	}
	if len(types) == 0 {
		for _, c := range names {
			if root, ok := classics[c]; ok && c != "item" && !slices.Contains(classic, c) {
				types, classic = append(types, root.kind), append(classic, c)
			}
		}
		if len(types) == 0 && in != nil && isReview(in.classic) && slices.Contains(names, "item") {
			types, classic = []string{"h-item"}, []string{"item"}
		}
	}
	slices.Sort(types)
	return slices.Compact(types), classic
}

func isReview(classic []string) bool {
	return slices.Contains(classic, "hreview") || slices.Contains(classic, "hreview-aggregate")
}

// propertiesOf returns the properties of the open item that n has a value for.
func propertiesOf(n *html.Node, in *open) []property {
	if in == nil {
		return nil
	}
	var props []property
	for _, c := range classes(n) {
		if in.classic == nil {
			if prefix, name := split(c); prefix != "" && prefix != "h" {
				props = append(props, property{prefix, name})
			}
			continue
		}
		for _, root := range in.classic {
			if prop, ok := classics[root].properties[c]; ok && !slices.Contains(props, prop) {
				props = append(props, prop)
			}
		}
	}
	return props
}

// split splits a class of microformats2: "dt-start" is "dt", "start". The prefix of any other class is empty.
func split(class string) (prefix, name string) {
	prefix, name, _ = strings.Cut(class, "-")
	if !slices.Contains([]string{"h", "p", "u", "dt", "e"}, prefix) || !isName(name) {
		return "", ""
	}
	return prefix, name
}

// isName reports whether s is a list of lower-case words with hyphens between them. The first of several words, a
// vendor prefix, may have digits.
func isName(s string) bool {
	words := strings.Split(s, "-")
	for i, word := range words {
		if word == "" {
			return false
		}
		for _, c := range []byte(word) {
			digit := '0' <= c && c <= '9'
			if !('a' <= c && c <= 'z') && !(digit && i == 0 && len(words) > 1) {
				return false
			}
		}
	}
	return true
}

// maxIncludes is the maximum depth of nested includes.
const maxIncludes = 2

// inside parses an element from another part of the page into an item.
func (p *parser) inside(n *html.Node, in *open) {
	if p.include >= maxIncludes || p.room <= 0 {
		return
	}
	p.include++
	p.room -= 1 << 10 // a cost even for an empty element
	p.walk(n, in)
	p.include--
}

// included returns the element that n includes, by the classic include pattern, or nil.
func (p *parser) included(n *html.Node, in *open) *html.Node {
	if in == nil || in.classic == nil || !slices.Contains(classes(n), "include") {
		return nil
	}
	ref := attr(n, "href")
	if n.DataAtom == atom.Object {
		ref = attr(n, "data")
	}
	if id, ok := strings.CutPrefix(ref, "#"); ok {
		return p.ids[id]
	}
	return nil
}

// elsewhere returns the elements that an item includes with itemref, or with the headers of a table cell.
func (p *parser) elsewhere(n *html.Node) []*html.Node {
	refs := strings.Fields(attr(n, "itemref"))
	if n.DataAtom == atom.Td {
		refs = append(refs, strings.Fields(attr(n, "headers"))...)
	}
	var out []*html.Node
	for _, id := range refs {
		if from := p.ids[id]; from != nil && len(out) < 20 {
			out = append(out, from)
		}
	}
	return out
}

// by returns the text of the first value of a property with this prefix.
func (i *Item) by(prefix, name string) string {
	for _, v := range i.Properties[name] {
		if v.prefix == prefix {
			return v.Text
		}
	}
	return ""
}
