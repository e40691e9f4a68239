package digest

import (
	"cmp"
	"time"
)

// EditionState is where an edition stands on its way to the reader; the
// transitions are in the package mailer.
type EditionState string

// The states of an edition.
const (
	EditionReady       EditionState = "ready"
	EditionLeased      EditionState = "leased"
	EditionDotting     EditionState = "dotting" // committed just before the final dot
	EditionInDoubt     EditionState = "in_doubt"
	EditionSent        EditionState = "sent"
	EditionUnconfirmed EditionState = "sent_unconfirmed" // in doubt twice: not sent a third time
	EditionFailed      EditionState = "failed"
	EditionExpired     EditionState = "expired" // never accepted in its time: the next edition carries its posts
	// its reader has no mail, or their address is suppressed: it stands in the web view only
	EditionUnmailed EditionState = "unmailed"
)

// An Edition is what one digest delivers for one local date. It is sealed when
// released: its posts are those with (DigestID, DueAt) and never change.
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
	Date      time.Time // of the message: the instant of queueing, kept on a resend in doubt
	NextAt    time.Time // when it may be tried next
	ExpiresAt time.Time // not sent after this
	SentAt    time.Time
	Reply     string
	Error     string

	// The midnight before DueAt, and when it was released; zero: this is the
	// digest's first. They tell which posts are late.
	PrevDueAt      time.Time
	PrevReleasedAt time.Time

	// BoundFrom and BoundTo are when the pause began and ended of which it holds
	// all that came; zero: it is an ordinary edition.
	BoundFrom, BoundTo time.Time

	Resent int // how often an operator has had it sent again
}

// A Delivery is an edition claimed for sending, with all that the envelope and
// the page need to know of its reader.
type Delivery struct {
	Edition
	UserID     UserID
	Email      string
	TimeZone   string
	Language   string // in which the reader is spoken to, a tag, or that of the newsletter; empty: English
	DigestName string
	Folders    FolderOrder `db:"folder_order"`
	LinkRound  int         // of the digest: links in its mail are of this round
	Room       int         // bytes that its message may take; 0: as many as mail programs show
	Token      string      // of the lease: marks made without it change nothing
	WasInDoubt bool        // sent once already, acceptance unknown
	Domain     string      // of the address: its lane
	Slow       bool        // its lane, or the route, is recovering: tell it of what is accepted
	Look
	Grouping Grouping

	Newsletter *Newsletter      // whose letter it is; nil: it is the reader's own digest
	Letter     NewsletterLetter // what its publisher decided of this date
}

// Delivery is an edition of the digest as its pages show it, with what they tell of the digest.
func (d Digest) Delivery(e Edition) Delivery {
	return Delivery{
		Edition: e, UserID: d.UserID, TimeZone: d.TimeZone, DigestName: d.Name, Folders: d.Folders,
		LinkRound: d.LinkRound,
		Look:      Look{Layout: cmp.Or(d.WebLayout, d.Layout), Images: d.WebImages},
		Grouping:  cmp.Or(d.WebGrouping, d.Grouping),
	}
}

// A Dot is the promise that is committed just before a message's final dot is
// written: from then until its Mark the edition may or may not have been
// accepted, and Date and MessageID must not change on a resend.
type Dot struct {
	ID        EditionID
	MessageID string // without angle brackets
	Date      time.Time
	Recipient string // the address it goes to
}

// A Mark is what became of a claimed edition.
type Mark struct {
	ID    EditionID
	State EditionState // sent, ready, failed, expired, in_doubt or sent_unconfirmed
	Reply string       // what the server said, or where the file lies
	Error string       // one line for people; empty when sent

	// NextAt is when it may be tried again, for ready and in_doubt.
	NextAt time.Time

	// Bounce says what the refusal tells of the reader's address; nil: nothing.
	// A hard one suppresses the address in the same transaction.
	Bounce *Bounce

	// Uncounted takes the attempt back: the trouble was the route's, not the message's.
	Uncounted bool
}
