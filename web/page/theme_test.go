package page

import (
	"strings"
	"testing"

	"digest"
	"digest/render"
)

// TestThemesAreHeeded checks every rule for dark devices: it excludes the light theme and is repeated for the dark
// theme. Print is never dark. The same holds for the colours of newsletters.
func TestThemesAreHeeded(t *testing.T) {
	a := loadAssets()
	for name, sheet := range map[string]string{
		"pages":      string(a.Files[a.Names[StyleSheet]]),
		"newsletter": render.ThemeIn(digest.Colours{Paper: "#fff8e0", Ink: "#202020", Accent: "#7a1f1f"}),
	} {
		const device, chosen = "@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){",
			"@media screen{:root[data-theme=dark]{"
		found := strings.Count(sheet, device)
		if all := strings.Count(sheet, "prefers-color-scheme"); found == 0 || all != found {
			t.Errorf("%s: %d rules for dark devices, of which %d heed what was chosen", name, all, found)
		}
		if got := strings.Count(sheet, chosen); got != found {
			t.Errorf("%s: %d rules for who has chosen dark, %d for dark devices", name, got, found)
		}
		for part := range strings.SplitSeq(sheet, device) {
			variables, rest, _ := strings.Cut(part, "}}")
			if again, ok := strings.CutPrefix(strings.TrimSpace(rest), chosen); ok &&
				!strings.HasPrefix(again, variables+"}}") {
				t.Errorf("%s: dark by choice is not what it is by device: %.60s", name, variables)
			}
		}
	}
}
