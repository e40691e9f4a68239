package feed

import "strings"

// formats returns the formats in the order in which they are tried; each has its own file.
func formats() []format {
	return []format{
		{kind: CDF, root: isCDF, read: parseCDF},
		{kind: RDF, root: isRDF, read: parseRSS},
		{kind: RSS, root: isRSS, read: parseRSS},
		{kind: Atom, root: isAtom, read: parseAtom},
		{kind: OPML, root: isOPML, read: readOPML},
		{kind: HTML, root: isPage, read: readPage},
		{kind: JSONFeed, object: isJSONFeed, read: parseJSON},
		{kind: ActivityStreams, object: isActivityStreams, read: parseActivityStreams},
		{kind: ATProto, object: isATProto, read: parseATProto},
	}
}

// A format recognises and reads one kind of document. Formats of markup set root, formats of JSON set object.
type format struct {
	kind   Kind
	root   func(local string, root *token) bool // local: the root's name in lower case, without prefix
	object func(fields map[string]string) bool  // fields: as fieldsOf returns them
	read   func(*source) (*Document, error)
}

type source struct {
	text    string // clean UTF-8; its first character is no white space
	address string // the address of the document; "": unknown
	kind    Kind   // as recognised
	more    More   // pages and posts that the poll fetched with it
	root    token  // of markup: the root element; only its name and position are set
}

// expand replaces references to the entities that the DOCTYPE declares.
func (s *source) expand() {
	before, doc := s.text[:s.root.at], s.text[s.root.at:]
	if texts := declaredEntities(before); len(texts) > 0 {
		left := maxGrowth
		s.text = before + replaceEntities(doc, texts, &left)
	}
}

// formatOf returns the format with a root; nil: unknown.
func formatOf(all []format, root *token) *format {
	_, local := splitName(root.name)
	local = strings.ToLower(local)
	for i := range all {
		if f := &all[i]; f.root != nil && f.root(local, root) {
			return f
		}
	}
	return nil
}

// formatOfJSON returns the format of a JSON object. If none matches, it returns JSON Feed, whose parser reports the
// reason.
func formatOfJSON(doc string) *format {
	all, names := formats(), fieldsOf(doc)
	for i := range all {
		if f := &all[i]; f.object != nil && f.object(names) {
			return f
		}
	}
	return &format{kind: JSONFeed, read: parseJSON}
}

// The limits of fieldsOf: the number of fields, and the bytes of each value.
const (
	maxFields = 100
	maxField  = 200
)

// fieldsOf returns the fields of a JSON document's top-level object, each with the beginning of its raw value. It
// also reads broken documents, as far as possible.
func fieldsOf(doc string) map[string]string {
	found := map[string]string{}
	name, depth := "", 0
	for i := 0; i < len(doc) && len(found) < maxFields; i++ {
		switch doc[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(doc, i+1)
			if depth == 1 {
				name = doc[i+1 : end]
			}
			i = end
		case ':':
			if _, known := found[name]; depth == 1 && !known {
				found[name] = strings.TrimSpace(doc[i+1 : min(len(doc), i+1+maxField)])
			}
		}
	}
	return found
}

// stringEnd returns the index of the quote that ends the JSON string with the content at i; without one it returns
// len(doc).
func stringEnd(doc string, i int) int {
	for ; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(doc)
}
