package allowance

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Mailbox returns the mailbox that receives the mail of an address, as far as the address tells. It is in lower case
// and has no tag behind a plus sign. At Gmail it has no dots and one domain. Use it to bound letters only: elsewhere
// different people may have such addresses, so it identifies no account and no suppression.
func Mailbox(email string) string {
	email = strings.ToLower(email)
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return email
	}
	name, domain := email[:at], strings.TrimSuffix(email[at+1:], ".")
	if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
		name = strings.ReplaceAll(name[1:len(name)-1], `\`, "")
	}
	if plus := strings.IndexByte(name, '+'); plus > 0 {
		name = name[:plus]
	}
	if domain == "gmail.com" || domain == "googlemail.com" {
		domain = "gmail.com"
		if dotless := strings.ReplaceAll(name, ".", ""); dotless != "" {
			name = dotless
		}
	}
	return name + "@" + domain
}

// Domain returns the registered domain of a mailbox. Its owner has all names below it.
func Domain(mailbox string) string {
	domain := mailbox[strings.LastIndexByte(mailbox, '@')+1:]
	if registered, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return registered
	}
	return domain
}
