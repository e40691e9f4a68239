package mailer

import (
	"net/mail"
	"strings"
	"time"

	"digest"
)

// A Letter is one message to one address, before it is bytes: the mail of an
// edition, a sign-in link, a confirmation. Sent again as it is, it is the same
// message.
type Letter struct {
	From       string // RFC 5322 address, with or without a name
	ReplyTo    string // empty: none
	ReturnPath string // bare address that bounces come back to; empty: that of From
	To         string // the one recipient
	Subject    string
	HTML       string // may be empty
	Text       string

	// Encoded says that HTML and Text are quoted-printable already (RFC 2045
	// §6.7, UTF-8, lines of at most 76 columns ended by CRLF).
	Encoded bool

	MessageID      string    // without angle brackets; the same each time it is sent
	Date           time.Time // its location gives the offset
	ListName       string    // for people; may be empty
	ListID         string    // for machines, a domain name that never changes (RFC 2919 §2)
	UnsubscribeURL string    // one-click (RFC 8058); empty: the message is not a list's

	UnsubscribeMail string // bare address that a mail to unsubscribe goes to; empty: none
	HelpURL         string // a page about the list (RFC 2369 §3.1); empty: none
	FeedbackID      string // what complaints are counted by: a:b:c:SenderId, none of it the reader's; empty: none
	Personal        bool   // asked for just now by whoever gets it, and by them alone: nothing calls it bulk
	Thread          string // Message-ID, without angle brackets, that all editions of a digest refer to; empty: none
}

// MessageID gives the Message-ID of an edition, without angle brackets, at most
// 64 characters, the same each time. The host is the From address's or the base
// URL's; an overlong one loses labels from the left.
func MessageID(signer *digest.Signer, id digest.EditionID, host string) string {
	const tokenLength = 20
	token := signer.Sign(digest.ForMessageID, int64(id))
	return atHost("d."+token[len(token)-tokenLength:], asciiHost(host)) // the MAC; the key stays private
}

// HostOf gives the domain of an address such as "Daily Digest <digest@localhost>",
// "localhost" if it has none.
func HostOf(address string) string {
	a, err := mail.ParseAddress(address)
	if err != nil {
		return "localhost"
	}
	return asciiHost(a.Address[strings.LastIndexByte(a.Address, '@')+1:])
}
