package journey

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	chromium "digest/test/browser"
)

const glance = 50 * time.Millisecond

const patience = chromium.Patience

// A browser is a person's browser in front of a house.
type browser struct {
	*chromium.Window
	t    *testing.T
	base string
	shot int // number of screenshots so far

	blind bool // no screenshots and no checks
}

// visitor starts Chromium, or skips the test without it.
func (h *house) visitor() *browser {
	h.t.Helper()
	window := chromium.Open(h.t, chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-prefers-reduced-motion", true))
	b := &browser{Window: window, t: h.t, base: h.base}
	b.do("setting Chromium up", desk.set("light"),
		chromium.Call(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Paris"}))
	return b
}

// do runs actions in the browser within chromium.Patience.
func (b *browser) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.Context()
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Photograph("failed")
		b.t.Fatalf("%s: %v\nat %s the page says:\n%s", what, err, b.address(), b.text())
	}
}

type screen struct {
	name          string
	width, height int64
}

var (
	phone = screen{"phone", 390, 844}
	desk  = screen{"desk", 1280, 900}
)

func (s screen) set(scheme string) chromedp.Action[chromedp.Void] {
	return chromium.Screen{Width: s.width, Height: s.height, Scheme: scheme}.Set()
}

func (b *browser) open(path string) {
	b.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = b.base + path
	}
	b.do("opening "+path, chromedp.Navigate(address))
}

// quoted returns a text for an XPath expression.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, "'") + `"` }

// follow clicks the button or link with the words, and waits for another page.
func (b *browser) follow(words string) {
	b.t.Helper()
	b.do("pressing "+words, b.leaving(chromedp.Click(named(words))))
}

// press clicks a button that changes its page, and waits until the page contains says.
func (b *browser) press(words, says string) {
	b.t.Helper()
	b.do("pressing "+words, chromedp.Click(named(words)))
	b.awaits(says)
}

// named returns an XPath expression for the control with the words, preferably within main.
func named(words string) string {
	any := fmt.Sprintf(
		`*[self::button or self::a or self::summary][normalize-space(.)=%[1]s or @aria-label=%[1]s or @value=%[1]s]`,
		quoted(words))
	return fmt.Sprintf(`(//main//%[1]s)[1] | (//%[1]s[not(//main//%[1]s)])[1]`, any)
}

// leaving runs an action that opens another page, and waits for that page, even on a busy machine.
func (b *browser) leaving(act chromedp.Action[chromedp.Void]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := chromedp.Evaluate[bool](`window.here = true`)(ctx, t); err != nil {
			return err
		}
		if _, err := act(ctx, t); err != nil {
			return err
		}
		for {
			// During the change no page can respond.
			settled, err := chromedp.Evaluate[bool](`!window.here && document.readyState === "complete"`)(ctx, t)
			if err == nil && settled {
				return nil
			}
			if _, err := chromedp.Sleep(glance)(ctx, t); err != nil {
				return fmt.Errorf("no other page came: %w", err)
			}
		}
	})
}

// field returns an XPath expression for the field of a label, by the beginning of its words.
func field(label string) string {
	l := `//label[starts-with(normalize-space(.), ` + quoted(label) + `)]`
	return fmt.Sprintf(
		`(//*[@id=%[1]s/@for] | %[1]s//input | %[1]s//select | %[1]s//textarea | //*[@aria-label=%[2]s])[1]`,
		l, quoted(label))
}

// found returns a script expression for the field of a label.
func found(label string) string {
	return fmt.Sprintf(`document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue`,
		field(label))
}

// fill replaces the text in the field of a label by typing.
func (b *browser) fill(label, text string) {
	b.t.Helper()
	if _, err := ask[bool](b, fmt.Sprintf(`(f => { f.focus(); f.select(); return true; })(%s)`,
		found(label))); err != nil {
		b.Photograph("failed")
		b.t.Fatalf("there is no field %q at %s: %v\n%s", label, b.address(), err, b.text())
	}
	b.do("filling in "+label, chromedp.KeyEvent(text))
}

// set sets the value of a label's field, such as a select or a date.
func (b *browser) set(label, value string) {
	b.t.Helper()
	script := fmt.Sprintf(`(f => { f.value = %q; f.dispatchEvent(new Event('input', {bubbles: true})); `+
		`f.dispatchEvent(new Event('change', {bubbles: true})); return f.value; })(%s)`, value, found(label))
	if got, err := ask[string](b, script); err != nil || got != value {
		b.Photograph("failed")
		b.t.Fatalf("the field %q at %s takes %q instead of %q: %v\n%s", label, b.address(), got, value, err, b.text())
	}
}

// pick selects a radio button by name and value.
func (b *browser) pick(name, value string) {
	b.t.Helper()
	b.do("picking "+value, chromedp.Click(fmt.Sprintf(`//input[@name=%s and @value=%s]`, quoted(name), quoted(value))))
}

func (b *browser) key(key string) {
	b.t.Helper()
	b.do("pressing the key "+key, chromedp.KeyEvent(key))
}

