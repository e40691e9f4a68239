package render

import (
	_ "embed"
	"strings"
)

//go:embed templates/theme.css
var themeCSS string

//go:embed templates/text.css
var textCSS string

// Width is the column's greatest width in CSS pixels.
const Width = 600

// Theme is the fonts and colours as a style sheet, for pages in a browser.
func Theme() string { return InSchemes(themeCSS) }

// InSchemes makes the blocks of a style sheet that have the variables of the dark scheme hold where the reader's
// device is dark or the page says data-theme=dark, and not where it says data-theme=light. Paper is never dark.
func InSchemes(css string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(css, "@media (prefers-color-scheme:dark){:root{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		variables, after, _ := strings.Cut(rest, "}}")
		b.WriteString(inTheDarkScheme(variables))
		css = after
	}
}

func inTheDarkScheme(variables string) string {
	return "@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){" + variables + "}}\n" +
		"@media screen{:root[data-theme=dark]{" + variables + "}}"
}

// Variables gives the fonts and colours of the theme by their names: "ink" is of the
// light scheme, "dark-ink" of the dark one.
func Variables() map[string]string {
	all, scheme := map[string]string{}, ""
	for line := range strings.Lines(themeCSS) {
		if strings.HasPrefix(line, "@media") {
			scheme = "dark-"
		}
		if variable, ok := strings.CutPrefix(line, "--"); ok {
			name, value, _ := strings.Cut(variable, ":")
			all[scheme+name], _, _ = strings.Cut(value, ";")
		}
	}
	return all
}

// replacer puts colours and fonts in place of var(), which no mail client knows.
func replacer(variables map[string]string) *strings.Replacer {
	var pairs []string
	for name, value := range variables {
		pairs = append(pairs, "var(--"+name+")", value)
	}
	return strings.NewReplacer(pairs...)
}

// textStyles gives the styles within a post's full text by their names.
func textStyles(theme *strings.Replacer) map[string]string {
	styles := map[string]string{}
	for line := range strings.Lines(theme.Replace(textCSS)) {
		if name, style, ok := strings.Cut(strings.TrimSuffix(line, " }\n"), " { "); ok {
			styles[name] = style
		}
	}
	return styles
}
