package digest

import (
	"cmp"
	"math"
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
