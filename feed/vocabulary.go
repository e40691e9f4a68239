package feed

import "strings"

// vocabularies maps namespaces, without scheme and final "/", to short prefixes; "" means a namespace of the formats
// themselves.
var vocabularies = byWord(map[string]string{
	"": `//purl.org/rss/1.0 //channel.netscape.com/rdf/simple/0.9 //my.netscape.com/rdf/simple/0.9
		//backend.userland.com/rss2 //backend.userland.com/rss //blogs.law.harvard.edu/tech/rss
		//purl.org/net/rss1.1# //my.netscape.com/publish/formats/rss-0.91.dtd`,
	"atom":    "//www.w3.org/2005/atom //www.w3.org/2005/atom# //purl.org/atom/ns# //purl.org/atom/ns",
	"dc":      "//purl.org/dc/elements/1.1 //purl.org/dc/elements/1.0",
	"dcterms": "//purl.org/dc/terms",
	"content": "//purl.org/rss/1.0/modules/content",
	"sy":      "//purl.org/rss/1.0/modules/syndication",
	"itunes":  "//www.itunes.com/dtds/podcast-1.0.dtd //example.com/dtds/podcast-1.0.dtd",
	"media":   "//search.yahoo.com/mrss",
	"podcast": `//podcastindex.org/namespace/1.0
		//github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md`,
	"psc":        "//podlove.org/simple-chapters",
	"feedburner": "//rssnamespace.org/feedburner/ext/1.0",
	"pheedo":     "//www.pheedo.com/namespace/pheedo",
	"xhtml":      "//www.w3.org/1999/xhtml",
	"rdf":        "//www.w3.org/1999/02/22-rdf-syntax-ns#",
	"xml":        "//www.w3.org/xml/1998/namespace",
})

// byWord maps each word of each list to the list's key.
func byWord[K comparable](lists map[K]string) map[string]K {
	keys := make(map[string]K)
	for key, words := range lists {
		for word := range strings.FieldsSeq(words) {
			keys[word] = key
		}
	}
	return keys
}

// vocabulary returns the short prefix of a namespace; "" for the document's own, and "?" for unknown ones.
func vocabulary(uri string) string {
	uri = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(uri)), "/")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https:"), "http:")
	if name, known := vocabularies[uri]; known || uri == "" {
		return name
	}
	return "?"
}

// prefixes are the prefixes that most documents use for the vocabularies.
var prefixes = setOf("atom dc dcterms content itunes media podcast psc feedburner pheedo sy xhtml rdf xml")

// customary returns the vocabulary of an undeclared prefix.
func customary(prefix string) string {
	switch prefix = strings.ToLower(prefix); {
	case prefixes[prefix]:
		return prefix
	case prefix == "rss":
		return ""
	case prefix == "atom10", prefix == "atom03", prefix == "a10":
		return "atom"
	}
	return "?"
}

// A treatment is how the reader treats an element.
type treatment uint8

const (
	drop       treatment = iota // ignores it, with everything in it
	unwrap                      // keeps only its children, as children of the element around it
	container                   // keeps it with its children
	value                       // keeps its attributes and its text, unless the text is blank
	attributes                  // keeps its attributes
	beside                      // keeps its attributes, followed by its children
	written                     // keeps its content as written
)

// shared are the elements that all formats may contain.
var shared = byWord(map[treatment]string{
	value:      "dc:creator dc:author dcterms:creator itunes:author",
	attributes: "itunes:image media:thumbnail podcast:chapters podcast:transcript",
	beside:     "media:content",
	unwrap:     "media:group",
	written: `id created pubdate published updated dcterms:date dc:date dc:language dc:title dc:description
		content:encoded xhtml:body itunes:title itunes:summary itunes:subtitle itunes:duration
		media:title media:description psc:chapters feedburner:origlink pheedo:origlink
		sy:updateperiod sy:updatefrequency`,
})

var rssElements = byWord(map[treatment]string{
	unwrap:     "channel items",
	container:  "item atom:author",
	value:      "link guid author name email language managingeditor ttl comments",
	attributes: "enclosure atom:link",
	written: `title description encoded fullitem body content summary date issued skiphours skipdays
		atom:title atom:summary atom:content atom:subtitle`,
})

var atomElements = byWord(map[treatment]string{
	container:  "feed entry author source",
	value:      "name email",
	attributes: "link",
	written:    "title subtitle summary content issued",
})

// synonyms maps the names of elements in other formats or versions to the names in the tables.
var synonyms = byWord(map[string]string{
	"id": "atom:id dcterms:identifier", "name": "atom:name", "email": "atom:email", "subtitle": "tagline",
	"pubdate": "dcterms:available", "created": "dcterms:created", "published": "atom:published dcterms:issued",
	"issued": "atom:issued", "updated": "modified atom:updated atom:modified dcterms:modified",
})

// several are the elements that a parent may have more than once. Of other elements the first that is not empty
// counts.
var several = setOf(`link atom:link enclosure author dc:creator media:content media:thumbnail itunes:image
	podcast:transcript skiphours skipdays`)

// bodies are the elements of which the longest counts, among the first maxBodies of a post.
var bodies = setOf("description content:encoded encoded content summary")

const maxBodies = 3

// attributesOf are the attributes that the reader keeps.
var attributesOf = map[string]string{
	"link": "rel href type length", "atom:link": "rel href type length", "enclosure": "url type length",
	"guid": "isPermaLink", "content": "src", "itunes:image": "href",
	"media:content":   "url type medium fileSize duration isDefault expression width height",
	"media:thumbnail": "url width height", "podcast:chapters": "url", "podcast:transcript": "url type",
}

func isItem(name string) bool { return name == "item" || name == "entry" }

// lookUp returns the name of an element in the tables, and its treatment.
func (r *reader) lookUp(tag string) (name string, how treatment) {
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

func (r *reader) declare(tok token) {
	for _, a := range tok.attrs {
		switch {
		case a.name == "xmlns":
			r.bind("", vocabulary(decodeEntities(a.value)))
		case strings.HasPrefix(a.name, "xmlns:"):
			r.bind(a.name[len("xmlns:"):], vocabulary(decodeEntities(a.value)))
		}
	}
}

func (r *reader) bind(prefix, vocabulary string) {
	if len(r.bindings) >= maxBindings {
		r.repaired("more namespaces than can be meant: the rest left out")
		return
	}
	r.bindings = append(r.bindings, binding{prefix, vocabulary})
}

func (r *reader) vocabulary(prefix string) string {
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
func (r *reader) canonical(name string) string {
	prefix, local := splitName(name)
	local = strings.ToLower(local)
	v := r.vocabulary(prefix)
	if v == "" || r.Kind == Atom && v == "atom" {
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
func (r *reader) baseOf(tok token, parent string) string {
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
func (r *reader) formOf(tok token) form {
	if r.Kind != Atom {
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
func (r *reader) rdfAbout(tok token) string {
	for _, a := range tok.attrs {
		prefix, local := splitName(a.name)
		if local == "about" && (prefix == "" || r.vocabulary(prefix) == "rdf") {
			return strings.TrimSpace(decodeEntities(a.value))
		}
	}
	return ""
}
