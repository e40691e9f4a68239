package digest

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Colours are the colours that a publisher chose, as #rrggbb; "" is the default (OwnColours). render.Variables derives
// all other colours from them, and the dark scheme.
type Colours struct {
	Paper  string // background
	Ink    string // headlines; running text is slightly lighter
	Accent string // site names, links and buttons
}

// OwnColours returns the default colours.
func OwnColours() Colours { return Colours{Paper: "#fbf9f4", Ink: "#1f1d1a", Accent: "#8f2d1f"} }

// TextContrast is the minimum contrast of text with its background (WCAG 2.2, success criterion 1.4.3).
const TextContrast = 4.5

// Tidy returns the colours in lower case, with "" for default colours.
func (c Colours) Tidy() Colours {
	own := OwnColours()
	tidy := func(s, own string) string {
		if s = strings.ToLower(strings.TrimSpace(s)); s == own {
			return ""
		}
		return s
	}
	return Colours{tidy(c.Paper, own.Paper), tidy(c.Ink, own.Ink), tidy(c.Accent, own.Accent)}
}

// Full returns the colours with the defaults in place of "".
func (c Colours) Full() Colours {
	own := OwnColours()
	return Colours{cmp.Or(c.Paper, own.Paper), cmp.Or(c.Ink, own.Ink), cmp.Or(c.Accent, own.Accent)}
}

// Parsed returns the colours with the defaults in place of "". It returns an error of the kind Invalid if it cannot
// parse one.
func (c Colours) Parsed() (paper, ink, accent Colour, err error) {
	full := c.Full()
	for _, one := range []struct {
		name  Words
		value string
		to    *Colour
	}{{Words("the background"), full.Paper, &paper}, {Words("the text colour"), full.Ink, &ink},
		{Words("the accent colour"), full.Accent, &accent}} {
		if *one.to, err = ParseColour(one.value); err != nil {
			return paper, ink, accent, Refuse(Invalid, "%s %s", one.name, err)
		}
	}
	return paper, ink, accent, nil
}

// Check returns an error of the kind Invalid for the first colour with too little contrast. The error suggests a
// similar colour.
func (c Colours) Check() error {
	paper, ink, accent, err := c.Parsed()
	if err != nil {
		return err
	}
	for _, one := range []struct {
		name Words
		Colour
	}{{Words("the text colour"), ink}, {Words("the accent colour"), accent}} {
		has := one.Contrast(paper)
		if has >= TextContrast {
			continue
		}
		near, _ := one.Near(TextContrast, paper) // black or white has enough contrast on any background
		return Refuse(Invalid,
			"%s %s on the background %s has a contrast of %.1f to 1, but text needs %.1f to 1; use %s",
			one.name, one.Colour, paper, math.Floor(10*has)/10, TextContrast, near)
	}
	return nil
}

// A Colour is a colour in sRGB.
type Colour struct{ R, G, B uint8 }

// ParseColour parses a colour such as #8f2d1f. It returns an error of the kind Invalid for any other text.
func ParseColour(s string) (Colour, error) {
	n, err := strconv.ParseUint(s[min(1, len(s)):], 16, 24)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return Colour{}, Refuse(Invalid,
			"\"%s\" is not a colour; write # and six digits from 0-9 and a-f, such as #8f2d1f",
			Shortened(OneLine(s), 20))
	}
	return Colour{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// String returns the colour as ParseColour parses it.
func (c Colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
func (c Colour) Contrast(d Colour) float64 {
	x, y := c.luminance(), d.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance returns the relative luminance from 0 to 1 (WCAG 2.2, "relative luminance").
func (c Colour) luminance() float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// IsDark reports whether white has more contrast with c than black.
func (c Colour) IsDark() bool {
	return c.Contrast(Colour{255, 255, 255}) > c.Contrast(Colour{})
}

// Mix returns the colour with a share of another colour in it, from 0 to 1.
func (c Colour) Mix(d Colour, share float64) Colour {
	mixed := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*share)) }
	return Colour{mixed(c.R, d.R), mixed(c.G, d.G), mixed(c.B, d.B)}
}

// Lightness returns the lightness in HSL, from 0 (black) to 1 (white).
func (c Colour) Lightness() float64 {
	return (float64(max(c.R, c.G, c.B)) + float64(min(c.R, c.G, c.B))) / 510
}

// WithLightness returns a colour with the same hue and saturation and another lightness. mostChroma limits its chroma,
// from 0 (grey) to 1.
func (c Colour) WithLightness(lightness, mostChroma float64) Colour {
	light, chroma := c.Lightness(), float64(max(c.R, c.G, c.B)-min(c.R, c.G, c.B))/255
	if chroma == 0 {
		v := channel(lightness)
		return Colour{v, v, v}
	}
	vivid := chroma / (1 - math.Abs(2*light-1)) // the saturation in HSL
	of := min(vivid*(1-math.Abs(2*lightness-1)), mostChroma)
	scaled := func(v uint8) uint8 { return channel(lightness + (float64(v)/255-light)/chroma*of) }
	return Colour{scaled(c.R), scaled(c.G), scaled(c.B)}
}

func channel(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }

// Near returns the colour of the same hue, with the closest lightness, whose contrast is at least least on all grounds.
// It returns false if no such colour exists.
func (c Colour) Near(least float64, grounds ...Colour) (Colour, bool) {
	stands := func(c Colour) bool {
		for _, g := range grounds {
			if c.Contrast(g) < least {
				return false
			}
		}
		return true
	}
	if stands(c) {
		return c, true
	}
	for step := 1; step <= 255; step++ {
		for _, lightness := range [...]float64{c.Lightness() - float64(step)/255, c.Lightness() + float64(step)/255} {
			if near := c.WithLightness(lightness, 1); lightness > -1.0/255 && lightness < 256.0/255 && stands(near) {
				return near, true
			}
		}
	}
	return Colour{}, false
}

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
