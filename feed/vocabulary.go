package feed

import "strings"

// vocabularies are the short names that we use for namespaces, "" for those of
// feeds without one; the addresses are without scheme and without a "/" at the end.
var vocabularies = map[string]string{
	"": "", "//purl.org/rss/1.0": "", "//channel.netscape.com/rdf/simple/0.9": "", "//my.netscape.com/rdf/simple/0.9": "",
	"//backend.userland.com/rss2": "", "//backend.userland.com/rss": "", "//blogs.law.harvard.edu/tech/rss": "",
	"//purl.org/net/rss1.1#": "", "//my.netscape.com/publish/formats/rss-0.91.dtd": "",
	"//www.w3.org/2005/atom": "atom", "//purl.org/atom/ns#": "atom", "//purl.org/atom/ns": "atom", "//www.w3.org/2005/atom#": "atom",
	"//purl.org/dc/elements/1.1": "dc", "//purl.org/dc/elements/1.0": "dc", "//purl.org/dc/terms": "dcterms",
	"//purl.org/rss/1.0/modules/content": "content", "//purl.org/rss/1.0/modules/syndication": "sy",
	"//www.itunes.com/dtds/podcast-1.0.dtd": "itunes", "//example.com/dtds/podcast-1.0.dtd": "itunes", "//search.yahoo.com/mrss": "media",
	"//rssnamespace.org/feedburner/ext/1.0": "feedburner", "//www.pheedo.com/namespace/pheedo": "pheedo",
	"//www.w3.org/1999/xhtml": "xhtml", "//www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "//www.w3.org/xml/1998/namespace": "xml",
}

