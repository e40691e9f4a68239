package feed

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// The feed of an account is one page. A document names the next page, and posts whose texts are at other addresses.
// The poller fetches them, and ParseMore parses everything as one document.

// More contains the responses that the poller fetched in addition to the page of an account.
type More struct {
	Pages   [][]byte          // the following pages, in order
	Objects map[string][]byte // posts and their authors, by address
	Later   map[string]bool   // addresses of posts that a later poll fetches; ParseMore skips them
}

// An Unread is a post of which the document has only the address.
type Unread struct {
	Address string

	// Claimed is the date of the post in the outbox; zero: none.
	Claimed time.Time

	// Link is the index of the post in the document that only links to this one, because it is at another host (I9).
	// If Link is -1, no post links to it, and Before is the index of the next post in the document.
	Link, Before int

	// Unsure reports that By announces only the address: the post is a boost, or a post of the group By.
	Unsure bool
	By     string
}

// A Mark is an entry of an account's feed, with the identity that the store would know.
type Mark struct {
	Identity string
	Former   string  // the Former of its post
	Unread   *Unread // nil: the document contains its text
	Author   string  // the address of the author of a group's post, if the post lacks the name; "": none
}

// Marks returns the entries of the document, newest first, so that a poll knows how far back the document reaches. It
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

// IsWhole reports whether the document is complete without further requests.
func (d *Document) IsWhole() bool {
	return d.Next == "" && len(d.Unread) == 0 && !slices.ContainsFunc(d.Posts,
		func(p Post) bool { return p.writtenBy != "" })
}

// ParseMore parses the page of an account with everything that the poller fetched in addition.
func ParseMore(body []byte, contentType, address string, more More) (*Document, error) {
	return parse(body, contentType, address, more)
}

// IsFor reports whether an ActivityPub object is addressed to an actor, such as a group.
func IsFor(body []byte, actor string) bool {
	text, _ := decode(body, "")
	var o asObject
	return o.read([]byte(text)) == nil && o.isFor(actor)
}

// followedBy returns the address of the next page of Bluesky's service; "": none.
func followedBy(address, cursor string) string {
	if cursor == "" || !strings.Contains(address, "/xrpc/app.bsky.feed.getAuthorFeed?") {
		return ""
	}
	before, _, _ := strings.Cut(address, "&cursor=")
	return before + "&cursor=" + url.QueryEscape(cursor)
}
