// Package digest holds the words of the project: feeds, posts, users, digests,
// subscriptions and editions, as plain structs that every other package shares.
// It imports nothing of the project and does no input or output.
//
// A zero time.Time means "never" or "not known" throughout.
package digest

import (
	"strconv"
	"strings"
	"time"
)

// The keys of the tables. Each is its own type so that one cannot be passed for another.
type (
	UserID    int64
	DigestID  int64
	FeedID    int64
	PostID    int64
	EditionID int64
)

// A User is a person: an address and a time zone.
type User struct {
	ID        UserID
	Email     string
	TimeZone  string // IANA name
	CreatedAt time.Time

	Operator bool // runs this instance
	// in which they are spoken to, a tag such as "de"; empty: as their browser asks, and English in mail
	Language string
	Pages

	// MemberOnly says that they came to join a newsletter: their own digest is
	// DigestLeft until they begin it.
	MemberOnly bool

	Publisher bool // owns or edits a newsletter
}

// DigestState says whether a digest is made at all.
type DigestState string

// The states of a digest.
const (
	DigestActive DigestState = "active" // made at each midnight
	DigestPaused DigestState = "paused" // the reader will come back; nothing is made meanwhile
	DigestLeft   DigestState = "left"   // unsubscribed; never mailed again unless the reader asks
)

// A Digest is what is delivered to one user on a schedule.
type Digest struct {
	ID     DigestID
	UserID UserID

	// NewsletterID is the newsletter whose letters these are; 0: it is the user's own.
	NewsletterID NewsletterID

	Name      string
	Folders   FolderOrder   `db:"folder_order"`
	TimeZone  string        // the user's
	NextDueAt time.Time     // the instant of its next midnight
	LastDueAt time.Time     // the midnight last released; posts up to it are visible
	DeliverAt time.Duration // the hour the mail leaves by the reader's clock, from 00:00; 0: at midnight
	Cadence   Cadence       // the local days it appears on
	State     DigestState
	Editions  int  // how many it has had; the number of the latest
	Mailed    bool // false: its editions stand in the web view only
	Look
	Arrangement

	// LinkRound is how often its reader has made the links in older mail void.
	LinkRound int

	// PausedUntil is when a paused digest comes back by itself; zero: when the
	// reader says so.
	PausedUntil time.Time

	// PausedAt is when a pause that has an end began: since then what its feeds
	// bring waits for one bound edition. It stays until that is released, also
	// when the digest is active again; zero: the next edition is an ordinary one.
	// PausedTo is when it ended; zero: it goes on.
	PausedAt, PausedTo time.Time

	// WasPaused says of one that was left that it was paused then, and WasPausedUntil until when: zero, without an end.
	// The way back leads to that pause.
	WasPaused      bool
	WasPausedUntil time.Time
}

// ReturnsToPause reports whether the way back of a digest that was left leads to the pause that it had.
func (d Digest) ReturnsToPause(now time.Time) bool {
	return d.WasPaused && (d.WasPausedUntil.IsZero() || d.WasPausedUntil.After(now))
}

// A Look is how a reader wants their mail set.
type Look struct {
	Layout   Layout
	Images   Images
	Threaded bool // mail programs show all editions as one conversation

	// LeadSubject has the headline of the post that leads in the subject, in place of the date and how much there is.
	// Letters of newsletters and threaded editions have subjects of their own.
	LeadSubject bool `db:"lead_subject"`
}

// What the subject of a mail says: the date and how much there is, or the headline of the post that leads.
const (
	SubjectDate = "date"
	SubjectLead = "lead"
)

// Subject is what the subject of a mail says.
func (l Look) Subject() string {
	if l.LeadSubject {
		return SubjectLead
	}
	return SubjectDate
}

// Check gives what is wrong with a look, of the kind Invalid.
func (l Look) Check() error {
	switch l.Layout {
	case Headlines, Excerpts, FullText:
	default:
		return &Error{Kind: Invalid, Message: "a layout is headlines, excerpts or full, not " +
			strconv.Quote(string(l.Layout))}
	}
	switch l.Images {
	case NoImages, LinkedImages, ProxiedImages:
		return nil
	}
	return &Error{Kind: Invalid, Message: "images are off, linked or proxy, not " + strconv.Quote(string(l.Images))}
}

// Layout says how much of a post is in the mail.
type Layout string

// The layouts.
const (
	Headlines Layout = "headlines"
	Excerpts  Layout = "excerpts" // headlines, and excerpts below them
	FullText  Layout = "full"     // as much as the feed gives
)

// Images says what becomes of the pictures in a post's full text; shown ones stand above excerpts too. In no case
// does a mail load anything from anywhere but this instance.
type Images string

// What can become of pictures.
const (
	NoImages      Images = "off"    // their descriptions
	LinkedImages  Images = "linked" // links to them
	ProxiedImages Images = "proxy"  // shown, fetched by this instance
)

// A Subscription says that a digest is subscribed to a feed.
type Subscription struct {
	DigestID DigestID
	FeedID   FeedID
	Title    string // the reader's own name for the feed; empty: the feed's
	Folder   string
	Display  Layout // how its posts are shown; empty: as the digest's
	Most     int    // posts of it that one edition shows; 0: all
	Extras   Extra  // the sum of those that the reader wants
	Leads    bool   // its section comes before all others
	// where the reader subscribed, if the feed has moved since: each on a line with one before it, the feed's own as *;
	// empty: at the feed's own alone
	Address string
}

// NormalEmail is the form of an address that is compared and stored: trimmed,
// the domain in lower case. The local part stays as it is (RFC 5321 §2.4).
func NormalEmail(address string) string {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + strings.ToLower(address[at:])
}

// EmailKey is what makes two addresses the same account.
func EmailKey(address string) string { return strings.ToLower(NormalEmail(address)) }

// A Filter holds posts back in which its words stand: whole words or a phrase,
// in any case and with any accents, in the title, the author's name or the text.
type Filter struct {
	ID        int64
	DigestID  DigestID
	FeedID    FeedID // of whose posts; 0: of all
	Words     string
	CreatedAt time.Time
}

// A Stay is days that a reader spends in another zone, the first and the last
// of them included.
type Stay struct {
	ID       int64
	UserID   UserID
	From, To Date
	TimeZone string
	Begun    bool   // they are there
	Home     string // of one that has begun: the zone to which they come back
}
