package digest

import (
	"cmp"
	"strconv"
	"strings"
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

	Lead PostID `db:"lead_post_id"` // the post that led when it was first shown; 0: none, or not shown yet; or NoLead
}

// NoLead is the lead of an edition in which no post earned it: none could lead, or the reader chose its site.
const NoLead PostID = -1

// Days returns the first and the last day whose posts the edition collects. The last is the day before its date. The
// number of days is the time since the midnight before, in whole days, whatever the time zone was then. A first edition
// collects one day.
func (e Edition) Days() (first, last Date) {
	const day = 24 * time.Hour
	n := 1
	if !e.PrevDueAt.IsZero() {
		n = max(1, int(e.DueAt.Sub(e.PrevDueAt).Round(day)/day))
	}
	return e.LocalDate.Plus(-n), e.LocalDate.Plus(-1)
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
		Look:      Look{Layout: cmp.Or(d.WebLayout, d.Layout), Images: d.WebImages, Budget: d.Budget},
		Grouping:  cmp.Or(d.WebGrouping, d.Grouping),
	}
}

// A FeedHistory is what a feed published before an edition.
type FeedHistory struct {
	FeedID FeedID
	Recent int       // posts in the 30 days before; not counted beyond 300
	Last   time.Time // date of its newest post before; zero if unknown
	Most   int       // posts on its busiest UTC day of those 30 days
	Since  time.Time // date of its earliest post in those 30 days; zero if it has none
	Titles string    // of its ten newest posts before that have one, one for each line
}

// A Dot is committed just before the final dot of a message. From then until its Mark it is unknown whether the server
// accepted the edition. A resend must keep Date and MessageID.
type Dot struct {
	ID        EditionID
	MessageID string // without angle brackets
	Date      time.Time
	Recipient string // the address it goes to
	Lead      PostID // the post that leads the edition; 0: none
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

// A LinkChange is a change that a link in an email made while the reader of that email was not signed in. The reader is
// notified of it and can undo it.
type LinkChange struct {
	ID                 int64
	DigestID           DigestID
	FeedID             FeedID // of the changed subscription; 0: a setting of the digest changed
	Setting            LinkSetting
	OldValue, NewValue string // values of the setting

	Title   string // name of the digest, or title of the feed as its reader sees it
	Host    string // of the feed, without the rest of its address, which may be a secret
	NewHost string // of the feed that replaced it; only of LinkFeed

	EmailDate Date // of the edition whose email had the link; zero: unknown
	OneClick  bool // the unsubscribe button of a mail program did it (RFC 8058)
	ChangedAt time.Time
	UndoneAt  time.Time // zero: not undone
}

// A LinkSetting is a setting that a link in an email can change.
type LinkSetting string

// The settings that links can change. The first two belong to a digest, the others to a subscription.
const (
	LinkState        LinkSetting = "state"        // values by StateValue
	LinkDays         LinkSetting = "days"         // values by Cadence.String
	LinkSubscription LinkSetting = "subscription" // values by StateValue
	LinkDisplay      LinkSetting = "display"      // layouts
	LinkFeed         LinkSetting = "feed"         // keys of feeds
)

// LinkUndoTime is how long a reader can undo a LinkChange.
const LinkUndoTime = 30 * 24 * time.Hour

// StateValue encodes a state and the end of a pause as a value of a LinkSetting.
func StateValue(state DigestState, until time.Time) string {
	if state != DigestPaused || until.IsZero() {
		return string(state)
	}
	return string(state) + " " + strconv.FormatInt(until.Unix(), 10)
}

// ParseStateValue decodes a value from StateValue.
func ParseStateValue(value string) (state DigestState, until time.Time) {
	name, seconds, _ := strings.Cut(value, " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		until = time.Unix(n, 0).UTC()
	}
	return DigestState(name), until
}

// ToldByEdition reports whether an edition of the digest is due within two days and can report a LinkChange. Otherwise
// the reader gets an email. Members of newsletters always get the email, because an issue needs new posts.
func ToldByEdition(d Digest, now time.Time) bool {
	const soon = 48 * time.Hour
	comes := d.State == DigestActive || d.State == DigestPaused && !d.PausedUntil.IsZero()
	return d.NewsletterID == 0 && comes && d.NextDueAt.Sub(now) <= soon
}

// A QuotaUse counts what was stored of a feed on its last UTC day with stored posts.
type QuotaUse struct {
	QuotaDay     time.Time // beginning of that day
	QuotaBytes   int64
	PostsWaiting int // posts of its document that are over the quota and not stored
}

// UsedOn returns the bytes stored on the day of now.
func (u QuotaUse) UsedOn(now time.Time) int64 {
	if !u.QuotaDay.Equal(DayOf(now)) {
		return 0
	}
	return u.QuotaBytes
}

// DayOf returns the beginning of the UTC day for which quotas count.
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// An Intake is what a poll wants to store for its feed.
type Intake struct {
	Used  int64 // bytes stored for the feed today
	Posts []IntakePost
	Body  int64 // bytes by which the stored document grows; 0: none

	// Accounts is what was stored today for each reader of the feed. It is empty if the feed has many readers or they
	// are unknown.
	Accounts []int64
}

// An IntakePost is a new post, or a new text of a stored post.
type IntakePost struct {
	Bytes     int64 // size of the whole post
	Bare      int64 // size without content, if no edition shows the post; 0 otherwise
	Edit      bool
	Published time.Time
}

// A Fate says how much of a post is stored.
type Fate int

const (
	PostWaits  Fate = iota // nothing
	PostBare               // all but its content and files
	PostStored             // everything
)

// An Admission is the part of an Intake that may be stored.
type Admission struct {
	Posts []Fate // of each post, in order
	Body  bool
	Bytes int64 // of the stored posts
	// bytes of the posts and the document that count for each reader, or for all together if they are unknown
	Share int64
}

// Storage is the size of the database and the free disk space, in bytes.
type Storage struct {
	Bytes int64 // of the database
	Alarm int64 // size from which the operator is alerted; 0: never
	Free  int64 // on the disk of the database; negative: unknown
}

const leastFree = 1 << 30

// Large reports whether the database is larger than the operator's limit.
func (s Storage) Large() bool { return s.Alarm > 0 && s.Bytes > s.Alarm }

// Tight reports whether the disk of the database is nearly full.
func (s Storage) Tight() bool { return s.Free >= 0 && s.Free < leastFree }
