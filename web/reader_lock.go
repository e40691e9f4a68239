package web

import (
	"context"
	"sync"

	"digest"
)

// turns lets each reader do one thing at a time of a kind that is costly, so
// that no reader takes this machine from the others. It holds nothing of
// readers who want none.
type turns struct {
	mu sync.Mutex
	of map[digest.UserID]*turn
}

// A turn is a reader's: who sends to seat has it.
type turn struct {
	seat   chan struct{}
	wanted int
}

func newTurns() *turns { return &turns{of: make(map[digest.UserID]*turn)} }

// take waits for the reader's turn, until ctx ends; leave gives it back.
func (t *turns) take(ctx context.Context, id digest.UserID) (leave func(), err error) {
	seat := t.join(id)
	select {
	case seat <- struct{}{}:
		return func() { <-seat; t.part(id) }, nil
	case <-ctx.Done():
		t.part(id)
		return nil, ctx.Err()
	}
}

// try takes the reader's turn if nobody has it.
func (t *turns) try(id digest.UserID) (leave func(), ok bool) {
	seat := t.join(id)
	select {
	case seat <- struct{}{}:
		return func() { <-seat; t.part(id) }, true
	default:
		t.part(id)
		return nil, false
	}
}

func (t *turns) join(id digest.UserID) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[id] == nil {
		t.of[id] = &turn{seat: make(chan struct{}, 1)}
	}
	t.of[id].wanted++
	return t.of[id].seat
}

func (t *turns) part(id digest.UserID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[id].wanted--; t.of[id].wanted == 0 {
		delete(t.of, id)
	}
}
