package render

import (
	"maps"
	"slices"
	"strings"

	"digest"
)

// A palette maps the names of theme.css to the colours of one scheme.
type palette map[string]digest.Colour

// VariablesIn returns Variables with the colours of a newsletter that Colours.Check accepts. The chosen colours form
// the light scheme, and the others are derived from them. If the paper is dark, both schemes are equal.
func VariablesIn(c digest.Colours) map[string]string {
	all := Variables()
	paper, ink, accent, err := c.Parsed()
	if c == (digest.Colours{}) || err != nil {
		return all
	}
	light := newPalette(paper, ink, accent)
	dark := light
	if !paper.IsDark() {
		dark = inTheDark(paper, accent)
	}
	for name := range light {
		all[name], all["dark-"+name] = light[name].String(), dark[name].String()
	}
	all["plate"], all["on-plate"] = paper.String(), ink.String()
	return all
}

// ThemeIn returns the colours of a newsletter as a style sheet to follow Theme. In print only the background of a logo
// uses them.
func ThemeIn(c digest.Colours) string {
	all := VariablesIn(c)
	scheme := func(prefix string) string {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if _, both := all["dark-"+name]; both {
				b.WriteString("--" + name + ":" + all[prefix+name] + ";")
			}
		}
		return b.String()
	}
	return ":root{--plate:" + all["plate"] + ";--on-plate:" + all["on-plate"] + ";}\n" +
		"@media screen{:root{" + scheme("") + "}}\n" + inTheDarkScheme(scheme("dark-")) + "\n"
}

// newPalette derives the other colours from paper, ink and accent by mixing them in fixed shares. Text colours stay
// readable on paper and panel.
func newPalette(paper, ink, accent digest.Colour) palette {
	panel := paper.Mix(ink, 0.04)
	if !readable(ink, panel) || !readable(accent, panel) {
		panel = paper
	}
	mark := digest.Colour{R: 0xf6, G: 0xe7, B: 0xb4}
	if paper.IsDark() {
		mark = digest.Colour{R: 0x57, G: 0x49, B: 0x1d}
	}
	mark, _ = mark.Near(digest.TextContrast, ink)
	return palette{
		"paper": paper, "panel": panel, "ink": ink, "accent": accent, "on-fill": paper, "strong": ink, "mark": mark,
		"soft": paled(ink, 0.14, paper, panel), "muted": paled(ink, 0.34, paper, panel), "rule": paper.Mix(ink, 0.15),
	}
}

// inTheDark derives the dark scheme from a light one. Its paper and ink have the hue of the light paper, and the accent
// is lightened until it is readable.
func inTheDark(paper, accent digest.Colour) palette {
	const (
		paperLight, inkLight = 0.09, 0.91
		mostTint             = 0.04
		bright               = 7 // contrast: colours look paler on a dark background
		mostVivid            = 0.4
	)
	dark, ink := paper.WithLightness(paperLight, mostTint), paper.WithLightness(inkLight, mostTint)
	lit, _ := accent.Near(bright, dark)
	lit, _ = lit.WithLightness(lit.Lightness(), mostVivid).Near(bright, dark)
	p := newPalette(dark, ink, lit)
	p["strong"] = ink.Mix(dark, 0.26)
	return p
}

func readable(text, ground digest.Colour) bool { return text.Contrast(ground) >= digest.TextContrast }

// paled mixes a share of paper into ink, or less if the text would not be readable on both backgrounds.
func paled(ink digest.Colour, share float64, paper, panel digest.Colour) digest.Colour {
	const step = 0.02
	for ; share > 0; share -= step {
		if pale := ink.Mix(paper, share); readable(pale, paper) && readable(pale, panel) {
			return pale
		}
	}
	return ink
}
