package feed

import (
	"slices"
	"strconv"
	"strings"
)

// The limits for reading a feed.
const (
	maxDepth    = 100      // depth of nested elements
	maxSame     = 100      // elements of one name in one parent, except items
	maxElements = 200_000  // ten for each of maxRead items
	maxGrown    = 16 << 20 // bytes of attributes: short links grow by the base before them
)

// endsEarly is the repair of a document that does not close its root.
const endsEarly = "the document ends early: whole items kept"

// A reader reads the tokens of an RSS or Atom document, valid or malformed, and keeps the elements that vocabulary.go
// lists. It inserts missing end tags, and resolves links where an xml:base applies.
type reader struct {
	scanner
	*Document // receives the repairs, and the language of the root or the channel
	address   string
	rules     map[string]treatment
	stack     []open // the open elements, outermost first
	bindings  []binding
	nested    []int // buffer of inside: nested elements of the same tag
	items     []elements
	kept      int  // number of elements
	grown     int  // bytes of their attributes
	groups    int  // number of media:groups so far
	ended     bool // whether the root is closed
}

// An open is an open element. If its name is "", its children become children of the element around it.
type open struct {
	element
	tag      string         // as written, to match its end tag
	bindings int            // number of bindings outside of it
	group    int            // number of the surrounding media:group, from 1; 0: none
	seen     map[string]int // number of its children by name
}

// readFeed returns a document with the values that all formats state in the same way, the elements of the feed itself,
// and the elements of each item.
func readFeed(src *source) (d *Document, feed elements, items []elements) {
	r := &reader{scanner: scanner{doc: src.text, pos: src.root.at}, address: src.address, rules: rssElements,
		Document: &Document{Kind: src.kind}}
	if r.Kind == Atom {
		r.rules = atomElements
	}
	r.begin()
	r.walk()
	r.finish()
	if src.root.at > 0 && !strings.HasPrefix(src.text, "<") {
		r.Repairs = append(r.Repairs, "stray bytes before the document")
	}
	feed = r.stack[0].children
	r.UpdateEvery = updateEvery(feed.value("sy:updateperiod"), feed.value("sy:updatefrequency"))
	for _, l := range feed.named("link", "atom:link") {
		r.addHub(l.attr("rel"), l.attr("href"))
	}
	return r.Document, feed, r.items
}

func (r *reader) begin() {
	root := r.next()
	prefix, local := splitName(root.name)
	r.declare(root)
	if r.Kind != RDF || prefix == "" {
		r.bindings = append(r.bindings, binding{prefix, ""}) // whatever its namespace is
	}
	r.Language, r.ended = langOf(root), root.empty
	r.stack = append(r.stack, open{tag: root.name, element: element{text: text{base: r.baseOf(root, "")}}})
	if bare := strings.ToLower(local); bare == "channel" || bare == "entry" { // a feed without its root
		r.stack[0].tag = ""
		r.start(root)
	}
}

func (r *reader) walk() {
	for !r.ended && len(r.items) <= maxRead {
		if r.kept > maxElements || r.grown > maxGrown {
			r.repaired("more elements than can be meant: the rest left out")
			return
		}
		switch tok := r.next(); tok.kind {
		case tokenEOF:
			return
		case tokenStart:
			if tok.cut {
				return
			}
			r.start(tok)
		case tokenEnd:
			r.end(tok.name)
		}
	}
}

// finish closes all open elements. If the document ends within an item, it removes the item.
func (r *reader) finish() {
	if rootless := len(r.stack) == 1 && r.stack[0].tag == ""; !r.ended && !rootless {
		r.repaired(endsEarly)
		if at := slices.IndexFunc(r.stack, func(e open) bool { return isItem(e.name) }); at >= 0 {
			r.items = r.items[:len(r.items)-1]
			r.stack = r.stack[:at]
		}
	}
	r.close(1)
}

// repaired records a repair, each once and at most 20.
func (r *reader) repaired(what string) {
	if len(r.Repairs) < 20 && !slices.Contains(r.Repairs, what) {
		r.Repairs = append(r.Repairs, what)
	}
}

// close closes the elements from index i on.
func (r *reader) close(i int) {
	for len(r.stack) > i {
		e := &r.stack[len(r.stack)-1]
		r.bindings = r.bindings[:e.bindings]
		r.stack = r.stack[:len(r.stack)-1]
		if isItem(e.name) {
			r.items[len(r.items)-1] = e.children
		} else if e.name != "" {
			r.keep(e.element)
		}
	}
}

// around returns the innermost open element that is kept.
func (r *reader) around() *open {
	i := len(r.stack) - 1
	for i > 0 && r.stack[i].name == "" {
		i--
	}
	return &r.stack[i]
}

func (r *reader) keep(e element) {
	r.kept++
	for _, a := range e.attrs {
		r.grown += len(a.value)
	}
	in := r.around()
	in.children = append(in.children, e)
}

// end closes the nearest open element with the tag and everything in it. It ignores an end tag without a start.
func (r *reader) end(tag string) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if strings.EqualFold(r.stack[i].tag, tag) {
			r.close(max(i, 1))
			r.ended = i == 0
			return
		}
	}
}

