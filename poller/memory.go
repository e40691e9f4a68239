package poller

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// MostBodies is how many bytes the bodies of documents may have in memory at
	// once, from the first byte read to the end of their Result.
	MostBodies = 32 << 20
	// largeBody is from when on a body is large. Large ones leave some of the memory
	// to the others.
	largeBody = 1 << 20
	mostLarge = MostBodies * 3 / 4
	// freeBody of each body is not counted: it is what any poll in flight may have.
	freeBody = 64 << 10
	// roomPatience is how long a body waits for memory.
	roomPatience = 5 * time.Minute
)

// errNoRoom ends a poll for whose document there was no memory. Nothing is held
// against its feed.
var errNoRoom = errors.New("too many large documents come at once")

// A memory is what bodies may have of it at once, in bytes. Where it is used up,
// the largest wait: the smallest that waits is the first that gets more. Should
// all wait that have some, the smallest gets more all the same, so
// that one after the other ends.
type memory struct {
	mu      sync.Mutex
	used    int64
	busy    int     // holds that have some and do not wait
	waiting []*wish // the smallest first
}

// A hold is what one body has of the memory.
type hold struct {
	memory *memory
	bytes  int64 // guarded by memory.mu
}

// A wish is a hold that waits for more.
type wish struct {
	hold    *hold
	to      int64
	granted chan struct{} // closed then
}

// grow waits until the hold may have so many bytes in all. A nil hold has no bounds.
func (h *hold) grow(ctx context.Context, to int64) error {
	if h == nil || to <= freeBody {
		return nil
	}
	w := h.memory.ask(h, to)
	if w == nil {
		return nil
	}
	patience := time.NewTimer(roomPatience)
	defer patience.Stop()
	select {
	case <-w.granted:
		return nil
	case <-patience.C:
		return h.memory.withdraw(w, errNoRoom)
	case <-ctx.Done():
		return h.memory.withdraw(w, ctx.Err())
	}
}

// add has the hold grow without waiting, for a moment.
func (h *hold) add(to int64) {
	if h == nil || to <= freeBody {
		return
	}
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.grant(h, to)
}

// release gives back all that the hold has.
func (h *hold) release() {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.bytes > 0 {
		m.busy--
		m.used -= h.bytes
		h.bytes = 0
	}
	m.wake()
}

// ask grants more at once, or gives a wish to wait for.
func (m *memory) ask(h *hold, to int64) *wish {
	m.mu.Lock()
	defer m.mu.Unlock()
	if to <= h.bytes {
		return nil
	}
	w := &wish{h, to, make(chan struct{})}
	i, _ := slices.BinarySearchFunc(m.waiting, to, func(w *wish, to int64) int { return int(w.to - to - 1) })
	m.waiting = slices.Insert(m.waiting, i, w)
	if h.bytes > 0 {
		m.busy--
	}
	m.wake()
	select {
	case <-w.granted:
		return nil
	default:
		return w
	}
}

// wake grants what can be granted, the smallest first.
func (m *memory) wake() {
	for len(m.waiting) > 0 {
		w := m.waiting[0]
		most := int64(MostBodies)
		if w.to > largeBody {
			most = mostLarge
		}
		if m.used+w.to-w.hold.bytes > most && m.busy > 0 {
			return
		}
		m.waiting = m.waiting[1:]
		if w.hold.bytes > 0 {
			m.busy++
		}
		m.grant(w.hold, w.to)
		close(w.granted)
	}
}

// grant gives a hold that does not wait so many bytes in all.
func (m *memory) grant(h *hold, to int64) {
	if to <= h.bytes {
		return
	}
	if h.bytes == 0 {
		m.busy++
	}
	m.used += to - h.bytes
	h.bytes = to
}

// withdraw takes a wish back that was not granted, which is the error; or it was.
func (m *memory) withdraw(w *wish, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.waiting, w)
	if i < 0 {
		return nil
	}
	m.waiting = slices.Delete(m.waiting, i, i+1)
	if w.hold.bytes > 0 {
		m.busy++
	}
	return err
}
