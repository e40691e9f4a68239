// Package digest holds the words of the project: feeds, posts, users, digests,
// subscriptions and editions, as plain structs that every other package shares.
// It imports nothing of the project and does no input or output.
//
// A zero time.Time means "never" or "not known" throughout.
package digest

import (
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

	Operator  bool      // runs this instance
	Direction Direction // of the pages around the posts
	Shortcuts bool      // single keys do something
}

// Direction says in which direction lines of text run.
type Direction string

// The directions.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

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
	ID        DigestID
	UserID    UserID
	Name      string
	TimeZone  string        // the user's
	NextDueAt time.Time     // the instant of its next midnight
	LastDueAt time.Time     // the midnight last released; posts up to it are visible
	DeliverAt time.Duration // the hour the mail leaves by the reader's clock, from 00:00; 0: at midnight
	Weekdays  Weekdays      // the local days it appears on
	State     DigestState
	Editions  int  // how many it has had; the number of the latest
	Mailed    bool // false: its editions stand in the web view only
	Look

	// PausedUntil is when a paused digest comes back by itself; zero: when the
	// reader says so.
	PausedUntil time.Time

	// PausedAt is when a pause that has an end began: since then what its feeds
	// bring waits for one bound edition. It stays until that is released, also
	// when the digest is active again; zero: the next edition is an ordinary one.
	// PausedTo is when it ended; zero: it goes on.
	PausedAt, PausedTo time.Time
}

// A Look is how a reader wants their mail set.
type Look struct {
	Layout   Layout
	Images   Images
	Threaded bool // mail programs show all editions as one conversation
}

// Layout says how much of a post is in the mail.
type Layout string

// The layouts.
const (
	Headlines Layout = "headlines"
	Excerpts  Layout = "excerpts" // headlines, and excerpts below them
	FullText  Layout = "full"     // as much as the feed gives
)

// Images says what becomes of the pictures in a post's full text. In no case
// does a mail load anything from anywhere but this instance.
type Images string

// What can become of pictures.
const (
	NoImages      Images = "off"    // their descriptions
	LinkedImages  Images = "linked" // links to them
	ProxiedImages Images = "proxy"  // shown, fetched by this instance
)

// Weekdays is a set of days of the week, bit 1<<time.Sunday and so on.
type Weekdays uint8

// EveryDay is the set of all seven days.
const EveryDay Weekdays = 1<<7 - 1

// Has reports whether d is in the set.
func (w Weekdays) Has(d time.Weekday) bool { return w&(1<<d) != 0 }

// FeedState is the lasting condition of a feed. Waiting and penalties are not
// states: they follow from times in the record and end by themselves.
type FeedState string

// The states of a feed.
const (
	FeedActive FeedState = "active"
	FeedDead   FeedState = "dead" // failed for too long; asked no more until someone vouches for it
	FeedGone   FeedState = "gone" // said 410

	// FeedTrial is a dead or gone feed that somebody vouches for: it is asked
	// once more, and a good answer makes it active.
	FeedTrial FeedState = "trial"
)

// Learned is what polling has taught about one ability of a feed's server.
type Learned string

// What can be known of HEAD and of conditional GET.
const (
	Unknown Learned = ""
	Works   Learned = "works"  // HEAD tells the truth; conditional GET answers 304
	Useless Learned = "broken" // refused, lies, or is ignored
	Lies    Learned = "lies"   // conditional GET: 304 was proven to be said of another document; none is sent
)

