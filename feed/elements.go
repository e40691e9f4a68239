package feed

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rename replaces elements that are obsolete, or that the policy does not know, with elements that look the same.
func rename(n *html.Node) {
	switch n.DataAtom {
	case atom.Address, atom.Center, atom.Main, atom.Nav, atom.Hgroup, atom.Form, atom.Fieldset, atom.Legend,
		atom.Search, atom.Noframes, atom.Marquee:
		n.Data, n.DataAtom = "div", atom.Div
	case atom.Menu, atom.Dir:
		n.Data, n.DataAtom = "ul", atom.Ul
	case atom.Strike:
		n.Data, n.DataAtom = "s", atom.S
	case atom.Tt:
		n.Data, n.DataAtom = "code", atom.Code
	case atom.Acronym:
		n.Data, n.DataAtom = "abbr", atom.Abbr
	case atom.Xmp, atom.Listing, atom.Plaintext:
		n.Data, n.DataAtom = "pre", atom.Pre
	}
}

// isTick replaces a checkbox, as in a list of tasks, with a character; false: n is another form field.
func isTick(n *html.Node) bool {
	if !strings.EqualFold(attrOf(n, "type"), "checkbox") {
		return false
	}
	mark := "☐"
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		mark = "☑"
	}
	n.Type, n.DataAtom, n.Data, n.Attr = html.TextNode, 0, mark, nil
	return true
}

// isWayBack reports whether a link points from a footnote back to the text.
func isWayBack(n *html.Node) bool {
	classes := strings.Fields(attrOf(n, "class"))
	return attrOf(n, "role") == "doc-backlink" || attrOf(n, "rev") == "footnote" ||
		slices.ContainsFunc(classes, func(class string) bool {
			return class == "footnote-backref" || class == "footnote-back" || class == "reversefootnote" ||
				class == "footnote-return"
		}) ||
		strings.HasPrefix(attrOf(n, "href"), "#") &&
			slices.Contains([]string{"↩", "↩︎", "↩️", "↑", "^", "⤴"},
				strings.TrimSpace(textIn(n)))
}

// textIn returns the text of an element if it contains nothing but text.
func textIn(n *html.Node) string {
	if c := n.FirstChild; c != nil && c == n.LastChild && c.Type == html.TextNode {
		return c.Data
	}
	return ""
}

// isAside reports whether an element is not part of the text: share buttons, line numbers of code, or hidden words
// for screen readers.
func isAside(n *html.Node) bool {
	for class := range strings.FieldsSeq(attrOf(n, "class")) {
		switch class {
		case "sharedaddy", "addtoany_share_save_container", "jp-relatedposts", "screen-reader-text", "sr-only",
			"visually-hidden":
			return true
		case "rouge-gutter", "gutter", "lineno", "linenos", "linenodiv", "line-numbers-rows", "hljs-ln-numbers":
			return !hasLetters(n)
		}
	}
	return strings.Contains(attrOf(n, "class"), "feedflare")
}

func hasLetters(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.ContainsFunc(n.Data, unicode.IsLetter)
	}
	for c := range n.ChildNodes() {
		if hasLetters(c) {
			return true
		}
	}
	return false
}
