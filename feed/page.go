package feed

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

const maxOffers = 50

func isPage(local string, _ *token) bool { return pageElements[local] }

var pageElements = setOf("html head body meta title div p br b script center h1 table link a style")

func readPage(src *source) (*Document, error) {
	d := parsePage(src.text, src.address)
	d.readPosts(src.text, src.address)
	return d, nil
}

type pageReader struct {
	*Document
	address, base string
	based         bool // whether the page has a <base>
	inTitle       bool
	inBody        bool
	channel       string // a YouTube channel in a <meta>
	anchor        *anchor
	anchors       int // number of resolved links
	offers        int // number of links in the text with a rel
	keywords      string
}

// parsePage reads the feeds that a page offers: links with rel=alternate and a feed type, and links with rel=feed, in
// order, resolved against <base> and the page's address. It also reads links in the text that may be feeds (Leads),
// or parts of the site with a feed (Parts).
func parsePage(doc, address string) *Document {
	r := &pageReader{Document: &Document{Kind: HTML, Link: address}, address: address, base: address}
	z := hypertext.Tokenizer(doc)
	z.SetMaxBuf(1 << 20)
	for {
		switch z.Next() {
		case html.ErrorToken:
			r.endAnchor()
			r.offerChannel(doc, address, r.channel)
			r.offerSounds(doc, address)
			r.offerReleases(address, r.keywords)
			r.offerTopics(address)
			r.sortLeads()
			return r.Document
		case html.TextToken:
			if r.inTitle && r.Title == "" {
				r.Title = plainLine(string(z.Text()), markup)
			}
			r.anchor.add(string(z.Text()))
		case html.EndTagToken:
			r.inTitle = false
			if name, _ := z.TagName(); string(name) == "a" {
				r.endAnchor()
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			r.tag(z.Token())
		}
	}
}

func (r *pageReader) tag(tag html.Token) {
	r.inTitle = tag.DataAtom == atom.Title
	r.inBody = r.inBody || tag.DataAtom == atom.Body
	r.anchor.addClass(tag)
	switch tag.DataAtom {
	case atom.Html:
		r.Language = valueOf(tag.Attr, "lang")
	case atom.Base:
		if href := valueOf(tag.Attr, "href"); href != "" && !r.based {
			r.base, r.based = asBase(resolve(r.address, href)), true
		}
	case atom.Link:
		r.offer(tag, r.base)
		if !r.inBody {
			r.nameHub(tag, r.base)
		}
	case atom.A, atom.Area:
		if valueOf(tag.Attr, "rel") != "" && r.offers < maxAnchors {
			r.offers++
			r.offer(tag, r.base)
		}
		r.endAnchor()
		r.beginAnchor(tag)
	case atom.Img, atom.Svg:
		r.anchor.add(valueOf(tag.Attr, "alt") + " " + valueOf(tag.Attr, "title") + " " +
			valueOf(tag.Attr, "aria-label"))
	case atom.Frame:
		r.addPart(resolve(r.base, valueOf(tag.Attr, "src")))
	case atom.Meta:
		r.meta(tag)
	}
}

// meta reads the page's properties in a <meta>.
func (r *pageReader) meta(tag html.Token) {
	content := valueOf(tag.Attr, "content")
	r.channel = firstOf(r.channel, channelOf(tag))
	switch strings.ToLower(firstOf(valueOf(tag.Attr, "name"), valueOf(tag.Attr, "property"))) {
	case "generator":
		r.Generator = firstOf(r.Generator, shorten(singleSpaced(content), maxTitle))
	case "keywords", "og:site_name":
		r.keywords += " " + strings.ToLower(content[:min(len(content), maxAnchor)])
	}
	if r.Refresh == "" && strings.EqualFold(valueOf(tag.Attr, "http-equiv"), "refresh") {
		r.Refresh = Refreshed(r.base, content)
	}
}

// maxRefresh is the longest delay of a refresh that counts as a redirect, in seconds.
const maxRefresh = 10

// Refreshed returns the target of a refresh that counts as a redirect, such as "0; url=/rss.xml" (HTML section
// 4.2.5.3); "": none.
func Refreshed(base, content string) string {
	const spaces = " \t\n\f\r"
	content = strings.TrimLeft(content, spaces)
	rest := strings.TrimLeft(content, "0123456789")
	seconds, err := strconv.Atoi(firstOf(content[:len(content)-len(rest)], "0"))
	if rest = strings.TrimLeft(rest, ".0123456789"); err != nil || seconds > maxRefresh || rest == content ||
		rest == "" {
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

// offer adds the feed of a <link>, or of a link in the text, once.
func (d *Document) offer(tag html.Token, base string) {
	rels := strings.Fields(strings.ToLower(valueOf(tag.Attr, "rel")))
	offers := slices.Contains(rels, "feed") || slices.Contains(rels, "alternate")
	if !offers && (tag.DataAtom != atom.Link || !slices.Contains(rels, "self")) {
		return
	}
	typ, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(valueOf(tag.Attr, "type"))), ";")
	href := resolve(base, valueOf(tag.Attr, "href"))
	if tag.DataAtom == atom.Link {
		if slices.Contains(rels, "self") && d.Self == "" && isFeedType(typ) {
			d.Self = href
		}
		if d.Actor == "" && slices.Contains(rels, "alternate") && isActorType(typ) && isWeb(href) {
			d.Actor = href
		}
	}
	d.offerLink(rels, Offer{URL: href, Title: shorten(singleSpaced(valueOf(tag.Attr, "title")), maxTitle), Type: typ,
		Language: valueOf(tag.Attr, "hreflang")}, base)
}

// OfferFirst inserts the feeds in a response's Link fields before the feeds of the page. The argument rels has the
// relations of each offer.
func (d *Document) OfferFirst(offers []Offer, rels []string) {
	own := d.Feeds
	d.Feeds = nil
	for i, o := range offers {
		o.Title = shorten(singleSpaced(o.Title), maxTitle)
		o.Type = strings.ToLower(o.Type)
		d.offerLink(strings.Fields(strings.ToLower(rels[i])), o, d.Link)
	}
	for _, o := range own {
		d.addOffer(o)
	}
}

// offerLink adds a link as a feed if its relations and its type mark it as one.
func (d *Document) offerLink(rels []string, o Offer, base string) {
	o.Type = strings.TrimSpace(o.Type)
	isFeed := slices.Contains(rels, "feed")
	if !isFeed && !(slices.Contains(rels, "alternate") && isFeedType(o.Type)) || slices.Contains(rels, "stylesheet") {
		return
	}
	if isPageType(o.Type) && samePage(o.URL, base) { // rel=feed: the page itself is the feed (h-feed)
		return
	}
	if o.Type == "application/json" && strings.Contains(o.URL, "/wp-json/") { // the WordPress API
		return
	}
	if isXML(o.Type) && !isFeed && strings.Contains(strings.ToLower(o.URL), "sitemap") {
		return
	}
	d.addOffer(o)
}

func (d *Document) addOffer(o Offer) {
	known := func(other Offer) bool { return other.URL == o.URL }
	if o.URL == "" || len(o.URL) > maxAddress || len(d.Feeds) >= maxOffers || slices.ContainsFunc(d.Feeds, known) {
		return
	}
	d.Feeds = append(d.Feeds, o)
}

// nameHub reads the hub and the self address in a <link>. It must not be called for links in the body, which may be
// from anybody (WebSub section 8.1).
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

// isActorType reports whether a media type without parameters is ActivityPub's (w3.org/TR/activitypub section 3.2).
func isActorType(typ string) bool {
	return typ == "application/activity+json" || typ == "application/ld+json"
}

// IsActivity reports whether a Content-Type is ActivityPub's.
func IsActivity(contentType string) bool {
	typ, _, _ := strings.Cut(contentType, ";")
	return isActorType(strings.ToLower(strings.TrimSpace(typ)))
}

// isFeedType reports whether a link with rel=alternate and this media type is a feed.
func isFeedType(typ string) bool {
	typ = strings.TrimSpace(typ)
	return feedTypes[typ] || isXML(typ)
}

var feedTypes = setOf(`application/rss+xml application/atom+xml application/feed+json application/json
	application/rdf+xml text/rss+xml text/atom+xml application/x.atom+xml application/x-atom+xml
	application/x-rss+xml application/rss application/atom text/rss text/atom application/x-rss
	application/x-atom text/rdf+xml text/mf2+html application/mf2+html`)

// isXML reports whether a media type is generic XML. Many sites send feeds with it.
func isXML(typ string) bool { return typ == "text/xml" || typ == "application/xml" }

func isPageType(typ string) bool {
	return typ == "text/html" || typ == "application/xhtml+xml" || strings.HasSuffix(typ, "/mf2+html")
}
