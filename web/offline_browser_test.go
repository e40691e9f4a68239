package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
	"digest/test/browser"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
)

// A keeper is a browser that may store editions for offline reading, with a network that can fail.
type keeper struct {
	*room
	window *browser.Window
	cut    *atomic.Bool
	slow   *atomic.Bool // the network accepts requests and never responds
}

func newKeeper(t *testing.T, pictures drawings) *keeper {
	browser.Find(t)
	d := &keeper{room: newRoom(t, storetest.Open(t, storetest.SQLite(t))), cut: &atomic.Bool{}, slow: &atomic.Bool{}}
	d.pictures = pictures
	d.open("")
	inner := d.handler
	d.handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		slow := d.slow.Load()
		for slow && d.slow.Load() && req.Context().Err() == nil {
			<-time.After(50 * time.Millisecond)
		}
		if slow || d.cut.Load() {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, req)
	})
	d.window = browser.Open(t)
	return d
}

// newKeeperOfOne returns a keeper with a signed-in reader and a stored edition of one post.
func newKeeperOfOne(t *testing.T) (*keeper, digest.User) {
	d := newKeeper(t, drawings{})
	ann, anns := d.user("ann@example.org")
	d.arrives(anns, illustrated("Monday"))
	d.midnight()
	d.signsIn(ann)
	d.keeps(25)
	return d, ann
}

// goTo opens a path. It fails offline if the page is not stored.
func (d *keeper) goTo(path string) error {
	ctx, cancel := d.window.Context()
	defer cancel()
	return chromedp.Do(ctx, chromedp.Navigate(d.base+path))
}

func (d *keeper) opens(path string) {
	d.t.Helper()
	if err := d.goTo(path); err != nil {
		d.t.Fatalf("opening %s: %v", path, err)
	}
}

// run evaluates an expression on the page, which may be a promise, and returns it as a string.
func (d *keeper) run(expression string) string {
	d.t.Helper()
	ctx, cancel := d.window.Context()
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+
		")))()", chromedp.EvalAwaitPromise))
	if err != nil {
		d.t.Fatalf("running %s: %v", expression, err)
	}
	return got
}

// waits fails the test unless an expression becomes want in time.
func (d *keeper) waits(expression, want string) {
	d.t.Helper()
	var got string
	for deadline := time.Now().Add(browser.Patience / 10); time.Now().Before(deadline); <-time.After(
		50 * time.Millisecond) {
		ctx, cancel := d.window.Context()
		var err error
		got, err = chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => String(await ("+expression+
			")))()", chromedp.EvalAwaitPromise))
		if cancel(); err != nil {
			got = err.Error() // no page is loaded during a navigation
		} else if got == want {
			return
		}
	}
	d.t.Fatalf("%s is %q, want %q; the page says\n%s", expression, got, want, d.run(`document.body.innerText`))
}

func (d *keeper) says(words string) {
	d.t.Helper()
	d.waits(fmt.Sprintf("document.body.innerText.includes(%q)", words), "true")
}

// signsIn signs a reader in with a link.
func (d *keeper) signsIn(u digest.User) {
	d.t.Helper()
	d.opens("/sign-in?token=" + d.token(u))
	d.run(`document.querySelector("main form button").click()`)
	d.waits(`location.pathname !== "/sign-in" && Boolean(document.querySelector("form[action='/sign-out']"))`, "true")
}

// keeps turns on offline reading with a budget in MB.
func (d *keeper) keeps(budget int) {
	d.t.Helper()
	d.opens("/settings/offline")
	d.waits(`document.getElementById("device").hidden`, "false")
	d.run(fmt.Sprintf(`document.querySelector("[name=budget][value='%d']").click()`, budget))
	d.run(`document.querySelector("#device button:not([hidden])").click()`)
	d.waits(`document.getElementById("device-state").textContent`, "Your editions are ready to read offline.")
}

// syncs sends the service worker the sync event that browsers send when the network is back.
func (d *keeper) syncs() {
	d.t.Helper()
	ctx, cancel := d.window.Context()
	defer cancel()
	var id serviceworker.RegistrationID
	find := func(e serviceworker.EventWorkerRegistrationUpdated) bool {
		for _, each := range e.Registrations {
			id = each.RegistrationID
		}
		return id != ""
	}
	_, err := chromedp.Run(ctx, chromedp.WaitEvent(serviceworker.WorkerRegistrationUpdated, find,
		browser.Call(serviceworker.Enable, cdp.Empty{})))
	if err != nil {
		d.t.Fatalf("finding the worker: %v", err)
	}
	d.window.Do("dispatching a sync", browser.Call(serviceworker.DispatchSyncEvent,
		serviceworker.DispatchSyncEventParams{Origin: d.base, RegistrationID: id, Tag: "saves"}))
}

