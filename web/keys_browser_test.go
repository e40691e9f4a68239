package web_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
	"digest/test/browser"

	"github.com/chromedp/chromedp"
)

// A watched room has a browser window.
type watched struct {
	*room
	*browser.Window
}

func watch(t *testing.T) watched {
	browser.Find(t)
	return watched{newRoom(t, storetest.Open(t, storetest.SQLite(t))), browser.Open(t)}
}

// comesIn signs a reader in with a link.
func (w watched) comesIn(u digest.User) {
	w.t.Helper()
	w.Open(w.base + "/sign-in?token=" + w.token(u))
	browser.Ask[bool](w.Window, `document.querySelector("main form button").focus(), true`)
	w.Do("signing in", chromedp.KeyEvent("\r"), chromedp.WaitVisible("form[action='/sign-out']"))
}

// tabbed returns the problems of the focused element, or "end" and the elements that were never
// focused. It keeps the visited elements in the page. From one element to the next the focus must
// move down, along the line in the text direction, or to the top of a later column.
const tabbed = `(() => {
	const x = document.activeElement, seen = window.tabbed ??= [];
	if (!x || x === document.body || x === document.documentElement || x === seen[0] && seen.length > 1) {
		const can = [...document.querySelectorAll('a[href], button, summary, input:not([type=hidden]), select, textarea')].filter(x =>
			x.checkVisibility({ visibilityProperty: true }) && !x.disabled && x.tabIndex >= 0 && !(x.type == 'radio' && document.querySelector('input[name="' + x.name + '"]:checked') !== x));
		return 'end ' + can.filter(x => !seen.includes(x)).map(x => x.outerHTML.slice(0, 120)).join('; ');
	}
	const was = seen.at(-1);
	if (x === was) return ''; // a field of several parts
	const named = x.outerHTML.slice(0, 120), wrong = [], style = getComputedStyle(x);
	if (seen.includes(x)) wrong.push('the focus comes back to ' + named);
	seen.push(x);
	if (style.outlineStyle == 'none' || parseFloat(style.outlineWidth) < 2) wrong.push('no focus is seen on ' + named);
	const rects = [...x.getClientRects()], r = rects.find(r => r.width > 1 && r.height > 1);
	if (!r) return wrong.concat('nothing is seen of ' + named).join('\n');
	const top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
	if (bottom - top < Math.min(r.height, innerHeight) - 2) wrong.push('not all is on the screen of ' + named + ' ' + r.top + ' to ' + r.bottom);
	const at = document.elementFromPoint((r.left + r.right) / 2, (top + bottom) / 2);
	if (!at || !(x.contains(at) || at.contains(x) || x.labels?.[0]?.contains(at))) wrong.push('covered by ' + at?.outerHTML.slice(0, 80) + ': ' + named);
	const place = { left: r.left + scrollX, right: r.right + scrollX, top: r.top + scrollY, bottom: r.bottom + scrollY };
	if (was && !was.matches('.skip') && !x.matches('.skip')) {
		const p = was.tabbedAt;
		let both = was;
		while (!both.contains(x)) both = both.parentElement;
		const rtl = getComputedStyle(both).direction == 'rtl', before = rtl ? place.left >= p.right - 2 : place.right <= p.left + 2, after = rtl ? place.right <= p.left + 2 : place.left >= p.right - 2;
		const sameLine = Math.min(p.bottom, place.bottom) - Math.max(p.top, place.top) > Math.min(p.bottom - p.top, place.bottom - place.top) / 2;
		if (sameLine ? before : place.bottom <= p.top + 2 && !after) wrong.push('the focus goes back from ' + was.outerHTML.slice(0, 120) + ' to ' + named);
	}
	x.tabbedAt = place;
	return wrong.join('\n');
})()`

// goesThrough presses Tab from the beginning to the end of the page.
func (w watched) goesThrough(what string) {
	w.t.Helper()
	const most = 600
	for range most {
		w.Do("tabbing", chromedp.KeyEvent("\t"))
		said := browser.Ask[string](w.Window, tabbed)
		if missing, ended := strings.CutPrefix(said, "end "); ended {
			if missing != "" {
				w.t.Errorf("%s: never reached: %s", what, missing)
			}
			return
		}
		if said != "" {
			w.t.Errorf("%s: %s", what, said)
		}
	}
	w.t.Errorf("%s: %d times, and no end", what, most)
}

// TestByKeys checks that keyboard users reach every control in visual order, see the focus, and can
// leave it again, on a phone and a desktop. A dialog that opens with a key returns the focus.
func TestByKeys(t *testing.T) {
	t.Parallel()
	w := watch(t)
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	w.must(w.store.Sessions.AddPasskey(t.Context(),
		store.Passkey{UserID: u.ID, CredentialID: []byte("a"), Credential: "{}",
			Name: "Laptop"}, w.now))
	w.crowdOf(d, 24)
	w.midnight()
	w.indexed()
	through := func(path string) {
		for _, s := range []browser.Screen{{Width: 390, Height: 844, Scheme: "light"},
			{Width: 1280, Height: 900, Scheme: "dark"}} {
			w.Do("setting the screen", s.Set())
			w.Open(w.base + path)
			w.goesThrough(fmt.Sprintf("%s, %s", path, s))
		}
	}
	for _, path := range []string{"/", "/sign-in", "/sign-up"} {
		through(path)
	}
	w.comesIn(u)
	for _, path := range []string{"/", "/?view=headlines", "/feeds", "/settings", "/settings/appearance",
		"/settings/schedule", "/search", "/editions"} {
		through(path)
	}
	w.picksByKeys()
	w.opensByKeys()
}

// picksByKeys selects the first feed. The bar at the bottom of the screen must cover no feed.
func (w watched) picksByKeys() {
	w.t.Helper()
	w.Open(w.base + "/feeds")
	browser.Ask[bool](w.Window, `document.querySelector(".picks input").click(), true`)
	if at := browser.Ask[string](w.Window,
		`getComputedStyle(document.querySelector(".picker .bar")).position`); at != "sticky" {
		w.t.Errorf("the bar is %s", at)
	}
	w.goesThrough("/feeds, with one ticked")
}

// opensByKeys opens the menu of a post and the list of shortcuts.
func (w watched) opensByKeys() {
	w.t.Helper()
	const focus = `document.activeElement.closest("details") === document.querySelector(".quiet") ? ` +
		`document.activeElement.tagName + document.querySelector(".quiet").open : "elsewhere"`
	w.Open(w.base + "/")
	browser.Ask[bool](w.Window, `document.querySelector(".quiet summary").focus(), true`)
	for _, press := range []struct{ key, focus string }{{"\r", "SUMMARYtrue"}, {"\t", "BUTTONtrue"}} {
		w.Do("pressing a key", chromedp.KeyEvent(press.key))
		if got := browser.Ask[string](w.Window, focus); got != press.focus {
			w.t.Errorf("in the menu, %q leads to %s, want %s", press.key, got, press.focus)
		}
	}
	browser.Ask[bool](w.Window, `document.querySelector(".headline a").focus(), true`)
	w.Do("asking for the keys", chromedp.KeyEvent("?"))
	if !browser.Ask[bool](w.Window,
		`document.querySelector("dialog").open && document.activeElement.closest("dialog") !== null`) {
		w.t.Error("the table of keys has not the focus")
	}
	w.Do("closing the table", chromedp.KeyEvent("\u001b"))
	if !browser.Ask[bool](w.Window,
		`!document.querySelector("dialog").open && document.activeElement === document.querySelector(".headline a")`) {
		w.t.Error("the table of keys does not give the focus back")
	}
}
