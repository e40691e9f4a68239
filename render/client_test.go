package render

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// TestOnlyWhatClientsKnow holds inline styles to properties that mail clients
// agree on, or that harm nobody where they are not known (marked).
func TestOnlyWhatClientsKnow(t *testing.T) {
	known := strings.Fields(`margin padding color background-color border-top border-bottom max-width
		font-family font-size font-style font-weight line-height letter-spacing text-align text-decoration
		display overflow max-height
		opacity mso-hide table-layout word-wrap overflow-wrap`) // the last line: not everywhere
	for _, p := range []Page{typical(), lately(), onlyNotes()} {
		m, err := Edition(p)
		if err != nil {
			t.Fatal(err)
		}
		for n := range parse(t, m.HTML).Descendants() {
			for rule := range strings.SplitSeq(attr(n, "style"), ";") {
				name, value, _ := strings.Cut(rule, ":")
				if rule != "" && !slices.Contains(known, name) {
					t.Errorf("property %s", name)
				}
				if strings.Contains(value, "url(") || strings.Contains(value, "var(") {
					t.Errorf("value %s", value)
				}
			}
		}
	}
}

// TestBothVersionsSayTheSame: spam filters compare the words of the two parts.
func TestBothVersionsSayTheSame(t *testing.T) {
	for name, p := range map[string]Page{"typical": typical(), "hundred": large(100), "huge": large(700), "late": lately(), "notes": onlyNotes()} {
		m, err := Edition(p)
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		for n := range parse(t, m.HTML).Descendants() {
			if n.Type == html.TextNode && n.Parent.Data != "style" {
				page.WriteString(n.Data + " ")
			}
		}
		text := words(m.Text)
		all := words(page.String())
		common := 0
		for w := range all {
			if text[w] {
				common++
			}
		}
		if share := float64(common) / float64(len(all)); share < 0.95 {
			t.Errorf("%s: only %.2f of the page's words are in the text", name, share)
		}
	}
}

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 1 && w[0] < 0x80 { // text without spaces is wrapped inside words
			out[w] = true
		}
	}
	return out
}
