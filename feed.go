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

// An Ability is what polling has taught about one thing a feed's server can do.
type Ability string

// What can be known of HEAD and of conditional GET.
const (
	Unknown Ability = ""
	Works   Ability = "works"  // HEAD tells the truth; conditional GET answers 304
	Useless Ability = "broken" // refused, lies, or is ignored
	Lies    Ability = "lies"   // conditional GET: 304 was proven to be said of another document; none is sent
)

// A Feed is a document at a URL, polled once for everyone.
type Feed struct {
	ID       FeedID
	URL      string // as subscribed, query byte for byte; of a private feed as PrivateAddress gives it
	Host     string // lower-case host name without port: the unit of pacing
	Domain   string // of the platform that serves Host, see feed.Platform: the unit that is slowed when it limits us
	Address  string // IP address of Host, as a poll last found it; empty: not known, or Host is one itself
	Kind     string // as package feed names it: "rss", "atom", ...; empty until read
	Title    string
	SiteURL  string
	Me       string // the pages that its author says are theirs too (rel=me), with spaces between them
	Language string
	NewestAt time.Time // date of its newest post, never in the future; zero: not known
	Parser   int       // the version of the parser that read its document
	State    FeedState
	Sealed   string // of a private feed what it is asked with, as package seal has encrypted it; else empty

	Validators
	Schedule
	Learned
	Failures
	Move
	QuotaUse
	Push
}

// Validators are what the last 200 said of its document, byte for byte, and the
// URL that said it (RFC 9110 section 8.8).
type Validators struct {
	ETag         string
	LastModified string
	ValidatorURL string // validators are sent to no other URL
	BodyHash     string // SHA-256 of the decoded body that was parsed
	Length       int64  // its Content-Length, as it travelled; 0: it had none
}

// A Schedule is when a feed was asked and when it may be asked again.
type Schedule struct {
	LastAttemptAt time.Time // committed before the first request of a poll
	LastOKAt      time.Time // last 200 or 304 that could be used
	ParsedAt      time.Time // last time a document was read; zero: never yet
	NotBefore     time.Time // Retry-After or penalty
	FreshUntil    time.Time // Cache-Control or Expires
	PollAt        time.Time // queued for this instant; zero: not queued
	LeaseUntil    time.Time
	PingedAt      time.Time // a ping that no poll has answered yet

	// Least times between two polls, 0 for none: by its document's own word
	// (ttl, sy:updatePeriod), by our manners, by the rules for its
	// host, and while it publishes more in a day than its document holds (then it
	// is asked by itself, not only at midnights).
	DocInterval  time.Duration
	OwnInterval  time.Duration
	HostInterval time.Duration
	BusyInterval time.Duration

	Reliability Reliability
	SkipHours   uint32   // bit h: not in hour h of the UTC day
	SkipDays    Weekdays // not on these days in UTC
}

// Learned is what polling has taught about a feed's server.
type Learned struct {
	Head              Ability
	Conditional       Ability
	HeadRetestAt      time.Time
	Repeats           int  // full answers in a row with the same bytes and the same ETag
	ByDate            bool // asked by If-Modified-Since alone: its ETag is in the way
	ValidatorsDoubted bool // its validators may lie: asked without them once
	PublicOnly        bool // it was read at a public address: it leads into no private network any more
}

// Failures are the polls in a row that brought nothing.
type Failures struct {
	Errors       int       // consecutive failed polls
	FirstErrorAt time.Time // the first of them
	FailingSince time.Time // the first of the failed polls in a row, throttled ones too
	LastStatus   int       // last HTTP status; 0: no answer
	LastError    string
	GoneAt       time.Time // when it first said 410; zero once it answers well
}

// A Move is a permanent redirect of a feed, seen or believed.
type Move struct {
	MovedTo    string    // where a permanent redirect leads, until it is believed
	MovedSince time.Time // first sighting of MovedTo
	MovedFrom  string    // where it was before it last moved for good
	MovedAt    time.Time // when it did
	MoveUndone bool      // a reader came back to its address: it moves to no other site

	// Number is what sites are told, of a feed that was made for a move: that of the
	// one that moved. 0: the feed's key.
	Number FeedID
}

// GivesWay reports whether new readers of the feed's address get the feed that moved from there, if one did. A reader
// restored the old address, and everything at that address fails or redirects. So one reader's choice does not keep
// others from the feed.
func (f Feed) GivesWay() bool { return f.MoveUndone && f.Errors > 0 }

