package digest

import (
	"cmp"
	"time"
)

// EditionState is the progress of an edition to its reader. Package mailer describes the transitions.
type EditionState string

const (
	EditionReady       EditionState = "ready"
	EditionLeased      EditionState = "leased"
	EditionDotting     EditionState = "dotting" // committed just before the final dot of the message
	EditionInDoubt     EditionState = "in_doubt"
	EditionSent        EditionState = "sent"
	EditionUnconfirmed EditionState = "sent_unconfirmed" // in doubt twice; not sent a third time
	EditionFailed      EditionState = "failed"
	EditionExpired     EditionState = "expired" // no server accepted it in time; the next edition carries its posts
	// its reader gets no emails, or their address is suppressed; it is only on the web
	EditionUnmailed EditionState = "unmailed"
)

// An Edition is what one digest delivers for one local date. Its posts are those with its DigestID and DueAt, and they
// never change after the release.
type Edition struct {
	ID        EditionID
	DigestID  DigestID
	LocalDate Date
	DueAt     time.Time
	SendAt    time.Time
	Number    int
	State     EditionState
	Attempt   int
	MessageID string    // without angle brackets; empty until first composed
	Date      time.Time // of the message: when it was queued; a resend in doubt keeps it
	NextAt    time.Time // earliest next attempt
	ExpiresAt time.Time // not sent after this time
	SentAt    time.Time
	Reply     string
	Error     string

	// PrevDueAt is the midnight before DueAt, and PrevReleasedAt the time of its release. They decide which posts are
	// late. Both are zero in a digest's first edition.
	PrevDueAt      time.Time
	PrevReleasedAt time.Time

	// BoundFrom and BoundTo are the beginning and end of the pause whose posts the edition collects; zero: an ordinary
	// edition.
	BoundFrom, BoundTo time.Time

	Resent int // how often the operator had it sent again
}

// A Delivery is an edition claimed for sending, with the details of its reader for the envelope and the page.
type Delivery struct {
	Edition
	UserID     UserID
	Email      string
	TimeZone   string
	Language   string // tag of the language of the reader or the newsletter; empty: English
	DigestName string
	Folders    FolderOrder `db:"folder_order"`
	LinkRound  int         // of the links in its email
	Room       int         // maximum size of the message in bytes; 0: the size that mail programs show
	Token      string      // of the lease; marks with another token change nothing
	WasInDoubt bool        // sent once already, with unknown result
	Domain     string      // of the address, which names its lane
	Slow       bool        // its lane or route is recovering and counts accepted messages
	Look
	Grouping Grouping

	Newsletter *Newsletter      // that it is an issue of; nil: an edition of the reader's own digest
	Letter     NewsletterLetter // the publisher's decisions about this issue
}

// Delivery returns an edition of the digest as web pages show it.
func (d Digest) Delivery(e Edition) Delivery {
	return Delivery{
		Edition: e, UserID: d.UserID, TimeZone: d.TimeZone, DigestName: d.Name, Folders: d.Folders,
		LinkRound: d.LinkRound,
		Look:      Look{Layout: cmp.Or(d.WebLayout, d.Layout), Images: d.WebImages},
		Grouping:  cmp.Or(d.WebGrouping, d.Grouping),
	}
}

// A Dot is committed just before the final dot of a message. From then until its Mark it is unknown whether the server
// accepted the edition. A resend must keep Date and MessageID.
type Dot struct {
	ID        EditionID
	MessageID string // without angle brackets
	Date      time.Time
	Recipient string // the address it goes to
}

// A Mark is the result of a claimed edition.
type Mark struct {
	ID    EditionID
	State EditionState // sent, ready, failed, expired, in_doubt or sent_unconfirmed
	Reply string       // of the server, or the path of the file
	Error string       // one line for people; empty if sent

	// NextAt is the earliest next attempt, for ready and in_doubt.
	NextAt time.Time

	// Bounce says what a rejection means for the reader's address; nil: nothing. A hard bounce suppresses the address
	// in the same transaction.
	Bounce *Bounce

	// Uncounted says not to count the attempt, because the route failed and not the message.
	Uncounted bool
}
