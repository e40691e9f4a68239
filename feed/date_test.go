package feed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDates(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "dates.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		text, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		got := ""
		if d := parseDate(text); !d.IsZero() {
			got = d.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q = %q, want %q", text, got, want)
		}
	}
}