// photograph stores screenshots of the page for a person to look at.
func (d *keeper) photograph(name string) {
	d.t.Helper()
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			d.window.Do("looking at "+name, browser.Screen{Width: width, Height: 844, Scheme: scheme}.Set())
			d.window.Photograph(fmt.Sprintf("%s-%d-%s", name, width, scheme))
		}
	}
}

// left counts the data of this site in the browser, except cookies.
const left = `Promise.all([caches.keys(), indexedDB.databases(), navigator.serviceWorker.getRegistrations()]).then(all => all.map(some => some.length) + " " + localStorage.length)`

// illustrated returns a post with a picture.
func illustrated(title string) digest.Post {
	p := post(title)
	p.Content = `<p>All the words of ` + title + `.</p><p><img src="https://site.example/` +
		title + `.png" width="480" height="240" alt="A picture"></p><p>More words.</p>`
	return p
}

// TestReadWithoutANetwork checks that a reader can read stored editions, posts and pictures offline
// and sees a note. An offline save is sent later, and signing out deletes everything.
func TestReadWithoutANetwork(t *testing.T) {
	d := newKeeper(t, drawings{})
	ann, anns := d.user("ann@example.org")
	for _, title := range []string{"Monday", "Tuesday"} {
		d.arrives(anns, illustrated(title))
		d.midnight()
	}
	d.signsIn(ann)
	d.opens("/")
	if got := d.run(left); got != "0,0,0 0" {
		t.Fatalf("nobody chose to keep anything, and there is %s", got)
	}
	d.photograph("online")
	d.opens("/settings/offline")
	d.waits(`document.getElementById("device").hidden`, "false")
	d.photograph("settings-off")
	d.keeps(50)
	d.waits(`document.querySelectorAll("#kept li a").length`, "2")
	d.photograph("settings-on")

	d.cut.Store(true)
	d.opens("/")
	d.waits("location.pathname", "/editions/2026-11-22")
	d.says("You’re offline. This copy is from 22 November 2026, 00:00.")
	d.photograph("edition")
	d.waits(`document.querySelectorAll("nav a.unkept").length > 3 && !document.querySelector("article h2 a.unkept, article h3 a.unkept")`, "true")
	d.opens("/?view=headlines")
	d.waits("location.pathname + location.search", "/editions/2026-11-22?view=headlines")
	d.says("You’re offline. This copy is from")
	d.opens("/?view=another")
	d.waits("location.pathname + location.search", "/editions/2026-11-22")
	d.opens("/posts/2")
	d.says("All the words of Tuesday.")
	d.says("You’re offline. This copy is from")
	d.waits(`document.querySelector("main .text img").decode().then(() => document.querySelector("main .text img").naturalWidth > 0)`, "true")
	d.waits(`getComputedStyle(document.querySelector("main")).borderTopStyle`, "double") // the style sheet
	d.opens("/feeds")
	d.says("You’re offline")
	d.waits(`document.querySelectorAll("#kept li a").length`, "2")
	d.photograph("instead")

	d.opens("/posts/2")
	d.run(`document.querySelector("form.keep button").click()`)
	d.says("Saved. We’ll sync when you’re online.")
	d.waits(`document.querySelector("form.keep button").ariaPressed`, "true")
	d.photograph("save")
	d.opens("/editions/2026-11-22")
	d.window.Do("a narrow window", browser.Screen{Width: 320, Height: 700, Scheme: "light"}.Set())
	d.run(`document.querySelector("details.quiet").open = true`)
	d.waits(`Boolean(document.querySelector("details.quiet .waits"))`, "true")
	// its dots are on one line
	d.waits(`document.querySelector("details.quiet summary").getBoundingClientRect().height < 40`, "true")
	d.opens("/posts/2")
	d.says("Saved. We’ll sync when you’re online.")
	d.waits(`document.querySelector("form.keep button").ariaPressed`, "true")
	d.opens("/posts/1")
	for range 2 { // twice: the second click leaves nothing to send
		d.run(`document.querySelector("form.keep button").click()`)
		d.waits(`Boolean(document.querySelector(".waits"))`, "true")
		d.run(`document.querySelector("form.keep button").click()`)
		d.waits(`Boolean(document.querySelector(".waits"))`, "false")
	}
	d.waits(`device.list("save", document.getElementById("offline").dataset.account).then(all => all.map(s => s.key[2] + s.act))`, "2save")

	d.cut.Store(false)
	d.opens("/")
	if got := d.run(`document.getElementById("offline").hidden`); got != "true" {
		t.Error("a page from the network says that there is none")
	}
	d.waits(`fetch("/saved").then(a => a.text()).then(text => text.includes("Tuesday") && !text.includes("Monday"))`,
		"true")
	d.waits(`device.list("save", document.getElementById("offline").dataset.account).then(all => all.length)`, "0")
	d.waits(`caches.keys().then(async all => { for (const name of all) { const page = await (await caches.open(name)).match("/posts/2"); if (page) return (await page.text()).includes('aria-pressed="true"'); } })`, "true")
	d.cut.Store(true)
	d.opens("/posts/2")
	d.waits(`document.querySelector("form.keep button").ariaPressed + document.querySelectorAll(".waits").length`,
		"true0")

	d.cut.Store(false)
	d.opens("/")
	d.run(`document.querySelector("form[action='/sign-out'] button").click()`)
	d.says("A newspaper from the sites you choose")
	d.waits(left, "0,0,0 0")
	d.cut.Store(true)
	if err := d.goTo("/editions/2026-11-22"); err == nil {
		t.Errorf("after the sign-out there is %s", d.run(`document.body.innerText`))
	}
}

