package mailer

import (
	"cmp"
	"net/mail"
	"strings"

	"digest"
)

// Editions, sign-in mail and each newsletter come from different addresses, because mail programs offer to block the
// sender: who blocks one of them must go on getting the others. The addresses differ by a tag (RFC 5233), so that all of
// them are at one mailbox.

// accountTag is the tag of the address that sign-in mail comes from.
const accountTag = "account"

// DefaultAccountFrom is the address that sign-in mail comes from where DIGEST_ACCOUNT_FROM names none, for a DIGEST_MAIL
// and a DIGEST_FROM that are valid. A server to which from itself logs in may send for nothing else: then it is from.
func DefaultAccountFrom(setting, from string) string {
	a, err := parseAddress(from)
	_, s, _ := parseSetting(setting)
	if err != nil || strings.EqualFold(s.user, a.Address) {
		return from
	}
	return tagged(a, accountTag)
}

// SameAddress reports whether two addresses are one mailbox by the same name, whatever names stand beside them.
func SameAddress(one, other string) bool {
	a, err := parseAddress(one)
	b, err2 := parseAddress(other)
	return err == nil && err2 == nil && strings.EqualFold(a.Address, b.Address)
}

// SameDomain reports whether two addresses are at one domain, for which one key signs.
func SameDomain(one, other string) bool { return hostOf(one) == hostOf(other) }

// tagged writes an address with a tag, if there is room for it before the @ (RFC 5321 §4.5.3.1.1).
func tagged(a *mail.Address, tag string) string {
	const mostLocal = 64
	address := digest.Tagged(a.Address, tag)
	if strings.LastIndexByte(address, '@') > mostLocal {
		address = a.Address
	}
	return (&mail.Address{Name: a.Name, Address: address}).String()
}

// NewsletterFrom is the address that issues of a newsletter come from, on an instance whose own is from (DIGEST_FROM),
// and whose sign-in mail comes from account: at the publisher's domain while that is seen to be theirs. Where account is
// from, the mail server takes no other address, so issues come from it too.
func NewsletterFrom(n digest.Newsletter, from, account string) string {
	a, err := parseAddress(from)
	if err != nil {
		return from // whoever composes says what is wrong with it
	}
	own := &mail.Address{Name: digest.OneLine(n.Sender()), Address: cmp.Or(n.OwnAddress, a.Address)}
	if n.OwnAddress == "" && n.Slug != "" && account != "" && !SameAddress(from, account) {
		return tagged(own, n.Slug)
	}
	return own.String()
}

// NewsletterFrom is the address that issues of a newsletter come from.
func (s *Sender) NewsletterFrom(n digest.Newsletter) string {
	return NewsletterFrom(n, s.From, s.AccountFrom)
}
