package feed

import (
	"slices"
	"strconv"
	"strings"
)

// The bounds of what is read of a feed, and of what gofeed is shown.
const (
	maxDepth    = 100      // elements inside one another
	maxSame     = 100      // elements of one name in one parent, items apart
	maxElements = 200_000  // a feed of maxRead items has ten for each
	maxFrame    = 16 << 20 // bytes: short links grow by the base before them
)

// endsEarly is the repair of a document whose root is never closed.
const endsEarly = "the document ends early: whole items kept"

// A repairer walks through the tokens of a broken or sound document and makes
// the frame of it: ends that are missing are put in, elements that are not in
// the tables of vocabulary.go left out, links resolved where an xml:base is in
// scope.
type repairer struct {
	scanner
	frame
	address  string
	rules    map[string]treatment
	stack    []element // those that are open, outermost first
	bindings []binding
	nested   []int // scratch of inside: elements of the same tag begun in it
	elements int
	groups   int  // begun so far
	itemAt   int  // where the open item begins in xml; -1: none is open
	ended    bool // the root was closed
}

// An element is one that is open.
type element struct {
	tag      string  // as written, to find its end
	shown    string  // its name as gofeed sees it; "" when only its children are seen
	bindings int     // how many were in force around it
	base     string  // absolute, "" when no xml:base is in scope
	group    int     // the media:group around it, from 1; 0: none
	seen     []count // of its children
}

// A count is how many children of one name an element has.
type count struct {
	name string
	n    int
}

// repair makes the frame of a document whose root is that of a feed.
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

// begin reads the root.
func (r *repairer) begin() {
	root := r.next()
	prefix, local := splitName(root.name)
	r.declare(root)
	if r.kind != RDF || prefix == "" {
		r.bindings = append(r.bindings, binding{prefix, ""}) // whatever its namespace is called
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

// finish closes what is open. An item that the document's end cut off is left out.
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

// repaired notes what had to be put right, each once and not without end.
func (r *repairer) repaired(what string) {
	if len(r.repairs) < 20 && !slices.Contains(r.repairs, what) {
		r.repairs = append(r.repairs, what)
	}
}

// close ends the open elements from the i-th on.
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

// end closes the nearest open element of that tag and what is open in it; an
// end that nothing begins is passed over.
func (r *repairer) end(tag string) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if strings.EqualFold(r.stack[i].tag, tag) {
			r.close(max(i, 1))
			r.ended = i == 0
			return
		}
	}
}

// start reads an element: a container becomes the innermost of those that are
// open, any other is read to its end.
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

// closeForItem ends what stands open where a new item begins: an item before it,
// or an element that cannot hold one, whose ends are missing.
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

// content reads an element to its end, and shows gofeed what it holds or keeps it.
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
			r.hrefs = append(r.hrefs, strings.Clone(v)) // which must not keep its document in memory
			v = strconv.Itoa(len(r.hrefs) - 1)
		}
		r.xml = join(r.xml, " ", name, `="`, escaper.Replace(v), `"`)
	}
	r.xml = join(r.xml, ">", escaper.Replace(value), "</", e.shown, ">")
}

// add notes a text of the open item, or else of the feed. What stands in another
// element, such as an entry's source, is not theirs.
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

// accepts reports whether an element may be shown as a child: the first of its
// name, or one of those of which there may be several.
func (e *element) accepts(name string) bool {
	n := e.count(name)
	return n == 1 || several[name] && n <= maxSame
}

// count notes one more child of that name and says how many that makes.
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

// inside gives the raw inside of the element that was just begun and moves
// behind its end. An end that belongs to an element around it ends it as well.
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

// levelOf finds the element that a tag could end: len(r.stack) for the one
// being read, else the innermost open one; -1 for none.
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
