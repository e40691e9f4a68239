package web

import (
	"context"
	"sync"

	"digest"
)

// readerLocks lets each reader do one thing at a time of a kind that is costly,
// so that no reader takes this machine from the others. It holds nothing of
// readers who want none.
type readerLocks struct {
	mu sync.Mutex
	of map[digest.UserID]*readerLock
}

// A readerLock is one reader's: who sends to held has it. wanted is how many
// have it or wait for it.
type readerLock struct {
	held   chan struct{}
	wanted int
}

func newReaderLocks() *readerLocks { return &readerLocks{of: make(map[digest.UserID]*readerLock)} }

// lock waits for the reader's lock, until ctx ends.
func (l *readerLocks) lock(ctx context.Context, id digest.UserID) (unlock func(), err error) {
	held := l.want(id)
	select {
	case held <- struct{}{}:
		return func() { <-held; l.unwant(id) }, nil
	case <-ctx.Done():
		l.unwant(id)
		return nil, ctx.Err()
	}
}

// tryLock takes the reader's lock if nobody has it.
func (l *readerLocks) tryLock(id digest.UserID) (unlock func(), ok bool) {
	held := l.want(id)
	select {
	case held <- struct{}{}:
		return func() { <-held; l.unwant(id) }, true
	default:
		l.unwant(id)
		return nil, false
	}
}

func (l *readerLocks) want(id digest.UserID) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[id] == nil {
		l.of[id] = &readerLock{held: make(chan struct{}, 1)}
	}
	l.of[id].wanted++
	return l.of[id].held
}

func (l *readerLocks) unwant(id digest.UserID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[id].wanted--; l.of[id].wanted == 0 {
		delete(l.of, id)
	}
}