// vocabulary gives the short name we use for a namespace, "?" for those we do not read.
func vocabulary(uri string) string {
	uri = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(uri)), "/")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https:"), "http:")
	if name, found := vocabularies[uri]; found {
		return name
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

// A treatment is what becomes of an element.
type treatment uint8

const (
	drop      treatment = iota // it is passed over, with everything in it
	unwrap                     // its children count as its parent's
	container                  // it is kept, and its children are read
	detail                     // it belongs to the person around it
	keep                       // it is kept with what it holds
)

// shared are the elements that are read inside any format.
var shared = map[string]treatment{
	"dc:creator": keep, "dc:author": keep, "dcterms:creator": keep, "itunes:author": keep,
	"itunes:image": keep, "media:content": keep, "media:thumbnail": keep, "media:group": unwrap,
	"dc:date": keep, "created": keep, "pubdate": keep, "published": keep, "updated": keep, "dcterms:date": keep, "id": keep, "issued": keep,
	"dc:language": keep, "dc:title": keep, "dc:description": keep, "content:encoded": keep, "xhtml:body": keep,
	"itunes:title": keep, "itunes:summary": keep, "itunes:subtitle": keep, "media:title": keep, "media:description": keep,
	"feedburner:origlink": keep, "pheedo:origlink": keep, "sy:updateperiod": keep, "sy:updatefrequency": keep,
	"title": keep, "content": keep, "summary": keep, "atom:link": keep, "atom:author": container, "name": detail, "email": detail,
}

// rssElements are those of RSS itself, and of Atom inside RSS.
var rssElements = map[string]treatment{
	"channel": unwrap, "item": container, "skiphours": keep, "skipdays": keep,
	"description": keep, "encoded": keep, "fullitem": keep, "body": keep, "date": keep,
	"atom:title": keep, "atom:summary": keep, "atom:content": keep, "atom:subtitle": keep,
	"link": keep, "guid": keep, "author": keep, "language": keep, "managingeditor": keep, "ttl": keep, "enclosure": keep,
	"atom:name": detail, "atom:email": detail,
}

// atomElements are those of Atom 0.3 and 1.0.
var atomElements = map[string]treatment{"feed": container, "entry": container, "source": container, "subtitle": keep}

// synonyms are the names under which the tables have an element that other
// formats or versions call otherwise.
var synonyms = map[string]string{
	"atom:id": "id", "dcterms:identifier": "id", "tagline": "subtitle",
	"dcterms:available": "pubdate", "dcterms:created": "created", "atom:published": "published", "dcterms:issued": "published",
	"atom:issued": "issued", "atom:updated": "updated", "modified": "updated", "atom:modified": "updated", "dcterms:modified": "updated",
}

// several are the elements of which there may be more than one; of all others the
// first that is not empty counts.
var several = setOf(`link atom:link enclosure author atom:author source/atom:author dc:creator media:content media:thumbnail itunes:image
	skiphours skipdays`)

// attributesOf are the attributes that are kept.
var attributesOf = map[string][]string{
	"link": {"href"}, "atom:link": {"rel", "href", "type", "length"}, "enclosure": {"url", "type", "length"}, "guid": {"isPermaLink"},
	"content": {"src"}, "itunes:image": {"href"}, "media:content": {"url", "type", "medium"}, "media:thumbnail": {"url"},
}

// isItem reports whether an element of this name is a post.
func isItem(name string) bool { return name == "item" || name == "entry" }

// lookUp gives the name by which the tables know an element, and what becomes of it.
func (w *walker) lookUp(tag string) (name string, how treatment) {
	name = w.canonical(tag)
	if other, found := synonyms[name]; found {
		name = other
	}
	if w.kind == Atom && (name == "link" || name == "author") {
		name = "atom:" + name // as in RSS
	}
	how, known := w.rules[name]
	if !known {
		how = shared[name]
	}
	return name, how
}

// A binding is a prefix and the vocabulary for which it stands.
type binding struct{ prefix, vocabulary string }

// maxBindings bounds the namespaces in force at one point of a document: each
// name below is looked up among them.
const maxBindings = 200

// declare notes the namespaces that a tag declares; they hold until its end.
func (w *walker) declare(tok token) {
	for _, a := range tok.attrs {
		switch {
		case a.name == "xmlns":
			w.bind("", vocabulary(decodeEntities(a.value)))
		case strings.HasPrefix(a.name, "xmlns:"):
			w.bind(a.name[len("xmlns:"):], vocabulary(decodeEntities(a.value)))
		}
	}
}

// bind lets a prefix stand for a vocabulary from here on.
func (w *walker) bind(prefix, vocabulary string) {
	if len(w.bindings) >= maxBindings {
		w.repaired("more namespaces than can be meant: the rest left out")
		return
	}
	w.bindings = append(w.bindings, binding{prefix, vocabulary})
}

// vocabulary is that of a prefix at this point of the document.
func (w *walker) vocabulary(prefix string) string {
	for i := len(w.bindings) - 1; i >= 0; i-- {
		if w.bindings[i].prefix == prefix {
			return w.bindings[i].vocabulary
		}
	}
	if prefix == "" {
		return ""
	}
	return customary(prefix)
}

// canonical is the name by which the tables know an element.
func (w *walker) canonical(name string) string {
	prefix, local := splitName(name)
	local = strings.ToLower(local)
	v := w.vocabulary(prefix)
	if v == "" || w.kind == Atom && v == "atom" {
		return local
	}
	if prefix == "" && w.rules[local] != drop && (local == "channel" || local == "feed" || isItem(local)) {
		w.bind("", "") // a namespace of the publisher's own, down from here
		return local
	}
	return v + ":" + local
}

// langOf is the language an element declares, as a tag of RFC 5646.
func langOf(tok token) string {
	return strings.ReplaceAll(firstOf(tok.attr("xml:lang"), tok.attr("lang")), "_", "-")
}

func splitName(name string) (prefix, local string) {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// baseOf is the base of links in an element: its own xml:base on top of its
// parent's, and relative ones on top of the document's address.
func (w *walker) baseOf(tok token, parent string) string {
	own := tok.attr("xml:base")
	if own == "" {
		return parent
	}
	if parent == "" {
		parent = w.address
	}
	if base := resolve(parent, own); isAbsolute(base) {
		return base
	}
	return parent
}

// formOf says how the inside of a text construct is to be read (RFC 4287 §3.1;
// Atom 0.3 has a mode as well). RSS does not say.
func (w *walker) formOf(tok token) form {
	typ, mode := strings.ToLower(tok.attr("type")), strings.ToLower(tok.attr("mode"))
	switch {
	case w.kind != Atom:
		return unsaid
	case mode == "base64":
		return encoded
	case typ == "":
		return unsaid
	case strings.HasPrefix(typ, "text/html"), strings.HasPrefix(typ, "application/xhtml"), strings.HasSuffix(typ, "html"), strings.HasSuffix(typ, "xml"):
		return markup
	case typ == "text", strings.HasPrefix(typ, "text/"):
		return plain
	}
	return encoded // media types that are no text come in base64 (RFC 4287 §4.1.3.3)
}

// rdfAbout is the identifier that RDF gives an element, "" for none.
func (w *walker) rdfAbout(tok token) string {
	for _, a := range tok.attrs {
		prefix, local := splitName(a.name)
		if w.kind == RDF && local == "about" && (prefix == "" || w.vocabulary(prefix) == "rdf") {
			return strings.TrimSpace(decodeEntities(a.value))
		}
	}
	return ""
}
