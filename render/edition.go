package render

import "digest"

// maxSubject bounds a subject, in bytes.
const maxSubject = 100

// DefaultName is the name of a digest that has none of its own.
const DefaultName = "Daily Digest"

// An Edition is the content of one reader's edition, in the order it is shown.
type Edition struct {
	Date           digest.Date // the reader's local date
	Number         int         // of the edition; 0 shows none
	Name           string      // of the digest; empty: DefaultName
	Sections       []Section
	WebURL         string   // the edition in a browser; empty: it has none yet (a preview)
	UnsubscribeURL string   // absolute http(s)
	HomeURL        string   // the reader's sites and settings, absolute http(s)
	Notices        []string // plain text for the reader, e.g. which posts may be missing
	Recipient      string   // the reader's address, to say why they get this; may be empty
	PostalAddress  string   // of who sends this, one line; empty: none is shown

	// Bound says that this is all that came during a pause: the newest posts of
	// each section in its Posts, the others in its Rest. Note tells the reader so, in
	// one sentence above the posts; empty: none is shown.
	Bound bool
	Note  string

	digest.Look // the zero one: headlines and excerpts, no pictures
}

// A Message is an edition ready to be mailed.
type Message struct {
	Subject string // one line of UTF-8, at most 100 bytes, nothing of a feed in it; the same for all editions of a threaded digest
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

// Count says how much there is: "12 posts from 7 sites", "1 post from 1 site", "no posts".
func Count(posts, sites int) string {
	if posts == 0 {
		return "no posts"
	}
	return plural(posts, "post") + " from " + plural(sites, "site")
}
