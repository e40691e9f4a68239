// Package digest defines the feeds, posts, users, digests, subscriptions and editions that every other package shares,
// as plain structs. It imports no other package of the project and does no input or output.
//
// A zero time.Time means "never" or "not known" throughout.
package digest

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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

	// DateSubject puts the date and the number of posts into the subject, in place of the leading headline and the
	// names of sites. It has no effect on newsletters and threaded editions.
	DateSubject bool `db:"date_subject"`

	// Budget is the time in minutes that reading an edition takes, 0 for no limit. Posts beyond it are headlines at its
	// end. It has no effect on newsletters.
	Budget int
}

// The subjects of emails: the leading headline with the names of sites, or the date and the number of posts.
const (
	SubjectDate = "date"
	SubjectLead = "lead"
)

// Subject returns the name of the subject setting.
func (l Look) Subject() string {
	if l.DateSubject {
		return SubjectDate
	}
	return SubjectLead
}

// Budgets returns the reading times that a reader can choose, in minutes; 0 is no limit.
func Budgets() []int { return []int{0, 10, 20, 30, 60} }

// Check returns an error of the kind Invalid if a setting is not valid.
func (l Look) Check() error {
	switch l.Layout {
	case Headlines, Excerpts, FullText:
	default:
		return &Error{Kind: Invalid, Message: "a layout is headlines, excerpts or full, not " +
			strconv.Quote(string(l.Layout))}
	}
	if !slices.Contains(Budgets(), l.Budget) {
		return &Error{Kind: Invalid, Message: "a reading time is 10, 20, 30 or 60 minutes, or 0 for no limit"}
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
	Display  Layout   // layout of its posts; empty: the digest's
	Most     int      // maximum posts in one edition; 0: no limit
	Extras   Extra    // the extras that the reader wants, added
	Leads    bool     // puts its section before all others
	RollUp   Weekdays // the day on which its posts of the week come together; 0: they come every day
	Trial
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

// A Filter keeps posts out of editions. Its words are whole words or a phrase in the title, the author's name or the
// text. It ignores case and accents.
type Filter struct {
	ID        int64
	DigestID  DigestID
	FeedID    FeedID // of the posts; 0: of all feeds
	Kind      FilterKind
	Words     string
	CreatedAt time.Time
}

// A FilterKind says which posts a filter hides.
type FilterKind string

// The kinds of filters.
const (
	HideWords  FilterKind = ""       // posts with its words
	OnlyWords  FilterKind = "only"   // posts of its feed without the words of any such filter
	HideShorts FilterKind = "shorts" // Shorts of YouTube; its words are ShortsName
)

// ShortsName is YouTube's name of its short videos.
const ShortsName = "Shorts"

// IsShort reports whether an address has the form in which YouTube's feeds link Shorts.
func IsShort(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasPrefix(u.Path, "/shorts/") &&
		slices.Contains([]string{"www.youtube.com", "m.youtube.com", "youtube.com"}, u.Host)
}

// An Arrangement describes how an email groups the sections of an edition, and how the web pages differ from the email.
type Arrangement struct {
	Grouping    Grouping // in emails
	WebLayout   Layout   // on web pages; empty: as in emails
	WebGrouping Grouping // on web pages; empty: as in emails
	WebImages   Images   // on web pages: NoImages or ProxiedImages

	// ReadHere says that headlines on web pages open the post's text on this instance, if it has more than the excerpt.
	// Otherwise they open the author's page.
	ReadHere bool `db:"read_here"`
}

// What headlines on web pages open: the author's page, or the text on this instance.
const (
	OpensAuthor = "author"
	OpensText   = "text"
)

// Headlines returns the name of what headlines on web pages open.
func (a Arrangement) Headlines() string {
	if a.ReadHere {
		return OpensText
	}
	return OpensAuthor
}

// Check returns an error of the kind Invalid if an arrangement is not valid.
func (a Arrangement) Check() error {
	if !a.Grouping.exists() || a.WebGrouping != "" && !a.WebGrouping.exists() {
		return &Error{Kind: Invalid, Message: "posts can be grouped by folders or sites, not by " +
			strconv.Quote(string(a.Grouping)) + " and " + strconv.Quote(string(a.WebGrouping))}
	}
	if a.WebImages == LinkedImages {
		return &Error{Kind: Invalid, Message: "pictures on web pages can be off or proxy, not linked"}
	}
	layout := a.WebLayout
	if layout == "" {
		layout = Excerpts
	}
	return Look{Layout: layout, Images: a.WebImages}.Check()
}

// Grouping says how an edition groups its posts.
type Grouping string

const (
	ByFolders Grouping = "folders" // by folder, under its name
	BySites   Grouping = "sites"   // by site, without folders
)

func (g Grouping) exists() bool { return g == ByFolders || g == BySites }

// Pages holds a reader's settings for the web pages.
type Pages struct {
	Direction Direction // of the text; LeftToRight follows the language
	Shortcuts bool      // enables single-key shortcuts
	Player    bool      // plays the audio of a post on its page
	Theme     Theme
	TypeSize  TypeSize
}

// UsualPages returns the default settings.
func UsualPages() Pages {
	return Pages{Direction: LeftToRight, Shortcuts: true, Theme: AsDevice, TypeSize: AsBrowser}
}

// Check returns an error of the kind Invalid if a setting is not valid.
func (p Pages) Check() error {
	switch p.Direction {
	case LeftToRight, RightToLeft:
	default:
		return &Error{Kind: Invalid, Message: "the text direction can be ltr or rtl, not " +
			strconv.Quote(string(p.Direction))}
	}
	switch p.Theme {
	case AsDevice, LightTheme, DarkTheme:
	default:
		return &Error{Kind: Invalid, Message: "a theme can be device, light or dark, not " +
			strconv.Quote(string(p.Theme))}
	}
	switch p.TypeSize {
	case Smaller, AsBrowser, Larger, Largest:
		return nil
	}
	return &Error{Kind: Invalid,
		Message: "the text size can be smaller, browser (browser default), larger or largest, not " +
			strconv.Quote(string(p.TypeSize))}
}

// Direction is the direction of text.
type Direction string

const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Theme selects the colours of pages.
type Theme string

const (
	AsDevice   Theme = "device" // follows the device's setting
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// TypeSize is the size of text on pages.
type TypeSize string

const (
	Smaller   TypeSize = "smaller"
	AsBrowser TypeSize = "browser" // follows the browser's setting
	Larger    TypeSize = "larger"
	Largest   TypeSize = "largest"
)

// A FolderOrder is a reader's order of folders: their names, one for each line. The empty name is for feeds without a
// folder. The zero value sorts these feeds first and the folders by CompareNames. All lists of folders use it.
type FolderOrder string

// NewFolderOrder returns the order of names, each of one line.
func NewFolderOrder(names []string) FolderOrder { return FolderOrder(strings.Join(names, "\n")) }

// Arrange sorts the names of folders. Names that are not in the order are last, by CompareNames, but the empty name is
// first.
func (o FolderOrder) Arrange(names []string) {
	place := o.places()
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), CompareNames(a, b))
	})
}

