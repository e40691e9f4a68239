package digest

import (
	"cmp"
	"math"
	"strings"
)

// Colours are those that a publisher chooses, as #rrggbb; "" is the program's own (OwnColours). The
// others that a letter has, and all those of the dark scheme, are made of them (render.Variables).
type Colours struct {
	Paper  string // behind all
	Ink    string // headlines; running text is a little softer
	Accent string // names of sites, links, buttons
}

// OwnColours are those of the program itself.
func OwnColours() Colours { return Colours{Paper: "#fbf9f4", Ink: "#1f1d1a", Accent: "#8f2d1f"} }

// TextContrast is the least contrast that text has with what is behind it (WCAG 2.2, success criterion 1.4.3).
const TextContrast = 4.5

// Tidy gives colours in small letters, without those that are the program's own.
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

// Full gives colours with the program's own in place of those that are not chosen.
func (c Colours) Full() Colours {
	own := OwnColours()
	return Colours{cmp.Or(c.Paper, own.Paper), cmp.Or(c.Ink, own.Ink), cmp.Or(c.Accent, own.Accent)}
}

// Parsed gives the colours, the program's own in place of those that are not chosen; Invalid where one cannot be read.
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

// Check gives the first pair that cannot be read well, with a colour near it that can, of the kind Invalid.
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
		near, _ := one.Near(TextContrast, paper) // black or white stands out from any paper
		return Refuse(Invalid, "%s %s on the background %s has a contrast of %.1f to 1, but text needs %.1f to 1; use %s",
			one.name, one.Colour, paper, math.Floor(10*has)/10, TextContrast, near)
	}
	return nil
}
