package render

import (
	"math"
	"strconv"
	"testing"
)

// TestContrast holds both palettes to WCAG 2.1 AA (success criterion 1.4.3).
func TestContrast(t *testing.T) {
	c := Variables()
	for _, scheme := range []string{"", "dark-"} {
		for _, back := range []string{"paper", "panel"} {
			for _, fore := range []string{"ink", "soft", "muted", "accent"} {
				if got := contrast(t, c[scheme+fore], c[scheme+back]); got < 4.5 {
					t.Errorf("%s%s on %s has %.2f", scheme, fore, back, got)
				}
			}
		}
		if got := contrast(t, c[scheme+"on-fill"], c[scheme+"accent"]); got < 4.5 {
			t.Errorf("%sa button has %.2f", scheme, got)
		}
		for _, name := range []string{"paper", "ink", "strong"} {
			if v := c[scheme+name]; v == "#000000" || v == "#ffffff" {
				t.Errorf("%s%s inverts badly", scheme, name)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of #rrggbb.
func luminance(t *testing.T, c string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(c[1:], 16, 32)
	if err != nil || len(c) != 7 {
		t.Fatalf("colour %q", c)
	}
	linear := func(v uint64) float64 {
		s := float64(v&255) / 255
		if s <= 0.03928 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}
