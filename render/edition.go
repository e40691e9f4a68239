package render

import "digest"

// A Page is the content of one reader's edition, in the order it is shown.
type Page struct {
	Date           digest.Date // the reader's local date
	Number         int         // of the edition; 0 shows none
	Name           string      // of the paper; empty: "Daily Digest"
	Sites          []Site
	WebURL         string   // the edition in a browser; empty: it has none yet (a preview)
	UnsubscribeURL string   // absolute http(s)
	HomeURL        string   // the reader's sites and settings, absolute http(s)
	Notices        []string // plain text for the reader, e.g. which posts may be missing
	Recipient      string   // the reader's address, to say why they get this; may be empty
}

// A Site is the posts of one feed in an edition, newest first.
type Site struct {
	Title    string // the reader's own name for it, else the feed's
	URL      string // the site's page; empty or not http(s): the title is no link
	Language string // BCP 47, of the title; may be empty
	Blocks   []*Block
}

// A Message is an edition ready to be mailed.
type Message struct {
	Subject string // one line
	HTML    string
	Text    string
	Shown   int // posts that are in the message
	Omitted int // posts that are only in the web edition
}

// Edition renders a page. HTML and Text are UTF-8 with LF line ends.
func Edition(p Page) (Message, error) { return Message{}, nil }

// Encoded is Edition with HTML and Text already in quoted-printable (RFC 2045
// section 6.7), with CRLF line ends, as a message body carries them. Blocks
// are kept encoded, so this costs no more than Edition.
func Encoded(p Page) (Message, error) { return Message{}, nil }
