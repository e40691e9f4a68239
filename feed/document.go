package feed

import (
	"slices"
	"strings"
	"time"

	"digest"
)

// Kind is the kind of a document.
type Kind string

// The kinds of document.
const (
	RSS             Kind = "rss"             // RSS 0.91 to 2.0, and Netscape's 0.9 if its root is <rss>
	RDF             Kind = "rdf"             // RSS 1.0 and 0.90 with the root <rdf:RDF>, and RSS 1.1
	Atom            Kind = "atom"            // Atom 0.3 and 1.0
	JSONFeed        Kind = "jsonfeed"        // JSON Feed 1 and 1.1
	HFeed           Kind = "hfeed"           // a web page with marked posts: microformats2 h-feed
	ActivityStreams Kind = "activitystreams" // the outbox of a fediverse account (ActivityPub)
	ATProto         Kind = "atproto"         // the posts of an AT Protocol account (Bluesky)
	OPML            Kind = "opml"            // a subscription list
	HTML            Kind = "html"            // a web page, and the feeds it offers
)

// MaxPosts limits the stored posts of one document.
const MaxPosts = 500

// maxRead limits the posts that a parser reads from a document.
const maxRead = 20_000

// A Document is a parsed document.
type Document struct {
	Kind        Kind
	Title       string // plain text; "": none
	Link        string // absolute address of the feed's site
	Language    string // as declared, e.g. "en-us"
	Description string // plain text
	Self        string // the feed's own statement of its address
	Hubs        []string

	// The publisher's hints on how often to poll.
	TTL         time.Duration
	SkipHours   uint32          // hours without polls: a bit for each of the day, UTC
	SkipDays    digest.Weekdays // days without polls, UTC
	UpdateEvery time.Duration

	Posts    []Post    // all of them, in document order; Newest(MaxPosts) are stored
	Feeds    []Offer   // of a page: the feeds it offers, in order; of a list: its feeds
	Refresh  string    // of a page: the address to which it soon refreshes; "": none
	BadLines []BadLine // of a list: lines without a valid feed, in order
	Repairs  []string  // the repairs, for people

	// Of a page.
	Leads     []Offer  // links in its text that may be feeds, the likely ones first
	Parts     []string // links to the blog or the news of its site
	Generator string   // the program that made it, from its meta element

	// Outbox is the address of the posts if the document lacks them, at the same host: the outbox of an ActivityPub
	// actor, or the first page of an outbox.
	Outbox  string
	MovedTo string   // the actor that replaces this one; "": none
	Aliases []string // of an actor: its other addresses
	Actor   string   // the ID of an actor; of a page, the ID of its author's actor; "": none

	Shortened bool     // posts between the first and the last are missing
	Next      string   // the next page, at the same host, with earlier posts; "": none
	Pages     int      // number of pages read, including this one
	Apart     int      // number of posts that the poller fetched at their own addresses; set by the poller
	Unread    []Unread // posts of which the document has only the address, in document order

	Suspended bool // of an actor: its server has closed the account

	By string // of a single object: its author's actor at the same host; "": unknown

	Withholds bool // an outbox that has posts, or names them, but does not contain them

	Me []string // the other pages of its author (rel=me)

	single bool // an ActivityPub object that is no collection
	marked bool // a page whose markup contains the Posts; AsFeed returns them
}

// IsFeed reports whether the document is a feed rather than a list or a page.
func (d *Document) IsFeed() bool {
	return d.Kind != OPML && d.Kind != HTML && d.Outbox == "" && !d.single
}