// A DomainPace says how slowly digest polls the feeds of one domain, or of one IP address, after it has refused several
// polls as too many. A domain that has refused none has the zero value.
type DomainPace struct {
	Pace      time.Duration // between two polls; 0: it is not paced
	FreeAt    time.Time     // from when the next poll may come
	LimitedAt time.Time     // when it refused a poll last
	Limits    int           // polls refused since Since, while it is not paced
	Since     time.Time
	Good      int // polls answered well since the pace or Limits changed
}

// Robots is what the robots.txt of a site says to this program by its name.
type Robots struct {
	Origin       string // scheme://host:port, the port always named
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // our group's, a line each; empty: it does not speak to us
}

// A Standing is what the last poll of a feed promises of the next one.
type Reliability string

// The standings of feeds.
const (
	Unproven Reliability = ""         // nobody knows: it was never read
	Proven   Reliability = "proven"   // its last poll was quick and brought what it should
	Troubled Reliability = "troubled" // its last poll failed, or was slow
)

// A QueuedFeed is a feed whose poll is due, and for whom it is made.
type QueuedFeed struct {
	ID          FeedID
	First       DigestID // the first digest and the last one that are subscribed to it;
	Last        DigestID // 0: no digest
	Domain      string
	Address     string
	Reliability Reliability
}

// FullShares says whose shares of the polls in flight are used up.
type FullShares struct {
	Digests       []DigestID
	Domains       []string
	Reliabilities []Reliability
}

// A Post is one piece that a feed publishes, stored once.
type Post struct {
	ID       PostID
	FeedID   FeedID
	Identity string // unique within the feed and stable under edits
	// of one just read, not stored: its identity if its feed named another post like it, or no longer does; "": none
	Alias    string
	Former   string `json:",omitempty"` // of one just read: its identity in earlier versions, if it differs
	URL      string // absolute; the author's own page
	Title    string // plain text, never empty
	Untitled bool   `json:",omitempty"` // Title is made from its words: it has none
	// absolute; the page elsewhere that it is about; "": none is named beside URL
	LeadsTo     string `json:",omitempty"`
	SiteURL     string `json:"-"` // of its feed's site, not stored: whoever shows the post puts it in
	Author      string
	Language    string
	PublishedAt time.Time // never later than SeenAt; zero: the document has no date
	SeenAt      time.Time
	ReadBefore  time.Time // when the feed had last been read before SeenAt; zero: never
	Summary     string    // plain text, a few sentences
	Content     string    // sanitised HTML
	ImageURL    string
	ContentHash string      // of the raw entry; changes when the author edits it
	Enclosures  []Enclosure // in the order of the document
	// where its author says copies of it are, with spaces between them; "": nowhere
	Syndication string `json:",omitempty"`
	Links       []Link `json:"-"` // of one just read: where it leads
	Extra       Extra  `json:",omitempty"`
	// of one just read, not stored: the identity of the post that holds its text too; "": none
	PartOf string `json:",omitempty"`
}

// A Link is where a post leads, by keys that package feed makes of addresses.
type Link struct {
	Key  int64 // of the address
	Site int64 // of the registrable domain
	Own  bool  // it is at the post's own site
}

// An Extra says what a post of an account is beside the account's own posts. A subscription
// has the sum of those that its reader wants.
type Extra int

// The extras. 0 is a post of the account's own.
const (
	Repeat Extra = 1 << iota // somebody else's post, passed on: a boost, a repost
	Reply                    // an answer to somebody else
	Part                     // part of a thread that comes as one post; no subscription wants it
)

// hashedIdentity begins the identities that are hashes.
const hashedIdentity = "sha256:"

// HashedIdentity makes an identity of a text: of a post that has neither a GUID nor an
// address of its own, or of a GUID that is too long.
func HashedIdentity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hashedIdentity + hex.EncodeToString(sum[:])
}

// IsHashed reports whether HashedIdentity has made an identity.
func IsHashed(identity string) bool { return strings.HasPrefix(identity, hashedIdentity) }

// A PostRef is what an edition stores of a post: its key and its feed's.
type PostRef struct {
	PostID  PostID
	FeedID  FeedID
	Carried bool // of an earlier edition, which could not be delivered
	Listed  bool // by its headline only: that edition was refused, or may have arrived
}

