package render

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The styles of a post's full text.
const (
	panel     = "#f3efe6"
	highlight = "#f6e7b4"

	darkHighlight = "#57491d"
	codeFonts     = `Menlo,Consolas,'Noto Sans Mono',monospace`

	paragraphStyle = `margin:0 0 16px`
	furtherStyle   = `margin:8px 0`   // of an item of a list, after the first
	aboveStyle     = `margin:0 0 6px` // of a picture above its caption
	headingStyle   = `margin:26px 0 8px;font-size:19px;line-height:1.3;font-weight:700;color:` + ink
	minorStyle     = `margin:22px 0 6px;font-size:17px;line-height:1.4;font-weight:700;color:` + ink
	termStyle      = `margin:0 0 4px;font-weight:700`
	captionStyle   = `margin:0 0 18px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	dividerStyle   = `margin:24px 0;text-align:center;line-height:1.5;color:` + muted
	listStyle      = `margin:0 0 16px;padding:0 0 0 26px`
	listStyleRTL   = `margin:0 0 16px;padding:0 26px 0 0`
	innerListStyle = `margin:6px 0 0;padding:0 0 0 24px`
	innerStyleRTL  = `margin:6px 0 0;padding:0 24px 0 0`
	itemStyle      = `margin:0 0 6px`
	quoteStyle     = `margin:0 0 16px;padding:2px 0 0 16px;border-left:3px solid ` + rule
	quoteStyleRTL  = `margin:0 0 16px;padding:2px 16px 0 0;border-right:3px solid ` + rule
	setInStyle     = `margin:0 0 12px 24px`
	setInStyleRTL  = `margin:0 24px 12px 0`
	codeTableStyle = `margin:0 0 18px;table-layout:fixed;background-color:` + panel
	codeCellStyle  = `padding:12px 14px;text-align:left;font-size:13px;line-height:1.5;color:` + ink
	codeStyle      = `font-family:` + codeFonts + `;font-size:13px`
	inlineCode     = `font-family:` + codeFonts + `;font-size:15px`
	tableStyle     = `margin:0 0 18px;border-collapse:collapse;font-size:15px;line-height:1.45`
	cellStyle      = `padding:6px 8px;border-bottom:1px solid ` + rule + `;vertical-align:top`
	anchorStyle    = `color:` + accent
	upStyle        = `font-size:12px;line-height:1`
	smallStyle     = `font-size:15px`
	markStyle      = `background-color:` + highlight + `;color:` + ink
	uprightStyle   = `font-style:normal;font-weight:700` // emphasis where a script has no italics
	wordsStyle     = `color:` + muted
	pictureStyle   = `display:block;max-width:100%;height:auto;border:0`
	iconStyle      = `max-width:100%;border:0`
	onwardStyle    = `margin:0 0 16px`
	teaserStyle    = `margin:0 0 8px;color:` + soft
	teaserEndStyle = `margin:0 0 30px`
)

// textStyle is that of the whole text, by what script it is in: without word
// spaces, or with marks above and below the letters, lines need more air.
func textStyle(at where, tree []*block) string {
	style := `margin:0 0 44px;color:` + soft
	switch {
	case at.dir == "rtl" && arabicScript(tree):
		return style + `;font-size:18px;line-height:1.8`
	case wideScript(tree):
		return style + `;line-height:1.75`
	}
	return style
}

func arabicScript(tree []*block) bool {
	return mostly(tree, func(r rune) bool { return r >= 0x600 && r <= 0x8ff || r >= 0xfb50 && r <= 0xfeff })
}

func wideScript(tree []*block) bool { return mostly(tree, wide) }

// mostly reports whether at least half of what is first read is made of such letters.
func mostly(tree []*block, such func(rune) bool) bool {
	yes, no := 0, 0
	var count func(blocks []*block)
	count = func(blocks []*block) {
		for _, b := range blocks {
			if yes+no > 400 {
				return
			}
			for _, t := range b.line {
				for _, r := range t.text {
					switch {
					case such(r):
						yes++
					case r > ' ':
						no++
					}
				}
			}
			count(b.kids)
		}
	}
	count(tree)
	return yes > no
}

// attrs are what a block says of its language and direction where they are not
// those of what is around it; it gives what is around its inside.
func (b *block) attrs(around where) (string, where) {
	var out string
	inside := around
	if inside.dir = b.direction(around); inside.dir != around.dir {
		out = ` dir="` + inside.dir + `"`
	}
	if b.lang != "" && !strings.EqualFold(b.lang, around.lang) {
		inside.lang = b.lang
		out += ` lang="` + b.lang + `"`
	}
	return out, inside
}

// turned is style, with an alignment where a block turns the direction.
func turned(around, inside where, style string) string {
	if around.dir == inside.dir {
		return ` style="` + style + `"`
	}
	side := "left"
	if inside.dir == "rtl" {
		side = "right"
	}
	return ` style="` + style + `;text-align:` + side + `"`
}

func (s *setter) leafHTML(b *block, around where, above bool) {
	attrs, inside := b.attrs(around)
	tag, class, style := "p", "", paragraphStyle
	switch b.kind {
	case heading:
		tag, class, style = "h4", "hd", headingStyle
		if b.rank > 2 {
			style = minorStyle
		}
	case caption:
		class, style = "by", captionStyle
	case term:
		style = termStyle
	default:
		switch {
		case above:
			style = aboveStyle
		case around.listed > 0:
			style = furtherStyle
		}
	}
	s.w.WriteString("<" + tag)
	if class != "" {
		s.w.WriteString(` class="` + class + `"`)
	}
	s.w.WriteString(attrs + turned(around, inside, style) + ">")
	s.inlineHTML(b.line, inside)
	s.w.WriteString("</" + tag + ">\n")
}

// inlineHTML sets a line.
func (s *setter) inlineHTML(line []token, at where) {
	var ends []string
	for i, t := range line {
		switch t.kind {
		case word:
			s.w.WriteString(escape(t.text))
		case breaking:
			s.w.WriteString("<br>\n")
		case pictured:
			s.pictureHTML(t.pic)
		case opening:
			tag, attrs := openingHTML(t, line[i:closes(line, i)])
			s.w.WriteString("<" + tag + attrs + ">")
			ends = append(ends, "</"+tag+">")
		case closing:
			s.w.WriteString(ends[len(ends)-1])
			ends = ends[:len(ends)-1]
		}
	}
}

// escape writes text as HTML. Outside of attributes quotes are what they are.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	s = strings.ReplaceAll(s, "&", "&amp;")
	return strings.ReplaceAll(strings.ReplaceAll(s, "<", "&lt;"), ">", "&gt;")
}

func openingHTML(t token, inside []token) (tag, attrs string) {
	if t.lang != "" {
		attrs += ` lang="` + t.lang + `"`
	}
	if t.dir != "" {
		attrs += ` dir="` + t.dir + `"`
	}
	style := ""
	switch t.name {
	case "a":
		return "a", attrs + ` href="` + html.EscapeString(t.href) + `" style="` + anchorStyle + `"`
	case "em":
		if !hasItalics(plainText(inside)) {
			style = uprightStyle
		}
	case "code":
		return "code", attrs + ` dir="ltr" style="` + inlineCode + `"`
	case "sub", "sup":
		style = upStyle
	case "small":
		style = smallStyle
	case "mark":
		return "span", attrs + ` class="mk" style="` + markStyle + `"`
	}
	if style != "" {
		attrs += ` style="` + style + `"`
	}
	return t.name, attrs
}

// hasItalics reports whether text is of scripts that slant.
func hasItalics(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && (wide(r) || rightToLeft(r)) })
}

func (s *setter) pictureHTML(p *picture) {
	switch {
	case p.shown == "" && p.linked != "":
		s.w.WriteString(`<a href="` + html.EscapeString(p.linked) + `" style="` + anchorStyle + `">` + html.EscapeString(p.said()) + "</a>")
	case p.shown == "":
		s.w.WriteString(`<span class="by" style="` + wordsStyle + `">` + html.EscapeString(p.said()) + "</span>")
	default:
		s.w.WriteString(`<img src="` + html.EscapeString(p.shown) + `" alt="` + html.EscapeString(p.words) + `"`)
		if p.width > 0 {
			s.w.WriteString(` width="` + strconv.Itoa(p.width) + `"`)
		}
		if p.height > 0 {
			s.w.WriteString(` height="` + strconv.Itoa(p.height) + `"`)
		}
		style := pictureStyle
		if p.small {
			style = iconStyle
		}
		s.w.WriteString(` style="` + style + `">`)
	}
}

// continueLabel says where the rest of a post is.
func continueLabel(b *Post) string {
	if host := b.Host(); host != "" {
		return "Continue reading at " + host
	}
	return "Continue reading"
}

// Host is the name of the site that the author's page is on; empty if there is none.
func (b *Post) Host() string {
	u, err := url.Parse(b.URL)
	if err != nil {
		return ""
	}
	return clean(strings.TrimPrefix(u.Hostname(), "www."), 60)
}

// onwardHTML leads to the rest of a post.
func onwardHTML(b *Post, style string) string {
	if b.URL == "" {
		return `<p class="by" style="` + style + `;color:` + muted + `">` + leftOut + "</p>\n"
	}
	return `<p lang="en"` + align(b.Dir, style) + `><a class="go" href="` + html.EscapeString(b.URL) +
		`" style="` + anchorStyle + `">` + html.EscapeString(continueLabel(b)) + "</a></p>\n"
}

// leftOut is said of a post that has no page of its own.
const leftOut = "The rest of this post is too long for a mail."

func teaserHTML(b *Post) string {
	t := postTopHTML(b)
	if b.Excerpt != "" {
		t += `<p class="ex"` + align(b.Dir, teaserStyle) + ">" + html.EscapeString(b.Excerpt) + "</p>\n"
	}
	return t + onwardHTML(b, teaserEndStyle) + "</div>\n"
}
