package render

import (
	"strings"

	"digest/internal/catalogue"
)

// A LetterContent is what a short letter about one thing says, with one button
// at most: sign-in, sign-up and the like. Its words are the program's own:
// nothing that anybody typed stands in it.
type LetterContent struct {
	Language string // of its words, a tag; empty: English

	Name  string   // on the nameplate
	Title string   // what it is about: its headline, and the subject
	Text  []string // paragraphs before the button

	Links []LetterLink // paragraphs after Text, with a link at the end of each

	Action string // what the button says; empty: there is none
	URL    string // where it leads

	Aside []string // paragraphs after it, in small type

	HomeURL       string // where the web view is
	PostalAddress string // at the foot; empty: none
}

// A LetterLink is a paragraph with a link at its end.
type LetterLink struct{ Text, Action, URL string }

// HTML is the letter as a page in the look of the editions. Letters are few, so
// the templates are read for each, with their colours, which takes a millisecond.
func (l LetterContent) HTML() string {
	var b strings.Builder
	if err := parseTemplates(replacer(Variables()), catalogue.Of(l.Language)).ExecuteTemplate(&b, "letter",
		l); err != nil {
		panic(err) // as in parseTemplates
	}
	return b.String()
}

// PlainText is the letter in plain text, flowed.
func (l LetterContent) PlainText() string {
	parts := []string{wrapped(l.Name), wrapped(l.Title)}
	for _, p := range l.Text {
		parts = append(parts, wrapped(p))
	}
	for _, p := range l.Links {
		parts = append(parts, wrapped(p.Text)+labelIn(catalogue.Of(l.Language), p.Action)+"\n"+p.URL+"\n")
	}
	if l.Action != "" {
		parts = append(parts, labelIn(catalogue.Of(l.Language), l.Action)+"\n"+l.URL+"\n")
	}
	for _, p := range l.Aside {
		parts = append(parts, wrapped(p))
	}
	return stuffed(strings.Join(append(parts, ruleText+l.HomeURL+"\n"), "\n") + wrapped(l.PostalAddress))
}
