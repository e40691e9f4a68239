package store

import (
	"time"

	"digest"
)

// A UserInfo is a user with what a list of users shows.
type UserInfo struct {
	digest.User
	Digest        digest.Digest // their own daily digest
	Subscriptions int
	Suppressed    *digest.Suppression // why the address is not mailed; nil: it is
	Stays         []digest.Stay       // planned or begun, in their order
}

// A FeedInfo is a feed with the number of digests that gather what it brings:
// active ones, and those that pause until a time.
type FeedInfo struct {
	digest.Feed
	Subscribers int
	NextDueAt   time.Time // the next midnight of any of them at which it is asked; zero: there are none
}

// An ImportItem is one line of a subscription list.
type ImportItem struct {
	URL    string // normal form, as feed.NormalURL gives it
	Host   string
	Domain string // registrable domain of the host
	Title  string // the reader's own; empty: the feed's
	Folder string

	Resting bool // it is put aside, not taken
}

// An ImportResult counts what an import did.
type ImportResult struct {
	Added   int // new subscriptions
	Already int // were there before

	Left []ImportItem // there was no room for them

	// FirstPolls are the feeds of the list that were never read; they are queued.
	FirstPolls []digest.FeedID
}

// A PlanResult counts what Plan did.
type PlanResult struct {
	Digests int // due ones that were planned now
	Feeds   int // put into the queue, or moved forward in it
}

// A ClaimedFeed is a feed that its claimer, and nobody else, may poll now.
type ClaimedFeed struct {
	digest.Feed
	Subscribers int    // digests that gather what it brings, for the User-Agent
	Token       string // of the lease: what is recorded without it changes nothing
}

// A Polled is what one poll of one feed found.
type Polled struct {
	Feed  digest.Feed // the record as it must be stored, PollAt and all
	Was   digest.Feed // as it was claimed; what did not change since is not written. Zero: all is
	Token string      // as claimed; empty for a feed that EnsureFeed has just made

	// FirstRead says that the feed was never parsed before: of its posts only
	// those of the last 24 hours, or the newest, go to readers.
	FirstRead bool

	Posts  []digest.Post // new or changed ones, in document order; keys are not read
	Listed []string      // every identity in the document, in its order; empty if none was read

	// Windowed says that the document holds as much as is read of one, or more:
	// what lies before all that is stored has slid in, and is no news.
	Windowed bool

	HostFreeAt time.Time // when the feed's host may be asked again

	// ReadAt is where the document was found, in normal form. If that is the
	// address of another feed, the posts do not go to who takes that one too.
	ReadAt string

	Poll PollRecord // for the history; one without a time is not kept
	Body *Body      // the document, if it was read; nil: the stored one stays

	// Gap is when posts may have been lost, if nothing is known of what the
	// document lists. It is believed, and told to the feed's readers, only if
	// nothing of it is known under another identity either.
	Gap *Gap
}

// A PollRecord is one poll in the history of a feed.
type PollRecord struct {
	At       time.Time
	Outcome  string // as package poller names it: unchanged, changed, failed
	Status   int    // of the last answer; 0: there was none
	Requests int
	Bytes    int64         // of bodies, as they travelled
	Took     time.Duration // all of it, in whole milliseconds; pauses between requests not counted
	Note     string        // one line for people
}

// A Body is a document as it was read, codings undone.
type Body struct {
	ContentType string
	URL         string // where it was found
	Bytes       []byte

	packed []byte // as it is stored
}

// The words of notices are those of package digest.
type (
	Gap        = digest.Gap
	NoticeKind = digest.NoticeKind
	Notice     = digest.Notice
)

// The kinds of notice.
const (
	NoticeGone = digest.NoticeGone
	NoticeDead = digest.NoticeDead
	NoticeGap  = digest.NoticeGap
)

// A HostRule is what the operator has decided for a host and all below it.
type HostRule struct {
	Host     string        // lower case, without port
	Interval time.Duration // between two polls of one feed, at least
}

// Robots is what the robots.txt of a site says to this program by its name.
type Robots struct {
	Origin       string // scheme://host:port as poller names it
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // our group's lines; empty: it does not speak to us
}

// A Fence is why a database is left alone: it may be a copy of one at work
// elsewhere, or have been brought back from the past.
type Fence struct {
	Reason  string    // one line for people; empty: there is no fence
	BaseURL string    // of the instance that used the database last; empty: none did
	Beat    time.Time // when it last did
	Waiting int       // editions that would go out: sealed ones to be sent, and digests whose midnight has passed
}

// A RecordResult counts what Record did.
type RecordResult struct {
	Posts  int // new ones
	Hidden int // rows made for readers
	Stale  int // polls whose lease was no longer theirs: nothing of them was stored

	Refused int // polls that the database refused: nothing of them was stored but that
}
