package digest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A FolderOrder is a reader's order of folders: their names, one for each line. The empty name is for feeds without a
// folder. The zero value sorts these feeds first and the folders by CompareNames. All lists of folders use it.
type FolderOrder string

// NewFolderOrder returns the order of names, each of one line.
func NewFolderOrder(names []string) FolderOrder { return FolderOrder(strings.Join(names, "\n")) }

// Arrange sorts the names of folders. Names that are not in the order are last, by CompareNames, but the empty name is
// first.
func (o FolderOrder) Arrange(names []string) {
	place := o.places()
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), CompareNames(a, b))
	})
}

// Move returns the order with one folder moved down by a number of places, or up if by is negative. The folder stops at
// the ends of the list. Folders in the order that no longer exist keep their places.
func (o FolderOrder) Move(folders []string, name string, by int) FolderOrder {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	for range min(by, len(folders)) {
		o = o.step(folders, name, step)
	}
	return o
}

// step swaps a folder with the one below it (by 1) or above it (by -1).
func (o FolderOrder) step(folders []string, name string, by int) FolderOrder {
	folders = slices.Clone(folders)
	o.Arrange(folders)
	at := slices.Index(folders, name)
	if at < 0 || at+by < 0 || at+by >= len(folders) {
		return o
	}
	all := slices.Concat(folders, o.names())
	o.Arrange(all)
	all = slices.Compact(all)
	from, to := slices.Index(all, name), slices.Index(all, folders[at+by])
	all[from], all[to] = all[to], all[from]
	return NewFolderOrder(all)
}

func (o FolderOrder) names() []string {
	if o == "" {
		return nil
	}
	return strings.Split(string(o), "\n")
}

// places returns a function from names to places. A name that is not in the order has the last place.
func (o FolderOrder) places() func(name string) int {
	names := o.names()
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return func(name string) int {
		if i, ok := at[name]; ok {
			return i
		}
		if name == "" {
			return -1
		}
		return len(names)
	}
}

// CompareNames compares names in the natural order: "Week 2" comes before "Week 10". Case matters only if names are
// otherwise equal.
func CompareNames(a, b string) int {
	return cmp.Or(compareNumbered(a, b), strings.Compare(a, b))
}

// compareNumbered compares texts letter by letter, but runs of digits by their values.
func compareNumbered(a, b string) int {
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		r, n := utf8.DecodeRuneInString(a)
		q, m := utf8.DecodeRuneInString(b)
		if c := cmp.Compare(unicode.ToLower(r), unicode.ToLower(q)); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
