package web_test

import (
	"testing"

	"digest/test/browser"

	"github.com/chromedp/cdproto/emulation"
)

// TestOwnZone checks that the form for new readers shows the browser's time zone as one line, and that a press on
// "Change" replaces it with the field.
func TestOwnZone(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.open("")
	w.Do("setting the screen", browser.Screen{Width: 390, Height: 844, Scheme: "light"}.Set())
	w.Do("setting the time zone", browser.Call(emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "America/Argentina/Buenos_Aires"}))
	w.Open(w.base + "/sign-up")
	const visible = `[...document.querySelectorAll('form.ask .field:last-of-type > *')]
		.filter(e => e.checkVisibility()).map(e => e.id || e.className || e.tagName).join()`
	if got := browser.Ask[string](w.Window, visible); got != "LABEL,zone-hint,own-zone" {
		t.Errorf("at first: %s", got)
	}
	const line = `document.querySelector('.own-zone').innerText.replace(/\d+:\d+ .M\s/, 'TIME ')`
	if got := browser.Ask[string](w.Window, line); got != "Buenos Aires, now TIME Change" {
		t.Errorf("the line: %q", got)
	}
	w.Photograph("zone")
	browser.Ask[bool](w.Window, `document.querySelector('.own-zone button').click() ?? true`)
	if got := browser.Ask[string](w.Window, visible); got != "LABEL,zone-hint,zone" {
		t.Errorf("after Change: %s", got)
	}
	const typed = `document.activeElement.id + ' ' + document.querySelector('#zone').value`
	if got := browser.Ask[string](w.Window, typed); got != "zone America/Buenos_Aires" {
		t.Errorf("the field: %s", got)
	}
}
