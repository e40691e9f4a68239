package render

import (
	"html"
	"strings"
	"testing"
)

// TestPartsAreTheirTemplates: a part writes the same as html/template, except for characters with two possible escapes.
func TestPartsAreTheirTemplates(t *testing.T) {
	for _, title := range []string{"A title", `Tom & "Jerry" <b>'s</b> C++`, "\u05d4\u05e9\u05e2\u05d5\u05df"} {
		for i := range 32 {
			some := func(bit int, s string) string {
				if i&bit == 0 {
					return ""
				}
				return s
			}
			d := postData{
				Title: title, Lang: some(1, "en"), Dir: "auto", URL: some(2, "https://a.example/?a=1&b=%27"),
				Byline:  some(4, title),
				Excerpt: some(8, title), Continue: "Continue", RTL: i&16 != 0, Teaser: i&1 != 0, Untitled: i&4 != 0,
				Note: i&4 != 0, Host: some(1, "a.example"),
			}
			for _, p := range []*part[postData]{plain.line, plain.row, plain.title, plain.byline, plain.rest,
				plain.teaser, plain.onward} {
				checkPart(t, p, d)
			}
			h := headingData{Title: title, URL: d.URL, Lang: d.Lang, Dir: d.Dir, RTL: d.RTL, Anchor: "s1",
				First: d.Teaser}
			for _, p := range []*part[headingData]{plain.head, plain.entry, plain.folder} {
				checkPart(t, p, h)
			}
			checkPart(t, plain.notice, noticeData{Text: title, Alone: d.RTL})
			checkPart(t, plain.own, ownData{URL: "https://a.example/", Words: title, Heads: d.RTL})
			checkPart(t, plain.more, moreData{URL: "https://a.example/", Count: "3"})
			checkPart(t, plain.edition, editionData{
				FullText: d.RTL, Title: title, Leads: title, Name: title, NameDir: "rtl", NameLang: d.Lang,
				Date: "Friday", Number: some(1, "7"),
				Opened: d.Teaser, Deck: "no new posts", Note: some(2, title), Nothing: i&4 != 0, Reason: title,
				WebURL: some(8, "https://a.example/e/1"), HomeURL: "https://a.example/",
				UnsubscribeURL: "https://a.example/u", PostalAddress: d.Byline,
			})
		}
	}
}

func checkPart[T any](t *testing.T, p *part[T], data T) {
	t.Helper()
	var filled strings.Builder
	if err := p.template.Execute(&filled, data); err != nil {
		t.Fatal(err)
	}
	got, want := p.piece(data), p.theme.Replace(filled.String())
	if html.UnescapeString(got.decoded()) != html.UnescapeString(want) {
		t.Fatalf("%s, %+v:\n%s\nwant\n%s", p.template.Name(), data, got.decoded(), want)
	}
	if got != newPiece(got.decoded()) {
		t.Fatalf("%s, %+v is encoded as\n%s", p.template.Name(), data, got.coded)
	}
}
