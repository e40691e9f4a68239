package render

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestMailIsListenedTo checks emails for screen readers. A table has the role presentation, or header cells. Headings
// are in order, below one of the first level. The root and the element around the email state the language and
// direction, because some programs drop the root. Pictures and links have words.
func TestMailIsListenedTo(t *testing.T) {
	for name, p := range samples() {
		t.Run(name, func(t *testing.T) {
			doc := parse(t, mailOf(t, p).HTML)
			root := all(doc, "html")[0]
			var letter *html.Node
			for _, div := range all(doc, "div") {
				if attr(div, "role") == "article" {
					letter = div
				}
			}
			if letter == nil || attr(letter, "aria-label") == "" {
				t.Fatal("nothing holds the letter that has a name")
			}
			for _, n := range []*html.Node{root, letter} {
				if attr(n, "lang") == "" || attr(n, "dir") == "" {
					t.Errorf("%s has the language %q and the direction %q", n.Data, attr(n, "lang"), attr(n, "dir"))
				}
			}
			level, firsts := 0, 0
			for n := range letter.Descendants() {
				if n.Type != html.ElementNode {
					continue
				}
				switch n.Data {
				case "h1", "h2", "h3", "h4", "h5", "h6":
					of := int(n.Data[1] - '0')
					if of == 1 {
						firsts++
					}
					if of > level+1 || saidOf(n) == "" {
						t.Errorf("after a heading of level %d comes one of %d, %q", level, of, textOf(n))
					}
					level = of
				case "table":
					if attr(n, "role") != "presentation" && len(all(n, "th")) == 0 {
						t.Errorf("a table is neither for the layout nor has it headings: %.100q", textOf(n))
					}
				case "img":
					if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
						t.Errorf("a picture has no words: %s", attr(n, "src"))
					}
				case "a":
					if attr(n, "href") != "" && saidOf(n) == "" {
						t.Errorf("a link has no words: %s", attr(n, "href"))
					}
				}
			}
			if firsts != 1 {
				t.Errorf("%d headings of the first level", firsts)
			}
		})
	}
}

// saidOf returns the words of an element for a screen reader: its text, and the descriptions of its pictures.
func saidOf(n *html.Node) string {
	words := textOf(n) + attr(n, "aria-label")
	for _, img := range all(n, "img") {
		words += attr(img, "alt")
	}
	return strings.TrimSpace(words)
}
