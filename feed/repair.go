package feed

import (
	"slices"
	"strconv"
	"strings"
)

// The limits for reading a feed, and for gofeed's input.
const (
	maxDepth    = 100      // depth of nested elements
	maxSame     = 100      // elements of one name in one parent, except items
	maxElements = 200_000  // ten for each of maxRead items
	maxFrame    = 16 << 20 // in bytes: short links grow by the base before them
)

// endsEarly is the repair of a document that does not close its root.
const endsEarly = "the document ends early: whole items kept"

// A repairer reads the tokens of a valid or malformed document and writes its frame. It inserts missing end tags,
// removes elements that vocabulary.go does not list, and resolves links where an xml:base applies.
type repairer struct {
	scanner
	frame
	address  string
	rules    map[string]treatment
	stack    []element // the open elements, outermost first
	bindings []binding
	nested   []int // buffer of inside: nested elements of the same tag
	elements int
	groups   int  // number of media:groups so far
	itemAt   int  // index of the open item in xml; -1: none
	ended    bool // whether the root is closed
}

type element struct {
	tag      string  // as written, to match its end tag
	shown    string  // its name for gofeed; "": gofeed sees only its children
	bindings int     // number of bindings outside of it
	base     string  // absolute; "": no xml:base applies
	group    int     // number of the surrounding media:group, from 1; 0: none
	seen     []count // number of its children by name
}

type count struct {
	name string
	n    int
}

// repair returns the frame of a document with the root of a feed.
func repair(src *source) *frame {
	r := &repairer{scanner: scanner{doc: src.text, pos: src.root.at}, address: src.address, itemAt: -1}
	r.kind, r.rules = src.kind, rssElements
	head, foot := `<rss version="2.0"><channel>`, "</channel></rss>"
	if r.kind == Atom {
		r.rules, head, foot = atomElements, "<feed>", "</feed>"
	}
	r.xml = append(make([]byte, 0, 4096), head...)
	r.begin()
	r.walk()
	r.finish()
	r.xml = append(r.xml, foot...)
	if src.root.at > 0 && !strings.HasPrefix(src.text, "<") {
		r.repairs = append(r.repairs, "stray bytes before the document")
	}
	return &r.frame
}

func (r *repairer) begin() {
	root := r.next()
	prefix, local := splitName(root.name)
	r.declare(root)
	if r.kind != RDF || prefix == "" {
		r.bindings = append(r.bindings, binding{prefix, ""}) // whatever its namespace is
	}
	r.language, r.ended = langOf(root), root.empty
	r.stack = append(r.stack, element{tag: root.name, base: r.baseOf(root, "")})
	if bare := strings.ToLower(local); bare == "channel" || bare == "entry" { // a feed without its root
		r.stack[0].tag = ""
		r.start(root)
	}
}

