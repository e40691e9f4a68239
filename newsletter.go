package digest

import (
	"cmp"
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// NewsletterID is the key of a newsletter.
type NewsletterID int64

// NewsletterState says what a newsletter may do.
type NewsletterState string

// The states of a newsletter.
const (
	// the operator has not approved it yet: nobody can join, nothing is mailed
	NewsletterPending NewsletterState = "pending"
	NewsletterActive  NewsletterState = "active"
	NewsletterHeld    NewsletterState = "held"  // what is due waits until it is released; HeldReason says why
	NewsletterEnded   NewsletterState = "ended" // nobody can join, nothing is mailed; its archive stays
)

// A Newsletter is what a publisher makes of their feeds for everybody who joins
// it. Each member has a digest of their own with its feeds (Digest.NewsletterID),
// so that a letter is made and mailed as any edition is.
type Newsletter struct {
	ID          NewsletterID
	Slug        string // its name in addresses: /n/SLUG
	Name        string
	Description string // some sentences for who may want to join
	SiteURL     string // the publisher's own; "" shows none
	AddressLine string // who publishes it and where they can be reached by post, one line
	FromName    string // "" is Name

	// The names that its publisher wants and the operator has not approved yet; "": no other.
	WantedName, WantedFromName string

	ReplyTo string // address that answers go to; "" is the instance's

	// OwnAddress is what its letters come from while the record of its own key is seen
	// (NewsletterDomain); "" is the instance's.
	OwnAddress string

	HeaderText string // some sentences above the posts of every letter; "" none. Spans finds their links
	FooterText string // the same at the foot

	Look
	Colours
	Logo
	Cadence   Cadence       // when a letter comes, if a member does not want calmer
	DeliverAt time.Duration // the hour at which it is mailed by each member's clock, from 00:00

	// ApproveWithin is how long a letter waits for its publisher's approval: when it
	// is over the letter leaves by itself. 0: none waits.
	ApproveWithin time.Duration

	// MemberLimit is how many members it may have at once, by whoever runs the instance; 0: as many as come.
	MemberLimit int

	// CountClicks says that the headlines of its letters lead to posts by links that count how often they are
	// followed, and by nobody (Click).
	CountClicks bool

	ReturnURLs string // where the form of another site may lead back to, one beginning of an address a line

	Language string // that of its owner, a tag, or empty; it is not stored here

	State      NewsletterState
	HeldReason string    // one line; "" unless it is held
	HeldAt     time.Time // zero unless it is held

	// ArchiveID is the digest whose editions are the archive. It is its owner's, in
	// their zone, and is not mailed. Its subscriptions are the newsletter's feeds.
	ArchiveID DigestID
	CreatedAt time.Time
}

// HeldByPublisher is the reason of a newsletter that its owner put on hold. Its owner can release only such a newsletter;
// the operator releases all others.
const HeldByPublisher = "by the publisher"

// Sender is the name that its letters come from.
func (n Newsletter) Sender() string { return cmp.Or(n.FromName, n.Name) }

// The bounds of a newsletter's texts, in bytes.
const (
	maxSlug        = 40
	maxName        = 400
	maxDescription = 2000
	maxLine        = 200
	maxReturnURLs  = 4000
	maxAround      = 500 // above and below the posts of every letter
)

// Check gives the first thing that is wrong with what a publisher has typed, of
// the kind Invalid.
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
		{Words("Pages to return to"), n.ReturnURLs, maxReturnURLs}} {
		if err := checkText(text.label, text.value, text.most); err != nil {
			return err
		}
	}
	switch {
	case !isSlug(n.Slug):
		return Refuse(Invalid, "the web address needs 2 to 40 of the characters a-z, 0-9 and hyphen, such as anna-writes")
	case n.Tidy().Name == "":
		return Refuse(Invalid, "enter a name for the newsletter")
	case strings.ContainsAny(n.Sender()+n.WantedFromName+n.WantedName, "@<>"):
		return Refuse(Invalid, "the From name cannot contain @, < or >; choose another name")
	case n.ReplyTo != "" && !isAddress(n.ReplyTo):
		return Refuse(Invalid, "the reply address is not an email address; enter one such as anna@example.org")
	case n.SiteURL != "" && !isSite(n.SiteURL):
		return Refuse(Invalid, "the website address must begin with https://")
	case !areReturnURLs(n.ReturnAddresses()):
		return Refuse(Invalid, "a return address must begin with https:// and a site, such as https://anna.example/thanks")
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

// checkText returns an error of the kind Invalid if the text of a labelled field is not UTF-8, or longer than most bytes.
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
	for _, line := range []*string{&n.AddressLine, &n.HeaderText, &n.FooterText} {
		*line = OneLine(WithoutTurns(*line))
	}
	for _, name := range []*string{&n.Name, &n.FromName, &n.WantedName, &n.WantedFromName} {
		*name = tidyName(*name)
	}
	n.Description, n.Colours = PlainLines(n.Description), n.Colours.Tidy()
	return n
}

