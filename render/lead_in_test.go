package render

import (
	"strings"
	"testing"

	"digest"
)

// TestLeadIns: authors, dates, reading times, code and signs of Markdown are no excerpt.
func TestLeadIns(t *testing.T) {
	for in, want := range map[string]string{
		// removed
		"By Ann Lee On Tuesday night the horn sounded.":                         "On Tuesday night the horn sounded.",
		"By Bo Berg | The horn sounded.":                                        "The horn sounded.",
		"By Bo Berg February 15, 2026 The horn sounded.":                        "The horn sounded.",
		"Published: February 15, 2026 Reading Time: ~10 minutes The horn.":      "The horn.",
		"Posted on Friday, 20 November 2026 at 10:30 · 5 min read The horn.":    "The horn.",
		"2026-11-20 — The horn sounded.":                                        "The horn sounded.",
		"3 min read":                                                            "",
		"Von Ann Lee Veröffentlicht am 20. November 2026 Lesezeit: 5 Min. Das.": "Das.",
		"Par Ann Lee Publié le 20 novembre 2026 Temps de lecture : 5 min Le.":   "Le.",
		"Por Ann Lee 20 de noviembre de 2026 Tiempo de lectura: 5 minutos El.":  "El.",
		"Publicado em 20 de novembro de 2026 · 5 min de leitura O farol.":       "O farol.",
		"2026年11月20日 読了時間：約5分 灯台の話。":                                            "灯台の話。",
		"نشر في 20 نوفمبر 2026 | وقت القراءة: 5 دقائق المنارة صامتة.":           "المنارة صامتة.",
		"### What is **new**? [](https://a.example/) ```go func main() {}``` A": "What is new?   A",
		"{-# LANGUAGE GADTs #-} Types.":                                         "Types.",
		// kept
		"By the sea there is a horn.":                     "By the sea there is a horn.",
		"By Ann Lee’s account the horn was loud.":         "By Ann Lee’s account the horn was loud.",
		"By Tuesday Bo Berg will have gone.":              "By Tuesday Bo Berg will have gone.",
		"20 November 2026 was a cold day.":                "20 November 2026 was a cold day.",
		"November 20, 2026, was a cold day.":              "November 20, 2026, was a cold day.",
		"Von Ann Lee gibt es ein Buch.":                   "Von Ann Lee gibt es ein Buch.",
		"2026年11月20日、灯台が消えた。":                             "2026年11月20日、灯台が消えた。",
		"5 minutes later the horn sounded.":               "5 minutes later the horn sounded.",
		"Date and time are hard.":                         "Date and time are hard.",
		"A ** b, C## and snake__case are what they were.": "A ** b, C## and snake__case are what they were.",
		"Por Madrid pasan diez trenes.":                   "Por Madrid pasan diez trenes.",
	} {
		if got := withoutLeadIn(withoutSigns(in), "Ann Lee"); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

// TestLinksOfUntitled: the excerpt of a post without a title has the links of its text.
func TestLinksOfUntitled(t *testing.T) {
	p := page(harbour())
	q := digest.Post{Untitled: true, URL: "https://m.example/@ann/1",
		Summary: "There: here is the list of horns, bank.com/log, and #fog.",
		Content: `<p>There: <a href="https://a.example/list">here</a> is the list of horns, ` +
			`<a href="https://evil.com/">bank.com/log</a>, and <a href="https://m.example/tags/fog">#fog</a>.</p>`}
	p.Sections[0].Posts = []*Post{plain.Post(q)}
	m := checkedMail(t, p)
	checkLinks(t, parse(t, m.HTML), m.Text)
	for _, want := range []string{`There: <a class="go"`, `href="https://a.example/list">here</a>`,
		`href="https://evil.com/">“bank.com/log”</a>`} {
		if !strings.Contains(m.HTML, want) {
			t.Errorf("%q is not in the email:\n%s", want, m.HTML)
		}
	}
	if strings.Contains(m.HTML, "tags/fog") {
		t.Error("a hashtag is a link")
	}
	q.Title, q.Untitled = "The list of horns", false
	if plain.Post(q).Linked != nil {
		t.Error("the excerpt of a post with a title has links")
	}
}
