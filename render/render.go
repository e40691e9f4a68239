// Package render makes an edition into mail: a subject, a page of HTML and a
// plain text, all three from the same Edition. It also makes the posts' texts
// for pages in a browser, and letters. It is pure: no clock, no network, no
// database; the same Edition always gives the same bytes.
//
// A post is rendered once, by Renderer.Post, and shared by all its readers; Mail
// only chooses how much of each post fits and puts the pieces in a row. Nothing
// of a feed reaches a mail but plain text, escaped, and http(s) addresses.
//
// What mail looks like is in templates/: its parts, its colours and fonts, and the
// styles within the text of posts.
package render

import "digest"

// A Renderer makes posts, sections and mail. It holds the templates, which are
// read once. It is safe for concurrent use.
type Renderer struct {
	proxy  Proxy
	styles map[string]string // see textStyles

	edition *part[editionData]
	notice  *part[noticeData]
	moved   *part[movedData]
	more    *part[moreData]

	label, labelAlone, head   *part[headingData]
	lateLabel, lateHead, rest *part[headingData]

	headline, row, top   *part[postData]
	post, teaser, onward *part[postData]
	file                 *part[fileData]

	headerLink, footerLink string // how links in Edition.Header and Footer begin

	late map[bool]lateMarks // by whether the lines below run from right to left
}

// New makes a Renderer. proxy gives the addresses of pictures for readers who
// want them shown; without one their descriptions are shown.
func New(proxy Proxy) *Renderer {
	all := parseTemplates()
	heading := func(name string) *part[headingData] { return newPart[headingData](all, name) }
	post := func(name string) *part[postData] { return newPart[postData](all, name) }
	r := &Renderer{
		proxy: proxy, styles: textStyles(),
		edition: newPart[editionData](all, "edition"), notice: newPart[noticeData](all, "notice"),
		moved: newPart[movedData](all, "moved"), more: newPart[moreData](all, "more"),
		label: heading("section-label"), labelAlone: heading("section-label-alone"), head: heading("section-head"),
		lateLabel: heading("late-label"), lateHead: heading("late-head"), rest: heading("rest"),
		headline: post("headline"), row: post("row"), top: post("post-top"),
		post: post("post"), teaser: post("teaser"), onward: post("onward"),
		file: newPart[fileData](all, "file"),
	}
	theme := themeVariables()
	r.headerLink = theme.Replace(`<a class="go" style="color:var(--accent);text-decoration:underline" href="`)
	r.footerLink = theme.Replace(`<a style="color:var(--muted);text-decoration:underline" href="`)
	r.late = map[bool]lateMarks{false: r.newLateMarks(false), true: r.newLateMarks(true)}
	return r
}

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
	WebURL         string // the edition in a browser; empty: it has none yet (a preview)
	UnsubscribeURL string // absolute http(s)
	HomeURL        string // the reader's sites and settings, or the newsletter's page; absolute http(s)
	Newsletter     bool   // it is a newsletter's letter, and its reader a member
	Notices        []Notice
	Recipient      string // the reader's address, to say why they get this; may be empty
	PostalAddress  string // of who sends this, one line; empty: none is shown
	Header, Footer string // of its publisher, above the posts and at the foot; their https addresses are links

	// Bound says that this is all that came during a pause: the newest posts of
	// each section in its Posts, the others in its Rest. Note tells the reader so, in
	// one sentence above the posts; empty: none is shown.
	Bound bool
	Note  string

	digest.Look // the zero one: headlines and excerpts, no pictures
}

// A Message is an edition ready to be mailed.
type Message struct {
	Subject string // one line of UTF-8, at most 100 bytes, nothing of a feed in it but in a newsletter's; the same for all editions of a threaded digest
	HTML    string
	Text    string
	Shown   int // posts that are in the message, at least as a headline
	Omitted int // posts that are only in the web edition
}

// An EncodedMessage is a Message whose HTML and Text are quoted-printable (RFC 2045
// section 6.7) with CRLF line ends, in blocks that stand in a row. Each of them
// begins and ends with its lines.
type EncodedMessage struct {
	Subject    string
	HTML, Text []string
}

// The bounds of Name, Recipient and titles of sections, in columns, so that what
// stands around the posts always leaves room for them.
const (
	nameColumns      = 60
	siteColumns      = 80
	recipientColumns = 254
	postalColumns    = 200
	aroundColumns    = 500 // of Header and Footer
)

// Count says how much there is: "12 posts from 7 sites", "1 post from 1 site", "no posts".
func Count(posts, sites int) string {
	if posts == 0 {
		return "no posts"
	}
	return digest.Counted(posts, "post") + " from " + digest.Counted(sites, "site")
}
