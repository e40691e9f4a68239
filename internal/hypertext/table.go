package hypertext

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// A frame stores the formatting elements that were open before a cell began. The parser ignores them until the cell
// ends, and then drops the cell's own.
type frame struct {
	styles, lost total
	lostTo       int
}

// isCell reports whether an element has its own frame.
func isCell(a atom.Atom) bool { return a == atom.Td || a == atom.Th || a == atom.Caption }

// inTables reports whether all rules of tables apply. SVG and templates have different rules, and the end of a cell
// does not end an object in it.
func (r *reckoner) inTables() bool {
	return r.others+r.markers == 0 && r.around()&parts != 0
}

// The parts of a table that other parts end.
var (
	within  = []atom.Atom{atom.Td, atom.Th, atom.Caption, atom.Colgroup}
	withRow = append(slices.Clone(within), atom.Tr)
	groups  = []atom.Atom{atom.Tbody, atom.Thead, atom.Tfoot}
	allRows = append(slices.Clone(groups), withRow...)
)

// startPart processes the start tag of a table or its part. It returns false if the parser ignores the tag because no
// table is open.
func (r *reckoner) startPart(name atom.Atom) bool {
	switch {
	case r.others+r.markers > 0:
		r.loseAll()
	case r.around()&parts == 0:
		return name == atom.Table
	case name == atom.Table:
		if at, found := r.innermost(nil); found && !isCell(r.open[at].name) { // ends the table around it
			r.endPart(atom.Table)
		}
	case name == atom.Td || name == atom.Th:
		r.popTo(within)
	case name == atom.Tr:
		r.popTo(withRow)
	default:
		r.popTo(allRows)
	}
	return true
}

// popTo ends everything in the innermost part of a table that is not in but.
func (r *reckoner) popTo(but []atom.Atom) {
	if at, found := r.innermost(but); found {
		r.pop(at+1, true)
	}
}

// endPart processes the end tag of a table or its part.
func (r *reckoner) endPart(name atom.Atom) {
	if !r.inTables() {
		r.loseAll()
		return
	}
	var in []atom.Atom
	switch {
	case name == atom.Table:
		in = allRows
	case name == atom.Tr:
		in = withRow[:2]
	case slices.Contains(groups, name):
		in = []atom.Atom{atom.Td, atom.Th, atom.Tr}
	}
	at, found := r.innermost(in)
	if !found || r.open[at].name != name || name == atom.Colgroup && at < len(r.open)-1 {
		r.loseAll()
		return
	}
	r.pop(at, true)
}

// innermost finds the innermost part of a table that is not in but. If it is too far out, the reckoner stops following
// tables.
func (r *reckoner) innermost(but []atom.Atom) (at int, found bool) {
	for i := len(r.open) - 1; i >= max(0, len(r.open)-2*mostDepth); i-- {
		if name := r.open[i].name; groupOf(name) == parts && !slices.Contains(but, name) {
			return i, true
		}
	}
	r.markers++
	r.loseAll()
	return 0, false
}
