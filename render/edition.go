package render

import (
	"fmt"

	"digest"
)

// maxSubject bounds a subject, in bytes.
const maxSubject = 100

// DefaultName is the name of a paper that has none of its own.
const DefaultName = "Daily Digest"

// A Edition is the content of one reader's edition, in the order it is shown.
type Edition struct {
	Date           digest.Date // the reader's local date
	Number         int         // of the edition; 0 shows none
	Name           string      // of the paper; empty: DefaultName
	Sections       []Section
	WebURL         string   // the edition in a browser; empty: it has none yet (a preview)
	UnsubscribeURL string   // absolute http(s)
	HomeURL        string   // the reader's sites and settings, absolute http(s)
	Notices        []string // plain text for the reader, e.g. which posts may be missing
	Recipient      string   // the reader's address, to say why they get this; may be empty
	PostalAddress  string   // of who sends this, one line; empty: none is shown

	// Bound says that this is all that came during a pause: the newest posts of
	// each site in Blocks, the others in its Rest. Note tells the reader so, in
	// one sentence above the posts; empty: none is shown.
	Bound bool
	Note  string

	digest.Look // the zero one: headlines and excerpts, no pictures
}

// A Message is an edition ready to be mailed.
type Message struct {
	Subject string // one line of UTF-8, at most 100 bytes, nothing of a feed in it; the same for all editions of a threaded paper
	HTML    string
	Text    string
	Shown   int // posts that are in the message, at least as a headline
	Omitted int // posts that are only in the web edition
}

// The bounds of Name, Recipient and titles of sites, in columns, so that what
// stands around the posts always leaves room for them.
const (
	nameColumns      = 60
	siteColumns      = 80
	recipientColumns = 254
	postalColumns    = 200
)

// Mail renders a page. HTML and Text are UTF-8 with LF line ends. However
// large the page, HTML stays under 95,000 bytes, and under 100,000 when it is
// quoted-printable: mail clients hide what is beyond.
//
// An edition that is too large loses detail in this order: full texts are cut
// at the end of a paragraph, all at about the same length, then become excerpts
// with a link to the rest; excerpts are shortened; posts become headlines, every
// site keeping its newest excerpts as long as any; headlines are left to the
// web edition, again evenly.
func Mail(p Edition) (Message, error) { return setPage(p, false) }

// EncodedMail is Edition with HTML and Text already quoted-printable (RFC 2045
// section 6.7) with CRLF line ends, as a message's body carries them. Blocks
// are kept encoded, so it costs little more than Edition.
func EncodedMail(p Edition) (Message, error) { return setPage(p, true) }

func setPage(p Edition, coded bool) (Message, error) {
	e, err := newPress(p)
	if err != nil {
		return Message{}, err
	}
	pl := e.fit()
	m := Message{Subject: e.subject, Shown: pl.shown, Omitted: e.posts - pl.shown}
	m.HTML = e.html(pl).join(coded)
	m.Text = e.text(pl).join(coded)
	return m, nil
}

// A press holds what is known of a page before it is decided how much of it fits.
type press struct {
	Edition
	posts   int
	deepest depth   // of any site's posts, where there is room
	mosts   []depth // the most of each site's posts; nil: of all the deepest
	notes   noted
	subject string
	title   string // of the document: the day, and how much there is
	deck    string // "12 posts from 7 sites, 1 note"
	date    string // "Friday 20 November 2026"
	frame   sheet  // all that is neither site nor post: its first pieces are the top, the rest the bottom
	top     int    // how many pieces of the frame are the top
}

func newPress(p Edition) (*press, error) {
	e := &press{Edition: p}
	if err := e.tidy(); err != nil {
		return nil, fmt.Errorf("rendering the edition of %s: %w", p.Date, err)
	}
	for i := range e.Sections {
		e.posts += e.Sections[i].posts()
	}
	e.setMosts()
	e.notes = tidyNotices(p.Notices, e.posts == 0)
	e.deck = e.summary()
	e.subject = p.Date.Format("Monday 2 January") + ": " + e.deck
	if e.posts > 0 && e.notes.all > 0 {
		e.deck += ", " + plural(e.notes.all, "note")
	}
	e.title = e.subject
	if e.Threaded {
		e.subject = cutBytes(e.Name, maxSubject)
	}
	e.date = p.Date.Format("Monday 2 January 2006")
	e.setFrame()
	return e, nil
}

// tidy bounds and cleans all that surrounds the posts, and refuses a page
// whose reader could not get out of it.
func (e *press) tidy() error {
	if e.Date.IsZero() {
		return fmt.Errorf("it has no date")
	}
	for _, u := range []struct {
		name     string
		value    *string
		required bool
	}{{"unsubscribe", &e.UnsubscribeURL, true}, {"home", &e.HomeURL, true}, {"web edition", &e.WebURL, false}} {
		clean := address(*u.value)
		if clean == "" && (u.required || *u.value != "") {
			return fmt.Errorf("its %s link %q is not an http(s) address", u.name, *u.value)
		}
		*u.value = clean
	}
	e.Name = clean(e.Name, nameColumns)
	if e.Name == "" {
		e.Name = DefaultName
	}
	e.Recipient = clean(e.Recipient, recipientColumns)
	e.PostalAddress = clean(e.PostalAddress, postalColumns)
	e.Note = cleanNotice(e.Note)
	e.Sections = tidySites(e.Sections)
	return nil
}

// Count says how much there is: "12 posts from 7 sites", "1 post from 1 site", "no posts".
func Count(posts, sites int) string {
	if posts == 0 {
		return "no posts"
	}
	return plural(posts, "post") + " from " + plural(sites, "site")
}
