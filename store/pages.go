package store

import "iter"

// pageRows is how many rows of a long list one statement reads. Each page is a statement of its own, so that a slow
// consumer holds no snapshot.
const pageRows = 1000

// pages returns a list of any length, with one page in memory at a time. next reads the page after last; nil means
// the first page.
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
