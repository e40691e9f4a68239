package store

import "iter"

// pageRows is how many rows of a long list are read at once. Each page is a
// statement of its own: whoever looks at a list for long holds no snapshot.
const pageRows = 1000

// pages gives a list of any length, of which no more than a page is in memory. next
// reads what comes after the last of a page; nil: the first page.
func pages[R any](next func(last *R) ([]R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var last *R
		for {
			page, err := next(last)
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
			if len(page) < pageRows {
				return
			}
			last = &page[len(page)-1]
		}
	}
}
