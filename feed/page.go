package feed

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// maxOffers bounds the feeds taken from one page.
const maxOffers = 50

// isPage knows a page by what stands first in one.
func isPage(local string, _ *token) bool {
	switch local {
	case "html", "head", "body", "meta", "title", "div", "p", "br", "b", "script", "center", "h1", "table", "link", "a", "style":
		return true
	}
	return false
}

func readPage(src *source) (*Document, error) {
	d := parsePage(src.text, src.address)
	d.readPosts(src.text, src.address)
	return d, nil
}

// parsePage reads the feeds that a page offers: the <link rel=alternate> of
// feed types, in order, resolved against <base> and the page's address.
func parsePage(doc, address string) *Document {
	d := &Document{Kind: HTML, Link: address}
	z := hypertext.Tokenizer(doc)
	z.SetMaxBuf(1 << 20)
	base, inTitle, inBody, channel := address, false, false, ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			d.offerChannel(doc, address, channel)
			return d
		case html.TextToken:
			if inTitle && d.Title == "" {
				d.Title = plainLine(string(z.Text()), markup)
			}
		case html.EndTagToken:
			inTitle = false
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			inTitle = tag.DataAtom == atom.Title
			inBody = inBody || tag.DataAtom == atom.Body
			switch tag.DataAtom {
			case atom.Html:
				d.Language = valueOf(tag.Attr, "lang")
			case atom.Base:
				if href := valueOf(tag.Attr, "href"); href != "" && base == address {
					base = asBase(resolve(address, href))
				}
			case atom.Link:
				d.offer(tag, base)
				if !inBody {
					d.nameHub(tag, base)
				}
			case atom.Meta:
				channel = firstOf(channel, channelOf(tag))
				if d.Refresh == "" && strings.EqualFold(valueOf(tag.Attr, "http-equiv"), "refresh") {
					d.Refresh = Refreshed(base, valueOf(tag.Attr, "content"))
				}
			}
		}
	}
}

// maxRefresh is the longest delay, in seconds, of a page that only leads elsewhere.
const maxRefresh = 10

// Refreshed returns the address to which a refresh leads soon, such as "0; url=/rss.xml" (HTML section 4.2.5.3); "" for
// none.
func Refreshed(base, content string) string {
	const spaces = " \t\n\f\r"
	content = strings.TrimLeft(content, spaces)
	rest := strings.TrimLeft(content, "0123456789")
	seconds, err := strconv.Atoi(firstOf(content[:len(content)-len(rest)], "0"))
	if rest = strings.TrimLeft(rest, ".0123456789"); err != nil || seconds > maxRefresh || rest == content || rest == "" {
		return ""
	}
	if !strings.ContainsRune(";,"+spaces, rune(rest[0])) {
		return ""
	}
	rest = strings.TrimLeft(rest, spaces)
	rest = strings.TrimLeft(strings.TrimLeft(rest, ";,"), spaces)
	if len(rest) > len("url") && strings.EqualFold(rest[:len("url")], "url") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[len("url"):], spaces), "="); ok {
			rest = strings.TrimLeft(after, spaces)
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	if address := resolve(base, rest); rest != "" && isWeb(address) {
		return address
	}
	return ""
}

// offer notes what a <link> offers, once.
func (d *Document) offer(tag html.Token, base string) {
	rels := strings.Fields(strings.ToLower(valueOf(tag.Attr, "rel")))
	typ, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(valueOf(tag.Attr, "type"))), ";")
	href := resolve(base, valueOf(tag.Attr, "href"))
	if slices.Contains(rels, "self") && d.Self == "" && isFeedType(typ) {
		d.Self = href
	}
	if d.Actor == "" && slices.Contains(rels, "alternate") && isActorType(typ) && isWeb(href) {
		d.Actor = href
	}
	if !slices.Contains(rels, "feed") && !(slices.Contains(rels, "alternate") && isFeedType(typ)) || slices.Contains(rels, "stylesheet") {
		return
	}
	if typ == "text/html" && samePage(href, base) { // rel=feed: it is the feed itself (h-feed)
		return
	}
	if typ == "application/json" && strings.Contains(href, "/wp-json/") { // WordPress' API
		return
	}
	if href == "" || len(href) > maxAddress || len(d.Feeds) >= maxOffers || slices.ContainsFunc(d.Feeds, func(o Offer) bool { return o.URL == href }) {
		return
	}
	d.Feeds = append(d.Feeds, Offer{URL: href, Title: shorten(oneLine(valueOf(tag.Attr, "title")), maxTitle), Type: typ})
}

// nameHub notes what a <link> says of who pushes the page. In its body anybody may have
// put it (WebSub section 8.1).
func (d *Document) nameHub(tag html.Token, base string) {
	rels := strings.Fields(strings.ToLower(valueOf(tag.Attr, "rel")))
	href := resolve(base, valueOf(tag.Attr, "href"))
	if slices.Contains(rels, "hub") && len(d.Hubs) < maxSame {
		d.addHub("hub", href)
	}
	if slices.Contains(rels, "self") && d.Self == "" && valueOf(tag.Attr, "type") == "" && isWeb(href) {
		d.Self = href
	}
}

// isActorType reports whether a media type is that of ActivityPub (w3.org/TR/activitypub
// section 3.2), without its parameters.
func isActorType(typ string) bool {
	return typ == "application/activity+json" || typ == "application/ld+json"
}

func isFeedType(typ string) bool {
	switch strings.TrimSpace(typ) {
	case "application/rss+xml", "application/atom+xml", "application/feed+json", "application/json", "application/rdf+xml",
		"text/rss+xml", "text/atom+xml", "application/x.atom+xml", "application/x-atom+xml", "application/x-rss+xml", "application/rss", "application/atom":
		return true
	}
	return false
}
