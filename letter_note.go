package digest

import (
	"fmt"
	"time"
)

// A LetterNote says that the instance refused sign-in links or emails to new addresses, because too many were not used.
type LetterNote struct {
	Domain string // the email domain that reached its limit; "": the limit of the instance
	SignIn bool   // the limit of sign-in links
	At     time.Time
}

// LetterNoteLife is how long the operator's page and the doctor show a LetterNote.
const LetterNoteLife = 7 * 24 * time.Hour

// Words returns the problem and the remedy, for the operator.
func (n LetterNote) Words() (found, todo string) {
	found = "too many sign-up emails were not confirmed, so new sign-ups and new members were refused"
	switch {
	case n.SignIn:
		return "too many sign-in links were not used, so unknown browsers got no more",
			"check the log for who requests them; digest user sign-in prints a link for a reader"
	case n.Domain != "":
		found = fmt.Sprintf("too many sign-up emails to %s were not confirmed, so new addresses there were refused",
			n.Domain)
	}
	return found, "if it continues, set DIGEST_SIGN_UP=invitation, or hold the newsletter they try to join"
}
