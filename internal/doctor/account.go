package doctor

import (
	"context"
	"fmt"

	"digest/mailer"
)

// account checks whether readers who block the sender of editions still get sign-in emails. Gmail's "Manage
// subscriptions" offers to block a sender.
func (x *checker) account(context.Context) Finding {
	if why := x.mailStays(); why != "" {
		return skip(why)
	}
	if mailer.SameAddress(x.AccountFrom, x.From) {
		return verdict(Warn, fmt.Sprintf(
			"sign-in emails are sent from %s, the same address as editions: readers who block that sender cannot sign in", x.From),
			"set DIGEST_ACCOUNT_FROM to a different address at this domain that the mail server accepts")
	}
	return verdict(OK, "sign-in emails are sent from "+x.AccountFrom, "")
}