// TestReadOnASlowNetwork checks that stored pages open on a network that never responds, and that
// the browser sends a waiting save in the background.
func TestReadOnASlowNetwork(t *testing.T) {
	d, ann := newKeeperOfOne(t)

	d.slow.Store(true)
	d.opens("/posts/1")
	d.says("You’re offline. This copy is from")
	d.waits(`document.querySelector("main .text img").decode().then(() => document.querySelector("main .text img").naturalWidth > 0)`, "true")
	d.run(`document.querySelector("form.keep button").click()`)
	d.says("Saved. We’ll sync when you’re online.")

	d.slow.Store(false)
	d.syncs()
	d.waits(`document.querySelectorAll(".waits").length`, "0") // the worker notifies the page
	saved, err := d.store.Posts.SavedAmong(t.Context(), ann.ID, []digest.PostID{1})
	if d.must(err); len(saved) != 1 {
		t.Errorf("ann has saved %v", saved)
	}
}

// TestKeptForOneAccount checks that stored pages are deleted when the session ends or another
// reader signs in. A waiting save is sent only for its own reader.
func TestKeptForOneAccount(t *testing.T) {
	d := newKeeper(t, drawings{})
	ann, anns := d.user("ann@example.org")
	bob, bobs := d.user("bob@example.org")
	d.arrives(anns, illustrated("Anns"))
	d.arrives(bobs, illustrated("Bobs"))
	d.midnight()
	const pages = `caches.keys().then(all => all.filter(name => name !== "digest/files").length)`
	d.signsIn(ann)
	d.keeps(25)
	path := d.run(`caches.keys().then(async all => { for (const name of all) for (const page of await (await caches.open(name)).keys()) if (page.url.includes("/posts/")) return new URL(page.url).pathname; })`)
	d.opens(path)
	d.cut.Store(true)
	d.opens(path)
	d.run(`document.querySelector("form.keep button").click()`)
	d.says("Saved. We’ll sync when you’re online.")

	d.cut.Store(false)
	_, err := d.store.Sessions.EndSessions(t.Context(), ann.ID)
	d.must(err)
	d.opens(path)
	d.says("Sign in")
	d.waits(pages, "0")
	d.cut.Store(true)
	if err := d.goTo(path); err == nil {
		t.Errorf("after the end of the session there is %s", d.run(`document.body.innerText`))
	}
	d.cut.Store(false)

	d.signsIn(bob)
	d.opens("/settings/offline")
	d.waits(`document.getElementById("device").hidden`, "false")
	// bob has not turned it on
	d.waits(`document.getElementById("device-off").closest("section").hidden`, "true")
	if err := d.goTo(path); err != nil || !strings.Contains(d.run(`document.body.innerText`), "Page not found") {
		t.Errorf("bob is shown ann's post: %v", err)
	}
	d.waits(pages, "0")
	saved, err := d.store.Posts.SavedAmong(t.Context(), bob.ID, []digest.PostID{1, 2})
	if d.must(err); len(saved) > 0 {
		t.Errorf("bob has saved %v", saved)
	}

	d.signsIn(ann)
	d.opens("/")
	d.waits(`fetch("/saved").then(a => a.text()).then(text => text.includes("Anns"))`, "true")
	d.opens("/")
	d.waits(pages, "2") // the edition and the offline page
}

