package web_test

import (
	"testing"

	"digest/web"
)

// TestSentence: a line begins with a capital, whatever its letters are, and ends with one full stop.
func TestSentence(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "a": "A.", "a pause ends": "A pause ends.", "it is so.": "It is so.", "“x” is no date": "“x” is no date.", "état": "État.", "何か": "何か.",
	} {
		if got := web.Sentence(line); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}
