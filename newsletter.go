package digest

import (
	"cmp"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// NewsletterID is the key of a Newsletter.
type NewsletterID int64

// NewsletterState says whether people can join a newsletter and whether its issues are sent.
type NewsletterState string

const (
	// waits for the operator's approval; nobody can join, and nothing is sent
	NewsletterPending NewsletterState = "pending"
	NewsletterActive  NewsletterState = "active"
	NewsletterHeld    NewsletterState = "held"  // due issues wait until somebody releases it; HeldReason says why
	NewsletterEnded   NewsletterState = "ended" // nobody can join, and nothing is sent; its archive stays
)

// A Newsletter sends the posts of a publisher's feeds to its members. Each member has a digest with its feeds
// (Digest.NewsletterID), so that an issue is an ordinary edition.
type Newsletter struct {
	ID          NewsletterID
	Slug        string // its name in web addresses: /n/SLUG
	Name        string
	Description string // a few sentences for people who may want to join
	SiteURL     string // of the publisher; "": none
	AddressLine string // publisher and postal address, one line
	FromName    string // "": Name

	// WantedName and WantedFromName are new names that wait for the operator's approval; "": none.
	WantedName, WantedFromName string

	ReplyTo string // address for replies; "": the instance's

	// OwnAddress is the sender of issues while the DNS has the record of its key (NewsletterDomain); "": the instance's
	// address.
	OwnAddress string

	HeaderText string // a few sentences above the posts of every issue; "": none. Spans finds their links
	FooterText string // the same below the posts

	SubjectPattern string // of the subjects of its issues (FillSubject); "": the usual subject

	Look
	Colours
	Logo
	Cadence   Cadence       // the days of issues, unless a member chooses fewer
	DeliverAt time.Duration // when an issue is sent, in each member's time zone, from 00:00

	// ApproveWithin is how long an issue waits for its publisher's approval before it is sent without. 0: it does not
	// wait.
	ApproveWithin time.Duration

	// MemberLimit is the operator's maximum number of members; 0: no limit.
	MemberLimit int

	// CountClicks makes the headlines of issues link to addresses that count clicks without identifying anybody
	// (Click).
	CountClicks bool

	ReturnURLs string // allowed prefixes of return addresses for a form on another site, one for each line

	Language string // of its owner, a tag or empty; not stored here

	State      NewsletterState
	HeldReason string    // one line; "" unless held
	HeldAt     time.Time // zero unless held

	// ArchiveID is the digest whose editions are the archive. It belongs to the owner, uses their time zone, and is not
	// sent. Its subscriptions are the newsletter's feeds.
	ArchiveID DigestID
	CreatedAt time.Time
}

// HeldByPublisher is the reason of a newsletter that its owner put on hold. Its owner can release only such a
// newsletter; the operator releases all others.
const HeldByPublisher = "by the publisher"

// Sender returns the name in the From header of its emails.
func (n Newsletter) Sender() string { return cmp.Or(n.FromName, n.Name) }

// The maximum lengths of a newsletter's texts, in bytes.
const (
	maxSlug        = 40
	maxName        = 400
	maxDescription = 2000
	maxLine        = 200
	maxReturnURLs  = 4000
	maxAround      = 500 // of HeaderText and FooterText
)

// Check returns an error of the kind Invalid for the first invalid text of a publisher.
func (n Newsletter) Check() error {
	for _, text := range []struct {
		label Words
		value string
		most  int
	}{{Words("Name"), n.Name, maxName}, {Words("Publisher and postal address"), n.AddressLine, maxLine},
		{Words("From name"), n.FromName, maxName}, {Words("Name"), n.WantedName, maxName},
		{Words("From name"), n.WantedFromName, maxName},
		{Words("Reply-to"), n.ReplyTo, maxLine}, {Words("Website"), n.SiteURL, maxLine},
		{Words("Description"), n.Description, maxDescription}, {Words("Header text"), n.HeaderText, maxAround},
		{Words("Footer text"), n.FooterText, maxAround},
		{Words("Allowed return URLs"), n.ReturnURLs, maxReturnURLs}} {
		if err := checkText(text.label, text.value, text.most); err != nil {
			return err
		}
	}
	switch {
	case CheckSubject(n.SubjectPattern) != nil:
		return CheckSubject(n.SubjectPattern)
	case !isSlug(n.Slug):
		return Refuse(Invalid,
			"the web address must have 2 to 40 characters from a-z, 0-9 and the hyphen, such as anna-writes")
	case n.Tidy().Name == "":
		return Refuse(Invalid, "enter a name for the newsletter")
	case strings.ContainsAny(n.Sender()+n.WantedFromName+n.WantedName, "@<>"):
		return Refuse(Invalid, "the From name cannot contain @, < or >; choose another name")
	case n.ReplyTo != "" && !isAddress(n.ReplyTo):
		return Refuse(Invalid, "the reply address is not an email address; enter one such as anna@example.org")
	case n.SiteURL != "" && !isSite(n.SiteURL):
		return Refuse(Invalid, "the website address must begin with https://")
	case !areReturnURLs(n.ReturnAddresses()):
		return Refuse(Invalid,
			"a return URL must begin with https:// and a site, such as https://anna.example/thanks")
	case n.Look.Check() != nil:
		return n.Look.Check()
	case n.Colours.Check() != nil:
		return n.Colours.Check()
	case n.Cadence.Check() != nil:
		return n.Cadence.Check()
	case n.DeliverAt < 0 || n.DeliverAt >= 24*time.Hour:
		return Refuse(Invalid, "enter a time from 00:00 to 23:59")
	case n.ApproveWithin < 0 || n.ApproveWithin > MaxApproval:
		return Refuse(Invalid, "an issue can wait at most 18 hours for approval")
	}
	return nil
}

// checkText returns an error of the kind Invalid if the text of a labelled field is not UTF-8, or longer than most
// bytes.
func checkText(label Words, text string, most int) error {
	switch {
	case !utf8.ValidString(text):
		return Refuse(Invalid, "“%s” has characters that are not UTF-8; type the text again", label)
	case len(text) > most:
		return Refuse(Invalid, "“%s” is too long; shorten it", label)
	}
	return nil
}

// Tidy returns a newsletter whose texts are safe to show on pages, in emails and in terminals. They have no control
// characters and nothing that changes the direction of text, and single-line texts have one line.
func (n Newsletter) Tidy() Newsletter {
	for _, line := range []*string{&n.AddressLine, &n.HeaderText, &n.FooterText, &n.SubjectPattern} {
		*line = OneLine(WithoutTurns(*line))
	}
	for _, name := range []*string{&n.Name, &n.FromName, &n.WantedName, &n.WantedFromName} {
		*name = tidyName(*name)
	}
	n.Description, n.Colours = PlainLines(n.Description), n.Colours.Tidy()
	return n
}

// MaxApproval is the maximum of ApproveWithin: after that the day is nearly over.
const MaxApproval = 18 * time.Hour

// ReturnURLs formats return addresses for Newsletter.ReturnURLs.
func ReturnURLs(all []string) string { return strings.Join(all, "\n") }

// ReturnAddresses returns the allowed prefixes of return addresses.
func (n Newsletter) ReturnAddresses() []string { return strings.Fields(n.ReturnURLs) }

// isAddress reports whether s is a bare ASCII address, which every mail server accepts.
func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// areReturnURLs reports whether each address contains a whole origin, so that no other origin has it as a prefix.
func areReturnURLs(all []string) bool {
	for _, address := range all {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Path == "" {
			return false
		}
	}
	return true
}

// isSite reports whether address is the address of a web page without control or bidirectional characters.
func isSite(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && PlainLines(address) == address
}

// isSlug reports whether s can be the slug of a newsletter. /newsletters/new is a page.
func isSlug(s string) bool {
	if s == "new" || len(s) < 2 || len(s) > maxSlug || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') &&
			r != '-'
	})
}

