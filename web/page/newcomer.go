package page

import "net/url"

// A Newcomer is a form that asks for an email address and a time zone.
type Newcomer struct {
	LetterRequest
	ZoneField
	Action     string // address to which the form posts
	TokenField string // name of the hidden field for Token
	Token      string
}

// ReadNewcomer returns the form as posted, for a page that shows it again.
func ReadNewcomer(form url.Values, action, tokenField string) Newcomer {
	return Newcomer{
		LetterRequest: LetterRequest{Email: form.Get("email")}, ZoneField: ZoneField{Zone: form.Get("zone")},
		Action: action, TokenField: tokenField, Token: form.Get(tokenField),
	}
}
