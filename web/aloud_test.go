package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest"
	"digest/store/storetest"
	"digest/test/tier"
	"digest/web/page"
)

// allPages opens every page with extreme texts, for a reader with that text direction.
func allPages(t *testing.T, direction digest.Direction) *pageShow {
	return allPagesIn(t, "", direction)
}

// allPagesIn opens all pages in a language.
func allPagesIn(t *testing.T, language string, direction digest.Direction) *pageShow {
	t.Helper()
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	p.accepts = language
	p.publish = page.PublishingAsk
	p.open(strings.Replace(p.base, "127.0.0.1", "localhost", 1)) // passkeys need a host name
	p.openAll(direction)
	p.covers(t)
	return p
}

// pages returns the default settings of pages with a text direction and with shortcuts on or off.
func pages(direction digest.Direction, keys bool) digest.Pages {
	p := digest.UsualPages()
	p.Direction, p.Shortcuts = direction, keys
	return p
}

// TestPagesAreListenedTo checks all pages for screen readers. A page has few landmarks with unique
// names, skips no heading level, and its local links have targets. Each save button names the post
// and its state. Each form identifies the reader of the page.
func TestPagesAreListenedTo(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	const mostLandmarks = 7
	p := allPages(t, digest.LeftToRight)
	saves := 0
	for i, name := range p.names {
		a := p.answers[i]
		a.stepsDown()
		ids := a.ids()
		wrong := func(format string,
			args ...any) {
			t.Errorf("page %d, %s: "+format, append([]any{i, name}, args...)...)
		}
		for id, times := range ids {
			if times > 1 {
				wrong("%d elements have the id %q", times, id)
			}
		}
		marks := a.landmarks()
		if len(marks) > mostLandmarks {
			wrong("%d landmarks are many: %q", len(marks), marks)
		}
		if slices.Sort(marks); len(slices.Compact(slices.Clone(marks))) != len(marks) {
			wrong("landmarks of one name: %q", marks)
		}
		for _, attribute := range []string{"aria-labelledby", "aria-describedby", "for"} {
			for _, refs := range a.attrs("["+attribute+"]", attribute) {
				for id := range strings.FieldsSeq(refs) {
					if ids[id] == 0 {
						wrong("%s names %q, which is not there", attribute, id)
					}
				}
			}
		}
		for _, href := range a.attrs("a[href]", "href") {
			if id, within := strings.CutPrefix(href, "#"); within && ids[id] == 0 {
				wrong("a link leads to %q, which is not there", href)
			}
		}
		for _, action := range a.unsigned() {
			wrong("a form to %q does not say for whom the page was made", action)
		}
		for _, button := range a.find("form.keep button") {
			saves++
			pressed, _ := attr(button, "aria-pressed")
			names, _ := attr(button, "aria-labelledby")
			if pressed != "true" && pressed != "false" || len(strings.Fields(names)) != 2 {
				wrong("a button that saves is pressed %q and named by %q", pressed, names)
			}
		}
	}
	if saves == 0 {
		t.Error("no button that saves was seen")
	}
}

// TestSkipToTheFirstPost checks that the second link of an edition skips to its first post.
func TestSkipToTheFirstPost(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Zoo"}, "A", posts(1, "Ant")...)
		r.brings(digest.Subscription{DigestID: d.ID}, "B", posts(2, "Bee")...)
		r.midnight()
		v := r.visitor().signIn(u)
		front := v.get("/")
		first, _ := attr(front.find("article")[0], "id")
		front.has(".skip", "href", "#main", "#"+first)
		v.get("/feeds").has(".skip", "href", "#main")
	})
}

// ids counts the elements with each ID.
func (a answer) ids() map[string]int {
	ids := map[string]int{}
	for _, id := range a.attrs("[id]", "id") {
		ids[id]++
	}
	return ids
}

// landmarks returns the roles and names of a page's landmarks, as HTML-AAM defines them.
func (a answer) landmarks() (all []string) {
	roles := map[string]string{"main": "main", "nav": "navigation", "aside": "complementary", "section": "region",
		"form": "form", "header": "banner", "footer": "contentinfo", "search": "search"}
	for n := range a.find("html")[0].Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		role, given := attr(n, "role")
		if !given {
			role = roles[n.Data]
		}
		name, labelled := attr(n, "aria-label")
		if by, ok := attr(n, "aria-labelledby"); ok {
			name, labelled = by, true
		}
		switch role {
		case "region", "form":
			if !labelled {
				continue
			}
		case "banner", "contentinfo":
			if withinContent(n) {
				continue
			}
		case "main", "navigation", "complementary", "search":
		default:
			continue
		}
		all = append(all, fmt.Sprintf("%s %s", role, name))
	}
	return all
}

// withinContent reports whether a header or footer belongs to a part of the page, not to the page.
func withinContent(n *html.Node) bool {
	for up := range n.Ancestors() {
		if slices.Contains([]string{"article", "aside", "main", "nav", "section"}, up.Data) {
			return true
		}
	}
	return false
}
