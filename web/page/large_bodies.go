package page

import (
	"context"
	"sync"
)

// Large request bodies, such as imports, are in memory while they are parsed. These constants limit
// the total of all requests. Small bodies do not count. Large ones may use only three quarters of
// the total. A request over the limit fails immediately instead of waiting.
const (
	mostLong  = 32 << 20 // bytes in total
	largeLong = 1 << 20  // bytes from which a body is large
	freeLong  = MaxBody  // bytes of each body that do not count
)

// longForms counts the bytes of all large bodies.
type longForms struct {
	mu   sync.Mutex
	used int
}

// A longForm counts the bytes of one body. A nil longForm has no limit.
type longForm struct {
	all   *longForms
	bytes int
}

func (l *longForms) begin() *longForm { return &longForm{all: l} }

// grow counts n more bytes. It returns errBusy if the limit is reached.
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

func (f *longForm) end() {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	f.all.used -= max(0, f.bytes-freeLong)
	f.bytes = 0
}

// Places is a semaphore for expensive requests.
type Places chan struct{}

// Enter waits for a place. It returns errBusy if no place is free before ctx ends.
func (p Places) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case p <- struct{}{}:
		return func() { <-p }, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}
