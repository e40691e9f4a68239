package hypertext

import (
	"golang.org/x/net/html/atom"
)

// The costs of a tag for the parser, in steps.
const (
	stepsOfTag       = 8
	stepsOfAttribute = 2
	stepsOfClone     = 64  // of an element, and again of each of its attributes
	stepsOfMerge     = 4   // of an attribute of <html>, at each further <html>
	mostRounds       = 8   // of the adoption agency algorithm
	mostClones       = 32  // of the adoption agency algorithm: eight rounds of up to four
	mostImplied      = 8   // number of end tags that one end tag is known to imply
	mostDepth        = 512 // of x/net/html, which rejects deeper nesting
)

// A reckoner computes an upper bound of the parser's steps for tags. It knows that an element is closed only if the end
// tag comes while nothing else is open in it, or if it is a table cell. It assumes that all other elements stay open to
// the end.
type reckoner struct {
	steps   int
	open    []element
	depth   int     // maximum depth of the parser's stack
	styles  total   // formatting elements in the parser's list
	lost    total   // styles that the parser may have to reopen
	lostTo  int     // number of open elements that may have ended, or that are around a cell
	frames  []frame // of the open cells
	merged  int     // attributes of <html>
	others  int     // open SVG, MathML and templates
	markers int     // open objects; while there are any, the end of a cell does not end everything in it
}

type element struct {
	name    atom.Atom
	spelled string
	weight  int    // maximum number of elements, with implied ones
	styles  string // key of a formatting element in the parser's list; empty for others
	cost    int    // of a formatting element: 1 plus its attributes
	below   group  // groups of the elements around it
	lost    bool
	framed  bool // the formatting elements around it are in the last frame
	foreign bool // no element that ends implicitly is open in it
}

// steps returns the maximum number of parser steps for a text. It stops early above the limit.
func steps(s string) int {
	most := stepsFree + stepsPerByte*len(s)
	var r reckoner
	z := scanner{text: s}
	for z.next() && r.steps <= most {
		if z.tag.attributes > maxAttributes {
			return most + 1
		}
		r.steps += stepsOfTag + stepsOfAttribute*z.tag.attributes + min(r.depth, mostDepth) + r.styles.sum +
			stepsOfClone*r.lost.sum
		switch {
		case z.doubt:
			r.loseAll()
			r.push(&z.tag)
			r.loseAll()
		case z.tag.end:
			r.end(&z.tag)
		default:
			r.start(&z.tag)
		}
		z.foreign = r.others > 0
	}
	return r.steps
}

func (r *reckoner) start(t *tag) {
	if t.name == atom.Html {
		r.steps += stepsOfMerge * r.merged
		r.merged += t.attributes
		return
	}
	isPart := groupOf(t.name) == parts || t.name == atom.Col
	if isPart && !r.startPart(t.name) {
		return
	}
	closes := closedBy(t.name)
	r.closeTop(closes)
	r.loseIn(closes)
	inForeign := len(r.open) > 0 && r.open[len(r.open)-1].foreign
	switch {
	case inForeign && t.name == 0 && t.empty, !inForeign && isVoid(t.name):
		return
	case inForeign && t.name != 0 && !staysForeign(t.name):
		r.breakOut()
	}
	r.push(t)
	if isCell(t.name) && r.inTables() {
		r.open[len(r.open)-1].framed = true
		r.frames = append(r.frames, frame{r.styles, r.lost, r.lostTo})
		r.styles, r.lost, r.lostTo = total{}, total{}, len(r.open)
	}
}

func (r *reckoner) push(t *tag) {
	e := element{name: t.name, spelled: t.spelled, weight: weightOf(t.name), below: r.around()}
	switch t.name {
	case atom.Svg, atom.Math:
		e.foreign = true
	case 0:
		e.foreign = len(r.open) > 0 && r.open[len(r.open)-1].foreign
	}
	if isStyle(t.name) {
		e.styles, e.cost = styleOf(t), 1+t.attributes
		if e.styles[0] != '<' && r.styles.kinds[e.styles].n > 0 { // a link ends the link around it
			r.adopt()
		}
		r.styles.add(e.styles, e.cost)
	}
	r.count(&e, 1)
	r.open = append(r.open, e)
}

// count adds an element n times to the counters of open elements.
func (r *reckoner) count(e *element, n int) {
	r.depth += n * e.weight
	if isOther(e.name) {
		r.others += n
	}
	if isMarker(e.name) {
		r.markers += n
	}
}

