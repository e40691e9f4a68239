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
	// MostBodies is the memory for document bodies, in bytes, from the first byte read until their posts
	// are stored. Parsing a document takes about the same amount again.
	MostBodies = 32 << 20
	// LeastBodies is the smallest limit with which the largest document can be read.
	LeastBodies = 16 << 20
	// largeBody is the size from which a body is large. Large bodies leave a quarter of the memory to
	// others.
	largeBody = 2 << 20
	// freeBody bytes of each body are not counted: every poll in flight may use them.
	freeBody     = 64 << 10
	roomPatience = 5 * time.Minute
)

// errNoRoom ends a poll that got no memory for its document. It is no failure of the feed.
var errNoRoom = errors.New(string(digest.Words("too many other documents are being parsed")))

// A memory limits the bytes of all bodies and their posts. When it is used up, bodies wait, and the
// smallest gets memory first. The largest waiting body with memory is dropped and polled later in two
// cases: a body that is not large would wait, or no holder could continue. When half of the memory waits to
// be stored, no further polls begin. A slow site does not count there, so it delays no other.
type memory struct {
	most int64 // 0: MostBodies

	mu       sync.Mutex
	used     int64
	unstored int64   // bytes that wait to be stored
	busy     int     // holds with bytes that do not wait
	waiting  []*wish // sorted, the smallest first
}

// A hold is the part of the memory that one body has.
type hold struct {
	memory   *memory
	bytes    int64 // guarded by memory.mu
	unstored bool  // its bytes wait to be stored; guarded by memory.mu
}

// A wish is a request of a hold that waits for more memory.
type wish struct {
	hold    *hold
	to      int64
	granted chan error // nil, or the reason for the refusal
}

// grow waits until the hold may have that many bytes in total. A nil hold has no limit.
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

// add grows the hold without waiting.
func (h *hold) add(to int64) {
	if h == nil || to <= freeBody {
		return
	}
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.grant(h, to)
}

// settle shrinks the hold to that many bytes.
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

// keep sets the hold to the bytes that wait to be stored and counts all of them.
func (h *hold) keep(bytes int64) {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.empty(h)
	h.memory.grant(h, bytes)
	h.memory.unstored += h.bytes
	h.unstored = true
	h.memory.wake()
}

func (h *hold) release() {
	h.memory.mu.Lock()
	defer h.memory.mu.Unlock()
	h.memory.empty(h)
	h.memory.wake()
}

func (m *memory) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unstored >= m.bound()/2
}

func (m *memory) bound() int64 { return cmp.Or(m.most, MostBodies) }

// ask returns a wish to wait for, or nil if the hold has that much already.
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

// wake grants wishes, the smallest first, as far as there is memory.
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
		case short <= m.unstored: // there is enough memory after the next commit
			return
		case w.to > largeBody && m.busy > 0 || !m.refuseLargest(w):
			return
		}
	}
}

// refuseLargest refuses the largest waiting wish, other than w, whose hold has memory. It reports whether
// there was one.
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

// leave removes a wish from the queue and reports whether it was there.
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

// empty frees all bytes of a hold that does not wait.
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

// grant sets a hold that does not wait to that many bytes.
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

// withdraw removes a wish from the queue and returns err. If the wish was decided already, it returns that
// result.
func (m *memory) withdraw(w *wish, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leave(w) {
		m.wake()
		return err
	}
	return <-w.granted
}
