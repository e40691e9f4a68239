package journey

import (
	"strings"
	"testing"

	"digest/test/tier"
)

// TestDemoShowsItsPictures checks that the demo displays the pictures of its own sites, although they are on this
// machine and the program otherwise fetches no pictures from it.
func TestDemoShowsItsPictures(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	h := newHouse(t, "unused.db")
	h.begin("demo")
	line := h.hears("/sign-in?token=")
	link := line[strings.Index(line, "http://"):]
	b := h.visitor()
	b.blind = true
	b.base = link[:strings.Index(link, "/sign-in")]
	b.open(link)
	b.follow("Sign in")
	b.open("/")
	b.openPost("The lighthouse, painted at last")
	b.pictures(1, 1)
}
