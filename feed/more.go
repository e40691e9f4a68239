package feed

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// An account of a network may publish more than the page that is its feed holds, and its outbox
// may name posts whose texts are at addresses of their own. A document says so, and whoever has
// read these too reads it again with them.

// More is what was read beside the page that is the feed of an account.
type More struct {
	Pages   [][]byte          // the pages that follow it, in order
	Objects map[string][]byte // posts, and who has written them, by the addresses at which they were read
	Later   map[string]bool   // addresses of posts that could not be read now: they are left out
}

// An Unread is a post whose text is at an address of its own.
type Unread struct {
	Address string

	// Claimed is when it was published, as the outbox says; zero: it does not.
	Claimed time.Time

	// Link is the index, in the document's posts, of the one that only leads to it: a post at another
	// host, of which nothing but its own address is believed (I9). -1: there is no such post. Before
	// is the index of the first post that follows it in the document then.
	Link, Before int

	// Unsure says that By, an account, passes it on. It may be a group's post, or a boost.
	Unsure bool
	By     string
}

// A Mark is an entry of an account's feed: by its identity one sees whether it is known.
type Mark struct {
	Identity string
	Unread   *Unread // nil: its text is here
	Author   string  // where it says who has written it, of a group's post; "": that is known
}

// Marks gives the entries of the document that tell how far it reaches back, the newest first as
// accounts list them. Those that stand apart from the order, such as pinned ones, are none.
func (d *Document) Marks() []Mark {
	links := make(map[int]*Unread)
	before := make(map[int][]Mark)
	for i := range d.Unread {
		if u := &d.Unread[i]; u.Link >= 0 {
			links[u.Link] = u
		} else {
			before[u.Before] = append(before[u.Before], Mark{Identity: bounded(u.Address), Unread: u})
		}
	}
	marks := make([]Mark, 0, len(d.Posts)+len(d.Unread))
	for i := range d.Posts {
		marks = append(marks, before[i]...)
		if p := &d.Posts[i]; !p.apart {
			marks = append(marks, Mark{p.Identity, links[i], p.writtenBy})
		}
	}
	return append(marks, before[len(d.Posts)]...)
}

// IsWhole reports whether a document leaves nothing to be read elsewhere.
func (d *Document) IsWhole() bool {
	return d.Next == "" && len(d.Unread) == 0 && !slices.ContainsFunc(d.Posts, func(p Post) bool { return p.writtenBy != "" })
}

// ParseMore is Parse for the feed of an account of which more was read.
func ParseMore(body []byte, contentType, address string, more More) (*Document, error) {
	return parse(body, contentType, address, more)
}

// IsFor reports whether an object of ActivityPub is addressed to an actor: what somebody has written
// for a group.
func IsFor(body []byte, actor string) bool {
	text, _ := decode(body, "")
	var o asObject
	return o.read([]byte(text)) == nil && o.isFor(actor)
}

// followedBy gives the address of the page that follows one in Bluesky's service.
func followedBy(address, cursor string) string {
	if cursor == "" || !strings.Contains(address, "/xrpc/app.bsky.feed.getAuthorFeed?") {
		return ""
	}
	before, _, _ := strings.Cut(address, "&cursor=")
	return before + "&cursor=" + url.QueryEscape(cursor)
}
