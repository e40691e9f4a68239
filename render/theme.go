package render

import "strings"

// The fonts. Only such that readers' devices already have: mail
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
	for _, c := range p.named() {
		b.WriteString("--" + c[0] + ":" + c[1] + ";")
	}
	return b.String()
}

// named gives the colours behind the names of their custom properties.
func (p Palette) named() [][2]string {
	return [][2]string{
		{"paper", p.Paper}, {"panel", p.Panel}, {"ink", p.Ink}, {"soft", p.Soft}, {"muted", p.Muted},
		{"rule", p.Rule}, {"strong", p.Strong}, {"accent", p.Accent}, {"on-fill", p.OnFill},
	}
}

// themeVariables puts colours and fonts in place of var() in the templates of
// mail: --ink is of the light palette and --dark-ink of the dark one.
func themeVariables() *strings.Replacer {
	pairs := []string{"var(--serif)", Serif, "var(--sans)", Sans, "var(--dark-mark)", darkHighlight}
	dark := Dark().named()
	for i, c := range Light().named() {
		pairs = append(pairs, "var(--"+c[0]+")", c[1], "var(--dark-"+c[0]+")", dark[i][1])
	}
	return strings.NewReplacer(pairs...)
}

// The styles within a post's full text.
const (
	codeFonts = `Menlo,Consolas,'Noto Sans Mono',monospace`

	paragraphStyle    = `margin:0 0 16px`
	furtherStyle      = `margin:8px 0`   // of an item of a list, after the first
	aboveStyle        = `margin:0 0 6px` // of a picture above its caption
	headingStyle      = `margin:26px 0 8px;font-size:19px;line-height:1.3;font-weight:700;color:` + ink
	minorStyle        = `margin:22px 0 6px;font-size:17px;line-height:1.4;font-weight:700;color:` + ink
	termStyle         = `margin:0 0 4px;font-weight:700`
	captionStyle      = `margin:0 0 18px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	dividerStyle      = `margin:24px 0;text-align:center;line-height:1.5;color:` + muted
	listStyle         = `margin:0 0 16px;padding:0 0 0 26px`
	listStyleRTL      = `margin:0 0 16px;padding:0 26px 0 0`
	innerListStyle    = `margin:6px 0 0;padding:0 0 0 24px`
	innerListStyleRTL = `margin:6px 0 0;padding:0 24px 0 0`
	itemStyle         = `margin:0 0 6px`
	quoteStyle        = `margin:0 0 16px;padding:2px 0 0 16px;border-left:3px solid ` + rule
	quoteStyleRTL     = `margin:0 0 16px;padding:2px 16px 0 0;border-right:3px solid ` + rule
	setInStyle        = `margin:0 0 12px 24px`
	setInStyleRTL     = `margin:0 24px 12px 0`
	codeTableStyle    = `margin:0 0 18px;table-layout:fixed;background-color:` + panel
	codeCellStyle     = `padding:12px 14px;text-align:left;font-size:13px;line-height:1.5;color:` + ink
	codeStyle         = `font-family:` + codeFonts + `;font-size:13px`
	inlineCode        = `font-family:` + codeFonts + `;font-size:15px`
	tableStyle        = `margin:0 0 18px;border-collapse:collapse;font-size:15px;line-height:1.45`
	cellStyle         = `padding:6px 8px;border-bottom:1px solid ` + rule + `;vertical-align:top`
	anchorStyle       = `color:` + accent
	upStyle           = `font-size:12px;line-height:1`
	smallStyle        = `font-size:15px`
	markStyle         = `background-color:` + highlight + `;color:` + ink
	uprightStyle      = `font-style:normal;font-weight:700` // emphasis where a script has no italics
	wordsStyle        = `color:` + muted
	pictureStyle      = `display:block;max-width:100%;height:auto;border:0`
	iconStyle         = `max-width:100%;border:0`
)
