package web

import (
	"context"
	"sync"
	"time"
)

// keptTimeout bounds how long it may take to find out anew what is kept.
const keptTimeout = time.Minute

// A kept is something that takes long to find out and is kept for a while. One
// caller at a time finds it out anew; others have what is kept, however old.
type kept[T any] struct {
	mu    sync.Mutex
	value T
	at    time.Time     // when it was found out; zero: never
	busy  chan struct{} // closed when who finds it out is done; nil: nobody does
}

// get gives what is kept, and when it was found out; the zero time if it never
// was. What is older than age is found out anew: get waits
// for that, but no longer than wait.
func (k *kept[T]) get(ctx context.Context, now time.Time, age, wait time.Duration, find func(context.Context) (T, error)) (T, time.Time) {
	k.mu.Lock()
	if k.at.IsZero() || now.Sub(k.at) >= age || now.Before(k.at) {
		if k.busy == nil {
			k.busy = make(chan struct{})
			go k.find(context.WithoutCancel(ctx), now, find)
		}
	}
	busy := k.busy
	k.mu.Unlock()
	if busy != nil {
		select {
		case <-busy:
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.value, k.at
}

func (k *kept[T]) find(ctx context.Context, now time.Time, find func(context.Context) (T, error)) {
	ctx, cancel := context.WithTimeout(ctx, keptTimeout)
	defer cancel()
	value, err := find(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.value, k.at = value, now
	}
	close(k.busy)
	k.busy = nil
}
