// Package digest defines the feeds, posts, users, digests, subscriptions and editions that every other package shares,
// as plain structs. It imports no other package of the project and does no input or output.
//
// A zero time.Time means "never" or "not known" throughout.
package digest

import (
	"strconv"
	"strings"
	"time"
)

// The keys of the tables. Each has its own type, so that the compiler finds a confusion.
type (
	UserID    int64
	DigestID  int64
	FeedID    int64
	PostID    int64
	EditionID int64
)

// A User is a person with an account.
type User struct {
	ID        UserID
	Email     string
	TimeZone  string // IANA name
	CreatedAt time.Time

	Operator bool // runs this instance
	// language of pages and emails, a tag such as "de"; empty: the browser's on pages, English in emails
	Language string
	Pages

	// MemberOnly says that the person came to join a newsletter. Their own digest is DigestLeft until they start it.
	MemberOnly bool

	Publisher bool // owns or edits a newsletter
}

// DigestState says whether a digest gets editions.
type DigestState string

const (
	DigestActive DigestState = "active" // gets an edition at each midnight
	DigestPaused DigestState = "paused" // gets no editions until the reader or PausedUntil resumes it
	DigestLeft   DigestState = "left"   // unsubscribed; gets no email unless the reader asks for it
)

// A Digest is a schedule on which one user gets the posts of feeds.
type Digest struct {
	ID     DigestID
	UserID UserID

	// NewsletterID is the newsletter whose issues the digest gets; 0: the user's own digest.
	NewsletterID NewsletterID

	Name      string
	Folders   FolderOrder   `db:"folder_order"`
	TimeZone  string        // of the user
	NextDueAt time.Time     // its next midnight
	LastDueAt time.Time     // the midnight of the last release; posts up to it are visible
	DeliverAt time.Duration // when its email is sent, after the reader's midnight; 0: at midnight
	Cadence   Cadence       // the local days on which it appears
	State     DigestState
	Editions  int  // number of editions so far, and so the number of the latest
	Mailed    bool // false: its editions are only on the web
	Look
	Arrangement

	// LinkRound counts how often the reader turned off the links in older emails.
	LinkRound int

	// PausedUntil is when a paused digest resumes. If it is zero, the reader resumes it.
	PausedUntil time.Time

	// PausedAt is the beginning of a pause that has an end, and PausedTo is its end, zero while it lasts. The posts
	// since PausedAt wait for one bound edition. PausedAt stays until that edition is released, even if the digest is
	// active again. If it is zero, the next edition is an ordinary one.
	PausedAt, PausedTo time.Time

	// WasPaused says that the digest was paused when its reader unsubscribed. WasPausedUntil is the end of that pause,
	// or zero. A reader who subscribes again returns to the pause.
	WasPaused      bool
	WasPausedUntil time.Time
}

// ReturnsToPause reports whether the digest is paused again if its reader subscribes again.
func (d Digest) ReturnsToPause(now time.Time) bool {
	return d.WasPaused && (d.WasPausedUntil.IsZero() || d.WasPausedUntil.After(now))
}

// A Look holds a reader's settings for emails.
type Look struct {
	Layout   Layout
	Images   Images
	Threaded bool // lets mail programs show all editions as one conversation

	// LeadSubject puts the headline of the leading post into the subject, in place of the date and the number of posts.
	// It has no effect on newsletters and threaded editions.
	LeadSubject bool `db:"lead_subject"`
}

// The subjects of emails: the date and the number of posts, or the headline of the leading post.
const (
	SubjectDate = "date"
	SubjectLead = "lead"
)

// Subject returns the name of the subject setting.
func (l Look) Subject() string {
	if l.LeadSubject {
		return SubjectLead
	}
	return SubjectDate
}

// Check returns an error of the kind Invalid if a setting is not valid.
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

// Layout says how much of each post an email shows.
type Layout string

const (
	Headlines Layout = "headlines"
	Excerpts  Layout = "excerpts" // headlines with excerpts
	FullText  Layout = "full"     // all text of the feed
)

// Images says how an email shows the pictures of a post's full text. ProxiedImages shows them above excerpts too. An
// email loads pictures only from this instance.
type Images string

const (
	NoImages      Images = "off"    // only their descriptions
	LinkedImages  Images = "linked" // links to them
	ProxiedImages Images = "proxy"  // shown, and fetched by this instance
)

// A Subscription connects a digest to a feed.
type Subscription struct {
	DigestID DigestID
	FeedID   FeedID
	Title    string // the reader's own title for the feed; empty: the feed's
	Folder   string
	Display  Layout // layout of its posts; empty: the digest's
	Most     int    // maximum posts in one edition; 0: no limit
	Extras   Extra  // the extras that the reader wants, added
	Leads    bool   // puts its section before all others
	// the addresses that the reader subscribed to, if the feed moved since: a line for each, and * for the feed's own;
	// empty: only the feed's own
	Address string
}

// NormalEmail returns the form in which addresses are stored: trimmed, with the domain in lower case. It keeps the
// local part (RFC 5321 §2.4).
func NormalEmail(address string) string {
	address = strings.TrimSpace(address)
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + strings.ToLower(address[at:])
}

// EmailKey returns a key that is the same for all spellings of an account's address.
func EmailKey(address string) string { return strings.ToLower(NormalEmail(address)) }

// A Filter keeps posts out of editions that contain its words: whole words or a phrase in the title, the author's name
// or the text. It ignores case and accents.
type Filter struct {
	ID        int64
	DigestID  DigestID
	FeedID    FeedID // of the posts; 0: of all feeds
	Words     string
	CreatedAt time.Time
}

// A Stay is a trip: the days that a reader spends in another time zone, with the first and the last.
type Stay struct {
	ID       int64
	UserID   UserID
	From, To Date
	TimeZone string
	Begun    bool   // the reader is there
	Home     string // the zone to which the reader returns, once Begun
}
