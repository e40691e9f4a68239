package render

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// TestExcerptsHaveTheirOwnDirection: an excerpt has the direction of its letters, not of its headline.
func TestExcerptsHaveTheirOwnDirection(t *testing.T) {
	for _, c := range []struct{ title, excerpt, language, dir, ex string }{
		{"המפה החדשה של העיר העתיקה", "In English.", "he", "rtl",
			`<p class="ex" dir="ltr" style="text-align:left;margin`},
		{"A long headline in English", "המפה", "en", "auto",
			`<p class="ex" dir="rtl" style="text-align:right;margin`},
		{"המפה", "השעון פיגר.", "he", "rtl", `<p class="ex" style="text-align:right;margin`},
		{"A map", "12:30", "", "auto", `<p class="ex" style="margin`},
	} {
		p := plain.Post(digest.Post{Title: c.title, Summary: c.excerpt, Language: c.language})
		if html := p.rest.html.decoded(); p.Dir != c.dir || !strings.Contains(html, c.ex) {
			t.Errorf("%s: %s\n%s", c.title, p.Dir, html)
		}
	}
}

// TestPiecesStandApart: in a line with pieces of two directions, each piece keeps its direction and the pieces keep
// their order. A line with one direction has no marks.
func TestPiecesStandApart(t *testing.T) {
	seen := time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)
	urdu := digest.Post{ID: 1, Title: "پہلا صفحہ", Author: "BBC Urdu", URL: "https://www.bbc.co.uk/a",
		SiteURL: "https://urdu.example/", SeenAt: seen, PublishedAt: seen.AddDate(-1, 0, 0)}
	latin := digest.Post{ID: 2, Title: "A headline", Author: "Tom", URL: "https://pier.example/a",
		SiteURL: "https://pier.example/", SeenAt: seen, PublishedAt: seen.AddDate(-1, 0, 0)}
	for language, want := range map[string][]string{
		"": {"\u200f\u2068BBC Urdu\u2069 · \u2068\u200f← bbc.co.uk\u2069 · \u206820 November 2025\u2069",
			"Tom · 20 November 2025"},
		"ar": {"\u200f\u2068BBC Urdu\u2069 · \u2068\u200f← bbc.co.uk\u2069 · \u206820 نوفمبر 2025\u2069",
			"\u200e\u2068Tom\u2069 · \u206820 نوفمبر 2025\u2069"},
	} {
		r := plain.Speaking(language)
		for i, p := range []digest.Post{urdu, latin} {
			if got := r.Post(p).Byline; got != want[i] {
				t.Errorf("%s: %+q, want %+q", language, got, want[i])
			}
		}
		e := page(sampleSite{"BBC | صفحۂ اول", "https://urdu.example/", "ur", nil},
			sampleSite{"Pier", "https://pier.example/", "en", nil})
		e.Language, e.Layout = language, digest.Headlines
		e.Sections[0].Posts, e.Sections[1].Posts = []*Post{r.Post(urdu)}, []*Post{r.Post(latin)}
		e.Sections[0].Feed, e.Sections[1].Feed = 1, 2
		e.SiteURL = func(digest.FeedID) string { return "https://digest.example/site" }
		m := mailOf(t, e)
		if !strings.Contains(m.HTML, "\u2068BBC | صفحۂ اول\u2069</a>") ||
			strings.Contains(m.HTML, "\u2068Pier\u2069") != (language == "ar") {
			t.Errorf("%s: names of sites\n%s", language, m.HTML)
		}
		if own := map[string]string{"": "rtl", "ar": "ltr"}[language]; strings.Count(m.HTML, `<p class="by sm" dir="`+
			own) != 1 {
			t.Errorf("%s: bylines of rows\n%s", language, m.HTML)
		}
	}
}

// TestNamesStandApart: a line of names runs as its reader reads, whatever the names are written in, and breaks only
// after a dot.
func TestNamesStandApart(t *testing.T) {
	long := strings.Repeat("long ", 10) + "name"
	for _, c := range []struct {
		language string
		names    []string
		want     string
	}{
		{"", []string{"The Pier", "Al-Monitor"}, "The\u00a0Pier\u00a0· Al-Monitor"},
		{"", []string{"Pier", "צהרים"}, "\u200e\u2068Pier\u2069\u00a0· \u2068צהרים\u2069"},
		{"ar", []string{"BBC | اول", "The Pier"},
			"\u200f\u2068BBC\u00a0|\u00a0اول\u2069\u00a0· \u200f\u2068The\u00a0Pier\u2069"},
		{"", []string{long, "Pier"}, long + "\u00a0· Pier"},
	} {
		if got := plain.Speaking(c.language).dotted(c.names); got != c.want {
			t.Errorf("%s: %+q, want %+q", c.language, got, c.want)
		}
	}
	fold := Fold{Posts: 41, Usual: 4}
	if got := fold.Line("صفحۂ اول").In(catalogue.English()); !strings.HasPrefix(got,
		"\u2068صفحۂ اول\u2069 published") {
		t.Errorf("of a folded site: %+q", got)
	}
}