// start reads an element. A container becomes the innermost open element; start reads any other to its end.
func (r *reader) start(tok token) {
	before := len(r.bindings)
	r.declare(tok)
	name, how := r.lookUp(tok.name)
	if isItem(name) && how == container && r.closeForItem() {
		before = len(r.bindings)
		r.declare(tok)
	}
	parent, depth := &r.stack[len(r.stack)-1], len(r.stack)
	e := open{tag: tok.name, bindings: before, group: parent.group}
	e.name, e.base = name, r.baseOf(tok, parent.base)
	switch {
	case name == "media:group":
		r.groups++
		e.group = r.groups
	case name == "channel":
		r.Language = firstOf(r.Language, langOf(tok))
	case how == beside:
		how = r.openFile(tok, &e, parent)
	}
	if how == unwrap {
		e.name = ""
	}
	if depth < maxDepth && (how == unwrap || how == container && (isItem(name) || parent.count(name) <= maxSame)) {
		r.enter(tok, e)
		if tok.empty {
			r.close(depth)
		}
		return
	}
	r.leaf(tok, how, &e, parent)
	r.bindings = r.bindings[:before]
}

// closeForItem closes open elements before a new item: an unclosed item, or an element that cannot contain items.
func (r *reader) closeForItem() bool {
	at := slices.IndexFunc(r.stack, func(e open) bool { return e.name != "" })
	if at < 0 {
		return false
	}
	if isItem(r.stack[at].name) {
		r.repaired("an item without end")
	} else {
		r.repaired("<" + r.stack[at].tag + "> without end")
	}
	r.close(at)
	return true
}

// enter makes an element the innermost.
func (r *reader) enter(tok token, e open) {
	r.stack = append(r.stack, e)
	if !isItem(e.name) {
		return
	}
	r.kept++
	r.items = append(r.items, nil)
	in := &r.stack[len(r.stack)-1]
	if lang := langOf(tok); lang != "" {
		in.children.add(element{name: "dc:language", text: text{raw: lang}})
	}
	if about := r.rdfAbout(tok); r.Kind == RDF && about != "" && in.accepts("guid") {
		r.keep(element{name: "guid", text: text{raw: escaper.Replace(about)}})
	}
}

// leaf reads an element to its end and keeps it if it counts.
func (r *reader) leaf(tok token, how treatment, e, parent *open) {
	if !tok.empty {
		tok.attrs = slices.Clone(tok.attrs) // the scanner reuses them
		e.raw = r.inside(tok.name)
	}
	switch how {
	case written:
		e.form = r.formOf(tok)
		if e.setAll(tok); r.around().children.add(e.element) {
			r.kept++
		}
	case attributes:
		if href := strings.TrimSpace(e.raw); href != "" && strings.HasSuffix(e.name, "link") {
			tok.attrs = append(tok.attrs, attribute{"href", href}) // counts if it has no other
		}
		if parent.accepts(e.name) {
			e.setAll(tok)
			if e.name == "media:content" {
				e.set("alt", nestedText(e.raw, "description", "title"))
			}
			r.keep(e.element)
		}
	case value:
		if e.name == "author" {
			e.raw = namePart(e.raw)
		}
		v := e.content()
		if e.name == "link" {
			e.set("href", firstOf(v, tok.attr("href")))
			v = e.attr("href")
		} else {
			e.setAll(tok)
		}
		if v != "" && parent.accepts(e.name) {
			r.keep(e.element)
		}
	}
}

// setAll sets the attributes that the package reads.
func (e *open) setAll(tok token) {
	for name := range strings.FieldsSeq(attributesOf[e.name]) {
		e.set(name, tok.attr(name))
	}
	if e.name == "media:content" && e.group > 0 {
		e.set("group", strconv.Itoa(e.group))
	}
}

// accepts reports whether another child with this name counts: the first, or several if the name allows it.
func (e *open) accepts(name string) bool {
	n := e.count(name)
	return n == 1 || several[name] && n <= maxSame
}

// count adds one to the children with a name and returns their number.
func (e *open) count(name string) int {
	if e.seen == nil {
		e.seen = make(map[string]int)
	}
	e.seen[name]++
	return e.seen[name]
}

// inside returns the raw content of the current element and moves behind its end tag. The end tag of a parent also
// ends it.
func (r *reader) inside(tag string) string {
	from := r.pos
	r.nested = append(r.nested[:0], make([]int, len(r.stack)+1)...)
	for {
		tok := r.next()
		switch tok.kind {
		case tokenEOF:
			return r.doc[from:]
		case tokenStart:
			if tok.cut {
				r.pos = len(r.doc)
				return r.doc[from:]
			}
			if i := r.levelOf(tok.name, tag); i >= 0 && !tok.empty {
				r.nested[i]++
			}
		case tokenEnd:
			i := r.levelOf(tok.name, tag)
			switch {
			case i < 0:
			case r.nested[i] > 0:
				r.nested[i]--
			case i == len(r.stack):
				return r.doc[from:tok.at]
			default:
				r.pos = tok.at
				r.repaired("<" + tag + "> without end")
				return r.doc[from:tok.at]
			}
		}
	}
}

// levelOf returns the index of the element that a tag may close: len(r.stack) for the current one, otherwise the
// innermost open one; -1: none.
func (r *reader) levelOf(name, tag string) int {
	if name == tag {
		return len(r.stack)
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].tag == name {
			return i
		}
	}
	return -1
}
