package feed

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// The feed of an account is one page. A document names the next page, and the posts whose texts are at addresses of
// their own. The poller reads them, and ParseMore parses the whole as one document.

// More holds the answers that the poller has read beyond the page of an account.
type More struct {
	Pages   [][]byte          // the pages that follow it, in order
	Objects map[string][]byte // posts and their authors, by their addresses
	Later   map[string]bool   // addresses of posts that a later poll reads; ParseMore skips them
}

// An Unread is a post whose text is at an address of its own.
type Unread struct {
	Address string

	// Claimed is the date that the outbox gives the post; zero: none.
	Claimed time.Time

	// Link is the index of the post, in the document, that only links to it. It is at another host, so the
	// outbox cannot say more about it (I9). -1: the document has no such post. Then Before is the index
	// of the next post of the document.
	Link, Before int

	// Unsure reports that By announces the address alone: it is a boost, or a post of the group By.
	Unsure bool
	By     string
}

// A Mark is an entry of an account's feed, whose identity tells whether it is stored.
type Mark struct {
	Identity string
	Former   string  // as of its post
	Unread   *Unread // nil: its text is here
	Author   string  // the address of a group's author whose name the post does not tell; "": none
}

// Marks returns the entries of the document, the newest first. They tell a poll how far back the document goes. Marks
// skips pinned posts and edits of earlier posts, because they do not follow that order.
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
			marks = append(marks, Mark{p.Identity, p.Former, links[i], p.writtenBy})
		}
	}
	return append(marks, before[len(d.Posts)]...)
}

// IsWhole reports whether the document refers to nothing that a poll could read beyond it.
func (d *Document) IsWhole() bool {
	return d.Next == "" && len(d.Unread) == 0 && !slices.ContainsFunc(d.Posts,
		func(p Post) bool { return p.writtenBy != "" })
}

// ParseMore parses the page of an account with everything that was read beyond it.
func ParseMore(body []byte, contentType, address string, more More) (*Document, error) {
	return parse(body, contentType, address, more)
}

// IsFor reports whether an object of ActivityPub is addressed to an actor, such as a group.
func IsFor(body []byte, actor string) bool {
	text, _ := decode(body, "")
	var o asObject
	return o.read([]byte(text)) == nil && o.isFor(actor)
}

// followedBy returns the address of the page after one of Bluesky's service.
func followedBy(address, cursor string) string {
	if cursor == "" || !strings.Contains(address, "/xrpc/app.bsky.feed.getAuthorFeed?") {
		return ""
	}
	before, _, _ := strings.Cut(address, "&cursor=")
	return before + "&cursor=" + url.QueryEscape(cursor)
}
