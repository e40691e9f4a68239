package poller

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"digest"
)

const (
	// MostBodies is how many bytes the bodies of documents may have in memory at
	// once, from the first byte read until what was found in them is stored. A
	// document that is being read takes about as much again.
	MostBodies = 32 << 20
	// LeastBodies is the smallest bound with which the largest document can be read.
	LeastBodies = 16 << 20
	// largeBody is from when on a body is large. Large ones leave a quarter of the
	// memory to the others.
	largeBody = 2 << 20
	// freeBody of each body is not counted: it is what any poll in flight may have.
	freeBody = 64 << 10
	// roomPatience is how long a body waits for memory.
	roomPatience = 5 * time.Minute
)

// errNoRoom ends a poll for whose document there was no memory. Nothing is held
// against its feed.
var errNoRoom = errors.New(string(digest.Words("too many other documents are being parsed")))

// A memory is what bodies, and what was found in them, may have of it at once, in bytes.
// Where it is used up, the largest bodies wait: the smallest that waits is the first that
// gets more. Where a body that is not large would wait, or nobody who has some could go on,
// the largest of those that wait goes without: it is asked for another time. Where half of
// it waits to be stored, no further polls begin; a site that is slow holds up nobody.
type memory struct {
	most int64 // 0: MostBodies

	mu       sync.Mutex
	used     int64
	unstored int64   // of that: what waits to be stored
	busy     int     // holds that have some and do not wait
	waiting  []*wish // the smallest first
}

// A hold is what one body has of the memory.
type hold struct {
	memory   *memory
	bytes    int64 // guarded by memory.mu
	unstored bool  // its bytes wait to be stored; guarded too
}

// A wish is a hold that waits for more.
type wish struct {
	hold    *hold
	to      int64
	granted chan error // nil, or why it is not granted
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
	case err := <-w.granted:
		return err
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

// settle gives back what the hold has beyond so many bytes.
func (h *hold) settle(to int64) {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	if to <= freeBody {
		h.memory.empty(h)
	} else if to < h.bytes {
		h.memory.used -= h.bytes - to
		h.bytes = to
	}
	h.memory.wake()
}

// keep has the hold have as many bytes as wait to be stored, all of them counted.
func (h *hold) keep(bytes int64) {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.empty(h)
	h.memory.grant(h, bytes)
	h.memory.unstored += h.bytes
	h.unstored = true
	h.memory.wake()
}

// release gives back all that the hold has.
func (h *hold) release() {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.empty(h)
	h.memory.wake()
}

// full reports whether so much waits to be stored that nothing more should come.
func (m *memory) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unstored >= m.bound()/2
}

func (m *memory) bound() int64 { return cmp.Or(m.most, MostBodies) }

// ask gives a wish to wait for; nil: the hold has that much.
func (m *memory) ask(h *hold, to int64) *wish {
	m.mu.Lock()
	defer m.mu.Unlock()
	if to <= h.bytes {
		return nil
	}
	w := &wish{h, to, make(chan error, 1)}
	i, _ := slices.BinarySearchFunc(m.waiting, to, func(w *wish, to int64) int { return cmp.Compare(w.to, to+1) })
	m.waiting = slices.Insert(m.waiting, i, w)
	if h.bytes > 0 {
		m.busy--
	}
	m.wake()
	return w
}

// wake grants what can be granted, the smallest first.
func (m *memory) wake() {
	for len(m.waiting) > 0 {
		w := m.waiting[0]
		most := m.bound()
		if w.to > largeBody {
			most = most / 4 * 3
		}
		short := m.used + w.to - w.hold.bytes - most
		switch {
		case short <= 0:
			m.leave(w)
			m.grant(w.hold, w.to)
			w.granted <- nil
		case short <= m.unstored: // there is room when it is stored
			return
		case w.to > largeBody && m.busy > 0 || !m.refuseLargest(w):
			return
		}
	}
}

// refuseLargest ends the largest that waits and has some, but not for w; false: there
// is none.
func (m *memory) refuseLargest(w *wish) bool {
	for _, largest := range slices.Backward(m.waiting) {
		if largest != w && largest.hold.bytes > 0 {
			m.leave(largest)
			m.empty(largest.hold)
			largest.granted <- errNoRoom
			return true
		}
	}
	return false
}

// leave takes a wish out of those that wait; false: it waits no more.
func (m *memory) leave(w *wish) bool {
	i := slices.Index(m.waiting, w)
	if i < 0 {
		return false
	}
	m.waiting = slices.Delete(m.waiting, i, i+1)
	if w.hold.bytes > 0 {
		m.busy++
	}
	return true
}

// empty takes all that a hold has which does not wait.
func (m *memory) empty(h *hold) {
	if h.bytes > 0 {
		m.busy--
		m.used -= h.bytes
		if h.unstored {
			m.unstored -= h.bytes
		}
		h.bytes = 0
	}
	h.unstored = false
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
	if m.leave(w) {
		m.wake()
		return err
	}
	return <-w.granted
}
