package web_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"digest"
	"digest/poller"
	"digest/test/browser"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A gate blocks pictures and scripts until it is opened.
type gate struct {
	mu     sync.Mutex
	opened chan struct{}
}

// shut closes the gate and returns the function that opens it.
func (g *gate) shut() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := make(chan struct{})
	g.opened = c
	return sync.OnceFunc(func() { close(c) })
}

// pass waits until the gate is open.
func (g *gate) pass(ctx context.Context) {
	g.mu.Lock()
	c := g.opened
	g.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// mostShift is the largest layout shift while a page is loading in parts: a centred line whose rest is missing moves
// a little. Browsers rate a shift of up to 0.1 as good.
const mostShift = 0.01

// shifts returns the layout shift of the page without user input, and the moved elements, as the browser measures it.
const shifts = `new Promise(done => {
	let sum = 0;
	const moved = new Set();
	new PerformanceObserver(list => {
		for (const e of list.getEntries()) {
			sum += e.value;
			for (const s of e.sources) moved.add((s.node?.outerHTML ?? s.node?.textContent ?? '?').slice(0, 90));
		}
	}).observe({ type: 'layout-shift', buffered: true });
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum ? sum.toFixed(4) + ': ' + [...moved].join(' | ') : ''))));
})`

// painted waits for the first paint of a page whose scripts and pictures are blocked.
const painted = `new Promise(done => {
	const look = () => document.querySelector('footer.foot') && performance.getEntriesByType('paint').length ? requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : setTimeout(look, 20);
	look();
})`

// arrived waits until the whole page is loaded, including pictures far below.
const arrived = `new Promise(done => {
	const look = () => {
		const all = [...document.images];
		for (const i of all) i.loading = 'eager';
		document.readyState == 'complete' && all.every(i => i.complete) ? requestAnimationFrame(() => requestAnimationFrame(() => done(all.length))) : setTimeout(look, 20);
	};
	look();
})`

// TestNothingMoves checks that nothing on a page moves after its first paint, however late pictures and scripts load,
// and also for a reader who has scrolled down.
func TestNothingMoves(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.pictures = drawings{}
	w.open("")
	var g gate
	inner := w.handler
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/image/") || strings.HasSuffix(req.URL.Path, ".js") {
			g.pass(req.Context())
		}
		inner.ServeHTTP(rw, req)
	})
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	w.crowdOf(d, 20)
	for i, display := range []digest.Layout{digest.FullText, digest.FullText, ""} {
		var posts []digest.Post
		for j := range 4 {
			p := illustrated(fmt.Sprintf("Picture %d of %d", j, i))
			p.Content += `<p><img src="https://site.example/` +
				fmt.Sprint(i, j) + `.png" alt="A picture of no known size"></p><p>And more.</p>`
			posts = append(posts, p)
		}
		w.brings(digest.Subscription{DigestID: d.ID, Display: display, Folder: []string{"", "Sea", ""}[i]},
			fmt.Sprint("A gallery ", i), posts...)
	}
	w.midnight()
	w.indexed()
	for _, path := range []string{"/", "/sign-in", "/sign-up"} {
		w.staysPut(&g, path)
	}
	w.comesIn(u)
	w.Open(w.base + "/")
	illustratedPost := browser.Ask[string](w.Window,
		`[...document.querySelectorAll("article")].find(a => a.querySelector("img")).id.replace("post-", "/posts/")`)
	pictures := 0
	for _, path := range []string{"/", "/?view=headlines", illustratedPost, "/editions", "/feeds", "/feeds/import",
		"/feeds/add", "/search?q=quiet", "/saved", "/settings", "/settings/zone", "/settings/passkeys",
		"/settings/offline"} {
		pictures += w.staysPut(&g, path)
	}
	if pictures < 10 {
		t.Errorf("only %d pictures came", pictures)
	}
}

// staysPut opens a page on a phone and on a desktop, at its beginning and, if it has pictures, scrolled down. It
// returns the number of pictures.
func (w watched) staysPut(g *gate, path string) (pictures int) {
	w.t.Helper()
	for _, s := range []browser.Screen{{Width: 390, Height: 844, Scheme: "light"},
		{Width: 1280, Height: 900, Scheme: "light"}} {
		for _, scroll := range []string{"0", "document.documentElement.scrollHeight / 3"} {
			open := g.shut()
			defer open() // the server could not close if the test fails
			w.Do("leaving the page", s.Set(), chromedp.Navigate("about:blank"))
			browser.Ask[bool](w.Window, fmt.Sprintf("location.href = %q, true", w.base+path))
			w.Do("waiting for the page", chromedp.WaitVisible("footer.foot a"))
			browser.Ask[bool](w.Window, painted)
			browser.Ask[bool](w.Window, "scrollTo(0, "+scroll+"), true")
			open()
			pictures = browser.Ask[int](w.Window, arrived)
			w.barelyMoved(fmt.Sprintf("%s, %s, scrolled to %s", path, s, scroll))
			if pictures == 0 {
				break // nothing loads late below
			}
		}
	}
	return pictures
}

