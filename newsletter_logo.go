package digest

import "math"

// A Logo is the picture of a newsletter. The zero one is none.
type Logo struct {
	LogoFile   string // its name in addresses, which its content makes: logo-0123456789abcdef.png
	LogoWidth  int    // pixels
	LogoHeight int    // pixels
	LogoClear  bool   // it has parts through which what is behind it shows
}

// The largest that a logo is shown, in CSS pixels.
const (
	LogoWidth  = 360
	LogoHeight = 96
)

// Exists reports whether there is one.
func (l Logo) Exists() bool { return l.LogoFile != "" }

// HasName reports whether it takes the place of the newsletter's name, as one does that is at least twice as wide as
// high: most likely the name is in it. Any other stands above the name.
func (l Logo) HasName() bool { return l.LogoWidth >= 2*l.LogoHeight }

// Shown is the size at which it is shown, in CSS pixels: no larger than it has pixels.
func (l Logo) Shown() (width, height int) {
	w, h := float64(l.LogoWidth), float64(l.LogoHeight)
	share := min(1, LogoWidth/w, LogoHeight/h)
	return max(1, int(math.Round(w*share))), max(1, int(math.Round(h*share)))
}
