package web

import (
	"testing"

	"digest/web/page"
)

// TestSearchComposed checks that the fields of the form are added to the query, even after an open quote.
func TestSearchComposed(t *testing.T) {
	for _, c := range []struct {
		typed, site, from, to, want string
	}{
		{`"garden`, "127.0.0.13", "", "", `"garden" site:127.0.0.13`},
		{`a "b `, "", "2026-11-29", "", `a "b" after:2026-11-29`},
		{`„a”`, "x.example", "", "", `„a” site:x.example`},
		{`„a`, "x.example", "", "2026-11-29", `„a" site:x.example before:2026-11-30`},
		{`"a" "b`, "My site", "", "", `"a" "b" site:"My site"`},
		{"", "x.example", "", "", "site:x.example"},
		{"a b", "", "", "", "a b"},
	} {
		p := searchPage{Query: c.typed, Site: c.site, From: page.DateField{Value: c.from},
			To: page.DateField{Value: c.to}}
		if got := p.composed(); got != c.want {
			t.Errorf("%s, %s, %s, %s: %s, want %s", c.typed, c.site, c.from, c.to, got, c.want)
		}
	}
}
