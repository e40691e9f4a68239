package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An Ability says whether a feed's server supports HEAD or conditional GET, as polls found out.
type Ability string

const (
	Unknown Ability = ""
	Works   Ability = "works"  // HEAD is truthful, or conditional GET answers 304
	Useless Ability = "broken" // rejected, wrong, or ignored
	Lies    Ability = "lies"   // conditional GET answered 304 for a changed document; not used any more
)

// A Feed is a document at a URL. One poll of it serves all its readers.
type Feed struct {
	ID       FeedID
	URL      string // as subscribed, byte for byte; PrivateAddress makes a private feed's
	Host     string // lower case, without port; polls are paced by host
	Domain   string // of the platform that serves Host, see feed.Platform; a limit slows all its feeds
	Address  string // IP address of Host at the last poll; empty: unknown, or Host is an address
	Kind     string // format by package feed: "rss", "atom", ...; empty: never read
	Title    string
	SiteURL  string
	Me       string // pages with rel=me links, separated by spaces
	Language string
	NewestAt time.Time // date of its newest post, never in the future; zero: unknown
	Parser   int       // version of the parser that read its document
	State    FeedState
	Sealed   string // encrypted credential of a private feed, by package seal; empty for others

	Validators
	Schedule
	Learned
	Failures
	Move
	QuotaUse
	Push
}

// Validators are the validators of the last 200 response, byte for byte, with its URL (RFC 9110 section 8.8).
type Validators struct {
	ETag         string
	LastModified string
	ValidatorURL string // validators are sent only to this URL
	BodyHash     string // SHA-256 of the decoded body that was parsed
	Length       int64  // Content-Length of the response; 0: it had none
}

// A Schedule holds the times of a feed's polls.
type Schedule struct {
	LastAttemptAt time.Time // committed before the first request of a poll
	LastOKAt      time.Time // last usable 200 or 304
	ParsedAt      time.Time // when a document was last parsed; zero: never
	NotBefore     time.Time // Retry-After or penalty
	FreshUntil    time.Time // Cache-Control or Expires
	PollAt        time.Time // queued for this time; zero: not queued
	LeaseUntil    time.Time
	PingedAt      time.Time // time of a ping that no poll has followed yet

	// The minimum times between two polls, 0 for none. DocInterval is from the document (ttl, sy:updatePeriod),
	// OwnInterval from our manners, and HostInterval from the rules for the host. A feed has a BusyInterval while it
	// publishes more posts in a day than its document holds. Then it has polls of its own besides those for midnights.
	DocInterval  time.Duration
	OwnInterval  time.Duration
	HostInterval time.Duration
	BusyInterval time.Duration

	Reliability Reliability
	SkipHours   uint32   // bit h: no polls in hour h of the UTC day
	SkipDays    Weekdays // no polls on these UTC days
}

// Learned is what polls found out about a feed's server.
type Learned struct {
	Head              Ability `db:"head_state"`
	Conditional       Ability `db:"conditional_state"`
	HeadRetestAt      time.Time
	Repeats           int  // consecutive full responses with the same bytes and the same ETag
	ByDate            bool // requests have only If-Modified-Since, because the ETag does not work
	ValidatorsDoubted bool // the validators may be wrong; the next poll omits them
	PublicOnly        bool // it was once read at a public address, so private addresses are rejected
}

// Failures counts consecutive failed polls.
type Failures struct {
	Errors       int       // consecutive failed polls
	FirstErrorAt time.Time // time of the first one
	FailingSince time.Time // time of the first one, throttled polls included
	LastStatus   int       // last HTTP status; 0: no response
	LastError    string
	GoneAt       time.Time // time of its first 410; zero again after a good response
}

// A Move is a permanent redirect of a feed, which takes effect when it has lasted.
type Move struct {
	MovedTo    string    // target of a redirect that has not taken effect
	MovedSince time.Time // when a poll first saw MovedTo
	MovedFrom  string    // address before the last move
	MovedAt    time.Time // time of that move
	MoveUndone bool      // a reader restored its address; it does not move to another site

	// Number identifies a feed that was created for a move to sites: it is the number of the feed that moved. 0: use
	// the feed's key.
	Number FeedID
}

