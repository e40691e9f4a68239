package render

import (
	_ "embed"
	"strings"
)

//go:embed templates/theme.css
var themeCSS string

//go:embed templates/text.css
var textCSS string

// Width is the maximum width of the column in CSS pixels.
const Width = 600

// Theme returns the fonts and colours as a style sheet for web pages.
func Theme() string { return InSchemes(themeCSS) }

// InSchemes rewrites the dark blocks of a style sheet. They apply if the device is dark, unless the page has
// data-theme=light, and always if it has data-theme=dark. They never apply in print.
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

// Variables returns the fonts and colours of the theme by name: "ink" for the light scheme, "dark-ink" for the dark
// one.
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

// replacer replaces var() by colours and fonts, because mail clients do not support it.
func replacer(variables map[string]string) *strings.Replacer {
	var pairs []string
	for name, value := range variables {
		pairs = append(pairs, "var(--"+name+")", value)
	}
	return strings.NewReplacer(pairs...)
}

// textStyles returns the styles of full texts by name.
func textStyles(theme *strings.Replacer) map[string]string {
	styles := map[string]string{}
	for line := range strings.Lines(theme.Replace(textCSS)) {
		if name, style, ok := strings.Cut(strings.TrimSuffix(line, " }\n"), " { "); ok {
			styles[name] = style
		}
	}
	return styles
}
