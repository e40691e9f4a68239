package web_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"digest"
	"digest/test/browser"

	"golang.org/x/net/html"
)

// unfolded opens all that is folded on a page.
const unfolded = `document.querySelectorAll("details").forEach(d => d.open = true)`

// TestPagesAreJudged has axe-core look at the pages, full of the ugliest words and with all that folds unfolded,
// on a phone and on a desk, light and dark: it finds nothing at all. What has nothing to do with the look is judged
// once, and a page that shows nothing that was not on one before, not again.
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
		var rules []string // all of them
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

// brings reports whether a page has something in it, in the place where it is, that no page before had.
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