// MaxApproval is how long a letter may wait for approval: then its day is nearly over.
const MaxApproval = 18 * time.Hour

// ReturnURLs writes return addresses as Newsletter.ReturnURLs has them.
func ReturnURLs(all []string) string { return strings.Join(all, "\n") }

// ReturnAddresses gives where the form of another site may lead back to.
func (n Newsletter) ReturnAddresses() []string { return strings.Fields(n.ReturnURLs) }

// isAddress reports whether s is a bare address that every mail server carries.
func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// areReturnURLs wants each to name a whole origin, so that no other can begin with it.
func areReturnURLs(all []string) bool {
	for _, address := range all {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Path == "" {
			return false
		}
	}
	return true
}

// isSite wants the address of a page, in which nothing is hidden.
func isSite(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && PlainLines(address) == address
}

// isSlug reports whether s may name a newsletter in addresses. /newsletters/new is a page of its own.
func isSlug(s string) bool {
	if s == "new" || len(s) < 2 || len(s) > maxSlug || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') &&
			r != '-'
	})
}

// A NewsletterLetter is what a publisher has decided of the letter of one date, which
// goes to all members whose local date it is.
type NewsletterLetter struct {
	NewsletterID NewsletterID
	LocalDate    Date
	Subject      string // "" is what the letter's posts make of it
	Note         string // stands above the posts; "" none
	Skipped      bool   // it is not made: what it would have held comes with the next one
	ApprovedAt   time.Time
}

// The bounds of what a publisher writes into a letter, in bytes.
const (
	maxLetterSubject = 150
	maxLetterNote    = 2000
)

// Check gives the first thing that is wrong with a letter, of the kind Invalid.
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

// Tidy is Newsletter.Tidy for what is decided of one letter.
func (l NewsletterLetter) Tidy() NewsletterLetter {
	l.Subject, l.Note = OneLine(WithoutTurns(l.Subject)), PlainLines(l.Note)
	return l
}

// Withholds reports whether the letter is not made on its date: what it would hold waits for the next.
func (n Newsletter) Withholds(l NewsletterLetter) bool {
	return l.Skipped || n.State != NewsletterActive
}

// Waits is how long the letter waits for approval from when it would leave.
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

// Role is what a person may do with a newsletter.
type Role string

// The roles.
const (
	RoleNone   Role = ""
	RoleEditor Role = "editor" // its letters, look, feeds and members
	RoleOwner  Role = "owner"  // also who else may, and its end
)

// Proof is how a member came to join, kept for as long as they are one.
type Proof struct {
	Form    string    // the page or file by which they came, or who added them
	Address string    // of the network that confirmed; "" where none is known
	AskedAt time.Time // when the form was sent, or what the imported list says
	At      time.Time // when they confirmed; zero: not known
}

// A Member is a person who has joined a newsletter.
type Member struct {
	DigestID     DigestID
	UserID       UserID
	NewsletterID NewsletterID
	Email        string
	TimeZone     string
	State        DigestState
	Cadence      Cadence
	OwnDays      bool // the cadence is the member's choice, and not the newsletter's
	JoinedAt     time.Time
	LeftAt       time.Time // zero: never, or they are back
	Proof
}

// A NewsletterSuppression is an address that a newsletter is not sent to,
// whatever list names it: whoever reads its mail has left, or it came back.
// Only they themselves can join again.
type NewsletterSuppression struct {
	Email  string
	Reason string    // left, bounced, complained, or what an imported list said
	At     time.Time // zero: not known, or it went with their account
}
