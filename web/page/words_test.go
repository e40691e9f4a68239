package page

import (
	"strings"
	"testing"
)

// TestUnbroken: a mark keeps scores, years and dashes in one line. It is shown as "|".
func TestUnbroken(t *testing.T) {
	for _, want := range []string{
		"Real Madrid 1-|0 win", "2024-|25", "10–|9", "the regime -|- and her father", "a -|-|- b",
		"F-16", "well-known", "- 5", "3/4", "",
	} {
		headline := strings.ReplaceAll(want, "|", "")
		if got := strings.ReplaceAll(unbroken(headline), "\u2060", "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
