package web_test

import (
	"fmt"
	"testing"

	"digest"
	"digest/test/browser"

	"github.com/chromedp/chromedp"
)

// moving presses the dots of each post. It lists posts whose dots moved, or have another place than in other posts.
const moving = `(() => {
	const wrong = [];
	for (const dots of document.querySelectorAll('.quiet > summary')) {
		const post = dots.closest('article'), rtl = getComputedStyle(post).direction == 'rtl';
		const at = () => { const r = dots.getBoundingClientRect(), p = post.getBoundingClientRect(); return [rtl ? r.left - p.left : p.right - r.right, r.top - p.top].map(Math.round).join(); };
		const before = at();
		dots.click();
		if (before != '0,0' || at() != before) wrong.push(post.id + ': ' + before + ' to ' + at());
	}
	return document.querySelectorAll('.quiet[open]').length + ' open, ' + wrong.join('; ');
})()`

// TestDotsStay checks that the dots of all posts have the same place, and stay there when they are pressed.
func TestDotsStay(t *testing.T) {
	t.Parallel()
	w := watch(t)
	u, d := w.user("ann@example.org")
	note := digest.Post{Identity: "u", URL: "https://a.example/u", Untitled: true, Summary: "It was the wind."}
	w.crowdOf(d, 12)
	w.brings(digest.Subscription{DigestID: d.ID}, "Notes", note, pictured("Fog on the sea", ""))
	w.midnight()
	w.comesIn(u)
	for _, direction := range []digest.Direction{digest.LeftToRight, digest.RightToLeft} {
		w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(direction, true)))
		for _, s := range []browser.Screen{{Width: 390, Height: 844, Scheme: "light"},
			{Width: 1280, Height: 900, Scheme: "light"}} {
			w.Do("setting the screen", s.Set())
			w.Open(w.base + "/")
			posts := browser.Ask[int](w.Window, `document.querySelectorAll("article").length`)
			if got, want := browser.Ask[string](w.Window, moving), fmt.Sprintf("%d open, ", posts); got != want {
				t.Errorf("%s, %s: %s", s, direction, got)
			}
		}
	}
}

// TestMenuOfASite checks that a site's name opens its menu by keyboard, and that the next key of a post reaches its
// headline.
func TestMenuOfASite(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.open("")
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	w.brings(digest.Subscription{DigestID: d.ID}, "Harbour", post("Fog"))
	w.midnight()
	w.comesIn(u)
	w.Open(w.base + "/")
	browser.Ask[bool](w.Window, `document.querySelector(".menu summary").focus(), true`)
	w.Do("opening the menu", chromedp.KeyEvent("\r"))
	if got := browser.Ask[string](w.Window,
		`[...document.querySelectorAll(".menu[open] a")].filter(x => x.checkVisibility()).map(x => `+
			`x.textContent).join()`); got != "Open site,Site settings" {
		t.Errorf("the menu has %q", got)
	}
	w.Do("going to the post", chromedp.KeyEvent("j"))
	if got := browser.Ask[string](w.Window, "document.activeElement.textContent"); got != "Fog" {
		t.Errorf("the key leads to %q", got)
	}
}
