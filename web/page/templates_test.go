package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPagesAreComplete parses each page in each language.
func TestPagesAreComplete(t *testing.T) {
	folders, err := filepath.Glob("../*/templates")
	if err != nil {
		t.Fatal(err)
	}
	parts := []Part{{Templates: os.DirFS("..")}}
	for _, folder := range folders {
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(folder)), "page")
		parts = append(parts, Part{Name: name, Templates: os.DirFS(filepath.Dir(folder))})
	}
	for l, pages := range loadPages(loadAssets(), parts) {
		if len(pages) < 50 {
			t.Errorf("%s: %d pages", l.Code, len(pages))
		}
		for _, page := range pages {
			page()
		}
	}
}
