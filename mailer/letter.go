package mailer

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"time"

	"digest"
)

// A Letter is one message to one address, before it is bytes: the mail of an
// edition, a sign-in link, a confirmation. Sent again as it is, it is the same
// message.
type Letter struct {
	From       string // RFC 5322 address, with or without a name
	ReplyTo    string // empty: none
	CountsTo   string // an address beside ReplyTo that counts answers; empty: none
	ReturnPath string // bare address that bounces come back to; empty: that of From
	To         string // the one recipient
	Subject    string
	Language   string // the tag of the language that the instance uses in it (RFC 3282); empty: not named
	HTML       string // may be empty
	Text       string // flowed (RFC 3676): no line ends or begins with a space that means nothing

	Encoded Encoded // in place of HTML and Text, where it is not the zero one

	MessageID      string    // without angle brackets; the same each time it is sent
	Date           time.Time // its location gives the offset
	ListName       string    // for people; may be empty
	ListID         string    // for machines, a domain name that never changes (RFC 2919 §2)
	UnsubscribeURL string    // one-click (RFC 8058); empty: the message is not a list's

	UnsubscribeMail string // bare address that a mail to unsubscribe goes to; empty: none
	HelpURL         string // a page about the list (RFC 2369 §3.1); empty: none
	// where earlier letters of the list stand for anybody (RFC 2369 §3.6); empty: nowhere
	ArchiveURL string
	// bare address that receivers send complaints to (RFC 9477), if the signature vouches for it; empty: none
	ComplaintsTo string
	// what complaints are counted by: a:b:c:SenderId, none of it the reader's; empty: none
	FeedbackID string
	// asked for just now by whoever gets it, and by them alone: nothing calls it bulk
	Personal   bool
	Newsletter digest.NewsletterID // whose own domain From is at, and whose key signs; 0: the instance's
	// Message-ID, without angle brackets, that all editions of a digest refer to; empty: none
	Thread string
}

// Encoded is HTML and text that are quoted-printable already (RFC 2045 §6.7, UTF-8,
// lines of at most 76 columns ended by CRLF), each in blocks that stand in a row and
// end with their lines. Letters share the blocks, so that one which waits to be sent
// takes little memory.
type Encoded struct{ HTML, Text []string }

// Size is how many bytes both are.
func (e Encoded) Size() int {
	text, html := Letter{Encoded: e}.parts()
	return text.room() + html.room()
}

// MessageID gives the Message-ID of an edition, without angle brackets, at most
// 64 characters, the same each time. The host is the From address's or the base
// URL's; an overlong one loses labels from the left.
func MessageID(signer *digest.Signer, id digest.EditionID, host string) string {
	const tokenLength = 20
	token := signer.Sign(digest.ForMessageID, int64(id))
	return atHost("d."+token[len(token)-tokenLength:], asciiHost(host)) // the MAC; the key stays private
}

// resentID is the Message-ID of an edition that an operator has had sent again: another one each time,
// because programs hide a message whose Message-ID they have had.
func resentID(signer *digest.Signer, e digest.Edition, host string) string {
	return atHost("a."+signer.SignText(digest.ForMessageID, fmt.Sprintf("again %d %d", e.ID, e.Resent)),
		asciiHost(host))
}

// hostOf gives the domain of an address such as "Daily Digest <digest@localhost>",
// "localhost" if it has none.
func hostOf(address string) string {
	a, err := mail.ParseAddress(address)
	if err != nil {
		return "localhost"
	}
	return asciiHost(a.Address[strings.LastIndexByte(a.Address, '@')+1:])
}

// newMessageID gives a Message-ID for a letter that is no edition's, without
// angle brackets, at the host of an address such as DIGEST_FROM.
func newMessageID(from string) string { return atHost("l."+rand.Text(), hostOf(from)) }

