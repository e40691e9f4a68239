package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"digest"
	"digest/internal/hypertext"
	"digest/internal/microformats"
)

// postClasses are the classes of posts. A page without any of them has no posts.
var postClasses = strings.Fields("h-entry h-feed hentry hfeed h-event h-review h-recipe vevent hreview hrecipe")

// maxLinked limits the pictures and links before the text of a post.
const maxLinked = 10

// readPosts reads the posts that a page marks with microformats: the posts of its first h-feed, or its h-entries if
// it has no h-feed. The page of a single post is no feed.
func (d *Document) readPosts(doc, address string) {
	if !slices.ContainsFunc(postClasses, func(class string) bool { return strings.Contains(doc, class) }) {
		return
	}
	root, err := hypertext.Document(doc)
	if err != nil {
		root, err = hypertext.Document(withoutDrawings(doc))
	}
	if err != nil {
		return
	}
	h := &hfeed{page: microformats.Parse(root, address, 4*len(doc)), bases: basesOf(address)}
	feed := feedOf(h.page.Items)
	h.author = h.authorOf(feed)
	d.Me = h.page.Rels["me"]
	for _, entry := range entriesOf(feed) {
		if len(d.Posts) == maxRead {
			break
		}
		if p, ok := h.post(entry); ok {
			d.Posts = append(d.Posts, p)
		}
	}
	if len(feed.Types) == 0 && len(d.Posts) == 1 && (samePage(d.Posts[0].Link, address) ||
		!slices.ContainsFunc(feed.Children, isEntry)) {
		d.Posts = nil
	}
	d.marked = len(d.Posts) > 0 || len(feed.Types) > 0
	if name := plainLine(feed.First("name"), unsaid); name != "" {
		d.Title = name
	}
	if to := feed.First("url"); isWeb(to) {
		d.Link = to
	}
}

// withoutDrawings removes <svg> from a page. Its content follows other parsing rules than HTML, so that the cost of
// parsing it has no known limit.
func withoutDrawings(doc string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(doc, "<svg")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, doc, _ = strings.Cut(rest, "</svg>")
	}
}

// AsFeed returns a page's own posts (h-feed) as a feed; nil: it has none.
func (d *Document) AsFeed() *Document {
	if d.Kind != HTML || !d.marked {
		return nil
	}
	f := *d
	f.Kind = HFeed
	return &f
}