func (b *browser) focused() string {
	b.t.Helper()
	return chromium.Ask[string](b.Window,
		`document.activeElement.tagName + " " + document.activeElement.innerText.trim()`)
}

// openPost opens a post's own page by its menu.
func (b *browser) openPost(title string) {
	b.t.Helper()
	b.do("wanting to do something with "+title, chromedp.Click(inPost(title, `//summary`)))
	b.do("opening "+title, b.leaving(chromedp.Click(inPost(title, `//a[starts-with(@href, "/posts/")]`))))
}

// save presses a post's Save button, and waits until it is pressed.
func (b *browser) save(title string) {
	b.t.Helper()
	b.do("wanting to do something with "+title, chromedp.Click(inPost(title, `//summary`)))
	b.do("saving "+title, chromedp.Click(inPost(title, `//button[normalize-space(.)="Save"]`)))
	b.do("waiting until it is saved", chromedp.WaitVisible(inPost(title, `//button[@aria-pressed="true"]`)))
}

// inPost returns an XPath expression for an element within a post.
func inPost(title, what string) string {
	return fmt.Sprintf(`(//article[.//*[(self::h2 or self::h3 or self::h4) and `+
		`normalize-space(translate(., "`+"\u00a0"+`", " "))=%s]]%s)[1]`, quoted(title), what)
}

// awaits waits until the page contains the text, or fails the test.
func (b *browser) awaits(text string) {
	b.t.Helper()
	for deadline := time.Now().Add(chromium.Patience); time.Now().Before(deadline); {
		if strings.Contains(b.text(), text) {
			return
		}
		<-time.After(glance)
	}
	b.says(text)
}

// pictures checks the number of pictures on the page, and how many of them are visible and from the program's own
// origin.
func (b *browser) pictures(shown, all int) {
	b.t.Helper()
	const counted = `(async () => {
		const pictures = [...document.querySelectorAll('main img')];
		for (const p of pictures) { p.loading = 'eager'; await p.decode().catch(() => {}); }
		return pictures.length + ' ' + pictures.filter(p => p.naturalWidth > 0 && new URL(p.src).origin === location.origin).length;
	})()`
	if got, want := chromium.Ask[string](b.Window, counted), fmt.Sprint(all, shown); got != want {
		b.t.Errorf("pictures, and those shown: %s, want %s", got, want)
	}
}

func (b *browser) path() string { return strings.TrimPrefix(b.address(), b.base) }

// download fetches a file like the page, with the reader's cookies.
func (b *browser) download(path string) string {
	b.t.Helper()
	const fetched = `fetch(%q).then(r => r.ok ? r.arrayBuffer() : Promise.reject(r.status)).then(a => ` +
		`btoa(Array.from(new Uint8Array(a), c => String.fromCharCode(c)).join('')))`
	content, err := base64.StdEncoding.DecodeString(chromium.Ask[string](b.Window, fmt.Sprintf(fetched, path)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(content)
}

func (b *browser) attach(label, file string) {
	b.t.Helper()
	b.do("choosing a file", chromedp.SetUploadFiles(field(label), []string{file}))
}

func ask[T any](b *browser, expression string) (T, error) {
	ctx, cancel := b.Context()
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

func (b *browser) text() string {
	text, err := ask[string](b, `document.body ? document.body.innerText : ""`)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return text
}

func (b *browser) address() string {
	address, _ := ask[string](b, `location.href`)
	return address
}

// says fails the test unless the page contains all texts.
func (b *browser) says(texts ...string) {
	b.t.Helper()
	page := b.text()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			b.Photograph("missing")
			b.t.Fatalf("%s does not say %q but:\n%s", b.address(), want, page)
		}
	}
}

// silent fails the test if the page contains any of the texts.
func (b *browser) silent(texts ...string) {
	b.t.Helper()
	page := b.text()
	for _, bad := range texts {
		if strings.Contains(page, bad) {
			b.t.Errorf("%s says %q:\n%s", b.address(), bad, page)
		}
	}
}

// look takes screenshots of the page on both screens, on the phone in both schemes, and checks it in both with
// axe-core.
func (b *browser) look(name string) {
	b.t.Helper()
	if b.blind {
		return
	}
	b.shot++
	for _, s := range []struct {
		on     screen
		scheme string
	}{{phone, "dark"}, {phone, "light"}, {desk, "light"}} {
		b.do("looking at "+name, s.on.set(s.scheme))
		if s.on == phone {
			b.Judge(name + " in " + s.scheme)
		}
		b.Photograph(fmt.Sprintf("%02d-%s-%s-%s", b.shot, name, s.on.name, s.scheme))
		b.fits(name + " on a " + s.on.name)
	}
}

func (b *browser) fits(what string) {
	b.t.Helper()
	over := chromium.Ask[int](b.Window, `document.documentElement.scrollWidth - innerWidth`)
	if over > 0 {
		b.t.Errorf("%s sticks out by %d pixels", what, over)
	}
}
