package journey

import (
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	chromium "digest/test/browser"
)

// maxWeight limits the bytes over the wire for a first page with an empty cache.
const maxWeight = 60_000

// A weight is the transfer of a page, and the movement of its layout.
type weight struct {
	Bytes    int     // of the page and everything it loads
	Shift    float64 // the sum of layout shifts; 0: none
	Requests []string
	Foreign  []string // loaded from other origins
}

const weighing = `new Promise(done => {
	let shift = 0;
	new PerformanceObserver(list => list.getEntries().forEach(e => shift += e.value)).observe({type: 'layout-shift', buffered: true});
	requestAnimationFrame(() => setTimeout(() => {
		const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
		done(JSON.stringify({
			Bytes: all.reduce((sum, e) => sum + e.transferSize, 0), Shift: shift,
			Requests: all.map(e => e.name + ' ' + e.transferSize),
			Foreign: all.map(e => e.name).filter(n => new URL(n).origin !== location.origin),
		}));
	}, 100));
})`

// weigh opens a path with an empty cache and checks the measurements.
func (b *browser) weigh(path string) {
	b.t.Helper()
	b.do("emptying the cache", phone.set("light"), chromium.Call(network.ClearBrowserCache, cdp.Empty{}))
	b.open(path)
	var w weight
	if err := json.Unmarshal([]byte(chromium.Ask[string](b.Window, weighing)), &w); err != nil {
		b.t.Fatal(err)
	}
	if w.Bytes == 0 || w.Bytes > maxWeight || w.Shift > 0 || len(w.Foreign) > 0 {
		b.t.Errorf("%s: %d bytes (%d at most), shifts %v, from elsewhere %q: %q", path, w.Bytes, maxWeight, w.Shift,
			w.Foreign, w.Requests)
	}
}
