package render

import (
	"strings"

	"digest/internal/catalogue"
)

// A LetterContent is the content of a short email with at most one button, such as a sign-in link. Its words come only
// from the program, never from users.
type LetterContent struct {
	Language string // language tag; empty means English

	Name  string   // on the nameplate
	Title string   // headline and subject
	Text  []string // paragraphs before the button

	Links []LetterLink // paragraphs after Text that end with a link

	Action string // label of the button; empty for none
	URL    string // address of the button

	Aside []string // paragraphs after the button, in small type

	HomeURL       string // address of the web view
	PostalAddress string // at the foot; may be empty
}

// A LetterLink is a paragraph with a link at its end.
type LetterLink struct{ Text, Action, URL string }

// HTML returns the email as HTML in the style of the editions. It parses the templates for each email, which takes a
// millisecond.
func (l LetterContent) HTML() string {
	var b strings.Builder
	if err := parseTemplates(replacer(Variables()), catalogue.Of(l.Language)).ExecuteTemplate(&b, "letter",
		l); err != nil {
		panic(err) // as in parseTemplates
	}
	return b.String()
}

// PlainText returns the email as flowed text.
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
