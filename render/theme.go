package render

import (
	"iter"
	"strings"
)

// The type of the paper. Only fonts that readers' devices already have: mail
// cannot fetch any.
const (
	Serif = `Charter,'Iowan Old Style','Palatino Linotype',Georgia,'Noto Serif','Times New Roman',serif`
	Sans  = `-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif`
	Mono  = `ui-monospace,SFMono-Regular,Menlo,Consolas,'Noto Sans Mono',monospace`
)

// Width is the column's greatest width in CSS pixels.
const Width = 600

// The light colours, which the mail's inline styles are written with. None is
// pure black or white, so that clients that invert colours by force still give
// something calm.
const (
	paper  = "#fbf9f4"
	ink    = "#1f1d1a"
	soft   = "#3d3a35"
	muted  = "#6b655c"
	rule   = "#ddd6c9"
	strong = "#1f1d1a"
	accent = "#8f2d1f"
	panel  = "#f3efe6"
	onFill = "#fdfbf7"

	highlight     = "#f6e7b4" // of words that are marked
	darkHighlight = "#57491d"
)

// A Palette is the colours of one scheme, as #rrggbb. Ink, Soft, Muted and
// Accent have a contrast of 4.5 or more on Paper and on Panel (WCAG 2.1 AA).
type Palette struct {
	Paper  string // the page
	Panel  string // a form or a note set apart from the page
	Ink    string // headlines
	Soft   string // running text
	Muted  string // bylines, footers
	Rule   string // hairlines between things
	Strong string // the heavy rule under the nameplate
	Accent string // names of sites, links in running text, buttons
	OnFill string // text on a button filled with Accent
}

// Light is the palette of the mail's inline styles.
func Light() Palette {
	return Palette{
		Paper: paper, Panel: panel, Ink: ink, Soft: soft, Muted: muted,
		Rule: rule, Strong: strong, Accent: accent, OnFill: onFill,
	}
}

// Dark is the palette for readers who ask for a dark page.
func Dark() Palette {
	return Palette{
		Paper: "#181715", Panel: "#211f1c", Ink: "#f0ebe1", Soft: "#d3cdc1", Muted: "#a29a8d",
		Rule: "#393630", Strong: "#b9b1a3", Accent: "#eba08c", OnFill: "#181715",
	}
}

// Variables gives the palette as CSS custom properties, for pages in a
// browser; mail clients do not know them.
func (p Palette) Variables() string {
	var b strings.Builder
	for name, colour := range p.named() {
		b.WriteString("--" + name + ":" + colour + ";")
	}
	return b.String()
}

// named yields the colours with the names of their custom properties.
func (p Palette) named() iter.Seq2[string, string] {
	return func(yield func(name, colour string) bool) {
		for _, v := range [...][2]string{
			{"paper", p.Paper}, {"panel", p.Panel}, {"ink", p.Ink}, {"soft", p.Soft}, {"muted", p.Muted},
			{"rule", p.Rule}, {"strong", p.Strong}, {"accent", p.Accent}, {"on-fill", p.OnFill},
		} {
			if !yield(v[0], v[1]) {
				return
			}
		}
	}
}

// themeVariables puts colours and fonts in place of var() in the templates of
// mail: --ink is of the light palette and --dark-ink of the dark one.
func themeVariables() *strings.Replacer {
	pairs := []string{"var(--serif)", Serif, "var(--sans)", Sans, "var(--dark-mark)", darkHighlight}
	for name, colour := range Light().named() {
		pairs = append(pairs, "var(--"+name+")", colour)
	}
	for name, colour := range Dark().named() {
		pairs = append(pairs, "var(--dark-"+name+")", colour)
	}
	return strings.NewReplacer(pairs...)
}
