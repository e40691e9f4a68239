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

func TestUnbroken(t *testing.T) {
	for headline, want := range map[string]string{
		"Madrid 1-0 win":      "Madrid 1-\u20600 win",
		"2024–25, 1-2-3":      "2024–\u206025, 1-\u20602-\u20603",
		"F-16 and well-known": "F-16 and well-known",
		"3 - 4":               "3 - 4",
	} {
		if got := unbroken(headline); got != want {
			t.Errorf("%q: %q, want %q", headline, got, want)
		}
	}
}
