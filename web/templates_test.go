package web

import (
	"testing"
)

// TestPagesAreComplete makes each page in each language, as the first reader who asks for it does.
func TestPagesAreComplete(t *testing.T) {
	for l, pages := range loadPages(loadAssets()) {
		if len(pages) < 50 {
			t.Errorf("%s: %d pages", l.Code, len(pages))
		}
		for _, page := range pages {
			page()
		}
	}
}