// breakOut marks that HTML ends the SVG and MathML around it.
func (r *reckoner) breakOut() {
	for i := len(r.open) - 1; i >= 0 && r.open[i].foreign; i-- {
		r.open[i].foreign = false
	}
}

// styleOf returns the key of a formatting element in the parser's list, which has at most three equal ones, and one
// link.
func styleOf(t *tag) string {
	if t.name == atom.A || t.name == atom.Nobr {
		return t.name.String()
	}
	return t.written
}

func (r *reckoner) end(t *tag) {
	if groupOf(t.name) == parts {
		r.endPart(t.name)
		return
	}
	i := len(r.open) - 1
	for range mostImplied {
		if i < 0 || r.open[i].is(t) || r.open[i].styles != "" || !endsWith(r.open[i].name, t.name) {
			break
		}
		i--
	}
	if i >= 0 && r.open[i].is(t) && (i == len(r.open)-1 || !isStyle(t.name)) {
		r.pop(i, false)
		return
	}
	r.loseAll()
	if isStyle(t.name) {
		r.adopt()
	}
}

func (e *element) is(t *tag) bool {
	return e.name == t.name && (t.name != 0 || e.spelled == t.spelled)
}

// adopt adds the cost of the adoption agency algorithm, which repairs misnested elements.
func (r *reckoner) adopt() {
	r.steps += mostClones*r.styles.sum + mostRounds*min(r.depth, mostDepth)/4
}

// pop ends the open elements from the i-th on. Their formatting elements are dropped, or kept for reopening.
func (r *reckoner) pop(i int, kept bool) {
	for len(r.open) > i {
		e := &r.open[len(r.open)-1]
		r.count(e, -1)
		switch {
		case e.framed:
			last := r.frames[len(r.frames)-1]
			r.frames = r.frames[:len(r.frames)-1]
			r.styles, r.lost, r.lostTo = last.styles, last.lost, last.lostTo
		case e.styles != "" && kept:
			r.lose(e)
		case e.styles != "":
			r.styles.remove(e.styles)
			if e.lost {
				r.lost.remove(e.styles)
			}
		}
		r.open = r.open[:len(r.open)-1]
	}
	r.lostTo = min(r.lostTo, i)
}

// closeTop ends the innermost element if it is in a group that ends implicitly.
func (r *reckoner) closeTop(closes group) {
	if i := len(r.open) - 1; i >= 0 && groupOf(r.open[i].name)&closes&endsItself != 0 {
		r.pop(i, false)
	}
}

// loseIn marks that elements of these groups may end, and that the parser may reopen the formatting elements in them.
func (r *reckoner) loseIn(closes group) {
	for i := len(r.open) - 1; i >= 0 && r.open[i].below&closes != 0; i-- {
		if i < len(r.open)-mostDepth {
			r.loseAll()
			return
		}
		r.lose(&r.open[i])
	}
}

// loseAll marks that all open elements may end here.
func (r *reckoner) loseAll() {
	for i := r.lostTo; i < len(r.open); i++ {
		r.lose(&r.open[i])
	}
	r.lostTo = len(r.open)
}

func (r *reckoner) lose(e *element) {
	if e.styles != "" && !e.lost {
		r.lost.add(e.styles, e.cost)
	}
	e.lost = true
}

// around returns the groups of all open elements.
func (r *reckoner) around() group {
	if len(r.open) == 0 {
		return 0
	}
	last := &r.open[len(r.open)-1]
	return last.below | groupOf(last.name)
}

// A total sums up the costs of formatting elements, of at most three equal ones (the Noah's Ark clause of the
// standard), and of one link.
type total struct {
	kinds map[string]kind
	sum   int
}

type kind struct{ n, cost int }

func (l *total) add(style string, cost int) {
	k := l.kinds[style]
	l.sum -= k.sum(style)
	k.n, k.cost = k.n+1, max(k.cost, cost)
	l.sum += k.sum(style)
	if l.kinds == nil {
		l.kinds = make(map[string]kind)
	}
	l.kinds[style] = k
}

func (l *total) remove(style string) {
	k := l.kinds[style]
	l.sum -= k.sum(style)
	k.n--
	l.sum += k.sum(style)
	l.kinds[style] = k
}

func (k kind) sum(style string) int {
	most := 3
	if style[0] != '<' {
		most = 1
	}
	return min(k.n, most) * k.cost
}