// GivesWay reports whether new readers of the feed's address get the feed that moved from there. It does if a reader
// restored the old address, and that address now fails or redirects. So one reader's choice does not keep others from
// the feed.
func (f Feed) GivesWay() bool { return f.MoveUndone && f.Errors > 0 }

// A DomainPace slows the polls of one domain or IP address that rejected several polls as too frequent. The zero value
// means that it rejected none.
type DomainPace struct {
	Pace      time.Duration // minimum time between two polls; 0: not paced
	FreeAt    time.Time     // earliest next poll
	LimitedAt time.Time     // time of the last rejected poll
	Limits    int           // rejected polls since Since, while not paced
	Since     time.Time
	Good      int // good polls since the pace or Limits changed
}

// Robots holds the rules in a site's robots.txt for this program.
type Robots struct {
	Origin       string // scheme://host:port, always with the port
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // of our group, one for each line; empty: none
}

// Reliability is what the last poll of a feed promises for the next one.
type Reliability string

const (
	Unproven Reliability = ""         // never read
	Proven   Reliability = "proven"   // its last poll was fast and successful
	Troubled Reliability = "troubled" // its last poll failed or was slow
)

// A QueuedFeed is a feed whose poll is due, with the digests that wait for it.
type QueuedFeed struct {
	ID          FeedID
	First       DigestID // First and Last are the first and last subscribed digest; 0: none
	Last        DigestID
	Domain      string
	Address     string
	Reliability Reliability
}

// FullShares lists the digests, domains and reliabilities whose shares of the polls in flight are used up.
type FullShares struct {
	Digests       []DigestID
	Domains       []string
	Reliabilities []Reliability
}

// A Post is one piece that a feed publishes. digest stores it once.
type Post struct {
	ID       PostID
	FeedID   FeedID
	Identity string // unique in the feed, and stable under edits
	// other identity of a parsed post, if its feed had another post like it, or no longer has; not stored; "": none
	Alias    string
	Former   string `json:",omitempty"` // identity of a parsed post in earlier versions, if it differs
	URL      string // absolute address of the author's own page
	Title    string // plain text, never empty
	Untitled bool   `json:",omitempty"` // Title is made from the text
	// absolute address of another page that the post is about; "": none
	LeadsTo string `json:",omitempty"`
	// absolute address of the page with comments on it, apart from its own page; "": none
	Comments    string `json:",omitempty"`
	SiteURL     string `json:"-"` // of the feed's site; not stored, set for display
	SiteTitle   string `json:"-"` // of that site; not stored, set for display
	Author      string
	Language    string
	PublishedAt time.Time // never after SeenAt; zero: the document has no date
	SeenAt      time.Time
	ReadBefore  time.Time // last successful poll before SeenAt; zero: none
	Summary     string    // a few sentences of plain text
	Content     string    // sanitised HTML
	ImageURL    string
	ContentHash string      // of the raw entry; changes when the author edits it
	Enclosures  []Enclosure // in the document's order
	// addresses of copies according to the author, separated by spaces; "": none
	Syndication string `json:",omitempty"`
	Links       []Link `json:"-"` // of a parsed post: its links
	Extra       Extra  `json:",omitempty"`
	// identity of the post that contains a parsed post's text too; not stored; "": none
	PartOf string `json:",omitempty"`
}

// A Link is an address in a post, as keys that package feed makes.
type Link struct {
	Key  int64 // of the address
	Site int64 // of the registrable domain
	Own  bool  // it is on the post's own site
}

// An Extra says that a post of an account is a repost, a reply or part of a thread. A subscription has the sum of the
// extras that its reader wants.
type Extra int

// The extras. 0 is an original post of the account.
const (
	Repeat   Extra = 1 << iota // another account's post: a boost or repost
	Reply                      // a reply to another account
	Part                       // a part of a thread that is shown as one post; no subscription wants it
	Unfolded                   // of subscriptions only: the site is never folded, however much it publishes
)

// hashedIdentity is the prefix of identities that are hashes.
const hashedIdentity = "sha256:"

// HashedIdentity hashes a text into an identity, for a post that has no GUID and no address, or a GUID that is too
// long.
func HashedIdentity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hashedIdentity + hex.EncodeToString(sum[:])
}

