package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/test/browser"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestMoveFolderFar checks that a folder can move by several positions, and that invalid positions
// are rejected.
func TestMoveFolderFar(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for _, folder := range []string{"A", "B", "C"} {
			r.brings(digest.Subscription{DigestID: d.ID, Folder: folder}, "Site of "+folder, post(folder))
		}
		v.saves("/settings/appearance", url.Values{"folder": {"A"}, "move": {"2"}}).shows(".rows bdi", "B", "C", "A")
		v.saves("/settings/appearance", url.Values{"folder": {"C"}, "move": {"-9"}}).shows(".rows bdi", "C", "B", "A")
		for _, way := range []string{"", "x", "1.5", "99999999999999999999"} {
			v.post("/settings/appearance", url.Values{"folder": {"C"}, "move": {way}}).status(http.StatusBadRequest)
		}
		v.get("/settings/appearance").shows(".rows bdi", "C", "B", "A")
	})
}

// TestDragFolders checks that a folder can be dragged by its handle, and that Escape cancels it.
func TestDragFolders(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.open("")
	u, d := w.user("ann@example.org")
	for _, folder := range []string{"A", "B", "C", "D"} {
		w.brings(digest.Subscription{DigestID: d.ID, Folder: folder}, "Site of "+folder, post(folder))
	}
	w.Do("setting the screen", browser.Screen{Width: 390, Height: 844, Scheme: "light"}.Set())
	w.comesIn(u)
	w.Open(w.base + "/settings/appearance")
	order := func() string {
		return browser.Ask[string](w.Window,
			`[...document.querySelectorAll(".rows bdi")].map(x => x.textContent).join(" ")`)
	}
	w.drag(0, 2)
	w.Do("leaving it", chromedp.KeyEvent("\u001b"))
	if got := order(); got != "A B C D" {
		t.Errorf("after Escape: %s", got)
	}
	w.mouse(input.DispatchMouseEventTypeMouseReleased, 0, 0)
	for _, c := range []struct {
		from, to int
		want     string
	}{{0, 2, "B C A D"}, {3, 0, "D B C A"}, {1, 2, "D C B A"}} {
		w.drag(c.from, c.to)
		if got := order(); got != c.want {
			t.Errorf("as %d is held at %d: %s, want %s", c.from, c.to, got, c.want)
		}
		w.mouse(input.DispatchMouseEventTypeMouseReleased, 0, 0)
		w.Do("waiting for the page", chromedp.WaitVisible(".notice.done"))
		w.Open(w.base + "/settings/appearance")
		if got := order(); got != c.want {
			t.Errorf("%d was dragged to %d: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	v, err := w.store.Subscriptions.Folders(t.Context(), d.ID)
	w.must(err)
	if got := strings.Join(v, " "); got != "D C B A" {
		t.Errorf("stored is %s", got)
	}
}

// drag picks up a row of the page by its handle and holds it over another row.
func (w watched) drag(from, to int) {
	w.t.Helper()
	at := browser.Ask[[]float64](w.Window, `(() => {
		document.querySelector(".rows").scrollIntoView({ block: "start", behavior: "instant" });
		return [...document.querySelectorAll(".grip")].flatMap(x => { const r = x.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; });
	})()`)
	x, y := at[2*from], at[2*from+1]
	w.mouse(input.DispatchMouseEventTypeMouseMoved, x, y)
	w.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	beyond := 40.0 // the middle of a row is below its handle
	if to < from {
		beyond = -5
	}
	w.mouse(input.DispatchMouseEventTypeMouseMoved, x, (y+at[2*to+1])/2)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, x, at[2*to+1]+beyond)
}

func (w watched) mouse(what input.DispatchMouseEventType, x, y float64) {
	w.t.Helper()
	p := input.DispatchMouseEventParams{Type: what, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1,
		ClickCount: 1}
	switch what {
	case input.DispatchMouseEventTypeMouseMoved:
		p.ClickCount = 0
	case input.DispatchMouseEventTypeMouseReleased:
		p.Buttons = 0
	}
	w.Do("moving the mouse", browser.Call(input.DispatchMouseEvent, p))
}
