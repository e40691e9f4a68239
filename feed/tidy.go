package feed

import (
	"slices"
	"strconv"
	"strings"
)

// A skeleton is a feed made fit for gofeed: well-formed, foreign elements left
// out, links resolved where an xml:base is in scope. Its prefixes are the names
// of vocabulary and stay undeclared: gofeed then takes them as they are. The text constructs (titles, summaries, contents) are kept aside and
// gofeed is given their numbers instead: it would forget which type they have,
// and they are the bulk of a feed.
type skeleton struct {
	kind    Kind
	xml     []byte
	texts   []text
	lang    string // xml:lang of the root or the channel
	repairs []string

	hours, days []string // of skipHours and skipDays, as written
}

// numbered gives the text construct that gofeed carried as a number.
func (s *skeleton) numbered(n string) text {
	i, err := strconv.Atoi(n)
	if err != nil || i < 0 || i >= len(s.texts) {
		return text{}
	}
	return s.texts[i]
}

type binding struct{ prefix, vocabulary string }

// An element is one that is open.
type element struct {
	tag      string // as written, to find its end
	emitted  string // as gofeed sees it; "" when only its children are
	bindings int    // how many were in force around it
	base     string // absolute, "" when no xml:base is in scope
	lang     string
	seen     []tally // of its children
}

type tidier struct {
	scanner
	skeleton
	address  string
	rules    map[string]treatment
	stack    []element
	bindings []binding
	nested   []int // scratch of inside: elements of the same tag begun in it
	items    int
	elements int
	itemAt   int  // where the open item begins in xml; -1: none is open
	ended    bool // the root was closed
}

// tidy makes a skeleton of a document whose root is that of a feed.
func tidy(doc, address string, root token, kind Kind) *skeleton {
	t := &tidier{scanner: scanner{doc: doc, pos: root.at}, address: address, itemAt: -1}
	t.kind = kind
	t.rules = rssElements
	if kind == Atom {
		t.rules = atomElements
	}
	t.xml = make([]byte, 0, 4096)
	t.begin()
	t.walk()
	t.finish()
	return &t.skeleton
}

// begin writes our own root, and reads the document's.
func (t *tidier) begin() {
	root := t.next()
	prefix, local := splitName(root.name)
	if t.kind == Atom {
		t.xml = append(t.xml, "<feed>"...)
	} else {
		t.xml = append(t.xml, `<rss version="2.0">`...)
	}
	t.declare(root)
	if t.kind != RDF {
		t.bindings = append(t.bindings, binding{prefix, ""}) // whatever its namespace is called
	}
	if t.kind == RDF && prefix == "" {
		t.bindings = append(t.bindings, binding{"", ""})
	}
	e := element{tag: root.name, base: t.baseOf(root, ""), lang: langOf(root)}
	t.lang = e.lang
	t.stack = append(t.stack, e)
	if bare := strings.ToLower(local); bare == "channel" || bare == "entry" { // a feed without its root
		t.stack[0].tag = ""
		t.start(root)
	}
}

func (t *tidier) walk() {
	for !t.ended && t.items <= maxRead {
		if t.full() {
			return
		}
		switch tok := t.next(); tok.kind {
		case tokenEOF:
			return
		case tokenStart:
			if tok.cut {
				return
			}
			t.start(tok)
		case tokenText, tokenCDATA:
			t.skips(tok.text)
		case tokenEnd:
			t.end(tok.name)
		}
	}
}

// endsEarly is the repair of a document whose root is never closed.
const endsEarly = "the document ends early: whole items kept"

// finish closes what is open. An item that the document's end cut off is left out.
func (t *tidier) finish() {
	if rootless := len(t.stack) == 1 && t.stack[0].tag == ""; !t.ended && !rootless {
		t.repaired(endsEarly)
		if t.itemAt >= 0 {
			t.xml = t.xml[:t.itemAt]
			for t.top().emitted != "item" && t.top().emitted != "entry" {
				t.stack = t.stack[:len(t.stack)-1]
			}
			t.stack = t.stack[:len(t.stack)-1]
		}
	}
	for len(t.stack) > 0 {
		t.pop()
	}
	if t.kind == Atom {
		t.xml = append(t.xml, "</feed>"...)
	} else {
		t.xml = append(t.xml, "</rss>"...)
	}
}