// IsHashed reports whether HashedIdentity made an identity.
func IsHashed(identity string) bool { return strings.HasPrefix(identity, hashedIdentity) }

// A PostRef is a post in an edition.
type PostRef struct {
	PostID  PostID
	FeedID  FeedID
	Carried bool // from an earlier edition that could not be delivered
	Listed  bool // headline only: that edition was rejected or may have arrived
}

// A FeedLabel describes a feed to readers.
type FeedLabel struct {
	FeedID   FeedID
	Title    string // the feed's own
	SiteURL  string // the site's page, or the feed's address if it has none
	URL      string // the feed's address without its secret part
	Host     string // host that is polled, with its port unless that is the default
	Domain   string // the registrable domain of Host
	Me       string // as in Feed
	Language string
}

// A NoticeKind is the kind of a notice in an edition. Most notices are about a feed.
type NoticeKind string

const (
	NoticeGone  NoticeKind = "gone"  // the site answers 410; the subscription has ended
	NoticeDead  NoticeKind = "dead"  // failed for 90 days; not polled any more
	NoticeGap   NoticeKind = "gap"   // posts may be missing
	NoticeMoved NoticeKind = "moved" // to another site, whose posts follow

	NoticeWaiting NoticeKind = "waiting" // published more than a day's quota
	NoticeSick    NoticeKind = "sick"    // failed for seven days

	NoticeBlocked  NoticeKind = "blocked"  // the operator blocked its host
	NoticeDeclined NoticeKind = "declined" // the owner of its host asked us not to read it

	NoticeTrial NoticeKind = "trial" // asks whether the reader keeps it; deleted when they answer
	NoticeEnded NoticeKind = "ended" // a trial without an answer; the subscription has ended

	NoticeChanged     NoticeKind = "changed"     // a link in an email changed a setting
	NoticeUndelivered NoticeKind = "undelivered" // an earlier edition did not reach the reader
)

// An Illness is why a feed could not be read for days.
type Illness string

const (
	Well           Illness = ""
	PageInItsPlace Illness = "page"        // a web page
	Unreadable     Illness = "unreadable"  // neither a feed nor a web page
	NeedsPassword  Illness = "password"    // 401
	Refused        Illness = "refused"     // 403, or robots.txt
	NotThere       Illness = "missing"     // 404, 410
	Limited        Illness = "limited"     // 429
	ServerFails    Illness = "server"      // 5xx
	BadCertificate Illness = "certificate" // expired, or for another site
	NoHost         Illness = "name"        // the host name does not exist
	NoAnswer       Illness = "silent"
	OtherIllness   Illness = "other"
)

// A Notice is a message to the reader in an edition: about a feed, an earlier edition, or a change by a link.
type Notice struct {
	DigestID DigestID
	FeedID   FeedID
	Kind     NoticeKind
	Title    string  // the reader's own title of the feed, or the feed's; may be empty
	URL      string  // of the feed; the old address in a NoticeMoved
	MovedTo  string  // new address in a NoticeMoved
	Illness  Illness // in a NoticeSick, since Gap.From
	Gap              // in a NoticeGap

	// Of a NoticeUndelivered.
	Edition     EditionID
	LocalDate   Date
	Unconfirmed bool // it may have reached the reader

	Change *LinkChange // in a NoticeChanged
}

// A Gap is a time in which posts of a feed may be missing.
type Gap struct {
	From, To time.Time
}

// WithoutCredentials removes names and passwords from all addresses in a text: https://ann:secret@example.org/feed
// becomes https://example.org/feed. Everything that shows or logs addresses of feeds uses it. It keeps the names in
// email addresses.
func WithoutCredentials(text string) string {
	var shown strings.Builder
	for {
		before, rest, found := strings.Cut(text, "://")
		shown.WriteString(before)
		if !found {
			return shown.String()
		}
		shown.WriteString("://")
		for text = rest; userInfoEnd(text) > 0; {
			text = text[userInfoEnd(text):]
		}
	}
}

