package web

import (
	"testing"
)

// TestPagesAreComplete parses each page in each language.
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
