package render

import (
	"html"
	"strings"
)

// A Letter is a short mail about one thing, with one button at most: sign-in,
// sign-up and the like. Its words are the program's own: nothing that anybody
// typed stands in it.
type Letter struct {
	Name  string   // on the nameplate
	Title string   // what it is about: its headline, and the subject
	Text  []string // paragraphs before the button

	Action string // what the button says; empty: there is none
	URL    string // where it leads

	Aside []string // paragraphs after it, in small type

	HomeURL       string // where the web view is
	PostalAddress string // at the foot; empty: none
}

const (
	darkLetterHTML = `<style>
@media (prefers-color-scheme: dark) {
.page .press { background-color: {accent} !important; }
.page .press a { color: {fill} !important; }
}
</style>
`
	titleStyle  = `margin:0 0 14px;font-size:24px;line-height:1.28;font-weight:700;color:` + ink
	letterStyle = `margin:0 0 14px;color:` + soft
	asideStyle  = `margin:0 0 10px;font-family:` + Sans + `;font-size:14px;line-height:1.55;color:` + muted
)

// HTML is the letter as a page in the look of the editions.
func (l Letter) HTML() string {
	var w strings.Builder
	w.WriteString(headHTML + darkStyle() + strings.ReplaceAll(darkened(darkLetterHTML), "{fill}", Dark().OnFill))
	w.WriteString("<title>" + html.EscapeString(l.Title) + "</title>\n</head>\n" + `<body style="margin:0;padding:0;background-color:` + paper + `">` + "\n")
	w.WriteString(`<div role="article" aria-roledescription="email" aria-label="` + html.EscapeString(l.Title) + `" lang="en" dir="ltr">` + "\n")
	w.WriteString(pageOpenHTML + strings.TrimSuffix(nameHTML, "\n") + ">" + html.EscapeString(l.Name) + "</h1>\n</td>\n</tr>\n")
	w.WriteString(`<tr>` + "\n" + `<td class="hair" style="border-top:1px solid ` + rule + `;padding:26px 0 10px">` + "\n")
	w.WriteString(`<h2 class="deck" style="` + titleStyle + `">` + html.EscapeString(l.Title) + "</h2>\n")
	for _, p := range l.Text {
		w.WriteString(`<p class="ex" style="` + letterStyle + `">` + html.EscapeString(p) + "</p>\n")
	}
	l.button(&w)
	for _, p := range l.Aside {
		w.WriteString(`<p class="by" style="` + asideStyle + `">` + html.EscapeString(p) + "</p>\n")
	}
	w.WriteString(rowCloseHTML + footHTML)
	w.WriteString(reasonHTML + strings.TrimSuffix(exitHTML, "\n") + ` href="` + html.EscapeString(l.HomeURL) + `">` + html.EscapeString(l.HomeURL) + "</a></p>\n")
	if l.PostalAddress != "" {
		w.WriteString(reasonHTML + html.EscapeString(l.PostalAddress) + "</p>\n")
	}
	w.WriteString(rowCloseHTML + pageCloseHTML)
	return w.String()
}

// button is a table cell, because that is what all mail programs fill.
func (l Letter) button(w *strings.Builder) {
	if l.Action == "" {
		return
	}
	w.WriteString(`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px">` + "\n<tbody>\n<tr>\n" +
		`<td class="press" bgcolor="` + accent + `" style="background-color:` + accent + `;border-radius:3px">` + "\n" +
		`<a href="` + html.EscapeString(l.URL) + `" style="display:inline-block;padding:13px 26px;font-family:` + Sans +
		`;font-size:16px;line-height:1.25;font-weight:700;color:` + Light().OnFill + `;text-decoration:none">` + html.EscapeString(l.Action) + "</a>\n" +
		"</td>\n</tr>\n</tbody>\n</table>\n")
}

// PlainText is the letter in plain text.
func (l Letter) PlainText() string {
	var w strings.Builder
	wrap(&w, l.Name, "", textColumns)
	w.WriteByte('\n')
	wrap(&w, l.Title, "", textColumns)
	for _, p := range l.Text {
		w.WriteByte('\n')
		wrap(&w, p, "", textColumns)
	}
	if l.Action != "" {
		w.WriteString("\n" + l.Action + ":\n" + l.URL + "\n")
	}
	for _, p := range l.Aside {
		w.WriteByte('\n')
		wrap(&w, p, "", textColumns)
	}
	w.WriteString("\n" + strings.Repeat("-", textColumns) + "\n" + l.HomeURL + "\n")
	if l.PostalAddress != "" {
		wrap(&w, l.PostalAddress, "", textColumns)
	}
	return w.String()
}
