package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"digest/test/browser"

	"github.com/chromedp/cdproto/storage"
)

// TestNoRoomInTheBrowser checks that a browser with less storage than the budget stores the newest
// editions, and does not request the others again with each page.
func TestNoRoomInTheBrowser(t *testing.T) {
	d := newKeeper(t, drawings{bytes: 2 << 20})
	var asked atomic.Int32
	inner := d.handler
	d.handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/offline.json") {
			asked.Add(1)
		}
		inner.ServeHTTP(w, req)
	})
	ann, anns := d.user("ann@example.org")
	for i := range 4 {
		d.arrives(anns, illustrated(fmt.Sprint("Post", i)))
		d.midnight()
	}
	d.signsIn(ann)
	d.window.Do("leaving little room", browser.Call(storage.OverrideQuotaForOrigin,
		storage.OverrideQuotaForOriginParams{Origin: d.base, QuotaSize: new(6.0 * (1 << 20))}))
	const sizes = `device.list("edition", document.getElementById("offline").dataset.account).then(all => ` +
		`all.filter(e => e.size >> 20).map(e => e.date.slice(8) + ":" + (e.size >> 20)))`
	d.keeps(25)
	d.waits(sizes, "23:2,24:2")
	before := asked.Load()
	for range 3 {
		d.opens("/saved")
		d.waits(`navigator.serviceWorker.ready.then(r => new Promise(done => { const { port1, port2 } = new `+
			`MessageChannel(); port1.onmessage = ({ data }) => done(data); r.active.postMessage({ what: "gather" }`+
			`, [port2]); }))`, "done")
	}
	if n := asked.Load() - before; n != 0 {
		t.Errorf("the server was asked %d times more for what has no room", n)
	}
}
