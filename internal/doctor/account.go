package doctor

import (
	"context"
	"fmt"

	"digest/mailer"
)

// account checks whether readers who block the sender of editions still get sign-in mail. Gmail's "Manage
// subscriptions" offers to block a sender.
func (x *checker) account(context.Context) Finding {
	if why := x.mailStays(); why != "" {
		return skip(why)
	}
	if mailer.SameAddress(x.AccountFrom, x.From) {
		return verdict(Warn, fmt.Sprintf("sign-in mail comes from %s, as editions do: readers who block the sender of editions cannot sign in", x.From),
			"set DIGEST_ACCOUNT_FROM to another address of this domain that the mail server may send from")
	}
	return verdict(OK, "sign-in mail comes from "+x.AccountFrom, "")
}
