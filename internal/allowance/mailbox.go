package allowance

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Mailbox returns the mailbox behind an address, as far as the address shows it. The mailbox is in lower case and has
// no tag after a plus sign. At Gmail it has no dots, and always the domain gmail.com. Use it only for limits: elsewhere
// such addresses may belong to different people, so it identifies no account and no suppression.
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

// Domain returns the registrable domain of a mailbox, whose owner can use all names below it.
func Domain(mailbox string) string {
	domain := mailbox[strings.LastIndexByte(mailbox, '@')+1:]
	if registered, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return registered
	}
	return domain
}
