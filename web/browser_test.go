package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/render"
	"digest/store"
	"digest/store/storetest"
	"digest/test/browser"
)

// script writes the width of each frame's content and some of its colours into a <pre>.
const script = `<pre></pre><script>onload = () => {
	for (const f of document.querySelectorAll('iframe')) {
		const d = f.contentDocument, style = s => getComputedStyle(d.querySelector(s));
		document.querySelector('pre').append(f.title, ': ', d.documentElement.scrollWidth, ' wide, ',
			style('main').color, ' on ', style('html').backgroundColor,
			d.querySelector('.chart') ? ', chart of ' + Math.round(d.querySelector('.chart').getBoundingClientRect().height) + ', text ' + style('.chart text').fontSize : '', '\n');
	}
}</script>`

// TestInABrowser opens public pages and pages behind email links in Chromium, at the width of a
// small phone, light and dark. No page may scroll sideways, even with long names of feeds. The
// chart must be as tall and its text as large as on a desktop.
func TestInABrowser(t *testing.T) {
	browser.Find(t)
	r := newRoom(t, storetest.Open(t, storetest.SQLite(t)))
	long := strings.Repeat("unbroken", 40)
	f := well(r.knows(digest.Feed{URL: feedURL + "?" + long, Title: long}), r.now)
	f.LastError, f.Errors, f.NotBefore = long, 3, r.now.Add(time.Hour)
	f.MovedTo = "https://new.example/" + long
	for i := range 90 {
		r.polled(f, store.PollRecord{At: r.now.AddDate(0, 0, i-89), Outcome: "failed", Status: 500 - i%2*71,
			Requests: 2, Bytes: 12_345_678, Took: 30 * time.Second, Note: long})
	}
	inner := r.handler
	r.handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		inner.ServeHTTP(framed{w}, req)
	})
	colours := render.Variables()
	var frames, want strings.Builder
	_, d := r.user("ann@example.org")
	for _, page := range []struct{ name, path, chart string }{
		{"unsubscribe", r.unsubscribePath(d), ""}, {"feed", statusOf(f.URL), ", chart of 332, text 13.5px"},
		{"status", "/status", ""}, {"unknown", statusOf("https://a.example/" + long), ""}, {"bot", "/bot", ""},
	} {
		for _, width := range []int{320, 1000} {
			for scheme, prefix := range map[string]string{"light": "", "dark": "dark-"} {
				fmt.Fprintf(&frames,
					`<iframe title="%s" src="%s" width="%d" height="400" style="border:0;color-scheme:%s"></iframe>`,
					page.name, page.path, width, scheme)
				fmt.Fprintf(&want, "%s: %d wide, %s on %s%s\n", page.name, width, rgb(t, colours[prefix+"soft"]),
					rgb(t, colours[prefix+"paper"]), page.chart)
			}
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", r.handler)
	mux.HandleFunc("/frames", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html>"+strings.ReplaceAll(frames.String(), "&", "&amp;")+script)
	})
	if got := browser.Written(t, mux, "/frames"); got != want.String() {
		t.Errorf("Chromium shows\n%s, want\n%s", got, want.String())
	}
}

// A framed response may be shown in a frame, for the test.
type framed struct{ http.ResponseWriter }

func (f framed) WriteHeader(status int) {
	policy := f.Header().Get("Content-Security-Policy")
	f.Header().Set("Content-Security-Policy",
		strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	f.Header().Del("X-Frame-Options")
	f.ResponseWriter.WriteHeader(status)
}

// rgb converts a colour to the notation of browsers.
func rgb(t *testing.T, hex string) string {
	t.Helper()
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("rgb(%d, %d, %d)", r, g, b)
}