// TestSignOutWithoutScripts checks that the browser deletes the stored pages without scripts.
func TestSignOutWithoutScripts(t *testing.T) {
	d, _ := newKeeperOfOne(t)
	d.window.Do("turning scripts off",
		browser.Call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	d.opens("/saved")
	d.window.Do("signing out", chromedp.Click("form[action='/sign-out'] button"))
	d.window.Do("turning scripts on",
		browser.Call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}))
	d.waits(left, "0,0,0 0")
}

// TestSignOutWithoutANetwork checks that signing out offline deletes stored pages immediately, ends
// the session with the next request, and says so. Waiting saves are sent first, unless the reader
// agrees to lose them.
func TestSignOutWithoutANetwork(t *testing.T) {
	d, ann := newKeeperOfOne(t)
	const leave = `document.querySelector("form[action='/sign-out'] button").click()`
	saves := func() {
		d.cut.Store(true)
		d.opens("/posts/1")
		d.run(`document.querySelector("form.keep button").click()`)
		d.says("Saved. We’ll sync when you’re online.")
	}
	saves()
	d.run(`window.confirm = words => { document.title = words; return false; }`)
	d.run(leave)
	d.waits(`document.title`, "Posts that you saved offline haven’t synced yet. Continue and lose them?")
	d.opens("/posts/1")
	d.says("Saved. We’ll sync when you’re online.") // nothing has changed
	d.run(`window.confirm = () => true`)
	d.run(leave)
	d.says("Offline data is deleted. We’ll sign out this browser when you’re online.")
	d.photograph("left")
	d.waits(left, "0,0,0 0")
	d.cut.Store(false)
	d.opens("/settings")
	d.says("Sign in")
	d.waits(`document.cookie`, "")

	d.signsIn(ann)
	d.keeps(25)
	saves()
	d.cut.Store(false)
	d.run(leave)
	d.says("A newspaper from the sites you choose")
	saved, err := d.store.Posts.SavedAmong(t.Context(), ann.ID, []digest.PostID{1})
	if d.must(err); len(saved) != 1 {
		t.Errorf("what waited was not sent before: %v", saved)
	}
}

// TestSignOutEverywhereWithoutANetwork checks that signing out everywhere fails offline with a
// message and changes nothing.
func TestSignOutEverywhereWithoutANetwork(t *testing.T) {
	d, _ := newKeeperOfOne(t)
	d.opens("/sign-out/everywhere")
	d.cut.Store(true)
	const press = `document.querySelector("form[action='/sign-out/everywhere'] button").click()`
	d.run(press)
	d.says("You’re offline, so we couldn’t sign out other browsers.")
	d.opens("/posts/1")
	d.says("You’re offline. This copy is from")
	d.cut.Store(false)
	d.opens("/sign-out/everywhere")
	d.run(press)
	d.says("Sign in")
	d.waits(left, "0,0,0 0")
}

// TestBudgetOfADevice checks that the stored editions stay within the budget. The newest edition is
// stored first, and completely if possible.
func TestBudgetOfADevice(t *testing.T) {
	d := newKeeper(t, drawings{bytes: 7 << 20})
	ann, anns := d.user("ann@example.org")
	for i := range 5 {
		d.arrives(anns, illustrated(fmt.Sprint("Post", i)))
		d.midnight()
	}
	d.signsIn(ann)
	const sizes = `device.list("edition", document.getElementById("offline").dataset.account).then(all => all.filter(e => e.size >> 20).map(e => e.date.slice(8) + ":" + (e.size >> 20)))`
	const stored = `caches.keys().then(async all => { let sum = 0; for (const name of all) { const cache = await caches.open(name); for (const page of await cache.keys()) sum += (await (await cache.match(page)).blob()).size; } return sum >> 20; })`
	d.keeps(25)
	d.waits(sizes, "23:7,24:7,25:7")
	d.waits(stored, "21")
	d.keeps(50)
	d.waits(sizes, "21:7,22:7,23:7,24:7,25:7")
	d.keeps(25)
	d.waits(sizes, "23:7,24:7,25:7")

	d.arrives(anns, illustrated("Post5")) // a new edition replaces the oldest
	d.midnight()
	d.keeps(25)
	d.waits(sizes, "24:7,25:7,26:7")
	d.waits(stored, "21")

	d.run(`document.getElementById("device-off").click()`)
	d.waits(left, "0,0,0 0")
}

// TestWorkerWithdrawn checks that the worker of an instance without offline reading deletes stored
// pages and unregisters itself.
func TestWorkerWithdrawn(t *testing.T) {
	d, _ := newKeeperOfOne(t)
	base := d.base
	d.onlineOnly = true
	d.open(base)
	d.base = base
	d.opens("/saved")
	d.run(`navigator.serviceWorker.getRegistration().then(r => r?.update())`)
	d.waits(left, "0,0,0 0")
}