// A FeedLabel is a feed as readers see it.
type FeedLabel struct {
	FeedID   FeedID
	Title    string // the feed's own
	SiteURL  string // the site's page, else the feed's address
	URL      string // the feed's address, without what is secret
	Host     string // where it is read, with its port if that is not the usual one
	Domain   string // the registrable domain of Host
	Me       string // as a Feed has it
	Language string
}

// A NoticeKind is the kind of a notice in an edition. Most notices are about a feed.
type NoticeKind string

// The kinds of notice.
const (
	NoticeGone  NoticeKind = "gone"  // the site says 410; the subscription has ended
	NoticeDead  NoticeKind = "dead"  // failing for 90 days; asked no more
	NoticeGap   NoticeKind = "gap"   // posts may be missing
	NoticeMoved NoticeKind = "moved" // to another site, whose posts come from now on

	NoticeWaiting NoticeKind = "waiting" // it brought more than is stored of it in a day
	NoticeSick    NoticeKind = "sick"    // failing for seven days

	NoticeBlocked  NoticeKind = "blocked"  // the operator has blocked its host
	NoticeDeclined NoticeKind = "declined" // the owner of its host has asked that nothing is read there

	NoticeChanged     NoticeKind = "changed"     // a link in an email changed a setting
	NoticeUndelivered NoticeKind = "undelivered" // an earlier edition did not reach the reader
)

// An Illness is why nothing can be read of a feed for days.
type Illness string

// The illnesses.
const (
	Well           Illness = ""
	PageInItsPlace Illness = "page"        // its address answers with a web page
	Unreadable     Illness = "unreadable"  // with something else that is no feed
	NeedsPassword  Illness = "password"    // 401
	Refused        Illness = "refused"     // 403, or robots.txt
	NotThere       Illness = "missing"     // 404, 410
	Limited        Illness = "limited"     // 429
	ServerFails    Illness = "server"      // 5xx
	BadCertificate Illness = "certificate" // expired, or not of this site
	NoHost         Illness = "name"        // no host of that name
	NoAnswer       Illness = "silent"
	OtherIllness   Illness = "other"
)

// A Notice is a message to the reader in an edition: about a feed, an earlier edition, or a change by a link.
type Notice struct {
	DigestID DigestID
	FeedID   FeedID
	Kind     NoticeKind
	Title    string  // the reader's own title of the feed, else the feed's, else empty
	URL      string  // of the feed; of NoticeMoved the old address
	MovedTo  string  // of NoticeMoved: the new address
	Illness  Illness // of NoticeSick: since Gap.From
	Gap              // of NoticeGap

	// Of NoticeUndelivered.
	Edition     EditionID
	LocalDate   Date
	Unconfirmed bool // it may have reached the reader

	Change *LinkChange // of NoticeChanged
}

// A Gap is a time of which posts of a feed may be missing.
type Gap struct {
	From, To time.Time
}

// WithoutCredentials gives a text in which no address holds a name or a password
// any more: of https://ann:secret@example.org/feed there remains
// https://example.org/feed. It is for all that is shown or logged of feeds'
// addresses, in whatever words they stand. Names of mail addresses stay.
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

// userInfoEnd is how many bytes of what follows "://" are a name, a password and
// the "@" behind them (RFC 3986 section 3.2.1). A password in which signs are not
// escaped, such as "pa/ss", is not let through either: no host has such a port.
//
// It looks at mostUserInfo bytes, so that a long text with many "://" in one word
// costs no more than its length.
func userInfoEnd(rest string) int {
	rest = rest[:min(len(rest), mostUserInfo)]
	if strings.IndexByte(rest, '@') < 0 {
		return 0
	}
	slashes := len(rest) - len(strings.TrimLeft(rest, "/")) // of an address that got a scheme twice
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

// mostUserInfo bounds, in bytes, a name and a password: no address that is longer
// can be subscribed to.
const mostUserInfo = 2048

// mostTorn bounds, in bytes, a password with spaces in it.
const mostTorn = 256

// tornUserInfoEnd is where a name and a password end that have quotes, angle
// brackets or, if spaced, spaces in them, the first of which is at torn; 0 if
// there is no "@" behind it that could be theirs.
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

// endsWord reports whether an address ends before r, where it stands in a text.
func endsWord(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '<' || r == '>' }

// AddressWithoutCredentials is WithoutCredentials for a text that is one address
// as a whole, however badly it is written: nothing before its last "@" is left
// if there is a ":" that could stand between a name and a password.
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
		return WithoutCredentials(address) // the "@" is in its path: https://example.org:8080/@ann
	}
	return scheme + rest[at+1:]
}
