package digest

import (
	"fmt"
	"math"
	"strconv"
)

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
