package digest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A FolderOrder is the order in which a reader wants their folders: names, one a line. The empty name is
// for the feeds of no folder. The zero one says nothing: then those of no folder come first, and the
// others in the order of CompareNames. It holds wherever folders stand in a row.
type FolderOrder string

// NewFolderOrder is the order of names, each of one line.
func NewFolderOrder(names []string) FolderOrder { return FolderOrder(strings.Join(names, "\n")) }

// Arrange puts the names of folders into the order. Those that it does not name come last, by CompareNames; the
// empty one first of all.
func (o FolderOrder) Arrange(names []string) {
	place := o.places()
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), CompareNames(a, b))
	})
}

// Move gives the order in which one of the folders stands so many places further down; fewer than 0: further up.
// Folders that the order names and that are not there keep their places. At the end of the list it goes no further.
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

// step lets a folder change places with the one below it, or with the one above.
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

// places gives the place of each name; of those that are not in the order it is the last.
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

// CompareNames compares names as people look for them: numbers by their values, so that "Week 2" comes before
// "Week 10", and capitals only where nothing else differs.
func CompareNames(a, b string) int {
	return cmp.Or(compareNumbered(a, b), strings.Compare(a, b))
}

// compareNumbered compares text letter by letter, but runs of digits by their values.
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

// digits is how many digits a text begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
