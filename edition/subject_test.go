package edition

import (
	"testing"

	"digest"
)

// TestSubjectSentAgain: the subject of an edition that an operator sends again says so in the reader's language.
func TestSubjectSentAgain(t *testing.T) {
	for _, c := range []struct {
		resent         int
		language, want string
	}{
		{0, "", "Friday"}, {1, "", "Friday (sent again)"}, {2, "de", "Friday (erneut gesendet)"},
		{1, "ja", "Friday（再送）"},
	} {
		if got := subjectOf(digest.Delivery{Edition: digest.Edition{Resent: c.resent}, Language: c.language},
			"Friday"); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		d := digest.Delivery{Edition: digest.Edition{Resent: 1}, Letter: digest.NewsletterLetter{Subject: "Her own"}}
		if got := subjectOf(d, "Friday"); got != "Her own (sent again)" {
			t.Errorf("with a subject of its publisher's: %q", got)
		}
	}
}
