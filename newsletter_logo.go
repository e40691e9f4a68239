package digest

import "math"

// A Logo is the picture of a newsletter. The zero value is no logo.
type Logo struct {
	LogoFile   string // file name made from its content: logo-0123456789abcdef.png
	LogoWidth  int    // in pixels
	LogoHeight int    // in pixels
	LogoClear  bool   // has transparent parts
}

// The maximum size of a displayed logo, in CSS pixels.
const (
	LogoWidth  = 360
	LogoHeight = 96
)

// Exists reports whether the newsletter has a logo.
func (l Logo) Exists() bool { return l.LogoFile != "" }

// HasName reports whether the logo replaces the newsletter's name. A logo that is at least twice as wide as high
// probably contains the name. Any other logo is above the name.
func (l Logo) HasName() bool { return l.LogoWidth >= 2*l.LogoHeight }

// Shown returns the displayed size in CSS pixels, which is never larger than the picture.
func (l Logo) Shown() (width, height int) {
	w, h := float64(l.LogoWidth), float64(l.LogoHeight)
	share := min(1, LogoWidth/w, LogoHeight/h)
	return max(1, int(math.Round(w*share))), max(1, int(math.Round(h*share)))
}
