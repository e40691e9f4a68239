package main

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"digest"
	"digest/internal/bounce"
	"digest/mailer"
)

type mailSettings struct {
	AccountFrom       string      `default:"" example:"Daily Digest <account@example.org>" placeholder:"ADDRESS" group:"Mail settings:" help:"From address of sign-in and confirmation emails, at the domain of --from (default: --from with the tag +account)."`
	ReplyTo           string      `default:"" placeholder:"ADDRESS" group:"Mail settings:" help:"Address for replies (default: --contact)."`
	ReturnPath        string      `type:"return-path" default:"" example:"bounces@example.org" placeholder:"ADDRESS" group:"Mail settings:" help:"Address for bounces, such as bounces@example.org. Every email adds a tag: bounces+…@example.org."`
	CFBLAddress       string      `name:"cfbl-address" default:"" placeholder:"ADDRESS" group:"Mail settings:" help:"Address for complaints from mail providers (RFC 9477), at the domain of --from or a subdomain."`
	BounceListen      string      `default:"" placeholder:"ADDRESS" group:"Mail settings:" help:"Receive bounces at smtp://:25, lmtp://127.0.0.1:2424 or lmtp:/run/digest.sock."`
	BounceMaildir     string      `default:"" placeholder:"DIR" group:"Mail settings:" help:"Receive bounces from this Maildir."`
	MailConnections   int         `default:"4" from:"1" to:"1000" placeholder:"N" group:"Mail settings:" help:"Emails sent at the same time."`
	MailRate          digest.Rate `default:"0" from:"1/h" to:"1000/s" zero:"no limit" example:"100/m" placeholder:"RATE" group:"Mail settings:" help:"Emails per s, m, h or d, such as 100/m."`
	MailPerConnection int         `default:"50" from:"1" to:"1000" example:"4" placeholder:"N" group:"Mail settings:" help:"Maximum number of emails per connection."`
	DomainConnections int         `default:"0" from:"1" to:"1000" zero:"no limit" example:"4" placeholder:"N" group:"Mail settings:" help:"Emails sent at the same time to one recipient domain."`
	DomainRate        digest.Rate `default:"0" from:"1/h" to:"1000/s" zero:"no limit" example:"100/m" placeholder:"RATE" group:"Mail settings:" help:"Emails per s, m, h or d to one recipient domain, such as 20/m."`
	PostalAddress     string      `default:"" placeholder:"TEXT" group:"Mail settings:" help:"Postal address at the end of every email, where the law requires one."`
}

func (s *mailSettings) routeLimits() digest.Limits {
	return digest.Limits{Connections: s.MailConnections, Rate: s.MailRate}
}

func (s *mailSettings) domainLimits() digest.Limits {
	return digest.Limits{Connections: s.DomainConnections, Rate: s.DomainRate}
}

// check checks the settings. Without DIGEST_REPLY_TO, replies go to contact.
func (s *mailSettings) check(mail, from, contact string) error {
	if err := s.checkAccountFrom(mail, from); err != nil {
		return err
	}
	replyTo := s.ReplyTo
	if replyTo == "" {
		s.ReplyTo = contact
	}
	if err := mailer.CheckFrom(s.ReplyTo); err != nil {
		return badSetting("DIGEST_REPLY_TO", replyTo, "is not an address that can receive replies", "you@example.org")
	}
	if err := s.checkBounces(); err != nil {
		return err
	}
	if err := s.checkComplaints(from); err != nil {
		return err
	}
	const mostAddress = 300
	s.PostalAddress = strings.Join(strings.Fields(s.PostalAddress), " ")
	if utf8.RuneCountInString(s.PostalAddress) > mostAddress {
		return badSetting("DIGEST_POSTAL_ADDRESS", digest.Shortened(s.PostalAddress, 40),
			"is too long for the footer of an email",
			"Jane Doe, 1 High Street, Oxford")
	}
	return nil
}

// checkAccountFrom checks the sender of sign-in emails, which must have the same domain as from for its DKIM key, or
// chooses one.
func (s *mailSettings) checkAccountFrom(mail, from string) error {
	const name, example = "DIGEST_ACCOUNT_FROM", "Daily Digest <account@example.org>"
	switch {
	case s.AccountFrom == "":
		s.AccountFrom = mailer.DefaultAccountFrom(mail, from)
	case mailer.CheckFrom(s.AccountFrom) != nil:
		return badSetting(name, s.AccountFrom, "is not an address that can send email", example)
	case !mailer.SameDomain(s.AccountFrom, from):
		return badSetting(name, s.AccountFrom, "is not at the domain of DIGEST_FROM, whose key signs email", example)
	}
	return nil
}

// checkBounces checks the sources of bounces. They need a return path.
func (s *mailSettings) checkBounces() error {
	if s.BounceListen != "" {
		if err := bounce.Check(s.BounceListen); err != nil { // has the setting
			return &settingError{names: []string{"DIGEST_BOUNCE_LISTEN"}, text: err.Error()}
		}
	}
	if s.ReturnPath != "" || s.BounceListen+s.BounceMaildir == "" {
		return nil
	}
	name, value := "DIGEST_BOUNCE_LISTEN", s.BounceListen
	if value == "" {
		name, value = "DIGEST_BOUNCE_MAILDIR", s.BounceMaildir
	}
	return badSetting(name, value, "accepts bounces, which need DIGEST_RETURN_PATH",
		"DIGEST_RETURN_PATH=bounces@example.org")
}

// checkComplaints checks the address for complaints. Receivers ignore an address in a domain unrelated to the From
// address.
func (s *mailSettings) checkComplaints(from string) error {
	if s.CFBLAddress == "" {
		return nil
	}
	const name, example = "DIGEST_CFBL_ADDRESS", "complaints@example.org"
	address, err := mailer.OwnMailbox(s.CFBLAddress)
	if err != nil {
		return badSetting(name, s.CFBLAddress, "is not a bare address", example)
	}
	if !mailer.CanComplainTo(address, from) {
		return badSetting(name, s.CFBLAddress,
			"is not at the domain of DIGEST_FROM or a subdomain, and receivers trust no other", example)
	}
	s.CFBLAddress = address
	return nil
}

// mostReturnPath leaves space for the tag in the 64 octets before the @ (RFC 5321 §4.5.3.1.1).
const mostReturnPath = 30

// readReturnPath parses a bare address to which a tag can be added.
func readReturnPath(_ *kong.Tag, s string) (string, error) {
	address, err := mailer.OwnMailbox(s)
	at := strings.LastIndexByte(address, '@')
	if err != nil || at > mostReturnPath || strings.Contains(address[:max(at, 0)], `"`) {
		return "", errors.New("is not an address to which digest can add a tag")
	}
	return strings.ToLower(address), nil
}
