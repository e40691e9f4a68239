package web_test

import (
	"testing"

	"digest/test/browser"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// TestPagesAreLight checks that a page and everything it loads, except pictures, is at most 60 KB for a reader with
// 150 sites and an empty cache. Nothing is loaded from other sites.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	const most = 60_000
	const weighing = `(all => JSON.stringify({
		bytes: all.filter(e => e.initiatorType != 'img').reduce((sum, e) => sum + e.transferSize, 0),
		foreign: all.filter(e => new URL(e.name).origin != location.origin).length,
	}))([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')])`
	w := watch(t)
	u, d := w.user("ann@example.org")
	w.crowdOf(d, 150)
	w.midnight()
	w.indexed()
	w.comesIn(u)
	for _, path := range []string{"/", "/?view=headlines", "/feeds", "/feeds?all=1", "/editions", "/search?q=quiet",
		"/settings/appearance", "/settings/zone"} {
		w.Do("emptying the cache", browser.Call(network.ClearBrowserCache, cdp.Empty{}))
		w.Open(w.base + path)
		got := browser.Ask[map[string]int](w.Window, "JSON.parse("+weighing+")")
		if got["bytes"] == 0 || got["bytes"] > most || got["foreign"] > 0 {
			t.Errorf("%s: %v, of %d bytes at most", path, got, most)
		}
	}
}
