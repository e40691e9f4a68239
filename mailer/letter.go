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

// A Letter is one message to one address before it is composed: an edition, a sign-in link or a confirmation. A letter
// that is sent twice is the same message.
type Letter struct {
	From       string // RFC 5322 address, with or without a name
	ReplyTo    string // may be empty
	ReturnPath string // bare address for bounces; empty means the address of From
	To         string
	Subject    string
	Language   string // tag of the language of the instance's own text (RFC 3282); may be empty
	HTML       string // may be empty
	Text       string // flowed (RFC 3676): spaces at the ends of lines have a meaning

	Encoded Encoded // replaces HTML and Text if it is not zero

	MessageID      string    // without angle brackets; the same in each attempt
	Date           time.Time // its location determines the offset
	ListName       string    // for people; may be empty
	ListID         string    // for programs: a domain name that never changes (RFC 2919 §2)
	UnsubscribeURL string    // one-click (RFC 8058); empty if the message belongs to no list

	UnsubscribeMail string // bare address for unsubscribe emails; may be empty
	HelpURL         string // a page about the list (RFC 2369 §3.1); may be empty
	// a public page with earlier letters of the list (RFC 2369 §3.6); may be empty
	ArchiveURL string
	// bare address for complaints (RFC 9477); used if the signature covers it; may be empty
	ComplaintsTo string
	// groups complaints: a:b:c:SenderId, without data of the reader; may be empty
	FeedbackID string
	// the recipient has just requested it; not marked as bulk mail
	Personal   bool
	Newsletter digest.NewsletterID // the newsletter whose own domain From has, and whose key signs; 0 for the instance
	// Message-ID, without angle brackets, that all editions of a digest refer to; may be empty
	Thread string
	Lead   digest.PostID // the post that leads the edition; NoLead: none; 0: a newsletter
}

// Encoded is HTML and text in quoted-printable (RFC 2045 §6.7, UTF-8, lines of at most 76 columns that end with CRLF).
// Each consists of blocks of complete lines. Letters share blocks, so a waiting letter uses little memory.
type Encoded struct{ HTML, Text []string }

// Size returns the approximate size of both in bytes.
func (e Encoded) Size() int {
	text, html := Letter{Encoded: e}.parts()
	return text.room() + html.room()
}

// MessageID returns the Message-ID of an edition, without angle brackets, of at most 64 characters. It is the same each
// time. The host is the host of the From address or of the base URL. A long host loses labels from the left.
func MessageID(signer *digest.Signer, id digest.EditionID, host string) string {
	const tokenLength = 20
	token := signer.Sign(digest.ForMessageID, int64(id))
	return atHost("d."+token[len(token)-tokenLength:], asciiHost(host)) // the MAC, without the edition's number
}

// resentID returns the Message-ID of an edition that an operator sends again. It differs each time, because mail
// programs hide a message with a known Message-ID.
func resentID(signer *digest.Signer, e digest.Edition, host string) string {
	return atHost("a."+signer.SignText(digest.ForMessageID, fmt.Sprintf("again %d %d", e.ID, e.Resent)),
		asciiHost(host))
}

// domainOf returns the domain of an address such as "Daily Digest <digest@localhost>", or "localhost" if it has none.
func domainOf(address string) string {
	a, err := mail.ParseAddress(address)
	if err != nil {
		return "localhost"
	}
	return asciiHost(a.Address[strings.LastIndexByte(a.Address, '@')+1:])
}

// newMessageID returns a Message-ID, without angle brackets, for a letter that is not an edition. Its host is the host
// of from.
func newMessageID(from string) string { return atHost("l."+rand.Text(), domainOf(from)) }

// complete sets the fields of a letter that a Renderer does not set.
func (d *Deliverer) complete(l Letter, e digest.Delivery, now time.Time) Letter {
	host := domainOf(d.From)
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
		// Only this instance can sign the tags. They identify the edition that bounced or the digest to unsubscribe.
		l.ReturnPath = digest.Tagged(d.ReturnPath, d.Signer.Sign(digest.ForBounce, int64(e.ID)))
		l.UnsubscribeMail = digest.Tagged(d.ReturnPath,
			d.Signer.Sign(digest.ForUnsubscribeMail, digest.InRound(int64(e.DigestID), e.LinkRound)))
	}
	if e.Threaded {
		l.Thread = threadID(d.Signer, e.DigestID, host)
	}
	return l
}

// fromOf returns the From address of an edition. An issue has its publisher's name.
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

// listOf returns the List-Id of an edition. A newsletter is one list, and each reader's own digest is another.
func listOf(e digest.Delivery, host string) string {
	if e.Newsletter != nil {
		return fmt.Sprintf("n%d.newsletter.%s", e.Newsletter.ID, host)
	}
	return fmt.Sprintf("d%d.digest.%s", e.DigestID, host)
}

// feedbackOf returns the Feedback-ID, by which Gmail groups complaints by day, newsletter and instance. It contains no
// data of the reader.
func feedbackOf(d digest.Delivery, host string) string {
	kind := "daily"
	if d.Newsletter != nil {
		kind = fmt.Sprintf("n%d", d.Newsletter.ID)
	}
	return fmt.Sprintf("%04d%02d%02d:%s:%s:%s", d.LocalDate.Year, d.LocalDate.Month, d.LocalDate.Day, kind, host,
		senderID(host))
}

func senderID(host string) string {
	sum := sha256.Sum256([]byte(host))
	return "d" + hex.EncodeToString(sum[:5])
}

// threadID returns the Message-ID that all editions of a digest refer to, so that a mail program shows them as one
// thread. No message has this ID.
func threadID(signer *digest.Signer, id digest.DigestID, host string) string {
	return atHost("t."+signer.SignText(digest.ForMessageID, "thread "+strconv.FormatInt(int64(id), 10)), host)
}

// atHost returns an ID of at most 64 characters. A long host loses labels from the left.
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

// dateOf returns when the message was first queued. An edition in doubt keeps its Date, because receivers recognise
// duplicates by Message-ID and Date. A late message that was certainly not accepted gets a new one, because filters
// distrust an old Date.
func dateOf(d digest.Delivery, now time.Time) time.Time {
	const late = 2 * time.Hour
	if d.Date.IsZero() || !d.WasInDoubt && now.Sub(d.Date) > late {
		return now.Truncate(time.Second)
	}
	return d.Date
}

// zoneCache caches time zones, because loading one takes longer than composing a message.
type zoneCache struct{ byName sync.Map }

func (z *zoneCache) load(name string) *time.Location {
	if loc, ok := z.byName.Load(name); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		loc = time.UTC // the zone only affects the displayed offset
	}
	z.byName.Store(name, loc)
	return loc
}
