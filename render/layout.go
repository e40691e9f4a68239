package render

import (
	"html"
	"strings"
)

// The layout of the HTML. Styles are inline, because many clients drop
// <style>; classes are only for the dark scheme and for narrow screens. Only
// properties that mail clients agree on are used: tables, padding, colours,
// fonts, borders.
const (
	headHTML = `<!DOCTYPE html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a:hover { text-decoration: underline !important; }
@media (max-width: 480px) {
.pad { padding: 20px 18px 32px !important; }
.name { font-size: 36px !important; }
}
</style>
`
	darkHTML = `<style>
@media (prefers-color-scheme: dark) {
body, .page { background-color: {paper} !important; color: {soft} !important; }
.page .name, .page h3 a, .page .ix a, .page h3, .page .deck { color: {ink} !important; }
.page .ex { color: {soft} !important; }
.page .by, .page .ft, .page .ft a { color: {muted} !important; }
.page .site, .page .site a, .page .go { color: {accent} !important; }
.page .hair { border-color: {rule} !important; }
.page .bar { border-color: {strong} !important; }
}
</style>
`
	// What full texts need in the dark, beside the rest.
	darkTextHTML = `<style>
@media (prefers-color-scheme: dark) {
.page .tx, .page .tx blockquote { color: {soft} !important; }
.page .tx a, .page a.go { color: {accent} !important; }
.page .hd { color: {ink} !important; }
.page .cd { background-color: {panel} !important; color: {ink} !important; }
.page .mk { background-color: {mark} !important; color: {ink} !important; }
}
</style>
`
	// The filler keeps clients from showing the top of the page behind the preheader.
	fillerHTML = "&#8199;&#847; &#8199;&#847; &#8199;&#847; &#8199;&#847; &#8199;&#847; &#8199;&#847; &#8199;&#847;\n"

	leadOpenHTML = `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all">
`
	leadCloseHTML = fillerHTML + fillerHTML + fillerHTML + fillerHTML + fillerHTML + fillerHTML + `</div>
`
	pageOpenHTML = `<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:` + paper + `;color:` + soft + `">
<tbody>
<tr>
<td class="pad" style="padding:36px 24px 48px">
<!--[if mso]><table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;margin:0 auto;table-layout:fixed;font-family:` + Serif + `;font-size:17px;line-height:1.6;word-wrap:break-word;overflow-wrap:break-word">
<tbody>
`
	pageCloseHTML = `</tbody>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td>
</tr>
</tbody>
</table>
</div>
</body>
</html>
`
	// The nameplate. Tags are broken where a reader's own words begin, so that
	// the rest can be encoded once.
	nameHTML = `<tr>
<td class="bar" style="border-top:3px solid ` + ink + `;padding:22px 0 18px">
<h1 class="name" style="margin:0;text-align:center;font-size:44px;line-height:1.15;font-weight:700;letter-spacing:-0.5px;color:` + ink + `"
`
	dateHTML = `</td>
</tr>
<tr>
<td class="hair" style="border-top:1px solid ` + rule + `;border-bottom:1px solid ` + rule + `">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="font-family:` + Sans + `;font-size:13px;line-height:1.5">
<tbody>
<tr>
<td class="by" style="padding:7px 0;color:` + muted + `">
`
	numberHTML = `</td>
<td class="by" align="right" style="padding:7px 0;color:` + muted + `">
`
	dateCloseHTML = `</td>
</tr>
</tbody>
</table>
</td>
</tr>
`
	deckStyle  = `margin:0;font-size:20px;line-height:1.4;font-style:italic;color:` + ink
	deckHTML   = dateCloseHTML + "<tr>\n<td style=\"padding:22px 0 4px\">\n<p class=\"deck\" style=\"" + deckStyle + "\">\n"
	lonelyHTML = dateCloseHTML + "<tr>\n<td style=\"padding:22px 0 22px\">\n<p class=\"deck\" style=\"" + deckStyle + "\">\n"

	noteHTML  = "<p class=\"ex\" style=\"" + noteStyle + "\">\n"
	noteStyle = `margin:8px 0 0;font-size:15px;line-height:1.5;color:` + soft

	nothingHTML = "<tr>\n<td>\n<p class=\"ex\" style=\"" + excerptStyle + "\">Nothing new has come in.</p>\n</td>\n</tr>\n"

	footHTML   = "<tr>\n<td class=\"hair\" style=\"border-top:1px solid " + rule + ";padding:18px 0 0\">\n"
	reasonHTML = `<p class="ft" style="` + footStyle + `">` + "\n"
	exitHTML   = `<a style="color:` + muted + `;text-decoration:underline"` + "\n"

	notesHTML = "<tr>\n<td class=\"hair\" style=\"border-top:1px solid " + rule + ";padding:18px 0 10px\">\n" +
		`<h2 class="by" style="margin:0 0 6px;font-family:` + Sans + `;font-size:13px;line-height:1.5;font-weight:700;color:` + muted + `">Notes</h2>` + "\n"
	notesStyle    = `margin:0 0 10px;font-size:15px;line-height:1.5;color:` + soft
	onlyNoteStyle = `margin:0 0 18px;color:` + soft

	rowOpenHTML  = "<tr>\n<td style=\"padding:4px 0 0\">\n"
	rowCloseHTML = "</td>\n</tr>\n"

	indexOpenHTML  = "<tr>\n<td class=\"ix bar\" style=\"padding:0 0 26px;border-bottom:3px solid " + ink + ";line-height:1.4\">\n"
	siteLabelStyle = `margin:18px 0 4px;font-family:` + Sans + `;font-size:13px;line-height:1.5;font-weight:700;color:` + accent
	siteHeadStyle  = `margin:0 0 18px;padding:12px 0 0;border-top:1px solid ` + rule + `;font-family:` + Sans + `;font-size:14px;line-height:1.5;font-weight:700;color:` + accent
	lateLineStyle  = `margin:9px 0 4px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	lateHeadStyle  = `margin:0 0 8px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	restLabelStyle = `margin:0 0 6px;font-family:` + Sans + `;font-size:13px;line-height:1.5;font-weight:700;color:` + muted
	restStyle      = `margin:0 0 30px;line-height:1.4`
	lineStyle      = `margin:0 0 5px`
	rowStyle       = `margin:0 0 1px;font-size:19px;line-height:1.35`
	rowAloneStyle  = `margin:0 0 14px;font-size:19px;line-height:1.35`
	rowBylineStyle = `margin:0 0 14px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	lineLinkStyle  = `color:` + ink + `;text-decoration:none`
	postStyle      = `margin:0 0 5px;font-size:22px;line-height:1.28;font-weight:700;color:` + ink
	bylineStyle    = `margin:0 0 7px;font-family:` + Sans + `;font-size:13px;line-height:1.5;color:` + muted
	excerptStyle   = `margin:0 0 30px;color:` + soft
	endStyle       = `margin:0 0 30px;font-size:1px;line-height:1px`
	footStyle      = `margin:0 0 8px;font-family:` + Sans + `;font-size:13px;line-height:1.6;color:` + muted
)

// attributes are what every piece of foreign text carries. An empty lang says
// "not known"; without it the text would count as English, like the page.
func attributes(language, dir string) string {
	return ` dir="` + dir + `" lang="` + language + `"`
}

// align makes right-to-left text begin at the right where a client drops dir.
func align(dir, style string) string {
	if dir == "rtl" {
		return ` style="text-align:right;` + style + `"`
	}
	return ` style="` + style + `"`
}

func link(address, style, text string) string {
	if address == "" {
		return html.EscapeString(text)
	}
	return `<a href="` + html.EscapeString(address) + `" style="` + style + `">` + html.EscapeString(candid(text, address)) + `</a>`
}

// headlineHTML is a post's line in the index, or all of it in a large edition.
func headlineHTML(b *Post) string {
	return "<p" + attributes(b.Language, b.Dir) + align(b.Dir, lineStyle) + ">" + link(b.URL, lineLinkStyle, b.Title) + "</p>\n"
}

// rowHTML is a post in a paper of headlines.
func rowHTML(b *Post) string {
	style := rowStyle
	if b.Byline == "" {
		style = rowAloneStyle
	}
	row := "<p" + attributes(b.Language, b.Dir) + align(b.Dir, style) + ">" + link(b.URL, lineLinkStyle, b.Title) + "</p>\n"
	if b.Byline != "" {
		row += `<p class="by"` + attributes(b.Language, b.Dir) + align(b.Dir, rowBylineStyle) + ">" + html.EscapeString(b.Byline) + "</p>\n"
	}
	return row
}

// postHTML is a post below the index.
func postHTML(b *Post, excerpt string) string {
	var w strings.Builder
	w.WriteString(postTopHTML(b))
	if excerpt != "" {
		w.WriteString(`<p class="ex"` + align(b.Dir, excerptStyle) + ">" + html.EscapeString(excerpt) + "</p>\n")
	} else {
		w.WriteString(`<p style="` + endStyle + `">&nbsp;</p>` + "\n")
	}
	w.WriteString("</div>\n")
	return w.String()
}

// postTopHTML opens a post: its headline and its byline.
func postTopHTML(b *Post) string {
	var w strings.Builder
	w.WriteString("<div" + attributes(b.Language, b.Dir) + ">\n")
	w.WriteString("<h3" + align(b.Dir, postStyle) + ">" + link(b.URL, lineLinkStyle, b.Title) + "</h3>\n")
	if b.Byline != "" {
		w.WriteString(`<p class="by"` + align(b.Dir, bylineStyle) + ">" + html.EscapeString(b.Byline) + "</p>\n")
	}
	return w.String()
}
