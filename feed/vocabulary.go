package feed

import "strings"

// vocabulary gives the short name we use for a namespace, "" for the
// document's own and "?" for those we do not read.
func vocabulary(uri string) string {
	uri = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(uri)), "/")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https:"), "http:")
	switch uri {
	case "", "//purl.org/rss/1.0", "//channel.netscape.com/rdf/simple/0.9", "//my.netscape.com/rdf/simple/0.9",
		"//backend.userland.com/rss2", "//backend.userland.com/rss", "//blogs.law.harvard.edu/tech/rss",
		"//purl.org/net/rss1.1#", "//my.netscape.com/publish/formats/rss-0.91.dtd":
		return ""
	case "//www.w3.org/2005/atom", "//purl.org/atom/ns#", "//purl.org/atom/ns", "//www.w3.org/2005/atom#":
		return "atom"
	case "//purl.org/dc/elements/1.1", "//purl.org/dc/elements/1.0":
		return "dc"
	case "//purl.org/dc/terms":
		return "dcterms"
	case "//purl.org/rss/1.0/modules/content":
		return "content"
	case "//www.itunes.com/dtds/podcast-1.0.dtd", "//example.com/dtds/podcast-1.0.dtd":
		return "itunes"
	case "//search.yahoo.com/mrss":
		return "media"
	case "//rssnamespace.org/feedburner/ext/1.0":
		return "feedburner"
	case "//www.pheedo.com/namespace/pheedo":
		return "pheedo"
	case "//purl.org/rss/1.0/modules/syndication":
		return "sy"
	case "//www.w3.org/1999/xhtml":
		return "xhtml"
	case "//www.w3.org/1999/02/22-rdf-syntax-ns#":
		return "rdf"
	case "//www.w3.org/xml/1998/namespace":
		return "xml"
	}
	return "?"
}

// customary is the vocabulary of a prefix that nothing declares.
func customary(prefix string) string {
	switch prefix = strings.ToLower(prefix); prefix {
	case "atom", "dc", "dcterms", "content", "itunes", "media", "feedburner", "pheedo", "sy", "xhtml", "rdf", "xml":
		return prefix
	case "rss":
		return ""
	case "atom10", "atom03", "a10":
		return "atom"
	}
	return "?"
}

// A treatment is what becomes of an element on its way to gofeed.
type treatment uint8

const (
	drop    treatment = iota // with everything in it
	pass                     // its tag and its children
	unwrap                   // its children only
	leaf                     // its plain text
	aside                    // a text construct: kept aside, gofeed carries its number
	members                  // its attributes
)

// shared are the elements that are read inside any format.
var shared = map[string]treatment{
	"dc:creator": leaf, "dc:author": leaf, "dc:date": leaf, "dc:language": leaf,
	"dc:title": aside, "dc:description": aside, "dc:publisher": leaf,
	"dcterms:created": leaf, "dcterms:available": leaf, "dcterms:issued": leaf, "dcterms:modified": leaf, "dcterms:date": leaf, "dcterms:creator": leaf, "dcterms:identifier": leaf,
	"content:encoded": aside,
	"itunes:author":   leaf, "itunes:title": aside, "itunes:summary": aside, "itunes:subtitle": aside, "itunes:image": members,
	"media:group": unwrap, "media:content": members, "media:thumbnail": members,
	"media:title": aside, "media:description": aside,
	"feedburner:origlink": leaf, "pheedo:origlink": leaf,
	"sy:updateperiod": leaf, "sy:updatefrequency": leaf,
	"xhtml:body": aside,
}

// rssElements are those of RSS itself, and of Atom inside RSS.
var rssElements = map[string]treatment{
	"channel": pass, "item": pass, "skiphours": pass, "skipdays": pass,
	"title": aside, "description": aside, "encoded": aside, "fullitem": aside, "body": aside, "content": aside, "summary": aside,
	"link": leaf, "guid": leaf, "author": leaf, "language": leaf, "managingeditor": leaf, "webmaster": leaf,
	"pubdate": leaf, "ttl": leaf, "hour": leaf, "day": leaf,
	"published": leaf, "updated": leaf, "date": leaf, "id": leaf,
	"enclosure": members,
	"atom:link": members, "atom:author": pass, "atom:name": leaf, "atom:email": leaf, "name": leaf, "email": leaf,
	"atom:title": aside, "atom:summary": aside, "atom:content": aside, "atom:subtitle": aside,
	"atom:published": leaf, "atom:issued": leaf, "atom:updated": leaf, "atom:modified": leaf, "atom:id": leaf,
}

// atomElements are those of Atom 0.3 and 1.0.
var atomElements = map[string]treatment{
	"feed": pass, "entry": pass, "author": pass, "source": pass,
	"title": aside, "subtitle": aside, "tagline": aside, "summary": aside, "content": aside,
	"link": members, "id": leaf, "name": leaf, "email": leaf,
	"published": leaf, "issued": leaf, "created": leaf, "updated": leaf, "modified": leaf,
	"pubdate": leaf, "description": aside,
}

// several are the elements that may stand more than once in their parent; of
// all others the first that is not empty counts.
var several = map[string]bool{
	"link": true, "atom:link": true, "enclosure": true, "item": true, "entry": true, "hour": true, "day": true,
	"author": true, "dc:creator": true, "media:content": true, "media:thumbnail": true, "atom:author": true,
	"source": true, "skiphours": true, "skipdays": true, "feed": true, "itunes:image": true,
}

// renamed are the elements that gofeed is shown under a name at which it does
// not touch the value: it would make a URL of an id, and try a hundred layouts
// on a date, which it reads for us in vain.
var renamed = map[string]string{
	"id": "dcterms:identifier", "atom:id": "dcterms:identifier", "pubdate": "dcterms:available", "created": "dcterms:created",
	"published": "dcterms:issued", "issued": "dcterms:submitted", "updated": "dcterms:modified", "modified": "dcterms:modified",
	"atom:published": "dcterms:issued", "atom:issued": "dcterms:submitted", "atom:updated": "dcterms:modified", "atom:modified": "dcterms:modified",
}

// kept are the attributes that gofeed is shown.
var kept = map[string][]string{
	"link": {"rel", "href", "type", "length", "title"}, "atom:link": {"rel", "href", "type", "length", "title"},
	"enclosure": {"url", "type", "length"}, "guid": {"isPermaLink"}, "content": {"src"},
	"itunes:image": {"href"}, "media:content": {"url", "type", "medium"}, "media:thumbnail": {"url"},
}