// A Feed is a document at a URL, polled once for everyone.
type Feed struct {
	ID       FeedID
	URL      string // as subscribed, query byte for byte
	Host     string // lower-case host name without port: the unit of pacing
	Kind     string // as package feed names it: "rss", "atom", ...; empty until read
	Title    string
	SiteURL  string
	Language string

	// What the last 200 said, byte for byte, and the URL that said it.
	ETag         string
	LastModified string
	ValidatorURL string // validators are sent to no other URL
	BodyHash     string // SHA-256 of the decoded body that was parsed
	Length       int64  // its Content-Length, as it travelled; 0: it had none

	LastAttemptAt time.Time // committed before the first request of a poll
	LastOKAt      time.Time // last 200 or 304 that could be used
	ParsedAt      time.Time // last time a document was read; zero: never yet
	NotBefore     time.Time // Retry-After or penalty
	FreshUntil    time.Time // Cache-Control or Expires
	PollAt        time.Time // queued for this instant; zero: not queued
	LeaseUntil    time.Time

	Errors       int // consecutive failed polls
	FirstErrorAt time.Time
	LastStatus   int // last HTTP status; 0: no answer
	LastError    string
	State        FeedState

	Head         Learned
	Conditional  Learned
	HeadRetestAt time.Time

	MovedTo    string    // where a permanent redirect leads, until it is believed
	MovedSince time.Time // first sighting of MovedTo
	MovedFrom  string    // where it was before it last moved for good
	MovedAt    time.Time // when it did

	Domain   string    // registrable domain of Host: the unit that is slowed when it limits us
	NewestAt time.Time // date of its newest entry, never in the future; zero: not known
	Parser   int       // the version of the parser that read its document

	// Least times between two polls, 0 for none: by its document's own word
	// (ttl, sy:updatePeriod), by our manners, by the operator's rule for its
	// host, and while it outruns its readers (then it is asked by itself, not
	// only at midnights).
	DocInterval  time.Duration
	OwnInterval  time.Duration
	HostInterval time.Duration
	BusyInterval time.Duration

	SkipHours uint32   // bit h: not in hour h of the UTC day
	SkipDays  Weekdays // not on these days in UTC

	FailingSince time.Time // the first of the failed polls in a row, throttled ones too
	GoneAt       time.Time // when it first said 410; zero once it answers well
	PingedAt     time.Time // a ping that no poll has answered yet
	Repeats      int       // full answers in a row with the same bytes and the same ETag
	ByDate       bool      // asked by If-Modified-Since alone: its ETag is in the way
	Doubted      bool      // its validators may lie: asked without them once
}

// A Subscription says that a digest takes a feed.
type Subscription struct {
	DigestID DigestID
	FeedID   FeedID
	Title    string // the reader's own name for the feed; empty: the feed's
	Folder   string
	Display  Layout // how its posts are shown; empty: as the digest's
}

// A Post is an entry of a feed, stored once.
type Post struct {
	ID          PostID
	FeedID      FeedID
	Identity    string // unique within the feed and stable under edits
	URL         string // absolute; the author's own page
	Title       string // plain text, never empty
	Author      string
	Language    string
	PublishedAt time.Time // never later than SeenAt; zero: the document has no date
	SeenAt      time.Time
	ReadBefore  time.Time // when the feed had last been read before SeenAt; zero: never
	Summary     string    // plain text, a few sentences
	Content     string    // sanitised HTML
	ImageURL    string
	ContentHash string // of the raw entry; changes when the author edits it
}

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
	EditionExpired     EditionState = "expired"  // never accepted in its time: the next edition carries its posts
	EditionUnmailed    EditionState = "unmailed" // its reader has no mail, or their address is suppressed: it stands in the web view only
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
	DotAt     time.Time
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
}

// A Delivery is an edition claimed for sending, with all that the envelope and
// the page need to know of its reader.
type Delivery struct {
	Edition
	UserID     UserID
	Email      string
	TimeZone   string
	DigestName string
	Token      string // of the lease: marks made without it change nothing
	WasInDoubt bool   // sent once already, acceptance unknown
	Domain     string // of the address: its lane
	Slow       bool   // its lane, or the route, is recovering: tell it of what is accepted
	Look
}

// An Enclosure is a file that belongs to an entry.
type Enclosure struct {
	URL    string
	Type   string
	Length int64 // bytes; 0: not given
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
