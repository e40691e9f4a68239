package feed

import "strings"

// vocabularies maps namespaces, without scheme and final "/", to short prefixes; "" means a namespace of the formats
// themselves.
var vocabularies = map[string]string{
	"": "", "//purl.org/rss/1.0": "", "//channel.netscape.com/rdf/simple/0.9": "",
	"//my.netscape.com/rdf/simple/0.9": "",
	"//backend.userland.com/rss2":      "", "//backend.userland.com/rss": "", "//blogs.law.harvard.edu/tech/rss": "",
	"//purl.org/net/rss1.1#": "", "//my.netscape.com/publish/formats/rss-0.91.dtd": "",
	"//www.w3.org/2005/atom": "atom", "//purl.org/atom/ns#": "atom", "//purl.org/atom/ns": "atom",
	"//www.w3.org/2005/atom#":    "atom",
	"//purl.org/dc/elements/1.1": "dc", "//purl.org/dc/elements/1.0": "dc", "//purl.org/dc/terms": "dcterms",
	"//purl.org/rss/1.0/modules/content": "content", "//purl.org/rss/1.0/modules/syndication": "sy",
	"//www.itunes.com/dtds/podcast-1.0.dtd": "itunes", "//example.com/dtds/podcast-1.0.dtd": "itunes",
	"//search.yahoo.com/mrss":                                               "media",
	"//podcastindex.org/namespace/1.0":                                      "podcast",
	"//github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
	"//podlove.org/simple-chapters":                                         "psc",
	"//rssnamespace.org/feedburner/ext/1.0":                                 "feedburner",
	"//www.pheedo.com/namespace/pheedo":                                     "pheedo",
	"//www.w3.org/1999/xhtml":                                               "xhtml",
	"//www.w3.org/1999/02/22-rdf-syntax-ns#":                                "rdf",
	"//www.w3.org/xml/1998/namespace":                                       "xml",
}

// vocabulary returns the short prefix of a namespace; "" for the document's own, and "?" for unknown ones.
func vocabulary(uri string) string {
	uri = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(uri)), "/")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https:"), "http:")
	if name, known := vocabularies[uri]; known {
		return name
	}
	return "?"
}

// customary returns the vocabulary of an undeclared prefix.
func customary(prefix string) string {
	switch prefix = strings.ToLower(prefix); prefix {
	case "atom", "dc", "dcterms", "content", "itunes", "media", "podcast", "psc", "feedburner", "pheedo", "sy", "xhtml",
		"rdf", "xml":
		return prefix
	case "rss":
		return ""
	case "atom10", "atom03", "a10":
		return "atom"
	}
	return "?"
}

// A treatment is how the frame represents an element.
type treatment uint8

const (
	drop       treatment = iota // not at all, with everything in it
	unwrap                      // gofeed sees only its children
	container                   // gofeed sees its tag and its children
	value                       // gofeed sees its plain text
	attributes                  // gofeed sees its attributes
	beside                      // gofeed sees its attributes, followed by its children
	ours                        // this package keeps its content; gofeed does not see it
)

// shared are the elements that all formats may contain.
var shared = map[string]treatment{
	"dc:creator": value, "dc:author": value, "dcterms:creator": value, "itunes:author": value,
	"itunes:image": attributes, "media:content": beside, "media:thumbnail": attributes, "media:group": unwrap,
	"podcast:chapters": attributes, "podcast:transcript": attributes, "itunes:duration": ours, "psc:chapters": ours,
	"dc:date": ours, "created": ours, "pubdate": ours, "published": ours, "updated": ours, "dcterms:date": ours,
	"id":          ours,
	"dc:language": ours, "dc:title": ours, "dc:description": ours, "content:encoded": ours, "xhtml:body": ours,
	"itunes:title": ours, "itunes:summary": ours, "itunes:subtitle": ours, "media:title": ours,
	"media:description":   ours,
	"feedburner:origlink": ours, "pheedo:origlink": ours, "sy:updateperiod": ours, "sy:updatefrequency": ours,
}

var rssElements = map[string]treatment{
	"channel": unwrap, "items": unwrap, "item": container, "skiphours": ours, "skipdays": ours,
	"title": ours, "description": ours, "encoded": ours, "fullitem": ours, "body": ours, "content": ours,
	"summary": ours, "date": ours,
	"atom:title": ours, "atom:summary": ours, "atom:content": ours, "atom:subtitle": ours, "issued": ours,
	"link": value, "guid": value, "author": value, "language": value, "managingeditor": value, "ttl": value,
	"enclosure": attributes, "atom:link": attributes,
	"atom:author": container, "atom:name": value, "atom:email": value, "name": value, "email": value,
}

var atomElements = map[string]treatment{
	"feed": container, "entry": container, "author": container, "source": container,
	"title": ours, "subtitle": ours, "summary": ours, "content": ours, "issued": ours,
	"link": attributes, "name": value, "email": value,
}

// synonyms maps the names of elements in other formats or versions to the names in the tables.
var synonyms = map[string]string{
	"atom:id": "id", "dcterms:identifier": "id", "tagline": "subtitle",
	"dcterms:available": "pubdate", "dcterms:created": "created", "atom:published": "published",
	"dcterms:issued": "published",
	"atom:issued":    "issued", "atom:updated": "updated", "modified": "updated", "atom:modified": "updated",
	"dcterms:modified": "updated",
}