// complete fills in what a Renderer leaves to the Deliverer.
func (d *Deliverer) complete(l Letter, e digest.Delivery, now time.Time) Letter {
	host := hostOf(d.From)
	l.From, l.ReplyTo, l.To = d.fromOf(e), d.replyToOf(e), e.Email
	if e.Newsletter != nil && e.Newsletter.OwnAddress != "" {
		l.Newsletter = e.Newsletter.ID
	}
	l.ReturnPath, l.ComplaintsTo = d.returnPath(), d.ComplaintsTo
	l.MessageID = cmp.Or(e.MessageID, MessageID(d.Signer, e.ID, host))
	if e.Resent > 0 {
		l.MessageID = cmp.Or(e.MessageID, resentID(d.Signer, e.Edition, host))
	}
	l.Date = dateOf(e, now).In(d.zones.load(e.TimeZone))
	l.ListName = cmp.Or(l.ListName, e.DigestName)
	l.ListID = listOf(e, host)
	l.FeedbackID = feedbackOf(e, host)
	if d.ReturnPath != "" {
		// Its tags tell which edition bounced, or which digest is unsubscribed, and
		// nobody else can make one.
		l.ReturnPath = digest.Tagged(d.ReturnPath, d.Signer.Sign(digest.ForBounce, int64(e.ID)))
		if e.Newsletter != nil && e.Newsletter.CountReplies {
			l.CountsTo = digest.Tagged(d.ReturnPath, d.Signer.Sign(digest.ForReply, int64(e.Newsletter.ID)))
		}
		l.UnsubscribeMail = digest.Tagged(d.ReturnPath,
			d.Signer.Sign(digest.ForUnsubscribeMail, digest.InRound(int64(e.DigestID), e.LinkRound)))
	}
	if e.Threaded {
		l.Thread = threadID(d.Signer, e.DigestID, host)
	}
	return l
}

// fromOf is the address that an edition comes from: a newsletter's has its publisher's name.
func (d *Deliverer) fromOf(e digest.Delivery) string {
	if e.Newsletter == nil {
		return d.From
	}
	return d.NewsletterFrom(*e.Newsletter)
}

func (d *Deliverer) replyToOf(e digest.Delivery) string {
	if e.Newsletter == nil {
		return d.ReplyTo
	}
	return cmp.Or(e.Newsletter.ReplyTo, d.ReplyTo)
}

// listOf names the list that an edition belongs to: all members of a newsletter are on one,
// and each reader's own digest is another.
func listOf(e digest.Delivery, host string) string {
	if e.Newsletter != nil {
		return fmt.Sprintf("n%d.newsletter.%s", e.Newsletter.ID, host)
	}
	return fmt.Sprintf("d%d.digest.%s", e.DigestID, host)
}

// feedbackOf lets Gmail tell the complaints of one day, newsletter and instance from
// others'. Nothing in it is a reader's.
func feedbackOf(d digest.Delivery, host string) string {
	kind := "daily"
	if d.Newsletter != nil {
		kind = fmt.Sprintf("n%d", d.Newsletter.ID)
	}
	return fmt.Sprintf("%04d%02d%02d:%s:%s:%s", d.LocalDate.Year, d.LocalDate.Month, d.LocalDate.Day, kind, host,
		senderID(host))
}

// senderID names a sender in 5 to 15 characters that stay the same.
func senderID(host string) string {
	sum := sha256.Sum256([]byte(host))
	return "d" + hex.EncodeToString(sum[:5])
}

// threadID is the Message-ID that all editions of a digest refer to, so that a
// mail program shows them as one conversation. No message has it.
func threadID(signer *digest.Signer, id digest.DigestID, host string) string {
	return atHost("t."+signer.SignText(digest.ForMessageID, "thread "+strconv.FormatInt(int64(id), 10)), host)
}

// atHost makes an id of at most 64 characters: an overlong host loses labels from the left.
func atHost(local, host string) string {
	const most = 64
	for len(local)+1+len(host) > most {
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			host = host[len(host)-(most-1-len(local)):]
			break
		}
		host = rest
	}
	return local + "@" + host
}

// dateOf is when the message was first queued. A resend in doubt keeps it,
// because receivers know a duplicate by Message-ID and Date; a message that was
// certainly not accepted and is late gets a new one, because filters distrust
// an old Date.
func dateOf(d digest.Delivery, now time.Time) time.Time {
	const late = 2 * time.Hour
	if d.Date.IsZero() || !d.WasInDoubt && now.Sub(d.Date) > late {
		return now.Truncate(time.Second)
	}
	return d.Date
}

// zoneCache keeps the readers' zones: reading one takes longer than composing a message.
type zoneCache struct{ byName sync.Map }

func (z *zoneCache) load(name string) *time.Location {
	if loc, ok := z.byName.Load(name); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = time.UTC // the offset is for show
	}
	z.byName.Store(name, loc)
	return loc
}
