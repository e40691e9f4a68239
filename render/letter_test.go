package render

import (
	"strings"
	"testing"
)

func letter() LetterContent {
	return LetterContent{
		Name: "Daily Digest", Title: "Your sign-in link",
		Text: []string{"Someone, probably you, asked to sign in with this address.",
			"Open the link and press the button to sign in. The link works once and expires after an hour."},
		Action:  "Sign in",
		URL:     "https://digest.example/sign-in?token=ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Aside:   []string{"If this wasn’t you, ignore this email. Nobody can sign in without the link."},
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
