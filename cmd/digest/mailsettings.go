package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"digest"
	"digest/internal/bounce"
	"digest/mailer"
)

// mailSettings are the settings of mail beyond where it goes.
type mailSettings struct {
	ReplyTo           string `default:"" placeholder:"ADDRESS" group:"Mail:" help:"Where answers go (that of --contact)."`
	ReturnPath        string `default:"" placeholder:"ADDRESS" group:"Mail:" help:"Where bounces go, such as bounces@example.org; each mail's has a tag: bounces+…@example.org."`
	BounceListen      string `default:"" placeholder:"ADDRESS" group:"Mail:" help:"Take bounces there: smtp://:25, lmtp://127.0.0.1:2424 or lmtp:/run/digest.sock."`
	BounceMaildir     string `default:"" placeholder:"DIR" group:"Mail:" help:"Take bounces from this Maildir."`
	MailConnections   string `default:"4" placeholder:"N" group:"Mail:" help:"Messages on their way at once."`
	MailRate          string `default:"0" placeholder:"RATE" group:"Mail:" help:"Messages in a time, such as 100/m; 0 is no limit."`
	MailPerConnection string `default:"50" placeholder:"N" group:"Mail:" help:"Messages on one connection at most."`
	DomainConnections string `default:"0" placeholder:"N" group:"Mail:" help:"Messages on their way at once to one recipient domain; 0 is no limit."`
	DomainRate        string `default:"0" placeholder:"RATE" group:"Mail:" help:"Messages in a time to one recipient domain, such as 20/m; 0 is no limit."`
	PostalAddress     string `default:"" placeholder:"TEXT" group:"Mail:" help:"A postal address for the foot of each mail, where the law asks for one."`
}

// mailHouse is mailSettings once they are understood.
type mailHouse struct {
	replyTo       string
	returnPath    string // a bare address; empty: none
	bounceListen  string
	bounceMaildir string
	route, domain digest.Limits
	perConnection int
	postalAddress string
}

// understand checks the settings. Answers go to contact unless something else is said.
func (s mailSettings) understand(contact string) (h mailHouse, err error) {
	h.bounceListen, h.bounceMaildir, h.replyTo = s.BounceListen, s.BounceMaildir, s.ReplyTo
	if h.replyTo == "" {
		h.replyTo = contact
	}
	if err := mailer.CheckFrom(h.replyTo); err != nil {
		return h, badSetting("DIGEST_REPLY_TO", s.ReplyTo, "is no address that answers could go to", "you@example.org")
	}
	if h.returnPath, err = parseReturnPath(s.ReturnPath); err != nil {
		return h, err
	}
	if err := s.checkBounces(); err != nil {
		return h, err
	}
	if h.route, err = limitsOf("MAIL", s.MailConnections, s.MailRate, 1); err != nil {
		return h, err
	}
	if h.domain, err = limitsOf("DOMAIN", s.DomainConnections, s.DomainRate, 0); err != nil {
		return h, err
	}
	if h.perConnection, err = parseCount("DIGEST_MAIL_PER_CONNECTION", s.MailPerConnection, 1); err != nil {
		return h, err
	}
	const mostAddress = 300
	h.postalAddress = strings.Join(strings.Fields(s.PostalAddress), " ")
	if utf8.RuneCountInString(h.postalAddress) > mostAddress {
		return h, badSetting("DIGEST_POSTAL_ADDRESS", shortened(h.postalAddress), "is too long for the foot of a mail", "Jane Doe, 1 High Street, Oxford")
	}
	return h, nil
}

// checkBounces checks where bounces are taken: there must be an address they come to.
func (s mailSettings) checkBounces() error {
	if s.ReturnPath == "" && s.BounceListen+s.BounceMaildir != "" {
		name, value := "DIGEST_BOUNCE_LISTEN", s.BounceListen
		if value == "" {
			name, value = "DIGEST_BOUNCE_MAILDIR", s.BounceMaildir
		}
		return badSetting(name, value, "takes bounces, and no mail would come back without DIGEST_RETURN_PATH", "DIGEST_RETURN_PATH=bounces@example.org")
	}
	if s.BounceListen == "" {
		return nil
	}
	if err := bounce.Check(s.BounceListen); err != nil { // names the setting
		return &settingError{[]string{"DIGEST_BOUNCE_LISTEN"}, err.Error()}
	}
	return nil
}

// mostReturnPath leaves room for the tag in the 64 octets before the @ (RFC 5321 §4.5.3.1.1).
const mostReturnPath = 30

// parseReturnPath takes a bare address that a tag can be put into.
func parseReturnPath(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	address, err := mailer.Recipient(s)
	at := strings.LastIndexByte(address, '@')
	if err != nil || at > mostReturnPath || strings.Contains(address[:max(at, 0)], `"`) {
		return "", badSetting("DIGEST_RETURN_PATH", s, "is no address that a tag can be put into", "bounces@example.org")
	}
	return strings.ToLower(address), nil
}

// limitsOf reads the two settings of a lane: DIGEST_MAIL_… or DIGEST_DOMAIN_….
func limitsOf(which, connections, rate string, least int) (l digest.Limits, err error) {
	if l.Connections, err = parseCount("DIGEST_"+which+"_CONNECTIONS", connections, least); err != nil {
		return l, err
	}
	if l.Rate, err = digest.ParseRate(rate); err != nil {
		return l, badSetting("DIGEST_"+which+"_RATE", rate, "is not a rate", "100/m")
	}
	return l, nil
}

func parseCount(name, value string, least int) (int, error) {
	const most = 1000
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return 0, badSetting(name, value, fmt.Sprintf("is not a number from %d to %d", least, most), "4")
	}
	return n, nil
}

func shortened(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
