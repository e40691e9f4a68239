package feed

import (
	"cmp"
	"encoding/json"
	"errors"
	"html"
	"slices"
	"strings"
	"time"

	"digest"
)

// The fields that digest reads of Bluesky's answer for an account (app.bsky.feed.getAuthorFeed). A value of another
// type than in the lexicon counts as missing.
type (
	atItem struct {
		Post   atPost    `json:"post"`
		Reason *atReason `json:"reason"`
	}
	atReason struct {
		Type      string   `json:"$type"`
		By        atAuthor `json:"by"`
		IndexedAt string   `json:"indexedAt"`
	}
	atPost struct {
		URI       string    `json:"uri"`
		Author    atAuthor  `json:"author"`
		Record    atRecord  `json:"record"`
		Value     atRecord  `json:"value"` // of a quoted post
		Embed     atEmbed   `json:"embed"`
		Embeds    []atEmbed `json:"embeds"` // of a quoted post
		IndexedAt string    `json:"indexedAt"`
		Labels    []atLabel `json:"labels"`

		DisplayName string   `json:"displayName"` // of an embedded list, feed and so on
		Name        string   `json:"name"`
		Creator     atAuthor `json:"creator"`
	}
	atAuthor struct {
		DID         string    `json:"did"`
		Handle      string    `json:"handle"`
		DisplayName string    `json:"displayName"`
		Labels      []atLabel `json:"labels"`
	}
	atLabel struct {
		Src, Val, Cts, Exp string
		Neg                bool // whether it negates an earlier label
	}
	atRecord struct {
		Text      string                     `json:"text"`
		CreatedAt string                     `json:"createdAt"`
		Facets    []atFacet                  `json:"facets"`
		Langs     []string                   `json:"langs"`
		Labels    struct{ Values []atLabel } // the author's own
		Reply     struct {
			Root, Parent struct{ URI string }
		} `json:"reply"`
	}
	atFacet struct {
		Index    struct{ ByteStart, ByteEnd int }
		Features []struct {
			Type          string `json:"$type"`
			URI, DID, Tag string
		}
	}
	atEmbed struct {
		Images   []atImage
		Items    []atImage // of a gallery
		External struct {
			URI, Title, Description, Thumb string
		}
		Playlist, Thumbnail, Alt string // of a video
		Record                   *atQuoted
		Media                    *atEmbed
	}
	atImage struct{ Thumb, Thumbnail, Fullsize, Alt string }
	// atQuoted is a quoted post. If the embed has pictures too, the post is one level deeper.
	atQuoted struct {
		atPost
		Record *atPost `json:"record"`
	}
)

// bluesky is the site where people read these posts.
const bluesky = "https://bsky.app"

func isATProto(fields map[string]string) bool {
	list, ok := strings.CutPrefix(firstOf(fields["feed"], fields["posts"]), "[")
	list = strings.TrimSpace(list)
	return ok && fields["version"] == "" && list != "" && strings.ContainsRune("{]", rune(list[0]))
}

// parseATProto reads the posts and reposts of an AT Protocol account from the answer of Bluesky's service.
func parseATProto(src *source) (*Document, error) {
	d := &Document{Kind: ATProto}
	items, cursor, err := d.atItems(src.text)
	if err != nil {
		return nil, err
	}
	d.Next = followedBy(src.address, cursor)
	for _, body := range src.more.Pages {
		if before, _, err := d.atItems(string(body)); err == nil {
			items = append(items, before...)
		}
	}
	account := atAccount(items)
	d.Title, d.Link = account.name(), account.page()
	if account.Handle != "" {
		d.Description = "@" + singleSpaced(cleanText(account.Handle))
		d.Me = ownHandle(account.Handle)
	}
	settleLabels(items)
	threads := atThreads(items)
	for i := range items {
		if p, ok := atProtoPost(&items[i], account, threads); ok {
			d.Posts = append(d.Posts, p)
		}
	}
	return d, nil
}

// atItems returns the items of a document and the cursor of the next page. It decodes each item separately, so that a
// bad one does not affect the others.
func (d *Document) atItems(doc string) (items []atItem, cursor string, err error) {
	text := []byte(doc)
	if len(doc) > largeJSON || !json.Valid(text) {
		var more bool
		if text, more = lenientJSON(doc); more {
			d.Repairs = append(d.Repairs, "cut off, or more than can be meant: whole items kept")
		}
	}
	var f struct {
		Feed, Posts []json.RawMessage // the answer of getPosts
		Cursor      asValue
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, "", refusal("JSON that is broken beyond repair", err)
	}
	items = make([]atItem, 0, len(f.Feed)+len(f.Posts))
	for _, raw := range f.Posts {
		f.Feed = append(f.Feed, slices.Concat([]byte(`{"post":`), raw, []byte("}")))
	}
	for _, raw := range f.Feed {
		var it atItem
		if err := json.Unmarshal(raw, &it); err != nil {
			if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); !mistyped {
				continue
			}
		}
		items = append(items, it)
	}
	return items, f.Cursor.text(), nil
}

// atAccount returns the account of the feed: the reposter, otherwise the author of all posts that are not reposts;
// zero if there are several.
func atAccount(items []atItem) atAuthor {
	var account atAuthor
	for i := range items {
		who := items[i].Post.Author
		if items[i].isRepost() {
			who = items[i].Reason.By
		}
		switch {
		case who.DID == "":
		case account.DID == "":
			account = who
		case account.DID != who.DID:
			return atAuthor{}
		}
	}
	return account
}

