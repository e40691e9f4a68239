package web_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"digest"
	"digest/test/browser"

	"golang.org/x/net/html"
)

// unfolded opens all <details> of a page.
const unfolded = `document.querySelectorAll("details").forEach(d => d.open = true)`

// TestPagesAreJudged runs axe-core on all pages with extreme texts and open details, on a phone and
// a desktop, light and dark. It must find no problem. Rules that do not depend on the layout run
// once, and pages without new elements are skipped.
func TestPagesAreJudged(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	p := allPages(t, digest.LeftToRight)
	server := httptest.NewServer(p)
	defer server.Close()
	w, shapes := browser.Open(t), map[string]bool{}
	for i, name := range p.names {
		if !p.answers[i].brings(shapes) {
			continue
		}
		w.Open(fmt.Sprintf("%s/shown/%d", server.URL, i))
		browser.Ask[bool](w, unfolded+"; true")
		var rules []string // nil: all rules
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				s := browser.Screen{Width: width, Height: 844, Scheme: scheme}
				w.Do("setting the screen", s.Set())
				w.Judge(fmt.Sprintf("page %d, %s, %s", i, name, s), rules...)
				rules = []string{"color-contrast", "link-in-text-block"}
			}
			rules = append(rules, "target-size", "scrollable-region-focusable")
		}
	}
}

// brings reports whether the page has an element in a context that no previous page had.
func (a answer) brings(shapes map[string]bool) (fresh bool) {
	var walk func(n *html.Node, above, parent string)
	walk = func(n *html.Node, above, parent string) {
		if n.Type == html.ElementNode {
			class, _ := attr(n, "class")
			kind, _ := attr(n, "type")
			own := " " + n.Data + "." + class + kind
			shape := above + parent + own
			fresh, shapes[shape] = fresh || !shapes[shape], true
			above, parent = parent, own
		}
		for c := range n.ChildNodes() {
			walk(c, above, parent)
		}
	}
	walk(a.find("body")[0], "", "")
	return fresh
}
