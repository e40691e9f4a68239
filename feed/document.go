package feed

import (
	"slices"
	"strings"
	"time"

	"digest"
)

// Kind says what a document is.
type Kind string

// The kinds of document.
const (
	RSS             Kind = "rss"             // RSS 0.91 to 2.0, and Netscape's 0.9 when its root is <rss>
	RDF             Kind = "rdf"             // RSS 1.0 and 0.90, whose root is <rdf:RDF>, and RSS 1.1
	Atom            Kind = "atom"            // Atom 0.3 and 1.0
	JSONFeed        Kind = "jsonfeed"        // JSON Feed 1 and 1.1
	HFeed           Kind = "hfeed"           // a web page whose markup tells its posts: microformats2 h-feed
	ActivityStreams Kind = "activitystreams" // the outbox of an account of the fediverse (ActivityPub)
	ATProto         Kind = "atproto"         // what an account of the AT Protocol (Bluesky) has written
	OPML            Kind = "opml"            // a subscription list
	HTML            Kind = "html"            // a web page, and the feeds it offers
)

// MaxPosts is how many posts of one document are stored.
const MaxPosts = 500

// maxRead is how many posts of a document are read at all.
const maxRead = 20_000

// A Document is what was read.
type Document struct {
	Kind        Kind
	Title       string // plain text; "" when the document has none
	Link        string // absolute; the site the feed belongs to
	Language    string // as declared, e.g. "en-us"
	Description string // plain text
	Self        string // where the feed says it lives
	Hubs        []string
	Cloud       string // where programs register that want to be told of its news (rssCloud); "": nowhere

	// What the publisher says of how often it pays to ask.
	TTL         time.Duration
	SkipHours   uint32          // in which it asks not to be polled: a bit for each of the day, UTC
	SkipDays    digest.Weekdays // the same for days, UTC
	UpdateEvery time.Duration

	Posts    []Post    // all of them, in document order; what becomes posts is Newest(MaxPosts)
	Feeds    []Offer   // of a page: the feeds it offers, in order; of an OPML: its list
	Refresh  string    // of a page: the address to which it refreshes soon; "": none
	BadLines []BadLine // of an OPML: lines that ask for a feed and give none, in order
	Repairs  []string  // what had to be put right, for people

	// Of a page.
	Leads     []Offer  // links of its text that may be feeds, the likely ones first
	Parts     []string // links to the blog or the news of its site
	Generator string   // the program that made it, as it says

	// Of an actor of ActivityPub, or a collection that keeps its posts elsewhere.
	// where the posts are, at the same host: of an actor its outbox, of an outbox its first page; "": here
	Outbox  string
	MovedTo string   // the actor that took the place of this one; "": none
	Aliases []string // of an actor: its other addresses
	Actor   string   // the ID of an actor; of a page, that of the actor whose page it is; "": none

	Shortened bool     // posts between the first and the last are missing
	Next      string   // the page that follows, at the same host, with the posts before these; "": none
	Pages     int      // that were read, this one included
	Apart     int      // posts read at their own addresses; the poller sets it
	Unread    []Unread // posts whose texts are elsewhere, in document order

	Suspended bool // of an actor: its server has closed the account

	By string // of a single object: the actor who has published it, at the same host; "": unknown

	Withholds bool // an outbox that has posts, or names them, and gives none

	Me []string // the pages that its author says are theirs too (rel=me)

	single bool // an object of ActivityPub that is no collection
	marked bool // a page: Posts are what its markup tells, and AsFeed gives them
}

// IsFeed reports whether the document is a feed rather than a list or a page.
func (d *Document) IsFeed() bool {
	return d.Kind != OPML && d.Kind != HTML && d.Outbox == "" && !d.single
}

// A Post is one post as the document gives it, not yet safe to show. What costs time (the
// sanitised content) is made by Sanitise.
type Post struct {
	Identity   string    // stable under edits, unique within the document where it can be
	Alias      string    // its identity if other posts shared what it is, or no longer did; "": none
	Former     string    // its identity in earlier versions of this package, if it differs
	GUID       string    // as in the document: guid, atom:id, rdf:about, JSON Feed's id
	Link       string    // absolute, as written; "": the document has no link
	Title      string    // plain text; "" when there is none
	Author     string    // the post's own; Sanitise falls back to the feed's
	Language   string    // the post's own; Sanitise falls back to the feed's
	Published  time.Time // as in the document, not clamped; zero: none
	Hash       string    // of the raw title, link and content: changes when the author edits
	Enclosures []digest.Enclosure
	Extra      digest.Extra // what it is beside its author's own posts
	Copies     []string     // where its author says copies of it are
	LinkOnly   bool         // it only links to a post at another host; a stored version may have its text
	PartOf     string       // the identity of the post that holds its text too, the first of a thread; "": none

	warning        string  // before its text; headlines and excerpts show it alone
	writtenBy      string  // of a group's post: the address of its author, if that does not tell the name
	apart          bool    // pinned, or an edit of an earlier post: not in the order of dates
	excerpted      string  // of a thread with a warning: its HTML up to the warning; "": no warning
	titles, bodies []text  // not empty, best first
	images         []image // beside the text, best first
	external       string  // the page that the post is about, beside its own
	page           string  // where Link leads, if browsers read another address in it
	original       string  // the author's own page where Link counts clicks
	feedAuthor     string
	feedLanguage   string
	feedTitle      string
	bases          []string // for relative links, best first
}

// An Offer is a feed that a page offers or a list contains.
type Offer struct {
	URL    string `json:"url"`
	Title  string `json:"title"`            // empty: none is given
	Type   string `json:"type,omitempty"`   // media type as stated; may be ""
	Folder string `json:"folder,omitempty"` // of a list: the names of the outlines around it, joined by "/"

	Language string `json:"-"` // of a page: hreflang
	likely   int    // of a lead: how likely it is a feed

	Line   int  `json:"-"` // of a list: where it stands, from 1
	Paused bool `json:"-"` // of a list that we wrote: its reader has paused it

	Secret bool   `json:"-"` // of a list that we wrote: its address is a secret
	Bearer string `json:"-"` // of a list that we wrote with credentials: the token of a private feed
}

// A BadLine is a line of a list that could not be read, and why.
type BadLine struct {
	Line  int    // from 1
	Title string // as far as it has one
	Why   error  // for people
}

// mostBadLines is the most lines of a list that a report names.
const mostBadLines = 10_000

// addBad adds a line that the import could not read.
func (d *Document) addBad(line int, title string, why error) {
	if len(d.BadLines) < mostBadLines {
		d.BadLines = append(d.BadLines, BadLine{Line: line, Title: title, Why: why})
	}
}

// addHub notes the hub of a link, if it is one.
func (d *Document) addHub(rel, address string) {
	if rel == "hub" && isWeb(address) {
		d.Hubs = append(d.Hubs, address)
	}
}

// complete fills in what follows from the posts together: titles, hashes,
// and identities, which may not use what several posts share. What the feed
// says of itself is kept within the bounds of what is stored.
func (d *Document) complete() {
	d.Title = shorten(d.Title, maxTitle)
	d.Description = shorten(d.Description, maxTitle)
	if len(d.Language) > maxLanguage {
		d.Language = ""
	}
	d.Language = strings.Clone(d.Language) // which must not keep its document in memory
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

// Newest gives at most n posts in document order, each identity once: where
// there are more, those with the latest dates; undated ones count by their
// place, as if dated like the post before them. If none has a date, nobody knows at
// which end the newest are: those at both ends.
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
