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

import (
	"html/template"
	"strings"
	"sync"
	"unique"

	"digest"
	"digest/internal/catalogue"
)

// A Renderer makes posts, sections and mail in some colours, and its own words in one language. It holds the templates, which are
// read once. It is safe for concurrent use.
type Renderer struct {
	all     *renderers
	variant unique.Handle[Variant]
	lang    *catalogue.Language

	proxy  Proxy
	styles map[string]string // see textStyles
	link   Link              // nil: headlines lead where their posts say

	edition *part[editionData]
	notice  *part[noticeData]
	moved   *part[movedData]
	more    *part[moreData]
	beyond  *part[moreData]

	head, entry, folder, list *part[headingData]

	line, row, title, byline    *part[postData]
	files, rest, teaser, onward *part[postData]
	file                        *part[fileData]
	own                         *part[ownData]
	lead                        *part[leadData]

	headerLink, footerLink string // how links in Edition.Header and Footer begin

	small map[bylineKind]smallPrint
}

// New makes a Renderer in the program's own colours. proxy gives the addresses of pictures for
// readers who want them shown; without one their descriptions are shown.
func New(proxy Proxy) *Renderer {
	all := &renderers{proxy: proxy, templates: map[*catalogue.Language]*template.Template{}}
	return all.in(Variant{}, nil)
}

// In gives the Renderer that makes the same in other colours, which Colours.Check has not refused. Posts
// and sections are shown in those of the one that made them.
func (r *Renderer) In(c digest.Colours) *Renderer {
	v := r.variant.Value()
	if c == v.Colours {
		return r
	}
	v.Colours = c
	return r.all.in(v, r.link)
}

// Speaking gives the Renderer whose own words are in a language, by its tag; "" is English.
func (r *Renderer) Speaking(language string) *Renderer {
	v := r.variant.Value()
	if language == catalogue.English().Code {
		language = ""
	}
	if language == v.language {
		return r
	}
	v.language = language
	return r.all.in(v, r.link)
}

// Say says the program's own words in the Renderer's language.
func (r *Renderer) Say(v catalogue.Sayable) string { return v.In(r.lang) }

// label is words before a line break or an address that they name, with the colon of the Renderer's language.
func (r *Renderer) label(words string) string { return labelIn(r.lang, words) }

func labelIn(l *catalogue.Language, words string) string {
	return catalogue.Key("%s:").With(words).In(l)
}

// A Link gives the address by which a headline of a post leads to url.
type Link func(post digest.PostID, url string) string

// Counting gives the Renderer whose posts lead to their authors' pages by other addresses, by which it is
// counted: in HTML, and only where no address is shown. Each name has one link for good.
func (r *Renderer) Counting(name string, link Link) *Renderer {
	v := r.variant.Value()
	v.counts = name
	return r.all.in(v, link)
}

// Variant says by what the Renderer differs from others: those of one variant make the same.
func (r *Renderer) Variant() unique.Handle[Variant] { return r.variant }

// A Variant is what a Renderer differs in.
type Variant struct {
	digest.Colours
	counts   string // what Counting was given; "": nothing
	language string // what Speaking was given; "": English
}

// renderers are those of all variants, which share their templates.
type renderers struct {
	proxy Proxy

	mu        sync.Mutex
	known     map[Variant]*Renderer
	templates map[*catalogue.Language]*template.Template
}

// mostRenderers bounds how many are kept; then they are forgotten. Each takes some 100 KB.
const mostRenderers = 200

func (all *renderers) in(v Variant, link Link) *Renderer {
	all.mu.Lock()
	defer all.mu.Unlock()
	if known := all.known[v]; known != nil {
		return known
	}
	if all.known == nil || len(all.known) >= mostRenderers {
		all.known = make(map[Variant]*Renderer)
	}
	r := all.newRenderer(v.Colours, catalogue.Of(v.language))
	r.variant, r.link = unique.Make(v), link
	all.known[v] = r
	return r
}