// repaired notes what had to be put right, each once and not without end.
func (t *tidier) repaired(what string) {
	if len(t.repairs) < 20 && !slices.Contains(t.repairs, what) {
		t.repairs = append(t.repairs, what)
	}
}

func (t *tidier) top() *element { return &t.stack[len(t.stack)-1] }

func (t *tidier) pop() {
	e := t.top()
	if e.emitted != "" {
		t.xml = append(append(append(t.xml, "</"...), e.emitted...), '>')
		if e.emitted == "item" || e.emitted == "entry" {
			t.itemAt = -1
		}
	}
	t.bindings = t.bindings[:e.bindings]
	t.stack = t.stack[:len(t.stack)-1]
}

// end closes the nearest open element of that tag and what is open in it; an
// end that nothing begins is passed over.
func (t *tidier) end(tag string) {
	for i := len(t.stack) - 1; i >= 0; i-- {
		if !strings.EqualFold(t.stack[i].tag, tag) {
			continue
		}
		for len(t.stack) > i+1 {
			t.pop()
		}
		if i == 0 {
			t.ended = true
			return
		}
		t.pop()
		return
	}
}

func (t *tidier) start(tok token) {
	before, depth := len(t.bindings), len(t.stack)
	t.declare(tok)
	name := t.canonical(tok.name)
	how, known := t.rules[name]
	if !known {
		how = shared[name]
	}
	if (name == "item" || name == "entry") && how == pass && t.itemAt >= 0 {
		t.closeItem()
		before, depth = len(t.bindings), len(t.stack)
		t.declare(tok)
	}
	if other, found := renamed[name]; found {
		name = other
	}
	if how == pass && name != "channel" && !t.room(name) {
		how = drop
	}
	e := element{tag: tok.name, emitted: name, bindings: before}
	e.base, e.lang = t.baseOf(tok, t.top().base), langOf(tok)
	switch {
	case tok.empty:
		t.emptyElement(tok, how, e)
	case how == pass && depth < maxDepth && (name != "channel" || t.first(name)): // gofeed forgets all channels but the last
		t.enter(tok, e)
	case (how == unwrap || how == pass) && depth < maxDepth:
		e.emitted = ""
		t.enter(tok, e)
	default:
		t.contents(tok, how, e)
	}
	if len(t.stack) == depth {
		t.bindings = t.bindings[:before]
	}
}

// closeItem ends an item whose end is missing when the next one begins.
func (t *tidier) closeItem() {
	t.repaired("an item without end")
	for t.itemAt >= 0 {
		t.pop()
	}
}

// emptyElement writes what an element that ends itself has to say.
func (t *tidier) emptyElement(tok token, how treatment, e element) {
	switch {
	case how == members:
		if t.first(e.emitted) {
			t.write(tok, e, "")
		}
	case how == leaf && e.emitted == "link" && tok.attr("href") != "" && t.first(e.emitted):
		t.write(tok, e, t.linkOf(tok, "", e.base))
	case how == aside && tok.attr("src") != "" && t.first(e.emitted):
		t.write(tok, e, strconv.Itoa(t.keep(tok, "", e)))
	case how == pass && len(t.stack) < maxDepth:
		t.enter(tok, e)
		t.pop()
	}
}

// enter writes the tag of an element and makes it the innermost.
func (t *tidier) enter(tok token, e element) {
	if e.emitted == "item" || e.emitted == "entry" {
		t.itemAt = len(t.xml)
		t.items++
	}
	if e.emitted != "" {
		t.elements++
		t.xml = append(append(append(t.xml, '<'), e.emitted...), '>')
	}
	if e.emitted == "channel" && t.lang == "" {
		t.lang = e.lang
	}
	t.stack = append(t.stack, e)
	if e.emitted != "item" && e.emitted != "entry" {
		return
	}
	if e.lang != "" {
		t.leaf("dc:language", e.lang)
	}
	if about := t.rdfAbout(tok); t.kind == RDF && about != "" {
		t.leaf("guid", about)
	}
}