// A NewsletterLetter holds a publisher's decisions about the issue of one date. Each member gets it on that local date.
type NewsletterLetter struct {
	NewsletterID NewsletterID
	LocalDate    Date
	Subject      string // "": made from the posts
	Note         string // shown above the posts; "": none
	Skipped      bool   // not sent on its date; its posts are in the next issue
	ApprovedAt   time.Time
}

// The maximum lengths of a publisher's texts in an issue, in bytes.
const (
	maxLetterSubject = 150
	maxLetterNote    = 2000
)

// Check returns an error of the kind Invalid for the first invalid field.
func (l NewsletterLetter) Check() error {
	if err := checkText(Words("Subject"), l.Subject, maxLetterSubject); err != nil {
		return err
	}
	if err := checkText(Words("Note above the posts"), l.Note, maxLetterNote); err != nil {
		return err
	}
	if l.LocalDate.IsZero() {
		return Refuse(Invalid, "enter the date of the issue")
	}
	return nil
}

// Tidy makes the texts of an issue safe to show, as Newsletter.Tidy does.
func (l NewsletterLetter) Tidy() NewsletterLetter {
	l.Subject, l.Note = OneLine(WithoutTurns(l.Subject)), PlainLines(l.Note)
	return l
}

// Withholds reports whether the issue is not made on its date. Its posts wait for the next one.
func (n Newsletter) Withholds(l NewsletterLetter) bool {
	return l.Skipped || n.State != NewsletterActive
}

// Waits returns how long the issue waits for approval after it is due.
func (n Newsletter) Waits(l NewsletterLetter) time.Duration {
	if !l.ApprovedAt.IsZero() {
		return 0
	}
	return n.ApproveWithin
}

// MaySend reports whether an issue that is due at sendAt may be sent at now. The newsletter must be active. An issue
// without approval waits until sendAt.
func (n Newsletter) MaySend(l NewsletterLetter, sendAt, now time.Time) bool {
	return n.State == NewsletterActive && (n.Waits(l) == 0 || !now.Before(sendAt))
}

// Role says what a person may do with a newsletter.
type Role string

const (
	RoleNone   Role = ""
	RoleEditor Role = "editor" // issues, look, feeds and members
	RoleOwner  Role = "owner"  // also its editors and its end
)

