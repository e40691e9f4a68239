package feed

// The bounds of what gofeed is shown.
const (
	maxDepth    = 100      // elements inside one another
	maxSame     = 100      // elements of one name in one parent, items apart
	maxElements = 200_000  // a feed of maxRead items has ten for each
	maxSkeleton = 16 << 20 // bytes: short links grow by the base before them
)

// full reports whether gofeed has been shown enough.
func (t *tidier) full() bool {
	if t.elements <= maxElements && len(t.xml) <= maxSkeleton {
		return false
	}
	t.repaired("more elements than can be meant: the rest left out")
	return true
}

// A tally counts the children of one name.
type tally struct {
	name string
	n    int
}

// first reports whether an element may be written: the first of its name in
// its parent, or one of those that may stand several times.
func (t *tidier) first(name string) bool {
	if several[name] {
		return t.room(name)
	}
	return t.count(name) == 1
}

// room reports whether the parent may hold one more of that name.
func (t *tidier) room(name string) bool {
	return t.count(name) <= maxSame || name == "item" || name == "entry"
}

// count notes one more child of that name and says how many that makes.
func (t *tidier) count(name string) int {
	parent := t.top()
	for i := range parent.seen {
		if parent.seen[i].name == name {
			parent.seen[i].n++
			return parent.seen[i].n
		}
	}
	parent.seen = append(parent.seen, tally{name, 1})
	return 1
}
