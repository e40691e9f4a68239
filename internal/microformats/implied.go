package microformats

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (p *parser) imply(n *html.Node, o *open) {
	props := o.item.Properties
	if _, is := props["name"]; !is && !o.named && !o.nested {
		props["name"] = []Value{{Text: p.impliedName(n), prefix: "p"}}
	}
	if _, is := props["photo"]; !is && !o.linked && !o.nested {
		if v, ok := p.impliedPhoto(n); ok {
			props["photo"] = []Value{v}
		}
	}
	if _, is := props["url"]; !is && !o.linked && !o.nested {
		if from := lone(n, false, "href", atom.A, atom.Area); from != nil {
			props["url"] = []Value{{Text: p.resolve(attr(from, "href")), prefix: "u"}}
		}
	}
}

func (p *parser) impliedName(n *html.Node) string {
	for _, by := range []struct {
		attr string
		tags []atom.Atom
	}{{"alt", []atom.Atom{atom.Img, atom.Area}}, {"title", []atom.Atom{atom.Abbr}}} {
		if slices.Contains(by.tags, n.DataAtom) && has(n, by.attr) {
			return strings.Trim(attr(n, by.attr), space)
		}
	}
	for _, in := range []*html.Node{n, onlyChild(n)} {
		c := onlyChild(in)
		if c == nil || isRoot(c) || in != n && isRoot(in) {
			continue
		}
		if s, ok := said(c); ok && s != "" && slices.Contains([]atom.Atom{atom.Img, atom.Area, atom.Abbr}, c.DataAtom) {
			return strings.Trim(s, space)
		}
	}
	return p.text(n, false)
}

func (p *parser) impliedPhoto(n *html.Node) (Value, bool) {
	for _, by := range []struct {
		attr string
		tag  atom.Atom
	}{{"src", atom.Img}, {"data", atom.Object}} {
		if n.DataAtom == by.tag && has(n, by.attr) {
			return p.photo(n), true
		}
	}
	if from := lone(n, true, "src", atom.Img); from != nil {
		return p.photo(from), true
	}
	if from := lone(n, true, "data", atom.Object); from != nil {
		return p.photo(from), true
	}
	return Value{}, false
}

func (p *parser) photo(n *html.Node) Value {
	if n.DataAtom == atom.Object {
		return Value{Text: p.resolve(attr(n, "data"))}
	}
	return p.image(n)
}

// lone returns the only element with one of the tags and an attribute. This is n itself unless inside is set, its only
// child with the tag, or the only such child of its only child. It returns nil otherwise.
func lone(n *html.Node, inside bool, name string, tags ...atom.Atom) *html.Node {
	if !inside && slices.Contains(tags, n.DataAtom) && has(n, name) {
		return n
	}
	for _, in := range []*html.Node{n, onlyChild(n)} {
		if in == nil || in != n && isRoot(in) {
			continue
		}
		for _, tag := range tags {
			if c := onlyOfType(in, tag); c != nil && has(c, name) && !isRoot(c) {
				return c
			}
		}
	}
	return nil
}

func isRoot(n *html.Node) bool {
	return slices.ContainsFunc(classes(n), func(c string) bool { return strings.HasPrefix(c, "h-") && isName(c[2:]) })
}

func onlyChild(n *html.Node) *html.Node {
	return only(n, func(*html.Node) bool { return true })
}

func onlyOfType(n *html.Node, tag atom.Atom) *html.Node {
	return only(n, func(c *html.Node) bool { return c.DataAtom == tag })
}

// only returns the child element that counts, or nil if their number is not one.
func only(n *html.Node, counts func(*html.Node) bool) *html.Node {
	if n == nil {
		return nil
	}
	var found *html.Node
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || c.DataAtom == atom.Template || !counts(c) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}