// atThreads returns the author's consecutive replies to each of their posts, oldest first, by the URI of the first
// post.
func atThreads(items []atItem) map[string][]*atPost {
	byURI := make(map[string]*atPost, len(items))
	var replies []*atPost
	for i := range items {
		if p := &items[i].Post; !items[i].isRepost() && !p.isHidden() {
			byURI[p.URI] = p
			if p.Record.Reply.Parent.URI != "" {
				replies = append(replies, p)
			}
		}
	}
	slices.SortStableFunc(replies, func(a, b *atPost) int { return a.published().Compare(b.published()) })
	threads := make(map[string][]*atPost)
	root := make(map[string]string)
	for _, p := range replies {
		parent := byURI[p.Record.Reply.Parent.URI]
		if parent == nil || parent.Author.DID != p.Author.DID {
			continue
		}
		first := cmp.Or(root[parent.URI], parent.URI)
		if first == p.Record.Reply.Root.URI && root[p.URI] == "" && first != p.URI {
			root[p.URI] = first
			threads[first] = append(threads[first], p)
		}
	}
	return threads
}

// atProtoPost converts an item to a post; false: it has no usable address, or must not be displayed.
func atProtoPost(it *atItem, account atAuthor, threads map[string][]*atPost) (Post, bool) {
	at, repost := &it.Post, it.isRepost()
	own := at.Author.DID == account.DID
	if at.page() == "" || at.isHidden() || repost && own {
		return Post{}, false
	}
	p := Post{GUID: cleanText(at.URI), Link: at.page(), apart: it.Reason != nil &&
		strings.HasSuffix(it.Reason.Type, "#reasonPin"), Author: at.Author.name(), Published: at.published(),
		bases: []string{at.page()}}
	if len(at.Record.Langs) == 1 {
		p.Language = cleanText(at.Record.Langs[0])
	}
	var b strings.Builder
	at.write(&b)
	if at.isWarnedOf() {
		p.warning = warns + at.warning()
	}
	switch {
	case repost:
		p.Extra = digest.Repeat
		p.Published = firstDate(it.Reason.IndexedAt, at.IndexedAt, at.Record.CreatedAt)
	case len(threads[at.URI]) > 0:
		for _, part := range threads[at.URI] {
			if part.isWarnedOf() && p.excerpted == "" {
				p.excerpted = b.String() + "<p>" + html.EscapeString(warns+part.warning()) + "</p>"
			}
			part.write(&b)
		}
	case at.Record.Reply.Root.URI != "":
		p.continues(at, threads, &b)
	}
	if t := literal(b.String(), markup); !t.empty() {
		p.bodies = []text{t}
	}
	for _, address := range at.pictures() {
		p.images = append(p.images, image{address: address})
	}
	return p, true
}

// continues records the thread that a post continues, or that it replies to another account.
func (p *Post) continues(at *atPost, threads map[string][]*atPost, b *strings.Builder) {
	root := at.Record.Reply.Root.URI
	if slices.Contains(threads[root], at) {
		p.PartOf = bounded(cleanText(root))
	}
	if to := (&atPost{URI: at.Record.Reply.Parent.URI}).page(); to != "" {
		b.WriteString(`<p>↑ <a href="` + html.EscapeString(to) + `">In reply to</a></p>`)
	}
	if did, _, _ := strings.Cut(strings.TrimPrefix(root, "at://"), "/"); did != at.Author.DID {
		p.Extra = digest.Reply
	}
}

func (it *atItem) isRepost() bool {
	return it.Reason != nil && strings.HasSuffix(it.Reason.Type, "#reasonRepost")
}

// published returns when the author wrote a post. If the author's clock is fast, it returns when Bluesky indexed the
// post.
func (at *atPost) published() time.Time {
	written, seen := parseDate(firstOf(at.Record.CreatedAt, at.Value.CreatedAt)), parseDate(at.IndexedAt)
	if written.IsZero() || !seen.IsZero() && written.After(seen) {
		return seen
	}
	return written
}

func firstDate(dates ...string) time.Time {
	for _, s := range dates {
		if t := parseDate(s); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// page returns the web page for an at:// address; "": it has none.
func (at *atPost) page() string {
	parts := strings.Split(cleanText(at.URI), "/")
	if len(parts) != 5 || parts[0] != "at:" || !strings.HasPrefix(parts[2], "did:") ||
		strings.ContainsAny(at.URI, "?#\\ %") || parts[4] == "" {
		return ""
	}
	places := map[string]string{"app.bsky.feed.post": "post", "app.bsky.feed.generator": "feed",
		"app.bsky.graph.list": "lists"}
	if place := places[parts[3]]; place != "" {
		return bluesky + "/profile/" + parts[2] + "/" + place + "/" + parts[4]
	}
	if parts[3] == "app.bsky.graph.starterpack" {
		return bluesky + "/starter-pack/" + parts[2] + "/" + parts[4]
	}
	return ""
}

func (a atAuthor) page() string {
	if !strings.HasPrefix(a.DID, "did:") || strings.ContainsAny(a.DID, "/?#\\ %") {
		return ""
	}
	return bluesky + "/profile/" + cleanText(a.DID)
}

// ownHandle returns the site that an account uses as its handle, which verifies that the account owns it
// (https://atproto.com/specs/handle); nil for a handle that Bluesky assigns.
func ownHandle(handle string) []string {
	handle = strings.ToLower(cleanText(handle))
	if host := Host("https://" + handle + "/"); host != handle || !strings.Contains(host, ".") ||
		Domain(host) == "bsky.social" || strings.HasSuffix(host, ".invalid") {
		return nil
	}
	return []string{"https://" + handle + "/"}
}

// name returns the display name of an account, otherwise its handle.
func (a atAuthor) name() string {
	if name := singleSpaced(cleanText(a.DisplayName)); name != "" {
		return shorten(name, maxName)
	}
	if a.Handle == "" {
		return ""
	}
	return shorten("@"+singleSpaced(cleanText(a.Handle)), maxName)
}
