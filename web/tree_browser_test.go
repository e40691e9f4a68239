package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/test/browser"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// A heard thing is one node of the accessibility tree.
type heard struct {
	role, name string
	level      int // of a heading
	post       int // number of its post, from 1; 0 outside of posts
}

// hears returns the accessibility tree of the page in order, as Chromium exposes it.
func (w watched) hears() (all []heard) {
	w.t.Helper()
	ctx, cancel := w.Context()
	defer cancel()
	tree, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	w.must(err)
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	said := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s)
		}
		return s
	}
	posts := 0
	var walk func(n *accessibility.Node, post int)
	walk = func(n *accessibility.Node, post int) {
		h := heard{role: said(n.Role), name: said(n.Name)}
		if h.role == "article" {
			posts++
			post = posts
		}
		h.post = post
		for _, p := range n.Properties {
			if p.Name == "level" {
				_ = json.Unmarshal(p.Value.Value, &h.level)
			}
		}
		if !n.Ignored {
			all = append(all, h)
		}
		for _, id := range n.ChildIDs {
			if child := nodes[id]; child != nil {
				walk(child, post)
			}
		}
	}
	walk(tree.Nodes[0], 0)
	return all
}

// TestTreeOfAnEdition checks the accessibility tree of an edition, its headlines and a post. Headings are in order,
// with one of level one. Landmarks are few and have different names. Each button and menu of a post names the post.
func TestTreeOfAnEdition(t *testing.T) {
	t.Parallel()
	w := watch(t)
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	w.crowdOf(d, 24)
	w.brings(digest.Subscription{DigestID: d.ID, Folder: "Sea"}, "Untitled",
		digest.Post{Identity: "u", URL: "https://a.example/u", Summary: "A post without a title.",
			Content: "<p>A post without a title.</p>", ContentHash: "h"})
	w.midnight()
	w.comesIn(u)
	w.Open(w.base + "/")
	post := browser.Ask[string](w.Window, `document.querySelector("article").id.replace("post-", "/posts/")`)
	for _, path := range []string{"/", "/?view=headlines", post} {
		w.Open(w.base + path)
		browser.Ask[bool](w.Window, unfolded+"; true")
		all := w.hears()
		for _, wrong := range misheard(all, path != post) {
			t.Errorf("%s: %s", path, wrong)
		}
	}
}

// misheard returns the faults of an accessibility tree.
func misheard(all []heard, edition bool) (wrong []string) {
	const mostLandmarks = 7
	landmarks := []string{"banner", "navigation", "main", "contentinfo", "complementary", "region", "search", "form"}
	level, firsts, buttons := 0, 0, 0
	marks, pressed, heads := map[string]bool{}, map[string]bool{}, map[int]string{}
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, h := range all {
		switch {
		case h.role == "heading":
			if h.level == 1 {
				firsts++
			}
			if h.level > level+1 || h.level == 0 || h.name == "" {
				say("after a heading of level %d comes one of %d, %q", level, h.level, h.name)
			}
			if level = h.level; h.post > 0 && heads[h.post] == "" {
				heads[h.post] = h.name
			}
		case h.role == "article":
			heads[h.post] = h.name
		case h.role == "form" && h.name == "": // not a landmark (HTML-AAM)
		case slices.Contains(landmarks, h.role):
			if sound := h.role + " " + h.name; marks[sound] {
				say("two landmarks are %q", sound)
			} else {
				marks[sound] = true
			}
		case h.role == "button" || h.role == "DisclosureTriangle":
			buttons++
			if h.name == "" || h.post > 0 && !strings.Contains(h.name, heads[h.post]) {
				say("of the post %q a %s is %q", heads[h.post], h.role, h.name)
			}
			if sound := fmt.Sprintf("%d %s", h.post, h.name); pressed[sound] && (h.post > 0 || h.role == "button") {
				say("two buttons are %q", h.name)
			} else {
				pressed[sound] = true
			}
		case (h.role == "link" || h.role == "image") && h.name == "":
			say("a %s has no name", h.role)
		}
	}
	if firsts != 1 {
		say("%d headings of the first level", firsts)
	}
	if len(marks) > mostLandmarks || len(marks) == 0 {
		say("%d landmarks", len(marks))
	}
	if edition && (buttons < 40 || len(heads) < 40) {
		say("only %d buttons and %d posts are heard", buttons, len(heads))
	}
	return wrong
}