// A Post is one post of a document, not yet safe to display. Sanitise does the expensive work.
type Post struct {
	Identity   string    // stable under edits; unique within the document if possible
	Alias      string    // a second identity, in case posts begin or cease to share the first; "": none
	Former     string    // its identity in earlier versions of this package, if it differs
	GUID       string    // as in the document: guid, atom:id, rdf:about, the id of JSON Feed
	Link       string    // absolute, as written; "": none
	Title      string    // plain text; "": none
	Author     string    // the post's own; Sanitise falls back to the feed's
	Language   string    // the post's own; Sanitise falls back to the feed's
	Published  time.Time // as in the document, not clamped; zero: none
	Hash       string    // of the raw title, link and content: an edit changes it
	Enclosures []digest.Enclosure
	Extra      digest.Extra // whether it is a reply, a repost and so on
	Copies     []string     // addresses of copies, as the author states
	LinkOnly   bool         // it only links to a post at another host; a stored version may contain the text
	PartOf     string       // the identity of the first post of its thread, which includes its text; "": none

	warning        string  // begins the text, and replaces it in headlines and excerpts
	writtenBy      string  // of a group's post: the address of the author, if it does not contain the name
	apart          bool    // pinned, or an edit of an earlier post: not in date order
	excerpted      string  // of a thread with a warning: the HTML before the warning; "": no warning
	titles, bodies []text  // not empty, best first
	images         []image // beside the text, best first
	external       string  // the page that the post is about, if it is not its own
	comments       string  // the page with comments on it
	page           string  // the target of Link, if browsers read it differently
	original       string  // the author's own page, if Link counts clicks
	feedAuthor     string
	feedLanguage   string
	feedTitle      string
	bases          []string // for relative links, best first
}

// An Offer is a feed that a page offers or a list contains.
type Offer struct {
	URL    string `json:"url"`
	Title  string `json:"title"`            // "": none
	Type   string `json:"type,omitempty"`   // media type as stated; may be ""
	Folder string `json:"folder,omitempty"` // of a list: the names of the surrounding outlines, joined by "/"

	Language string `json:"-"` // of a page: hreflang
	likely   int    // of a link in a text: how likely it is a feed

	Line   int  `json:"-"` // of a list: its line, from 1
	Paused bool `json:"-"` // of our own exports: its reader has paused it

	Secret bool   `json:"-"` // of our own exports: its address is a secret
	Bearer string `json:"-"` // of our own exports with credentials: the token of a private feed
}

// A BadLine is a line of a list that the parser could not read.
type BadLine struct {
	Line  int    // from 1
	Title string // "": none
	Why   error  // for people
}

const mostBadLines = 10_000

func (d *Document) addBad(line int, title string, why error) {
	if len(d.BadLines) < mostBadLines {
		d.BadLines = append(d.BadLines, BadLine{Line: line, Title: title, Why: why})
	}
}

func (d *Document) addHub(rel, address string) {
	if rel == "hub" && isWeb(address) {
		d.Hubs = append(d.Hubs, address)
	}
}

// complete sets the fields that depend on all posts together: titles, hashes, and identities, which must not use a
// value that several posts share. It shortens the feed's own texts to the limits of the store.
func (d *Document) complete() {
	d.Title = shorten(d.Title, maxTitle)
	d.Description = shorten(d.Description, maxTitle)
	if len(d.Language) > maxLanguage {
		d.Language = ""
	}
	d.Language = strings.Clone(d.Language) // a part of the document would keep all of it in memory
	for _, address := range []*string{&d.Link, &d.Self} {
		if len(*address) > maxAddress {
			*address = ""
		}
	}
	for i := range d.Posts {
		p := &d.Posts[i]
		for _, t := range p.titles {
			if p.Title = t.plain(); p.Title != "" {
				break
			}
		}
		if isClockZero(p.Published) {
			p.Published = time.Time{}
		}
		p.Hash = p.hash()
		p.feedLanguage, p.feedTitle = d.Language, d.Title
	}
	d.dropShared()
	d.identify()
}

// Newest returns at most n posts in document order, each identity once. If there are more, it returns those with the
// latest dates; a post without a date counts as dated like the post before it. If no post has a date, it returns
// posts of both ends, because either end may be the newest.
func (d *Document) Newest(n int) []Post {
	seen := make(map[string]bool, len(d.Posts))
	order := make([]int, 0, len(d.Posts))
	dates := make([]time.Time, len(d.Posts))
	var last time.Time
	for i := range d.Posts {
		if !d.Posts[i].Published.IsZero() {
			last = d.Posts[i].Published
		}
		dates[i] = last
		if id := d.Posts[i].Identity; !seen[id] {
			seen[id] = true
			order = append(order, i)
		}
	}
	switch {
	case len(order) <= n:
	case last.IsZero():
		order = slices.Delete(order, (n+1)/2, len(order)-n/2)
	default:
		slices.SortStableFunc(order, func(a, b int) int { return dates[b].Compare(dates[a]) })
		order = order[:n]
		slices.Sort(order)
	}
	out := make([]Post, 0, len(order))
	for _, i := range order {
		out = append(out, d.Posts[i])
	}
	return out
}
