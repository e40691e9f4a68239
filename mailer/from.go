package mailer

import (
	"cmp"
	"net/mail"
	"strings"

	"digest"
)

// Editions, sign-in emails and each newsletter have different From addresses, because mail programs offer to block a
// sender. A reader who blocks one of them must still receive the others. The addresses differ in a tag (RFC 5233), so
// one mailbox receives the mail for all of them.

const accountTag = "account"

// DefaultAccountFrom returns the From address of sign-in mail for an empty DIGEST_ACCOUNT_FROM, from a valid
// DIGEST_MAIL and DIGEST_FROM. It returns from itself if that is the login at the mail server, which may refuse
// other addresses.
func DefaultAccountFrom(setting, from string) string {
	a, err := parseAddress(from)
	_, s, _ := parseSetting(setting)
	if err != nil || strings.EqualFold(s.user, a.Address) {
		return from
	}
	return tagged(a, accountTag)
}

// SameAddress reports whether two addresses are equal, apart from the names of their owners.
func SameAddress(one, other string) bool {
	a, err := parseAddress(one)
	b, err2 := parseAddress(other)
	return err == nil && err2 == nil && strings.EqualFold(a.Address, b.Address)
}

// SameDomain reports whether two addresses are at one domain, and so have one signing key.
func SameDomain(one, other string) bool { return domainOf(one) == domainOf(other) }

// tagged returns an address with a tag, if its local part has room for one (RFC 5321 §4.5.3.1.1).
func tagged(a *mail.Address, tag string) string {
	const mostLocal = 64
	address := digest.Tagged(a.Address, tag)
	if strings.LastIndexByte(address, '@') > mostLocal {
		address = a.Address
	}
	return (&mail.Address{Name: a.Name, Address: address}).String()
}

// NewsletterFrom returns the From address of a newsletter's issues. It is at the publisher's own domain if the
// newsletter has proven one, and otherwise from (DIGEST_FROM) with the slug as its tag. If account, the From
// address of sign-in mail, equals from, the mail server accepts no other address. Issues then use from too.
func NewsletterFrom(n digest.Newsletter, from, account string) string {
	a, err := parseAddress(from)
	if err != nil {
		return from // Compose reports the error
	}
	own := &mail.Address{Name: digest.OneLine(n.Sender()), Address: cmp.Or(n.OwnAddress, a.Address)}
	if n.OwnAddress == "" && n.Slug != "" && account != "" && !SameAddress(from, account) {
		return tagged(own, n.Slug)
	}
	return own.String()
}

// NewsletterFrom returns the From address of issues of a newsletter.
func (s *Sender) NewsletterFrom(n digest.Newsletter) string {
	return NewsletterFrom(n, s.From, s.AccountFrom)
}
