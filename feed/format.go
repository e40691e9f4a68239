package feed

import "strings"

// formats are the documents that are read, one line a format; each has a file. Of two that
// would take a document the first has it.
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

// A format is a kind of document: how one is recognised, and who reads it. One of markup
// has a root, one of JSON an object.
type format struct {
	kind   Kind
	root   func(local string, root *token) bool // local: its name in lower case, without prefix
	object func(fields map[string]string) bool  // of the document, as fieldsOf gives them
	read   func(*source) (*Document, error)
}

// A source is a document on its way to its reader.
type source struct {
	text    string // clean UTF-8; its first character is no white space
	address string // where it was published; "": nobody knows
	kind    Kind   // as it was recognised
	more    More   // pages and posts read beside it
	root    token  // of markup: the element that says what it is; only its name and place are kept
}

// expand puts the entities that stand before the root in their places.
func (s *source) expand() {
	before, doc := s.text[:s.root.at], s.text[s.root.at:]
	if texts := declaredEntities(before); len(texts) > 0 {
		left := maxGrowth
		s.text = before + replaceEntities(doc, texts, &left)
	}
}

// formatOf gives the format of a root, nil if it is none that we know.
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

// formatOfJSON gives the format of a JSON object; where nobody takes it, that of JSON Feed,
// whose reader says what is wrong.
func formatOfJSON(doc string) *format {
	all, names := formats(), fieldsOf(doc)
	for i := range all {
		if f := &all[i]; f.object != nil && f.object(names) {
			return f
		}
	}
	return &format{kind: JSONFeed, read: parseJSON}
}

// What is kept of the fields of a JSON object: so many of them, and so many bytes of each.
const (
	maxFields = 100
	maxField  = 200
)

// fieldsOf gives the fields of the object that a JSON document is, each with the beginning
// of its value as it is written; of a broken document as far as can be told.
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

// stringEnd gives the place of the quote that ends the JSON string whose inside begins at i;
// the document's end if there is none.
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
