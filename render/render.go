// Package render renders an edition as an email: a subject, HTML and plain text. It also renders the texts of posts for
// web pages, and short emails. It is pure: it uses no clock, network or database, and the same Edition always gives the
// same bytes.
//
// Renderer.Post renders a post once, and all its readers share the result. Mail only chooses how much of each post
// fits, and joins the pieces. From a feed only escaped plain text and http(s) addresses reach an email.
//
// The folder templates contains the design of emails: their parts, colours and fonts, and the styles of full texts.
package render

import (
	"html/template"
	"strings"
	"sync"
	"unique"

	"digest"
	"digest/internal/catalogue"
)

// A Renderer renders posts, sections and emails in some colours, with built-in messages in one language. It parses the
// templates once. It is safe for concurrent use.
type Renderer struct {
	all     *renderers
	variant unique.Handle[Variant]
	lang    *catalogue.Language

	proxy  Proxy
	styles map[string]string // see textStyles
	link   Link              // may be nil; then headlines link to the posts' own addresses

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

	headerLink, footerLink string // beginnings of links in Edition.Header and Footer

	small map[bylineKind]smallPrint
}

// New returns a Renderer in the program's own colours. proxy returns the addresses of displayed pictures. If it is nil,
// posts show descriptions instead.
func New(proxy Proxy) *Renderer {
	all := &renderers{proxy: proxy, templates: map[*catalogue.Language]*template.Template{}}
	return all.in(Variant{}, nil)
}

// In returns a Renderer in other colours, which Colours.Check must accept. Posts and sections keep the colours of the
// Renderer that rendered them.
func (r *Renderer) In(c digest.Colours) *Renderer {
	v := r.variant.Value()
	if c == v.Colours {
		return r
	}
	v.Colours = c
	return r.all.in(v, r.link)
}

// Speaking returns a Renderer whose built-in messages are in a language, given as a tag; "" is English.
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

// Say returns built-in messages in the Renderer's language.
func (r *Renderer) Say(v catalogue.Sayable) string { return v.In(r.lang) }

// label returns words with a colon in the style of the language. A line break or an address follows it.
func (r *Renderer) label(words string) string { return labelIn(r.lang, words) }

func labelIn(l *catalogue.Language, words string) string {
	return catalogue.Key("%s:").With(words).In(l)
}

// A Link returns the address with which a post's headline links to url.
type Link func(post digest.PostID, url string) string

// Counting returns a Renderer whose headlines link through counting addresses, only in HTML and only where no address
// is displayed. Each name must always have the same link.
func (r *Renderer) Counting(name string, link Link) *Renderer {
	v := r.variant.Value()
	v.counts = name
	return r.all.in(v, link)
}

// Variant returns the variant of the Renderer. Renderers of the same variant produce the same output.
func (r *Renderer) Variant() unique.Handle[Variant] { return r.variant }

// A Variant is the difference between Renderers.
type Variant struct {
	digest.Colours
	counts   string // name passed to Counting; "" if none
	language string // tag passed to Speaking; "" for English
}

// renderers caches the Renderers of all variants, which share their templates.
type renderers struct {
	proxy Proxy

	mu        sync.Mutex
	known     map[Variant]*Renderer
	templates map[*catalogue.Language]*template.Template
}

// mostRenderers limits the cache, which is cleared when it is full. Each Renderer has about 100 KB.
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

// DefaultName is the name of a digest without a name.
const DefaultName = "Daily Digest"

// An Edition is the content of one reader's edition, in order.
type Edition struct {
	Date           digest.Date
	Number         int    // number of the edition; 0 shows none
	Room           int    // limit of the email's HTML in bytes; 0 means the limit of mail programs
	Name           string // of the digest; empty means DefaultName
	Sections       []Section
	WebURL         string // the edition on the web; empty for a preview
	UnsubscribeURL string // absolute http(s)
	HomeURL        string // the reader's editions, or the newsletter's page; absolute http(s)
	Language       string // tag of built-in messages; empty means English
	Newsletter     bool   // an issue of a newsletter to a member
	Notices        []Notice
	Recipient      string // the reader's address, to explain why they get this; may be empty
	PostalAddress  string // of the sender, one line; may be empty
	Header, Footer string // of the publisher, above the posts and at the foot; https addresses become links

	// SubjectPattern is the publisher's pattern for the subject (digest.FillSubject); "": the usual subject.
	// SubjectLanguage is the tag of the language of its {date}.
	SubjectPattern, SubjectLanguage string

	// SaveURL returns the page that saves a prominent post, and SiteURL the page with a site's settings. The addresses are
	// absolute http(s) and all about equally long. Both are nil in a newsletter.
	SaveURL func(digest.PostID) string
	SiteURL func(digest.FeedID) string

	// BeyondURL returns the page with all posts of a site in this edition, absolute http(s). It may be nil.
	BeyondURL func(digest.FeedID) string

	// PictureSizes maps the original addresses of pictures to the known facts about them.
	PictureSizes map[string]digest.PictureSize

	Lead       digest.PostID // the post that leads; 0: none
	ChosenLead bool          // the reader chose its site to lead

	// First and Last are the days whose posts an edition of several days collects; zero: one day. Days has the day of
	// each of its posts.
	First, Last digest.Date
	Days        map[digest.PostID]catalogue.Moment

	Copies []Copy // posts that it leaves out

	SitesURL, SettingsURL, PauseURL string

	// Bound means that this edition contains all posts of a pause: the newest of each section in Posts, the others in
	// Rest. Note is a sentence above the posts; it may be empty.
	Bound bool
	Note  string

	digest.Look // the zero value means headlines and excerpts without pictures

	Colours digest.Colours
	Logo    digest.Logo
	LogoURL string // of Logo, absolute http(s); may be empty
}

// A Message is an edition in the form of an email.
type Message struct {
	// Subject is one line of UTF-8 of at most 240 bytes: the leading headline with names of sites, unless the reader
	// prefers the date and the number of posts. It is the same for all editions of a threaded digest.
	Subject string
	HTML    string
	Text    string // flowed (RFC 3676, DelSp=yes)
	Shown   int    // posts in the message, at least as headlines
	Omitted int    // posts only in the web edition
}

// An EncodedMessage is a Message whose HTML and Text are in quoted-printable (RFC 2045 section 6.7) with CRLF line
// ends, as blocks of complete lines.
type EncodedMessage struct {
	Subject    string
	HTML, Text []string
}

// Limits of names in columns, so that the text around the posts leaves room for them.
const (
	nameColumns      = 60
	siteColumns      = 80
	recipientColumns = 254
	postalColumns    = 200
	aroundColumns    = 500 // of Header and Footer
)

// Count returns the number of posts and sites in words: "12 posts from 7 sites", "1 post from 1 site", "no new posts".
func Count(posts, sites int) catalogue.Sayable {
	if posts == 0 {
		return catalogue.Key("no new posts")
	}
	return catalogue.Key("%d posts from %d sites").With(posts, sites)
}