// Move returns the order with one folder moved down by a number of places, or up if by is negative. The folder stops at
// the ends of the list. Folders in the order that no longer exist keep their places.
func (o FolderOrder) Move(folders []string, name string, by int) FolderOrder {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for range min(by, len(folders)) {
		o = o.step(folders, name, step)
	}
	return o
}

// step swaps a folder with the one below it (by 1) or above it (by -1).
func (o FolderOrder) step(folders []string, name string, by int) FolderOrder {
	folders = slices.Clone(folders)
	o.Arrange(folders)
	at := slices.Index(folders, name)
	if at < 0 || at+by < 0 || at+by >= len(folders) {
		return o
	}
	all := slices.Concat(folders, o.names())
	o.Arrange(all)
	all = slices.Compact(all)
	from, to := slices.Index(all, name), slices.Index(all, folders[at+by])
	all[from], all[to] = all[to], all[from]
	return NewFolderOrder(all)
}

func (o FolderOrder) names() []string {
	if o == "" {
		return nil
	}
	return strings.Split(string(o), "\n")
}

// places returns a function from names to places. A name that is not in the order has the last place.
func (o FolderOrder) places() func(name string) int {
	names := o.names()
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		if name == "" {
			return -1
		}
		return len(names)
	}
}

// CompareNames compares names in the natural order: "Week 2" comes before "Week 10". Case, and marks before a name,
// matter only if names are otherwise equal.
func CompareNames(a, b string) int {
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return cmp.Or(compareNumbered(strings.TrimLeftFunc(a, mark), strings.TrimLeftFunc(b, mark)), strings.Compare(a, b))
}

// compareNumbered compares texts letter by letter, but runs of digits by their values.
func compareNumbered(a, b string) int {
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		r, n := utf8.DecodeRuneInString(a)
		q, m := utf8.DecodeRuneInString(b)
		if c := cmp.Compare(unicode.ToLower(r), unicode.ToLower(q)); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