func (all *renderers) newRenderer(c digest.Colours, lang *catalogue.Language) *Renderer {
	theme, templates := replacer(VariablesIn(c)), all.templates[lang]
	if templates == nil {
		templates = parseTemplates(strings.NewReplacer(), lang)
		all.templates[lang] = templates
	}
	heading := func(name string) *part[headingData] { return newPart[headingData](templates, theme, name) }
	post := func(name string) *part[postData] { return newPart[postData](templates, theme, name) }
	r := &Renderer{
		all: all, lang: lang, proxy: all.proxy, styles: textStyles(theme),
		edition: newPart[editionData](templates, theme, "edition"),
		notice:  newPart[noticeData](templates, theme, "notice"),
		moved:   newPart[movedData](templates, theme, "moved"), more: newPart[moreData](templates, theme, "more"),
		beyond: newPart[moreData](templates, theme, "beyond"),
		head:   heading("section-head"), entry: heading("section-entry"), folder: heading("folder"),
		list: heading("list"),
		line: post("line"), row: post("row"), title: post("title"), byline: post("byline"),
		files: post("files"), rest: post("rest"), teaser: post("teaser"), onward: post("onward"),
		file: newPart[fileData](templates, theme, "file"), own: newPart[ownData](templates, theme, "own"),
		lead: newPart[leadData](templates, theme, "lead"),
	}
	r.headerLink = theme.Replace(`<a class="go" style="color:var(--accent);text-decoration:underline" href="`)
	r.footerLink = theme.Replace(`<a style="color:var(--muted);text-decoration:underline" href="`)
	r.setSmallPrint(newPart[smallData](templates, theme, "small"))
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
	Room           int         // bytes that the mail's HTML may take; 0: as many as mail programs show
	Name           string      // of the digest; empty: DefaultName
	Sections       []Section
	WebURL         string // the edition in a browser; empty: it has none yet (a preview)
	UnsubscribeURL string // absolute http(s)
	HomeURL        string // the reader's sites and settings, or the newsletter's page; absolute http(s)
	Language       string // in which its reader is spoken to, a tag; empty: English
	Newsletter     bool   // it is a newsletter's letter, and its reader a member
	Notices        []Notice
	Recipient      string // the reader's address, to say why they get this; may be empty
	PostalAddress  string // of who sends this, one line; empty: none is shown
	Header, Footer string // of its publisher, above the posts and at the foot; their https addresses are links

	// SaveURL and SiteURL give the pages on which the reader saves a post, and changes how a site comes:
	// absolute http(s), all about as long. nil: there are none, as in a newsletter.
	SaveURL func(digest.PostID) string
	SiteURL func(digest.FeedID) string

	// BeyondURL gives the page on which all posts of a site are that are in the edition: absolute http(s). nil: there is none.
	BeyondURL func(digest.FeedID) string

	// PictureSizes are those of pictures that were learned, by the pictures' own addresses.
	PictureSizes map[string]digest.PictureSize

	SettingsURL, PauseURL string // absolute http(s); empty: none are shown

	// Bound says that this is all that came during a pause: the newest posts of
	// each section in its Posts, the others in its Rest. Note tells the reader so, in
	// one sentence above the posts; empty: none is shown.
	Bound bool
	Note  string

	digest.Look // the zero one: headlines and excerpts, no pictures

	Colours digest.Colours
	Logo    digest.Logo
	LogoURL string // of Logo, absolute http(s); empty: none is shown
}

// A Message is an edition ready to be mailed.
type Message struct {
	// one line of UTF-8, at most 100 bytes, nothing of a feed in it but in a newsletter's or by choice; the same for
	// all editions of a threaded digest
	Subject string
	HTML    string
	Text    string // flowed (RFC 3676, DelSp=yes)
	Shown   int    // posts that are in the message, at least as a headline
	Omitted int    // posts that are only in the web edition
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

// Count says how much there is: "12 posts from 7 sites", "1 post from 1 site", "no new posts".
func Count(posts, sites int) catalogue.Sayable {
	if posts == 0 {
		return catalogue.Key("no new posts")
	}
	return catalogue.Key("%d posts from %d sites").With(posts, sites)
}
