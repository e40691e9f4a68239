package page

import (
	"net/http"
	"strings"
	"time"

	"digest/internal/catalogue"
)

// ExportTime is the longest time to send an export: a gigabyte on a slow connection. Deadlines of connections use the
// machine's clock, not s.Now.
const ExportTime = 30 * time.Minute

var (
	ErrAhead = &Problem{http.StatusServiceUnavailable, catalogue.Key("Download not started"),
		catalogue.Key("Open “Export your data” and press the download button.")}
	ErrOften = &Problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
		catalogue.Key("You’ve done this too many times. Try again in a few minutes.")}
)

// FetchesAhead reports whether the browser prefetches or prerenders the page.
func FetchesAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.Contains(strings.ToLower(r.Header.Get(name)), "pre") { // prefetch, prerender, preview
			return true
		}
	}
	return false
}
