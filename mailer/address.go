package mailer

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"digest"
)

// parseAddress parses one address and converts its domain to ASCII (A-labels, RFC 5890 §2.3.2.1), which every mail
// server accepts. It normalises a local part that is not ASCII (RFC 6532 §3.1). Mail to it needs SMTPUTF8 (RFC 6531) at
// every hop.
func parseAddress(raw string) (*mail.Address, error) {
	if strings.ContainsAny(raw, "\r\n") {
		return nil, fmt.Errorf("the email address %q contains a line break", raw)
	}
	a, err := mail.ParseAddress(raw)
	if err != nil {
		return nil, fmt.Errorf("%q is not an email address", raw)
	}
	at := strings.LastIndexByte(a.Address, '@')
	local, host := norm.NFC.String(a.Address[:at]), a.Address[at+1:]
	if strings.ContainsFunc(local, notMailboxRune) {
		return nil, fmt.Errorf("the email address %q has an invalid character before the @", digest.OneLine(a.Address))
	}
	if host, err = toASCII(host); err != nil {
		return nil, fmt.Errorf("the email address %q: %w", a.Address, err)
	}
	return &mail.Address{Name: unencoded(a.Name), Address: local + "@" + host}, nil
}

// notMailboxRune reports characters beyond ASCII that are no letters, marks or digits. They can be invisible or change
// the writing direction.
func notMailboxRune(r rune) bool {
	return r >= 0x80 && !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// parseOwn parses an address of this instance (From, Reply-To), which every mail server must accept.
func parseOwn(raw string) (*mail.Address, error) {
	a, err := parseAddress(raw)
	if err == nil && !isASCII(a.Address) {
		err = fmt.Errorf(
			"the email address %q has letters before the @ that some mail servers do not accept; use an ASCII address",
			a.Address)
	}
	return a, err
}

// bare formats an address without its name. It restores the quotes around a local part that net/mail has removed (RFC
// 5321 §4.1.2).
func bare(a *mail.Address) string {
	return strings.Trim((&mail.Address{Address: a.Address}).String(), "<>")
}

// CheckFrom reports whether email can be sent from an address such as "Daily Digest <digest@example.org>". The error is
// one line.
func CheckFrom(address string) error {
	_, err := parseOwn(address)
	if err == nil {
		_, err = parseMailbox(address)
	}
	return err
}

// OwnMailbox is like Recipient, for an address of this instance, which every mail server must accept.
func OwnMailbox(address string) (string, error) {
	if _, err := parseOwn(address); err != nil {
		return "", err
	}
	return Recipient(address)
}

// Recipient returns the canonical form of a bare address, with its domain in ASCII and lower case. The error is one
// line.
func Recipient(address string) (string, error) {
	a, err := parseMailbox(address)
	if err != nil {
		return "", err
	}
	if a.Name != "" || strings.ContainsAny(address, "<>") {
		return "", fmt.Errorf("%q has more than an email address; leave out the name and the < >", address)
	}
	return bare(a), nil
}

// parseMailbox parses an address that a person has entered. It checks the lengths that mail servers accept (RFC 5321
// §4.5.3.1) and the form of the domain.
func parseMailbox(raw string) (*mail.Address, error) {
	a, err := parseAddress(raw)
	if err != nil {
		return nil, err
	}
	const mostLocal, mostDomain = 64, 255
	full := bare(a)
	at := strings.LastIndexByte(full, '@')
	if local := full[:at]; len(local) > mostLocal || strings.ContainsFunc(local, unicode.IsControl) {
		return nil, fmt.Errorf("the part before the @ of the email address %q is not valid", digest.OneLine(full))
	}
	domain := full[at+1:]
	if !isDomainName(domain) || len(domain) > mostDomain {
		return nil, fmt.Errorf("the domain of the email address %q is not valid", digest.OneLine(full))
	}
	return a, nil
}

func isDomainName(name string) bool {
	const mostLabel = 63
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > mostLabel || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, notHostRune) {
			return false
		}
	}
	return true
}

func toASCII(host string) (string, error) {
	ascii, err := digest.ASCIIHost(host)
	if err != nil {
		return "", fmt.Errorf("domain %q is not a name: %w", host, err)
	}
	return ascii, nil
}

// asciiHost converts a host from the settings to ASCII. It returns localhost for an invalid name.
func asciiHost(host string) string {
	ascii, err := toASCII(host)
	if err != nil || ascii == "" || strings.ContainsFunc(ascii, notHostRune) {
		return "localhost"
	}
	return ascii
}

func notHostRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// token rejects a value that a header cannot contain unencoded: it must be printable ASCII without spaces.
func token(what, s string) error {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '<' || s[i] == '>' {
			return fmt.Errorf("%s %q contains a character that headers cannot have", what, s)
		}
	}
	if s == "" {
		return errors.New(what + " is missing")
	}
	return nil
}

// webAddress rejects an address that is not http or https, or that a header cannot contain unencoded.
func webAddress(address string) error {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return fmt.Errorf("%q is not a web address", address)
	}
	return token("the address", address)
}

// mailtoEscape escapes an address for a mailto link (RFC 6068 §2) in a header.
func mailtoEscape(address string) string {
	var b strings.Builder
	for i := range len(address) {
		c := address[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("-._~+!$*@", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func notIdentifierRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}