// TestNothingMovesInParts checks that nothing moves when the rest of a page loads after its first paint.
func TestNothingMovesInParts(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.pictures = drawings{}
	w.open("")
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	gallery := pictured("A headline that is long enough for more than one line beside its picture, but not above it",
		` width="900"`)
	w.brings(digest.Subscription{DigestID: d.ID}, "A gallery", gallery)
	w.must(w.store.Posts.LearnPicture(t.Context(), gallery.ImageURL, digest.PictureSize{Width: 900, Height: 600}, w.now))
	w.crowdOf(d, 3)
	w.midnight()
	w.comesIn(u)
	var g gate
	inner := w.handler
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/" {
			inner.ServeHTTP(rw, req)
			return
		}
		req.Header.Del("Accept-Encoding")
		whole := httptest.NewRecorder()
		inner.ServeHTTP(whole, req)
		maps.Copy(rw.Header(), whole.Header())
		rw.Header().Del("Content-Length")
		first, rest, _ := strings.Cut(whole.Body.String(), `<p class="shot`)
		_, _ = io.WriteString(rw, first)
		_ = http.NewResponseController(rw).Flush()
		g.pass(req.Context())
		_, _ = io.WriteString(rw, `<p class="shot`+rest)
	})
	for _, s := range []browser.Screen{{Width: 390, Height: 844, Scheme: "light"},
		{Width: 1280, Height: 900, Scheme: "light"}} {
		open := g.shut()
		t.Cleanup(open) // otherwise a failure leaves the server waiting
		w.Do("leaving the page", s.Set(), chromedp.Navigate("about:blank"))
		browser.Ask[bool](w.Window, fmt.Sprintf("location.href = %q, true", w.base+"/"))
		w.Do("waiting for the first headline", chromedp.WaitVisible(".leading .headline a"))
		browser.Ask[bool](w.Window, strings.Replace(painted, "footer.foot", ".leading .headline", 1))
		open()
		if pictures := browser.Ask[int](w.Window, arrived); pictures == 0 {
			t.Errorf("%s: the picture did not come", s)
		}
		w.barelyMoved(s.String())
	}
}

// barelyMoved checks the layout shift of the open page.
func (w watched) barelyMoved(where string) {
	w.t.Helper()
	var sum float64
	moved := browser.Ask[string](w.Window, shifts)
	if _, _ = fmt.Sscanf(moved, "%f", &sum); sum > mostShift {
		w.t.Errorf("%s: moved by %s", where, moved)
	}
}

type noPictures struct{}

func (noPictures) Picture(context.Context, string) (poller.Picture, error) {
	return poller.Picture{}, &digest.Error{Kind: digest.NotFound, Message: "there is none"}
}

// TestDeadPictures checks that missing pictures leave no gaps below the window, and that no visible element moves.
func TestDeadPictures(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.pictures = noPictures{}
	w.open("")
	u, d := w.user("ann@example.org")
	w.must(w.store.Readers.SetPages(t.Context(), u.ID, pages(digest.LeftToRight, true)))
	for i := range 12 {
		p := pictured(fmt.Sprintf("Picture %d", i), "")
		p.URL = fmt.Sprintf("https://site%d.example/", i)
		w.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("A gallery ", i), p)
	}
	w.midnight()
	w.comesIn(u)
	s := browser.Screen{Width: 390, Height: 844, Scheme: "light"}
	w.Do("going to the page", s.Set(), chromedp.Navigate(w.base+"/"))
	all := browser.Ask[int](w.Window, arrived)
	w.barelyMoved(s.String())
	gone := browser.Ask[int](w.Window, `document.querySelectorAll(".shot[hidden]").length`)
	if all < 6 || gone == 0 || gone == all {
		t.Errorf("%s: of %d pictures %d are left out; those in the window are to stay, those far below to go", s, all,
			gone)
	}
	w.Do("printing", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{})
		return err
	}))
	if left := browser.Ask[int](w.Window, `document.querySelectorAll(".shot:not(.unprinted)").length`); left != 0 {
		t.Errorf("%s: on paper there are %d of %d pictures that did not come", s, left, all)
	}
	w.Do("coming back", chromedp.Navigate(w.base+"/")) // the server has learned that none loads
	if all := browser.Ask[int](w.Window, arrived); all != 0 {
		t.Errorf("%s: the next visit has %d pictures that do not load", s, all)
	}
}
