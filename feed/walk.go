package feed

import (
	"slices"
	"strings"
)

// The bounds of what is read of a feed.
const (
	maxDepth     = 100      // elements inside one another
	maxSame      = 100      // elements of one name in one feed or item
	maxElements  = 200_000  // a feed of maxRead items has ten for each
	maxAddresses = 16 << 20 // bytes: short links grow by the base before them
)

// endsEarly is the repair of a document whose root is never closed.
const endsEarly = "the document ends early: whole items kept"

// A walker walks through the tokens of a broken or sound document and keeps the
// elements that are in the tables of vocabulary.go, those of each item apart:
// ends that are missing are put in, links resolved where an xml:base is in scope.
type walker struct {
	scanner
	reading
	address   string
	rules     map[string]treatment
	stack     []open // the elements that are open, outermost first
	bindings  []binding
	nested    []int // scratch of inside: elements of the same tag begun in it
	total     int   // of elements
	addresses int   // bytes
	ended     bool  // the root was closed
}

// An open element is one whose end is still to come.
type open struct {
	tag      string // as written, to find its end
	name     string // in the tables; "" when only its children count
	bindings int    // how many were in force around it
	base     string // absolute, "" when no xml:base is in scope
}

// readFeed reads a document whose root is that of a feed.
func readFeed(doc, address string, root token, kind Kind) *reading {
	w := &walker{scanner: scanner{doc: doc, pos: root.at}, address: address, rules: rssElements}
	if w.kind = kind; kind == Atom {
		w.rules = atomElements
	}
	w.begin()
	w.tokens()
	w.finish()
	return &w.reading
}

// begin reads the root.
func (w *walker) begin() {
	root := w.next()
	prefix, local := splitName(root.name)
	w.declare(root)
	if w.kind != RDF || prefix == "" {
		w.bindings = append(w.bindings, binding{prefix, ""}) // whatever its namespace is called
	}
	w.language = langOf(root)
	w.stack = append(w.stack, open{tag: root.name, base: w.baseOf(root, "")})
	if bare := strings.ToLower(local); bare == "channel" || bare == "entry" { // a feed without its root
		w.stack[0].tag = ""
		w.start(root)
	}
}

func (w *walker) tokens() {
	for !w.ended && len(w.items) <= maxRead {
		if w.total > maxElements || w.addresses > maxAddresses {
			w.repaired("more elements than can be meant: the rest left out")
			return
		}
		switch tok := w.next(); tok.kind {
		case tokenEOF:
			return
		case tokenStart:
			if tok.cut {
				return
			}
			w.start(tok)
		case tokenEnd:
			w.end(tok.name)
		}
	}
}

// finish leaves out an item that the document's end cut off.
func (w *walker) finish() {
	if rootless := len(w.stack) == 1 && w.stack[0].tag == ""; w.ended || rootless {
		return
	}
	w.repaired(endsEarly)
	if slices.ContainsFunc(w.stack, func(e open) bool { return isItem(e.name) }) {
		w.items = w.items[:len(w.items)-1]
	}
}

// repaired notes what had to be put right, each once and not without end.
func (w *walker) repaired(what string) {
	if len(w.repairs) < 20 && !slices.Contains(w.repairs, what) {
		w.repairs = append(w.repairs, what)
	}
}

// close ends the open elements from the i-th on.
func (w *walker) close(i int) {
	if i < len(w.stack) {
		w.bindings = w.bindings[:w.stack[i].bindings]
		w.stack = w.stack[:i]
	}
}

// end closes the nearest open element of that tag and what is open in it; an
// end that nothing begins is passed over.
func (w *walker) end(tag string) {
	for i := len(w.stack) - 1; i >= 0; i-- {
		if strings.EqualFold(w.stack[i].tag, tag) {
			w.close(max(i, 1))
			w.ended = i == 0
			return
		}
	}
}

// start reads an element: a container becomes the innermost of those that are
// open, any other is read to its end.
func (w *walker) start(tok token) {
	before := len(w.bindings)
	w.declare(tok)
	name, how := w.lookUp(tok.name)
	if isItem(name) && how == container && w.closeForItem() {
		before = len(w.bindings)
		w.declare(tok)
	}
	base := w.baseOf(tok, w.stack[len(w.stack)-1].base)
	if name == "channel" {
		w.language = firstOf(w.language, langOf(tok))
	}
	if how != container && how != unwrap || len(w.stack) >= maxDepth {
		w.content(tok, element{name: name, text: text{base: base}}, how)
		w.bindings = w.bindings[:before]
		return
	}
	w.enter(tok, open{tag: tok.name, name: name, bindings: before, base: base}, how)
	if tok.empty {
		w.close(len(w.stack) - 1)
	}
}