// PostsHash returns a hash of the document's posts, which changes if a post is added, edited or removed.
func (d *Document) PostsHash() string {
	h := sha256.New()
	for i := range d.Posts {
		p := &d.Posts[i]
		fmt.Fprintf(h, "%s\x00%s\x00%d\x00", p.Identity, p.Hash, p.Published.Unix())
	}
	for _, u := range d.Unread {
		fmt.Fprintf(h, "%s\x00", u.Address)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func samePage(a, b string) bool { return pageOf(a) == pageOf(b) }

// pageOf returns an address without its fragment and its final slash.
func pageOf(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return strings.TrimSuffix(address, "/")
}

// feedOf returns the first h-feed with entries. If no h-feed has entries, it adds the entries outside of it, because
// some sites mark only the heading above them.
func feedOf(items []*microformats.Item) *microformats.Item {
	if feed := firstFeed(items, func(f *microformats.Item) bool { return len(entriesOf(f)) > 0 }); feed != nil {
		return feed
	}
	implied := impliedFeed(items)
	marked := firstFeed(items, func(*microformats.Item) bool { return true })
	if marked == nil {
		return implied
	}
	feed := *marked
	feed.Children = slices.Concat(marked.Children, implied.Children)
	return &feed
}

func firstFeed(items []*microformats.Item, will func(*microformats.Item) bool) *microformats.Item {
	for _, item := range items {
		if item.Is("h-feed") && will(item) {
			return item
		}
		if found := firstFeed(item.Children, will); found != nil {
			return found
		}
	}
	return nil
}

// impliedFeed returns the top-level entries of a page without an h-feed; without any, the entries within its first
// card.
func impliedFeed(items []*microformats.Item) *microformats.Item {
	feed := &microformats.Item{Children: items}
	if len(entriesOf(feed)) > 0 {
		return feed
	}
	for _, card := range items {
		if card.Is("h-card") && len(entriesOf(card)) > 0 {
			feed = &microformats.Item{Types: card.Types, Properties: map[string][]microformats.Value{},
				Children: card.Children}
			feed.Properties["author"] = []microformats.Value{{Text: card.First("name"), Item: card}}
			return feed
		}
	}
	return feed
}

// entriesOf returns the posts of a feed. On a page without an h-feed, events and reviews are posts only if the page
// has no entries.
func entriesOf(feed *microformats.Item) []*microformats.Item {
	var entries, others []*microformats.Item
	for _, item := range feed.Children {
		switch {
		case isEntry(item), isOtherPost(item) && feed.Is("h-feed"):
			entries = append(entries, item)
		case isOtherPost(item):
			others = append(others, item)
		}
		for _, v := range item.Properties["entry"] { // of h-news
			if v.Item != nil && isEntry(v.Item) {
				entries = append(entries, v.Item)
			}
		}
	}
	if len(entries) == 0 {
		return others
	}
	return entries
}

// An hfeed converts the microformats of a page to posts.
type hfeed struct {
	page   *microformats.Page
	bases  []string
	author string            // of the feed
	names  map[string]string // names on the cards of the page, by address; nil: not read yet
}

// abouts are the properties that name the page to which an entry refers; doings are properties such as read-of and
// checkin (indieweb.org/posts).
var (
	abouts = []string{"in-reply-to", "repost-of", "like-of", "bookmark-of"}
	doings = strings.Fields(`quotation-of favorite-of read-of watch-of listen-of play-of follow-of tag-of
		want-of wish-of checkin`)
)

// post converts an entry to a post; false: it has nothing that identifies it.
func (h *hfeed) post(entry *microformats.Item) (Post, bool) {
	p := Post{Link: firstThat(entry, "url", isWeb), GUID: strings.TrimSpace(entry.First("uid")), bases: h.bases}
	if p.Link == "" && entry.ID != "" {
		p.Link = resolveAsWritten(h.bases[0], "#"+entry.ID)
	}
	p.GUID = firstOf(p.GUID, p.Link)
	for _, name := range abouts {
		p.Link = firstOf(p.Link, firstThat(entry, name, isWeb))
	}
	for _, name := range []string{"published", "reviewed", "updated"} {
		if p.Published.IsZero() {
			p.Published = parseDate(entry.First(name))
		}
	}
	if p.Link == "" && p.GUID == "" && p.Published.IsZero() && len(entry.Properties["url"]) == 0 {
		return Post{}, false
	}
	for _, v := range entry.Properties["syndication"] {
		p.Copies = append(p.Copies, absoluteBy(resolveAsWritten, v.Text, h.bases))
	}
	// The order of indieweb.org/authorship, step 3.
	p.Author = firstOf(h.authorOf(entry), h.personIn(entry, "reviewer"), h.personIn(entry, "organizer"), h.author)
	p.bodies = h.bodies(entry)
	if name := singleSpaced(entry.First("name")); name != "" && !isNote(name, entry) {
		p.titles = []text{literal(name, plain)}
	}
	for _, name := range []string{"featured", "photo"} {
		for _, v := range entry.Properties[name] {
			p.images = append(p.images, image{address: absolute(v.Text, h.bases), alt: altOf(v)})
		}
	}
	for _, kind := range []string{"audio", "video"} {
		for _, v := range entry.Properties[kind] {
			p.enclose(digest.Enclosure{URL: v.Text})
		}
	}
	return p, true
}

func firstThat(item *microformats.Item, name string, will func(string) bool) string {
	for _, v := range item.Properties[name] {
		if will(v.Text) {
			return v.Text
		}
	}
	return ""
}

// isNote reports whether the name of an entry is only the beginning of its text (indieweb.org/post-type-discovery).
func isNote(name string, entry *microformats.Item) bool {
	for _, property := range []string{"content", "summary"} {
		if text := singleSpaced(entry.First(property)); text != "" {
			return strings.HasPrefix(text, strings.TrimRight(name, " .…"))
		}
	}
	return false
}

// bodies returns the texts of an entry. Pictures, and links to the pages that it answers, likes or shares, come
// first, unless the text contains them.
func (h *hfeed) bodies(entry *microformats.Item) []text {
	var beside strings.Builder
	content := ""
	for _, name := range []string{"content", "description"} {
		if vs := entry.Properties[name]; len(vs) > 0 && content == "" {
			content = firstOf(vs[0].HTML, paragraphs(vs[0].Text))
		}
	}
	for _, name := range slices.Concat(abouts, doings) {
		beside.WriteString(cited(entry.Properties[name], content, slices.Contains(doings, name)))
	}
	beside.WriteString(particulars(entry))
	for _, v := range few(entry.Properties["photo"]) {
		if isWeb(v.Text) && !strings.Contains(content, html.EscapeString(v.Text)) {
			beside.WriteString(`<p><img src="` + html.EscapeString(v.Text) + `" alt="` +
				html.EscapeString(altOf(v)) + `"></p>`)
		}
	}
	var out []text
	for _, t := range []text{literal(beside.String()+content, markup),
		literal(singleSpaced(entry.First("summary")), plain)} {
		if !t.empty() {
			out = append(out, t)
		}
	}
	return out
}

func few(vs []microformats.Value) []microformats.Value { return vs[:min(len(vs), maxLinked)] }

func altOf(v microformats.Value) string {
	if v.Alt == nil {
		return ""
	}
	return *v.Alt
}

// cited writes links to the pages to which an entry refers, with quotations of them. A value of doings may be a name
// without a page; cited skips it if the text contains the name.
func cited(values []microformats.Value, content string, done bool) string {
	var b strings.Builder
	for _, v := range few(values) {
		to, name, quote := v.Text, v.Text, ""
		if v.Item != nil {
			to = firstOf(firstThat(v.Item, "url", isWeb), to)
			name = firstOf(singleSpaced(v.Item.First("name")), to)
			if vs := v.Item.Properties["content"]; len(vs) > 0 {
				quote = firstOf(vs[0].HTML, html.EscapeString(vs[0].Text))
			}
		}
		escaped := html.EscapeString(name)
		switch {
		case isWeb(to) && strings.Contains(content, html.EscapeString(to)), done && strings.Contains(content, escaped):
			continue
		case isWeb(to):
			b.WriteString(`<p>→ <a href="` + html.EscapeString(to) + `">` + escaped + `</a></p>`)
		case done && name != "":
			b.WriteString(`<p>→ ` + html.EscapeString(singleSpaced(name)) + `</p>`)
		default:
			continue
		}
		if quote != "" {
			b.WriteString("<blockquote>" + quote + "</blockquote>")
		}
	}
	return b.String()
}

// authorOf returns the name of an author by the steps of indieweb.org/authorship that need no other page.
func (h *hfeed) authorOf(item *microformats.Item) string { return h.personIn(item, "author") }

func (h *hfeed) personIn(item *microformats.Item, property string) string {
	vs := item.Properties[property]
	if len(vs) == 0 {
		return ""
	}
	if card := vs[0].Item; card != nil {
		return plainLine(firstOf(card.First("name"), vs[0].Text), unsaid)
	}
	if isWeb(vs[0].Text) {
		return h.nameAt(vs[0].Text)
	}
	return plainLine(vs[0].Text, unsaid)
}

// nameAt returns the name on the first card of the page with an address.
func (h *hfeed) nameAt(address string) string {
	if h.names == nil {
		h.names = map[string]string{}
		h.readNames(h.page.Items)
	}
	return h.names[pageOf(address)]
}

// readNames records the names on the cards among items, their authors and their children. It skips authors of
// authors: an item may be in several properties of its parent, and the work would double with each level.
func (h *hfeed) readNames(items []*microformats.Item) {
	for _, item := range items {
		h.readName(item)
		for _, v := range item.Properties["author"] {
			if v.Item != nil {
				h.readName(v.Item)
			}
		}
		h.readNames(item.Children)
	}
}

func (h *hfeed) readName(card *microformats.Item) {
	if !card.Is("h-card") {
		return
	}
	name := plainLine(card.First("name"), unsaid)
	for _, v := range card.Properties["url"] {
		if page := pageOf(v.Text); h.names[page] == "" {
			h.names[page] = name
		}
	}
}
