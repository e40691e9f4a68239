package render

import (
	"strings"
	"testing"
)

func letter() LetterContent {
	return LetterContent{
		Name: "Daily Digest", Title: "Your sign-in link",
		Text: []string{"Somebody, you we hope, asked to sign in to Daily Digest with this address.",
			"The link opens a page with a button. It works once, within an hour."},
		Action:  "Sign in",
		URL:     "https://digest.example/sign-in?token=ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Aside:   []string{"If it was not you, do nothing: without the link nobody comes in."},
		HomeURL: "https://digest.example/", PostalAddress: "Jane Doe, 1 High Street, Oxford",
	}
}

func TestLetter(t *testing.T) {
	golden(t, "letter.html", letter().HTML())
	golden(t, "letter.txt", letter().PlainText())
}

func TestLetterWithoutAButton(t *testing.T) {
	l := letter()
	l.Action, l.URL, l.PostalAddress = "", "", ""
	for _, part := range []string{l.HTML(), l.PlainText()} {
		if strings.Contains(part, "token") || strings.Contains(part, `class="press" `) ||
			strings.Contains(part, "Oxford") {
			t.Errorf("there is more than there should be:\n%s", part)
		}
	}
}

// TestLetterEscapes: HTML in a setting appears as text.
func TestLetterEscapes(t *testing.T) {
	l := letter()
	l.Name, l.PostalAddress, l.URL = `<b>"&`, `<i>`, `https://x.example/?a="><script>`
	if page := l.HTML(); strings.Contains(page, "<b>") || strings.Contains(page, "<i>") ||
		strings.Contains(page, "<script>") {
		t.Error("a mark came through")
	}
}
