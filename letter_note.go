package digest

import (
	"fmt"
	"time"
)

// A LetterNote says that the instance refused sign-in links or emails to newcomers, because too many were
// unanswered.
type LetterNote struct {
	Domain string // the mail domain that reached its bound; "": the bound of the instance
	SignIn bool   // the bound of sign-in links
	At     time.Time
}

// LetterNoteLife is how long the operator's page and the doctor show a LetterNote.
const LetterNoteLife = 7 * 24 * time.Hour

// Words says what happened and what to do about it, for the operator.
func (n LetterNote) Words() (found, todo string) {
	found = "so many emails to newcomers were unanswered that nobody else could sign up or join a newsletter"
	switch {
	case n.SignIn:
		return "so many sign-in links were unanswered that browsers that are not known got no other", "see who asks for them; digest user sign-in prints a link for a reader"
	case n.Domain != "":
		found = fmt.Sprintf("so many emails to newcomers at %s were unanswered that no other address there could sign up or join a newsletter", n.Domain)
	}
	return found, "if it goes on, set DIGEST_SIGN_UP=invitation, or hold the newsletter that they ask for"
}