// userInfoEnd returns the number of bytes after "://" that are a name, a password and the following "@" (RFC 3986
// section 3.2.1). It also finds passwords with unescaped signs, such as "pa/ss", because they are not valid ports.
//
// It reads at most mostUserInfo bytes, so that the time for a long text with many "://" is linear.
func userInfoEnd(rest string) int {
	rest = rest[:min(len(rest), mostUserInfo)]
	if strings.IndexByte(rest, '@') < 0 {
		return 0
	}
	slashes := len(rest) - len(strings.TrimLeft(rest, "/")) // an address with two schemes
	rest = rest[slashes:]
	word := rest
	if end := strings.IndexFunc(rest, endsWord); end >= 0 {
		word = rest[:end]
	}
	authority := word
	if end := strings.IndexAny(word, "/?#"); end >= 0 {
		authority = word[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 && (slashes == 0 || strings.Contains(authority[:at], ":")) {
		return slashes + at + 1
	}
	_, port, found := strings.Cut(authority[strings.LastIndexByte(authority, ']')+1:], ":")
	beyond := word[len(authority):]
	noPort := strings.Trim(port, "0123456789") != "" || port == "" && beyond != "" && beyond[0] != '/'
	if found && noPort {
		if at := strings.LastIndexByte(word, '@'); at >= 0 {
			return slashes + at + 1
		}
	}
	if found && len(authority) == len(word) && (port == "" || noPort) {
		if end := tornUserInfoEnd(rest, len(word), strings.Trim(port, "0123456789,.;:!?)'") != ""); end > 0 {
			return slashes + end
		}
	}
	return 0
}

// mostUserInfo is the maximum length of a name and a password in bytes. Longer addresses cannot be subscribed to.
const mostUserInfo = 2048

// mostTorn is the maximum length in bytes of a password with spaces.
const mostTorn = 256

// tornUserInfoEnd returns the end of a name and a password that contain quotes, angle brackets or, if spaced, spaces.
// The first of these is at torn. It returns 0 if no matching "@" follows.
func tornUserInfoEnd(rest string, torn int, spaced bool) int {
	if next := strings.Index(rest, "://"); next >= 0 {
		rest = rest[:next]
	}
	if torn >= len(rest) {
		return 0
	}
	ends := unicode.IsSpace
	if first, _ := utf8.DecodeRuneInString(rest[torn:]); unicode.IsSpace(first) {
		if !spaced { // "at http://example.org: ann@example.org"
			return 0
		}
		rest = rest[:min(len(rest), mostTorn)]
		ends = func(r rune) bool { return r == '\n' || r == '"' || r == '<' || r == '>' }
	}
	if end := strings.IndexFunc(rest, ends); end >= 0 {
		rest = rest[:end]
	}
	return strings.IndexByte(rest, '@') + 1
}

// endsWord reports whether r ends an address in a text.
func endsWord(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '<' || r == '>' }

// AddressWithoutCredentials is WithoutCredentials for a text that is one address, even a malformed one. It removes
// everything before the last "@" if that contains a ":" that could separate a name and a password.
func AddressWithoutCredentials(address string) string {
	address, _, _ = strings.Cut(address, privateMark)
	scheme, rest, found := strings.Cut(address, "://")
	if !found || strings.ContainsAny(scheme, ":@/ ") {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 || !strings.Contains(rest[:at], ":") || strings.HasPrefix(rest, "mailto:") {
		return WithoutCredentials(address)
	}
	if u, err := url.Parse(address); err == nil && u.User == nil && scheme != "" && u.Port() != "" {
		// The "@" is in the path: https://example.org:8080/@ann.
		return WithoutCredentials(address)
	}
	return scheme + rest[at+1:]
}

// FeedState is the lasting condition of a feed. Waiting and penalties are not states, because they follow from times in
// the record and end on time.
type FeedState string

const (
	FeedActive FeedState = "active"
	FeedDead   FeedState = "dead" // failed for 90 days; not polled until a reader, the operator or a ping asks for it
	FeedGone   FeedState = "gone" // answered 410

	// FeedTrial is a dead or gone feed that gets one more poll. A good response makes it active.
	FeedTrial FeedState = "trial"

	FeedBlocked  FeedState = "blocked"  // the operator blocked its host
	FeedDeclined FeedState = "declined" // the owner of its host asked us not to read it
)

// Asked reports whether feeds in the state are polled. A feed without a state is.
func (s FeedState) Asked() bool {
	switch s {
	case FeedDead, FeedGone, FeedBlocked, FeedDeclined:
		return false
	}
	return true
}
