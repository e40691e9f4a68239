package render

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"digest/test/browser"
)

// script writes the properties of each frame into a <pre>: the width of its content, its colours, and the first text
// with a contrast below 4.5 (WCAG 2.2, 1.4.3).
const script = `<pre></pre><script>
const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
	.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const numbers = colour => colour.match(/[\d.]+/g).map(Number);
function behind(e) {
	for (; e; e = e.parentElement) {
		const colour = numbers(getComputedStyle(e).backgroundColor);
		if (colour[3] !== 0) return colour;
	}
	return [255, 255, 255];
}
function pale(page) {
	const words = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const text = words.currentNode.data.trim(), e = words.currentNode.parentElement;
		if (!text || e.getClientRects().length === 0) continue;
		const [low, high] = [luminance(numbers(getComputedStyle(e).color)), luminance(behind(e))].sort((a, b) => a - b);
		if ((high + .05) / (low + .05) < 4.5) return ', pale: ' + text;
	}
	return '';
}
onload = () => {
	for (const f of document.querySelectorAll('iframe')) {
		const d = f.contentDocument, page = d.querySelector('.page'), style = f.contentWindow.getComputedStyle(page);
		document.querySelector('pre').append(f.title, ': ', d.documentElement.scrollWidth, ' wide, ',
			style.color, ' on ', style.backgroundColor, pale(page), '\n');
	}
}</script>`

// TestInABrowser opens editions in Chromium at the width of a small phone, light and dark. No content may overflow, the
// dark rules must apply, and all text must have enough contrast.
func TestInABrowser(t *testing.T) {
	browser.Find(t)
	mux, colours := http.NewServeMux(), Variables()
	var frames, want strings.Builder
	letters := map[string]string{"letter": letter().HTML()}
	pages := samples()
	pages["large"], pages["notes of all kinds"] = large(500), stretched()
	for name, page := range pages {
		letters[name] = mailOf(t, page).HTML
	}
	for name, html := range letters {
		address := "/" + strings.ReplaceAll(name, " ", "-")
		mux.HandleFunc(address, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, html) })
		for _, width := range []int{320, 390} {
			for scheme, prefix := range map[string]string{"light": "", "dark": "dark-"} {
				fmt.Fprintf(&frames,
					`<iframe title="%s" src="%s" width="%d" height="400" style="border:0;color-scheme:%s"></iframe>`,
					name, address, width, scheme)
				fmt.Fprintf(&want, "%s: %d wide, %s on %s\n", name, width, rgb(t, colours[prefix+"soft"]),
					rgb(t, colours[prefix+"paper"]))
			}
		}
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html>"+
			frames.String()+script)
	})
	if got := browser.Written(t, mux, "/"); got != want.String() {
		t.Errorf("Chromium shows\n%s, want\n%s", got, want.String())
	}
}

// rgb returns a colour in the browser's notation.
func rgb(t *testing.T, hex string) string {
	t.Helper()
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("rgb(%d, %d, %d)", r, g, b)
}