func (t *tidier) rdfAbout(tok token) string {
	for _, a := range tok.attrs {
		prefix, local := splitName(a.name)
		if local == "about" && (prefix == "" || t.vocabulary(prefix) == "rdf") {
			return strings.TrimSpace(decodeEntities(a.value))
		}
	}
	return ""
}

// leaf writes an element that the document has in another form.
func (t *tidier) leaf(name, value string) {
	t.write(token{}, element{emitted: name}, value)
	t.count(name)
}

// contents reads an element up to its end and writes what gofeed is to see of it.
func (t *tidier) contents(tok token, how treatment, e element) {
	attrs := append([]attribute(nil), tok.attrs...)
	raw := t.inside(tok.name)
	tok.attrs = attrs
	switch how {
	case members:
		if href := strings.TrimSpace(raw); strings.HasSuffix(e.emitted, "link") && href != "" && tok.attr("href") == "" {
			tok.attrs = append(tok.attrs, attribute{"href", href})
		}
		if t.first(e.emitted) {
			t.write(tok, e, "")
		}
	case leaf:
		value := strings.TrimSpace(innerText(raw))
		if t.skips(value) {
			return
		}
		if e.emitted == "link" {
			value = t.linkOf(tok, value, e.base)
		}
		if value != "" && t.first(e.emitted) {
			t.write(tok, e, value)
		}
	case aside:
		if (strings.TrimSpace(raw) != "" || tok.attr("src") != "") && t.first(e.emitted) {
			t.write(tok, e, strconv.Itoa(t.keep(tok, raw, e)))
		}
	}
}

func (t *tidier) linkOf(tok token, value, base string) string {
	if value == "" {
		value = tok.attr("href")
	}
	return resolve(base, value)
}

func (t *tidier) keep(tok token, raw string, e element) int {
	lang := e.lang
	if lang == "" {
		lang = t.top().lang
	}
	t.texts = append(t.texts, text{raw: raw, form: t.formOf(tok), base: e.base, lang: lang})
	return len(t.texts) - 1
}

func (t *tidier) write(tok token, e element, value string) {
	t.elements++
	t.xml = append(append(t.xml, '<'), e.emitted...)
	for _, name := range kept[e.emitted] {
		v := tok.attr(name)
		if v == "" {
			continue
		}
		if name == "href" || name == "url" || name == "src" {
			v = resolve(e.base, v)
		}
		t.xml = append(append(append(t.xml, ' '), name...), `="`...)
		t.xml = append(escapeText(t.xml, v), '"')
	}
	t.xml = append(t.xml, '>')
	t.xml = escapeText(t.xml, value)
	t.xml = append(append(append(t.xml, "</"...), e.emitted...), '>')
}

// inside gives the raw inside of the element that was just begun and moves
// behind its end. An end that belongs to an element around it ends it as well.
func (t *tidier) inside(tag string) string {
	from := t.pos
	t.nested = append(t.nested[:0], make([]int, len(t.stack)+1)...)
	for {
		tok := t.next()
		switch tok.kind {
		case tokenEOF:
			return t.doc[from:]
		case tokenStart:
			if tok.cut {
				t.pos = len(t.doc)
				return t.doc[from:]
			}
			if i := t.levelOf(tok.name, tag); i >= 0 && !tok.empty {
				t.nested[i]++
			}
		case tokenEnd:
			i := t.levelOf(tok.name, tag)
			switch {
			case i < 0:
			case t.nested[i] > 0:
				t.nested[i]--
			case i == len(t.stack):
				return t.doc[from:tok.at]
			default:
				t.pos = tok.at
				t.repaired("<" + tag + "> without end")
				return t.doc[from:tok.at]
			}
		}
	}
}

// levelOf finds the element that a tag could end: len(t.stack) for the one
// being read, else the innermost open one; -1 for none.
func (t *tidier) levelOf(name, tag string) int {
	if name == tag {
		return len(t.stack)
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		if t.stack[i].tag == name {
			return i
		}
	}
	return -1
}
