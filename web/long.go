package web

import (
	"context"
	"sync"
)

// What is long (a list, a form with a name that is far too long) is held in memory while
// it is read, of all readers together so many bytes at most. One that is small takes nothing, and
// large ones leave a part to the others: nobody waits, and who is refused is told so.
const (
	mostLong  = 32 << 20 // bytes of all of them
	largeLong = 1 << 20  // from when on one is large
	freeLong  = maxBody  // bytes of each that are not counted: any form may have them
)

// longForms is how much of that is used.
type longForms struct {
	mu   sync.Mutex
	used int
}

// A longForm is what one request has of it. That of other requests is nil, and has no bounds.
type longForm struct {
	all   *longForms
	bytes int
}

func (l *longForms) begin() *longForm { return &longForm{all: l} }

// grow counts bytes that were read; errBusy: there is no room for them.
func (f *longForm) grow(n int) error {
	if f == nil {
		return nil
	}
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.bytes += n
	if f.bytes <= freeLong {
		return nil
	}
	most := mostLong
	if f.bytes > largeLong {
		most = mostLong / 4 * 3
	}
	counted := min(n, f.bytes-freeLong)
	if f.all.used+counted > most {
		f.bytes -= n
		return errBusy
	}
	f.all.used += counted
	return nil
}

// end gives back what the request had.
func (f *longForm) end() {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.all.used -= max(0, f.bytes-freeLong)
	f.bytes = 0
}

// places bounds how many requests do something costly at the same time. Each of them holds a token.
type places chan struct{}

// enter waits for a place. It returns errBusy if no place is free before ctx ends.
func (p places) enter(ctx context.Context) (leave func(), err error) {
	select {
	case p <- struct{}{}:
		return func() { <-p }, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}