// closeForItem ends what stands open where a new item begins: an item before it,
// or an element that cannot hold one, whose ends are missing.
func (w *walker) closeForItem() bool {
	at := slices.IndexFunc(w.stack, func(e open) bool { return e.name != "" })
	if at < 0 {
		return false
	}
	if isItem(w.stack[at].name) {
		w.repaired("an item without end")
	} else {
		w.repaired("<" + w.stack[at].tag + "> without end")
	}
	w.close(at)
	return true
}

// enter makes an element the innermost.
func (w *walker) enter(tok token, e open, how treatment) {
	switch {
	case how == unwrap:
		e.name = ""
	case isItem(e.name):
		w.items = append(w.items, nil)
	default:
		w.keep(element{name: e.name})
	}
	w.stack = append(w.stack, e)
	if !isItem(e.name) {
		return
	}
	if lang := langOf(tok); lang != "" {
		w.keep(element{name: "dc:language", text: text{raw: lang}})
	}
	if about := w.rdfAbout(tok); about != "" {
		w.keep(element{name: "guid", text: literal(about, plain)})
	}
}

// content reads an element to its end, and keeps what it holds.
func (w *walker) content(tok token, e element, how treatment) {
	if !tok.empty {
		tok.attrs = slices.Clone(tok.attrs) // the scanner reuses them
		e.raw = w.inside(tok.name)
	}
	switch how {
	case detail:
		w.describe(e)
	case keep:
		e.form, e.attrs = w.formOf(tok), w.attributes(tok, e)
		if !e.empty() || len(e.attrs) > 0 {
			w.keep(e)
		}
	}
}

// attributes gives those of an element's attributes that are kept.
func (w *walker) attributes(tok token, e element) (attrs []attribute) {
	if href := strings.TrimSpace(e.raw); strings.HasSuffix(e.name, "link") && href != "" && tok.attr("href") == "" {
		tok.attrs = append(tok.attrs, attribute{"href", href})
	}
	for _, name := range attributesOf[e.name] {
		v := tok.attr(name)
		if name == "href" || name == "url" || name == "src" {
			v = resolve(e.base, v)
			w.addresses += len(v)
		}
		if v != "" {
			attrs = append(attrs, attribute{name, strings.Clone(v)}) // it must not keep its document in memory
		}
	}
	return attrs
}

// keep adds an element to the item or the feed in which it stands.
func (w *walker) keep(e element) {
	w.total++
	if of, name := w.of(w.stack, e.name); of != nil {
		e.name = name
		of.add(e)
	}
}

// describe adds a name or an address to the person that is open.
func (w *walker) describe(e element) {
	v := strings.TrimSpace(innerText(e.raw))
	at := len(w.stack) - 1
	for at > 0 && w.stack[at].name == "" {
		at--
	}
	of, name := w.of(w.stack[:at], w.stack[at].name)
	if v == "" || of == nil || !strings.HasSuffix(name, "author") {
		return
	}
	for i := len(*of) - 1; i >= 0; i-- {
		if person := &(*of)[i]; person.name == name {
			_, local := splitName(e.name)
			person.attrs = append(person.attrs, attribute{local, strings.Clone(v)})
			return
		}
	}
}

// of gives the elements of the open item, or else of the feed, and the name under
// which one that is called name stands there. What stands in another element is
// not theirs, but for the author in an entry's source.
func (w *walker) of(stack []open, name string) (*elements, string) {
	for _, around := range slices.Backward(stack) {
		switch {
		case isItem(around.name):
			return &w.items[len(w.items)-1], name
		case around.name == "source":
			name = "source/" + name
		case around.name != "":
			return nil, ""
		}
	}
	return &w.feed, name
}

// inside gives the raw inside of the element that was just begun and moves
// behind its end. An end that belongs to an element around it ends it as well.
func (w *walker) inside(tag string) string {
	from := w.pos
	w.nested = append(w.nested[:0], make([]int, len(w.stack)+1)...)
	for {
		tok := w.next()
		switch tok.kind {
		case tokenEOF:
			return w.doc[from:]
		case tokenStart:
			if tok.cut {
				w.pos = len(w.doc)
				return w.doc[from:]
			}
			if i := w.levelOf(tok.name, tag); i >= 0 && !tok.empty {
				w.nested[i]++
			}
		case tokenEnd:
			i := w.levelOf(tok.name, tag)
			switch {
			case i < 0:
			case w.nested[i] > 0:
				w.nested[i]--
			case i == len(w.stack):
				return w.doc[from:tok.at]
			default:
				w.pos = tok.at
				w.repaired("<" + tag + "> without end")
				return w.doc[from:tok.at]
			}
		}
	}
}

// levelOf finds the element that a tag could end: len(w.stack) for the one
// being read, else the innermost open one; -1 for none.
func (w *walker) levelOf(name, tag string) int {
	if name == tag {
		return len(w.stack)
	}
	for i := len(w.stack) - 1; i >= 0; i-- {
		if w.stack[i].tag == name {
			return i
		}
	}
	return -1
}
