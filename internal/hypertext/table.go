package hypertext

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// A frame is what the parser kept in mind of what styles text before a cell began. It
// does not look at it until the cell ends, and then forgets what the cell added.
type frame struct {
	styles, lost total
	lostTo       int
}

// isCell reports whether an element has a frame of its own.
func isCell(a atom.Atom) bool { return a == atom.Td || a == atom.Th || a == atom.Caption }

// inTables reports whether all rules of tables hold: SVG and templates have others,
// and the end of a cell is not the end of an object in it.
func (r *reckoner) inTables() bool {
	return r.others+r.markers == 0 && r.around()&parts != 0
}

// Parts of a table that end where others begin.
var (
	within  = []atom.Atom{atom.Td, atom.Th, atom.Caption, atom.Colgroup}
	withRow = append(slices.Clone(within), atom.Tr)
	groups  = []atom.Atom{atom.Tbody, atom.Thead, atom.Tfoot}
	allRows = append(slices.Clone(groups), withRow...)
)

// startPart reckons with the beginning of a part of a table, or of a table. False:
// there is no table that it could be part of, so that it is passed over.
func (r *reckoner) startPart(name atom.Atom) bool {
	switch {
	case r.others+r.markers > 0:
		r.loseAll()
	case r.around()&parts == 0:
		return name == atom.Table
	case name == atom.Table:
		if at, found := r.innermost(nil); found && !isCell(r.open[at].name) { // it ends the table around it
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

// popTo ends what is in the innermost part of a table that is none of these.
func (r *reckoner) popTo(but []atom.Atom) {
	if at, found := r.innermost(but); found {
		r.pop(at+1, true)
	}
}

// endPart reckons with the end of a part of a table, or of a table.
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

// innermost finds the innermost part of a table that is none of these. Where it is
// not near, tables are not followed any more.
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
