package microformats

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const space = " \t\n\f\r"

func (p *parser) value(n *html.Node, prefix string, in *open) Value {
	switch prefix {
	case "u":
		v := p.address(n, in)
		v.prefix = "u"
		return v
	case "dt":
		return Value{Text: p.date(n, in)}
	case "e":
		return Value{Text: p.text(n, true), HTML: p.markup(n), prefix: "e"}
	}
	v := Value{Text: p.words(n, in), prefix: "p"}
	if n.DataAtom == atom.Data || n.DataAtom == atom.Abbr {
		if seen := p.text(n, false); seen != v.Text {
			v.Seen = seen
		}
	}
	return v
}

func (p *parser) words(n *html.Node, in *open) string {
	if parts := p.parts(n, in, false); len(parts) > 0 {
		return strings.Join(parts, "")
	}
	if s, ok := said(n); ok {
		return s
	}
	return p.text(n, true)
}

// said returns the attribute that replaces the text of an element.
func said(n *html.Node) (string, bool) {
	name := ""
	switch n.DataAtom {
	case atom.Abbr, atom.Link:
		name = "title"
	case atom.Data, atom.Input:
		name = "value"
	case atom.Img, atom.Area:
		name = "alt"
	}
	if name == "" || !has(n, name) {
		return "", false
	}
	return attr(n, name), true
}

func (p *parser) address(n *html.Node, in *open) Value {
	name := ""
	switch n.DataAtom {
	case atom.A, atom.Area, atom.Link:
		name = "href"
	case atom.Img:
		if has(n, "src") {
			return p.image(n)
		}
	case atom.Audio, atom.Video, atom.Source, atom.Iframe:
		name = "src"
		if n.DataAtom == atom.Video && !has(n, "src") {
			name = "poster"
		}
	case atom.Object:
		name = "data"
	}
	if name != "" && has(n, name) {
		return Value{Text: p.resolve(attr(n, name))}
	}
	if parts := p.parts(n, in, false); len(parts) > 0 {
		return Value{Text: p.resolve(strings.Join(parts, ""))}
	}
	if s, ok := said(n); ok && n.DataAtom != atom.Img && n.DataAtom != atom.Area {
		return Value{Text: p.resolve(s)}
	}
	return Value{Text: p.resolve(p.text(n, true))}
}

func (p *parser) image(n *html.Node) Value {
	v := Value{Text: p.resolve(attr(n, "src"))}
	if has(n, "alt") {
		alt := attr(n, "alt")
		v.Alt = &alt
	}
	return v
}

// parts returns the parts of the value class pattern in an element, or none if it does not use the pattern. It skips
// nested properties and items. In dates, the datetime attribute of a part has precedence.
func (p *parser) parts(n *html.Node, in *open, dates bool) []string {
	var out []string
	for c := range n.ChildNodes() {
		if p.room--; p.room <= 0 {
			break
		}
		names := classes(c)
		switch {
		case c.Type != html.ElementNode:
		case slices.Contains(names, "value-title"):
			out = append(out, attr(c, "title"))
		case slices.Contains(names, "value"):
			out = append(out, p.part(c, dates))
		case !p.owns(c, in):
			out = append(out, p.parts(c, in, dates)...)
		}
	}
	return out
}

// owns reports whether an element is an item, or a property of one.
func (p *parser) owns(n *html.Node, in *open) bool {
	return slices.ContainsFunc(classes(n), func(class string) bool {
		if in.classic == nil {
			prefix, _ := split(class)
			return prefix != ""
		}
		_, item := classics[class]
		return item || slices.ContainsFunc(in.classic,
			func(root string) bool { _, is := classics[root].properties[class]; return is })
	})
}

func (p *parser) part(n *html.Node, dates bool) string {
	if dates && has(n, "datetime") {
		return attr(n, "datetime")
	}
	if s, ok := said(n); ok {
		return s
	}
	return p.text(n, false)
}

// text returns the text of an element. It replaces each picture by its alt text, or by its address if it has none and
// sources is set.
func (p *parser) text(n *html.Node, sources bool) string {
	return strings.Trim(p.raw(n, sources), space)
}

// raw is text without trimming white space.
func (p *parser) raw(n *html.Node, sources bool) string {
	if n.DataAtom == atom.Template {
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		p.write(&b, c, sources)
	}
	for _, from := range p.elsewhere(n) {
		p.write(&b, from, sources)
	}
	return b.String()
}

func (p *parser) write(b *strings.Builder, n *html.Node, sources bool) {
	if p.room -= 1 + len(n.Data); p.room <= 0 {
		return
	}
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template:
		return
	case atom.Img:
		if has(n, "alt") {
			b.WriteString(attr(n, "alt"))
		} else if sources && attr(n, "src") != "" {
			b.WriteString(" " + p.resolve(attr(n, "src")) + " ")
		}
	}
	for c := range n.ChildNodes() {
		p.write(b, c, sources)
	}
}

// markup returns the content of an element as HTML with absolute addresses.
func (p *parser) markup(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		if p.room <= 0 {
			break
		}
		before := b.Len()
		p.absolute(c)
		// A strings.Builder returns no errors, and html.Render can write parsed nodes.
		_ = html.Render(&b, c)
		p.room -= b.Len() - before
	}
	return strings.Trim(b.String(), space)
}

// absolute resolves the addresses in an element in place.
func (p *parser) absolute(n *html.Node) {
	for i, a := range n.Attr {
		switch a.Key {
		case "href", "src", "cite", "data", "poster":
			n.Attr[i].Val = p.resolve(a.Val)
		}
	}
	for c := range n.ChildNodes() {
		p.absolute(c)
	}
}