func (r *repairer) walk() {
	for !r.ended && len(r.items) <= maxRead {
		if r.elements > maxElements || len(r.xml) > maxFrame {
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
func (r *repairer) finish() {
	if rootless := len(r.stack) == 1 && r.stack[0].tag == ""; !r.ended && !rootless {
		r.repaired(endsEarly)
		if r.itemAt >= 0 {
			r.xml = r.xml[:r.itemAt]
			r.items = r.items[:len(r.items)-1]
			at := slices.IndexFunc(r.stack, func(e element) bool { return isItem(e.shown) })
			r.stack = r.stack[:at]
		}
	}
	r.close(0)
}

// repaired records a repair, each once and at most 20.
func (r *repairer) repaired(what string) {
	if len(r.repairs) < 20 && !slices.Contains(r.repairs, what) {
		r.repairs = append(r.repairs, what)
	}
}

func (r *repairer) close(i int) {
	for len(r.stack) > i {
		e := &r.stack[len(r.stack)-1]
		if e.shown != "" {
			r.xml = join(r.xml, "</", e.shown, ">")
		}
		if isItem(e.shown) {
			r.itemAt = -1
		}
		r.bindings = r.bindings[:e.bindings]
		r.stack = r.stack[:len(r.stack)-1]
	}
}

// end closes the nearest open element with the tag and everything in it. It ignores an end tag without a start.
func (r *repairer) end(tag string) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if strings.EqualFold(r.stack[i].tag, tag) {
			r.close(max(i, 1))
			r.ended = i == 0
			return
		}
	}
}

// start reads an element. A container becomes the innermost open element; start reads any other to its end.
func (r *repairer) start(tok token) {
	before := len(r.bindings)
	r.declare(tok)
	name, how := r.lookUp(tok.name)
	if isItem(name) && how == container && r.closeForItem() {
		before = len(r.bindings)
		r.declare(tok)
	}
	parent, depth := &r.stack[len(r.stack)-1], len(r.stack)
	e := element{tag: tok.name, shown: name, bindings: before, base: r.baseOf(tok, parent.base), group: parent.group}
	if name == "media:group" {
		r.groups++
		e.group = r.groups
	}
	if name == "channel" {
		r.language = firstOf(r.language, langOf(tok))
	}
	if how == beside {
		how = r.openFile(tok, e, parent)
	}
	if how == unwrap {
		e.shown = ""
	}
	fits := depth < maxDepth && (how == unwrap || isItem(name) || how == container && parent.count(name) <= maxSame)
	if fits && (how == container || how == unwrap) {
		r.enter(tok, e)
		if tok.empty {
			r.close(depth)
		}
		return
	}
	r.content(tok, how, e, parent)
	r.bindings = r.bindings[:before]
}

// closeForItem closes open elements before a new item: an unclosed item, or an element that cannot contain items.
func (r *repairer) closeForItem() bool {
	at := slices.IndexFunc(r.stack, func(e element) bool { return e.shown != "" })
	if at < 0 {
		return false
	}
	if isItem(r.stack[at].shown) {
		r.repaired("an item without end")
	} else {
		r.repaired("<" + r.stack[at].tag + "> without end")
	}
	r.close(at)
	return true
}

// enter writes the tag of an element and makes it the innermost.
func (r *repairer) enter(tok token, e element) {
	if isItem(e.shown) {
		r.itemAt = len(r.xml)
		r.items = append(r.items, nil)
	}
	if e.shown != "" {
		r.elements++
		r.xml = join(r.xml, "<", e.shown, ">")
	}
	r.stack = append(r.stack, e)
	if !isItem(e.shown) {
		return
	}
	if lang := langOf(tok); lang != "" {
		r.add("dc:language", text{raw: lang})
	}
	if about := r.rdfAbout(tok); r.kind == RDF && about != "" && r.stack[len(r.stack)-1].count("guid") == 1 {
		r.show(token{}, element{shown: "guid"}, about)
	}
}

// content reads an element to its end and writes it for gofeed, or keeps its text.
func (r *repairer) content(tok token, how treatment, e element, parent *element) {
	raw := ""
	if !tok.empty {
		tok.attrs = slices.Clone(tok.attrs) // the scanner reuses them
		raw = r.inside(tok.name)
	}
	switch how {
	case ours:
		t := text{raw: raw, form: r.formOf(tok), base: e.base}
		if src := tok.attr("src"); src != "" && r.kind == Atom {
			t.src = resolveAsWritten(e.base, src)
		}
		r.add(e.shown, t)
	case attributes:
		if href := strings.TrimSpace(raw); strings.HasSuffix(e.shown, "link") && href != "" && tok.attr("href") == "" {
			tok.attrs = append(tok.attrs, attribute{"href", href})
		}
		if e.shown == "media:content" {
			tok = inGroup(tok, e.group)
			tok.attrs = append(tok.attrs, attribute{"alt", escaper.Replace(nestedText(raw, "description", "title"))})
		}
		if parent.accepts(e.shown) {
			r.show(tok, e, "")
		}
	case value:
		if e.shown == "author" {
			raw = namePart(raw)
		}
		v := strings.TrimSpace(innerText(raw))
		if e.shown == "link" {
			v = resolveAsWritten(e.base, firstOf(v, tok.attr("href")))
		}
		if v != "" && parent.accepts(e.shown) {
			r.show(tok, e, v)
		}
	}
}

// show writes an element for gofeed.
func (r *repairer) show(tok token, e element, value string) {
	r.elements++
	r.xml = join(r.xml, "<", e.shown)
	for _, name := range attributesOf[e.shown] {
		v := tok.attr(name)
		if v == "" {
			continue
		}
		if name == "href" || name == "url" {
			v = resolveAsWritten(e.base, v)
		}
		if r.kind == Atom && e.shown == "link" && name == "href" {
			r.hrefs = append(r.hrefs, strings.Clone(v)) // a part of the document would keep all of it in memory
			v = strconv.Itoa(len(r.hrefs) - 1)
		}
		r.xml = join(r.xml, " ", name, `="`, escaper.Replace(v), `"`)
	}
	r.xml = join(r.xml, ">", escaper.Replace(value), "</", e.shown, ">")
}

// add adds a text to the open item, otherwise to the feed. It ignores texts in other elements, such as the source of
// an entry.
func (r *repairer) add(name string, t text) {
	of := &r.feed
	for i := len(r.stack) - 1; i >= 0; i-- {
		if shown := r.stack[i].shown; isItem(shown) {
			of = &r.items[len(r.items)-1]
			break
		} else if shown != "" {
			return
		}
	}
	if of.add(name, t) {
		r.elements++
	}
}

// accepts reports whether gofeed may see another child with this name: the first, or several if the name allows it.
func (e *element) accepts(name string) bool {
	n := e.count(name)
	return n == 1 || several[name] && n <= maxSame
}

// count adds one to the children with a name and returns their number.
func (e *element) count(name string) int {
	for i := range e.seen {
		if e.seen[i].name == name {
			e.seen[i].n++
			return e.seen[i].n
		}
	}
	e.seen = append(e.seen, count{name, 1})
	return 1
}

// inside returns the raw content of the current element and moves behind its end tag. The end tag of a parent also
// ends it.
func (r *repairer) inside(tag string) string {
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
func (r *repairer) levelOf(name, tag string) int {
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