// A Proof records how a member consented to join. It is stored as long as they are a member.
type Proof struct {
	Form    string    // the page or file, or who added them
	Address string    // IP address of the confirmation; "": unknown
	AskedAt time.Time // when the form was sent, or a time from the imported list
	At      time.Time // time of the confirmation; zero: unknown
}

// A Member is a person who joined a newsletter.
type Member struct {
	DigestID     DigestID
	UserID       UserID
	NewsletterID NewsletterID
	Email        string
	TimeZone     string
	State        DigestState
	Cadence      Cadence
	OwnDays      bool // the member chose the cadence
	JoinedAt     time.Time
	LeftAt       time.Time // zero: never, or they joined again
	Proof
}

// A NewsletterSuppression is an address that gets no issues, even if an imported list contains it. Its owner
// unsubscribed, or an email bounced or was reported as spam. Only its owner can join again.
type NewsletterSuppression struct {
	Email  string
	Reason string    // left, bounced, complained, or a reason from an imported list
	At     time.Time // zero: unknown, or deleted with the account
}

// MostName is the maximum length of the name of a newsletter or its sender, in characters.
const MostName = 60

// PlainName returns a name as emails to non-members show it: one short line, without anything that mail programs
// would turn into a link.
func PlainName(name string) string {
	return Shortened(OneLine(withoutAddresses(tidyName(name))), MostName)
}

// tidyName returns a name as one line without invisible characters. It keeps those that join letters and emoji.
func tidyName(name string) string {
	return OneLine(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && !isJoiner(r) {
			return -1
		}
		return r
	}, name))
}

// withoutAddresses breaks addresses in a text into words.
func withoutAddresses(s string) string {
	s = strings.NewReplacer("@", " ", "://", " ").Replace(schemes().ReplaceAllString(s, "$1 "))
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !inHostName(r) })
		switch {
		case end < 0:
			end = len(s)
		case end == 0:
			end = strings.IndexFunc(s, inHostName)
			if end < 0 {
				end = len(s)
			}
		}
		word := s[:end]
		if isHostName(word) {
			word = strings.Map(func(r rune) rune {
				if isDot(r) {
					return ' '
				}
				return r
			}, word)
		}
		b.WriteString(word)
		s = s[end:]
	}
	return b.String()
}

// schemes matches URL schemes that mail programs turn into links without slashes.
func schemes() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(mailto|tel|sms|callto):`) }

func inHostName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '-' || isJoiner(r) || isDot(r)
}

// isJoiner reports whether a character only joins or separates letters and is invisible itself.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// isDot reports whether browsers read a character as the dot between the labels of a host (UTS #46).
func isDot(r rune) bool { return strings.ContainsRune(".\u2024\u3002\ufe52\uff0e\uff61", r) }

// isHostName reports whether a word is an IPv4 address, or a host below a top-level domain that exists.
func isHostName(word string) bool {
	word = strings.TrimFunc(word, isDot)
	if !strings.ContainsFunc(word, isDot) {
		return false
	}
	word = strings.Map(func(r rune) rune {
		switch {
		case isJoiner(r):
			return -1
		case isDot(r):
			return '.'
		}
		return r
	}, word)
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	host, err := idna.Lookup.ToASCII(strings.ToLower(word))
	if err != nil {
		host = strings.ToLower(word)
	}
	if strings.HasPrefix(host, "www.") {
		return true
	}
	suffix, official := publicsuffix.PublicSuffix(host)
	return official && suffix != host
}

// WithNames returns a newsletter with its approved names. Other names that its publisher typed wait in WantedName
// and WantedFromName.
func (n Newsletter) WithNames(approved Newsletter) Newsletter {
	n.WantedName, n.WantedFromName = "", ""
	if n.Name != approved.Name {
		n.Name, n.WantedName = approved.Name, n.Name
	}
	if n.FromName != approved.FromName && n.FromName != "" && n.FromName != n.Name {
		n.FromName, n.WantedFromName = approved.FromName, n.FromName
	}
	return n
}

// NamesWait reports whether names of a newsletter wait for approval.
func (n Newsletter) NamesWait() bool { return n.WantedName != "" || n.WantedFromName != "" }

// Wanted returns a newsletter under the names that wait for approval.
func (n Newsletter) Wanted() Newsletter {
	if n.WantedName != "" {
		n.Name = n.WantedName
	}
	if n.WantedFromName != "" {
		n.FromName = n.WantedFromName
	}
	n.WantedName, n.WantedFromName = "", ""
	return n
}

// CheckNames returns an error of the kind Invalid if a name of a newsletter is not plain. It allows the names that the
// newsletter had before, in was.
func (n Newsletter) CheckNames(was Newsletter) error {
	n, was = n.Tidy(), was.Tidy()
	for _, name := range [...]string{n.Name, n.FromName, n.WantedName, n.WantedFromName} {
		if name != was.Name && name != was.FromName && name != PlainName(name) {
			return Refuse(Invalid,
				"a name can have at most %d characters and no @, https:// or site name such as example.org", MostName)
		}
	}
	return nil
}