// several are the elements that a parent may have more than once. Of other elements the first that is not empty
// counts.
var several = map[string]bool{
	"link": true, "atom:link": true, "enclosure": true, "author": true, "dc:creator": true, "media:content": true,
	"media:thumbnail": true,
	"itunes:image":    true, "podcast:transcript": true, "skiphours": true, "skipdays": true,
}

// bodies are the elements of which the longest counts, among the first maxBodies of a post.
var bodies = map[string]bool{"description": true, "content:encoded": true, "encoded": true, "content": true,
	"summary": true}

const maxBodies = 3

// attributesOf are the attributes that gofeed sees.
var attributesOf = map[string][]string{
	"link": {"rel", "href", "type", "length"}, "atom:link": {"rel", "href", "type", "length"},
	"enclosure": {"url", "type", "length"}, "guid": {"isPermaLink"},
	"itunes:image": {"href"}, "media:content": {"url", "type", "medium", "fileSize", "duration", "isDefault",
		"expression", "width", "height", "group", "alt"},
	"media:thumbnail": {"url", "width", "height"}, "podcast:chapters": {"url"}, "podcast:transcript": {"url", "type"},
}

func isItem(name string) bool { return name == "item" || name == "entry" }

// lookUp returns the name of an element in the tables, and its treatment.
func (r *repairer) lookUp(tag string) (name string, how treatment) {
	name = r.canonical(tag)
	if other, found := synonyms[name]; found {
		name = other
	}
	how, known := r.rules[name]
	if !known {
		how = shared[name]
	}
	return name, how
}

// A binding maps a prefix to a vocabulary.
type binding struct{ prefix, vocabulary string }

// maxBindings limits the namespaces that apply at one point of a document, because each name is searched among them.
const maxBindings = 200

func (r *repairer) declare(tok token) {
	for _, a := range tok.attrs {
		switch {
		case a.name == "xmlns":
			r.bind("", vocabulary(decodeEntities(a.value)))
		case strings.HasPrefix(a.name, "xmlns:"):
			r.bind(a.name[len("xmlns:"):], vocabulary(decodeEntities(a.value)))
		}
	}
}

func (r *repairer) bind(prefix, vocabulary string) {
	if len(r.bindings) >= maxBindings {
		r.repaired("more namespaces than can be meant: the rest left out")
		return
	}
	r.bindings = append(r.bindings, binding{prefix, vocabulary})
}

func (r *repairer) vocabulary(prefix string) string {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == prefix {
			return r.bindings[i].vocabulary
		}
	}
	if prefix == "" {
		return ""
	}
	return customary(prefix)
}

// canonical returns the name of an element with the prefix that the tables use.
func (r *repairer) canonical(name string) string {
	prefix, local := splitName(name)
	local = strings.ToLower(local)
	v := r.vocabulary(prefix)
	if v == "" || r.kind == Atom && v == "atom" {
		return local
	}
	if prefix == "" && r.rules[local] != drop && (local == "channel" || local == "feed" || isItem(local)) {
		r.bind("", "") // the publisher's own namespace, from here on
		return local
	}
	return v + ":" + local
}

// langOf returns the declared language of an element as a tag of RFC 5646.
func langOf(tok token) string {
	return strings.ReplaceAll(firstOf(tok.attr("xml:lang"), tok.attr("lang")), "_", "-")
}

func splitName(name string) (prefix, local string) {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// baseOf returns the base for links in an element: its xml:base, relative to its parent's base or to the address of
// the document.
func (r *repairer) baseOf(tok token, parent string) string {
	own := tok.attr("xml:base")
	if own == "" {
		return parent
	}
	if parent == "" {
		parent = r.address
	}
	if base := asBase(resolve(parent, own)); isAbsolute(base) {
		return base
	}
	return parent
}

// formOf returns the format of a text construct (RFC 4287 §3.1; Atom 0.3 also has a mode). RSS does not state it.
func (r *repairer) formOf(tok token) form {
	if r.kind != Atom {
		return unsaid
	}
	typ, mode := strings.ToLower(tok.attr("type")), strings.ToLower(tok.attr("mode"))
	switch {
	case mode == "base64":
		return encoded
	case typ == "":
		return unsaid
	case strings.HasPrefix(typ, "text/html"), strings.HasPrefix(typ, "application/xhtml"),
		strings.HasSuffix(typ, "html"), strings.HasSuffix(typ, "xml"):
		return markup
	case typ == "text", strings.HasPrefix(typ, "text/"):
		return plain
	}
	return encoded // binary media types are in base64 (RFC 4287 §4.1.3.3)
}

// rdfAbout returns the RDF identifier of an element; "": none.
func (r *repairer) rdfAbout(tok token) string {
	for _, a := range tok.attrs {
		prefix, local := splitName(a.name)
		if local == "about" && (prefix == "" || r.vocabulary(prefix) == "rdf") {
			return strings.TrimSpace(decodeEntities(a.value))
		}
	}
	return ""
}
