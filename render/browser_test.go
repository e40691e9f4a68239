package render

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"digest"
	"digest/test/browser"
)

// script writes into a <pre> what each frame shows: how wide its content is,
// and its colours.
const script = `<pre></pre><script>onload = () => {
	for (const f of document.querySelectorAll('iframe')) {
		const d = f.contentDocument, page = getComputedStyle(d.querySelector('.page'));
		document.querySelector('pre').append(f.title, ': ', d.documentElement.scrollWidth, ' wide, ',
			page.color, ' on ', page.backgroundColor, '\n');
	}
}</script>`

// TestInABrowser opens editions in Chromium, as narrow as a small phone, light
// and dark: nothing may stick out to the side, and the dark rules must apply.
func TestInABrowser(t *testing.T) {
	browser.Find(t)
	mux, colours := http.NewServeMux(), Variables()
	var frames, want strings.Builder
	for name, page := range map[string]Edition{"typical": typical(), "large": large(500), "late": lately(), "notes": stretched(), "bound": away(digest.FullText)} {
		m := mailOf(t, page)
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, m.HTML) })
		for _, width := range []int{320, 390} {
			for scheme, prefix := range map[string]string{"light": "", "dark": "dark-"} {
				fmt.Fprintf(&frames, `<iframe title="%s" src="/%[1]s" width="%d" height="400" style="border:0;color-scheme:%s"></iframe>`, name, width, scheme)
				fmt.Fprintf(&want, "%s: %d wide, %s on %s\n", name, width, rgb(t, colours[prefix+"soft"]), rgb(t, colours[prefix+"paper"]))
			}
		}
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>"+frames.String()+script) })
	if got := browser.Written(t, mux, "/"); got != want.String() {
		t.Errorf("Chromium shows\n%s, want\n%s", got, want.String())
	}
}

// rgb is how the browser names a colour.
func rgb(t *testing.T, hex string) string {
	t.Helper()
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("rgb(%d, %d, %d)", r, g, b)
}
