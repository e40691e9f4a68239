package textsearch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"digest"
	"digest/internal/textsearch"
)

// told formats a lookup briefly.
func told(l textsearch.Lookup) string {
	var all []string
	if q := written(l.Query); q != "" {
		all = append(all, q)
	}
	for _, s := range l.Sites {
		all = append(all, "site="+s)
	}
	if l.Links != "" {
		all = append(all, "links="+l.Links)
	}
	if !l.From.IsZero() {
		all = append(all, "from="+l.From.String())
	}
	if !l.Until.IsZero() {
		all = append(all, "until="+l.Until.String())
	}
	return strings.Join(all, " ") + " | " + l.Text
}

func TestParseLookup(t *testing.T) {
	for typed, want := range map[string]string{
		"kernel":                          "kernel | kernel",
		"site:example.org":                "site=example.org | ",
		"SITE:Example.org kern":           "kern site=Example.org | kern",
		"kern site:example.org":           "kern site=example.org | kern",
		`site:"Ars Technica" rust`:        "rust site=Ars Technica | rust",
		`site:“Ars Technica” rust`:        "rust site=Ars Technica | rust",
		`site: "Ars Technica"`:            "site=Ars Technica | ",
		"site: lwn.net rust":              "rust site=lwn.net | rust",
		"site:a.example site:b.example":   "site=a.example site=b.example | site:b.example",
		`site:a.example site:"b c"`:       `site=a.example site=b c | site:"b c"`,
		"site:新聞":                         "site=新聞 | ",
		"after:2026-11-20":                "from=2026-11-20 | ",
		"after:2026-11 before:2026-12":    "from=2026-11-01 until=2026-12-01 | ",
		"before:2026":                     "until=2026-01-01 | ",
		"after: 2026-11-20":               "from=2026-11-20 | ",
		`after:"2026-11-20"`:              "from=2026-11-20 | ",
		"after:2026 after:2025":           "from=2026-01-01 | ", // both apply
		"before:2026 before:2025":         "until=2025-01-01 | ",
		"links:example.org":               "links=example.org | links:example.org",
		"links: example.org":              "links=example.org | links:example.org",
		"links:example.org café -tea":     "cafe !tea links=example.org | links:example.org café -tea",
		`"site:example.org"`:              "site+example+org | \"site:example.org\"", // in quotes it is words
		"foo:bar":                         "foo+bar | foo:bar",
		`kernel "release notes" -android`: "kernel release+notes !android | kernel \"release notes\" -android",
		"before:2026 “foo bar” baz":       "foo+bar baz until=2026-01-01 | \"foo bar\" baz",
	} {
		l, err := textsearch.ParseLookup(typed)
		if err != nil || told(l) != want {
			t.Errorf("%q: %s, %v, want %s", typed, told(l), err, want)
		}
	}
}

func TestParseLookupTells(t *testing.T) {
	for typed, want := range map[string]string{
		"":                            "Enter a word",
		"!?.":                         "Enter a word",
		"-kernel":                     "only excludes words",
		"site:a.example -kernel":      "only excludes words",
		"kernel after:yesterday":      "after: needs a date such as 2026-11-20",
		"before:":                     "before: needs a date",
		"before:2026-02-30":           "before: needs a date",
		"after:0000":                  "after: needs a date",
		"after:2026-11-20T00:00":      "after: needs a date",
		"after:20261120":              "after: needs a date",
		"site:":                       "“site:” needs a site",
		`site:""`:                     "“site:” needs a site",
		"site: after:2026":            "“site:” needs a site",
		"links:":                      "“links:” needs one site",
		"links:a.example links:b.org": "“links:” needs one site",
		"-site:a.example kernel":      "put a minus before",
		"after:2026-11 before:2026-10": "The start date (2026-11-01) must be earlier than the end date " +
			"(2026-10-01)",
		"after:2026 before:2026":             "The start date",
		strings.Repeat("a ", 40):             "too many words",
		strings.Repeat("a", 1000):            "too long",
		strings.Repeat("a", 100_000):         "too long",
		"site:a " + strings.Repeat("a", 400): "too long",
	} {
		_, err := textsearch.ParseLookup(typed)
		if digest.KindOf(err) != digest.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", typed, err, want)
		}
	}
}

func TestField(t *testing.T) {
	for value, want := range map[string]string{
		"example.org": "site:example.org", "Ars Technica": `site:"Ars Technica"`, ` a "b"` + "\n c ": `site:"a b c"`,
		"«x»": "site:x",
	} {
		if got := textsearch.Field("site", value); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestSitesNamed(t *testing.T) {
	sites := []textsearch.Site{
		{"Ars Technica", []string{"https://arstechnica.com/", "feeds.arstechnica.com"}},
		{"Ars", []string{"ars.example"}},
		{"Café Zwölf", []string{"https://www.zwoelf.example/blog"}},
		{"新聞", []string{"shinbun.example:8443"}},
		{"…", []string{"dots.example"}},
		{"Blog", []string{"https://ann.blog.example/"}},
		{"Blog", []string{"https://bob.blog.example/"}},
	}
	for name, want := range map[string][]int{
		"Ars": {1}, "ars technica": {0}, "technica": {0}, "arstechnica.com": {0}, "https://arstechnica.com/feed": {0},
		"www.arstechnica.com": {0},
		"cafe zwolf":          {2}, "CAFÉ": {2}, "zwoelf.example": {2}, "新聞": {3}, "shinbun.example": {3},
		"…":            {4},
		"dots.example": {4},
		"blog":         {5, 6}, "blog.example": {5, 6}, "ann.blog.example": {5}, "g.example": nil, "example": nil,
		"com":    nil,
		"nobody": nil, "": nil, "tech": nil,
	} {
		if got := textsearch.SitesNamed(name, sites); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// FuzzParseLookup checks that any input is a lookup or an error, and that a form reproduces the lookup.
func FuzzParseLookup(f *testing.F) {
	for _, seed := range []string{`site:"a b" after:2026 x`, "before:2026-11-30 “q” -z", "links: a.b site:",
		"after:9999-12-31", "site:\x00 \xff", `site:"`, "-site:x", "site::", "site:新 聞"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		l, err := textsearch.ParseLookup(typed)
		if err != nil {
			if digest.KindOf(err) != digest.Invalid || err.Error() == "" {
				t.Fatalf("%q: %v", typed, err)
			}
			return
		}
		again := []string{l.Text}
		if len(l.Sites) > 0 {
			again = append([]string{textsearch.Field("site", l.Sites[0])}, again...)
		}
		if !l.From.IsZero() {
			again = append(again, textsearch.Field("after", l.From.String()))
		}
		if !l.Until.IsZero() {
			again = append(again, textsearch.Field("before", l.Until.String()))
		}
		same, err := textsearch.ParseLookup(strings.Join(again, " "))
		if !utf8.ValidString(typed) || len(again) > 1 && utf8.RuneCountInString(typed) > 200 {
			return
		}
		if err != nil || fmt.Sprint(told(same)) != fmt.Sprint(told(l)) {
			t.Fatalf("%q: %s, then %s, %v", typed, told(l), told(same), err)
		}
	})
}
