package web

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"digest"
)

// limits is how much strangers and readers may ask for.
type limits struct {
	pingers, pinged, pings, lookups, letters, ceremonies, finds, imports, exports *limiter
}

func newLimits() limits {
	return limits{
		pingers: newLimiter(60, 10*time.Second),        // pings from one address: a host of blogs pings for many of them
		pinged:  newLimiter(3, 8*time.Hour),            // pings of one feed or site: anyone can ping for anyone, and the site would pay
		pings:   newLimiter(200, 100*time.Millisecond), // all pings: each may cost the database a write
		lookups: newLimiter(60, 2*time.Second),         // questions for a feed's status from one address

		letters:    newLimiter(20, 3*time.Minute),  // letters asked for from one address
		ceremonies: newLimiter(60, 10*time.Second), // passkeys asked from one address: each is a row for a while

		finds:   newLimiter(60, 10*time.Second), // addresses that one reader looks for feeds at: each asks a site
		imports: newLimiter(20, time.Minute),    // lists of one reader
		exports: newLimiter(5, 5*time.Minute),   // of all of one reader's data
	}
}

// cells is how many keys a limiter can tell apart.
const cells = 4096

// A limiter gives each key burst tokens and a new one after every span. It
// holds a fixed number of buckets, so that no crowd of strangers makes it grow:
// keys that fall into one share it, and which do cannot be known from outside.
type limiter struct {
	burst float64
	every time.Duration
	seed  maphash.Seed

	mu      sync.Mutex
	buckets [cells]bucket
}

// A bucket is how much of the burst was spent at an instant.
type bucket struct {
	spent float64
	at    time.Time
}

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{burst: float64(burst), every: every, seed: maphash.MakeSeed()}
}

// allow uses one of key's tokens; false: there is none left.
func (l *limiter) allow(key string, now time.Time) bool {
	b := &l.buckets[maphash.String(l.seed, key)%cells]
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now.Sub(b.at); passed > 0 {
		b.spent = max(0, b.spent-float64(passed)/float64(l.every))
		b.at = now
	}
	if b.spent > l.burst-1 {
		return false
	}
	b.spent++
	return true
}

// readerLocks lets each reader do one thing at a time of a kind that is costly,
// so that no reader takes this machine from the others. Only readers whose
// request is under way are in it, each with a channel that is closed afterwards.
type readerLocks struct{ held sync.Map }

// lock waits for the reader's lock, until ctx ends.
func (l *readerLocks) lock(ctx context.Context, id digest.UserID) (unlock func(), err error) {
	for {
		unlock, busy := l.tryLock(id)
		if busy == nil {
			return unlock, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryLock takes the reader's lock if nobody has it; else busy is closed when it
// is free.
func (l *readerLocks) tryLock(id digest.UserID) (unlock func(), busy <-chan struct{}) {
	done := make(chan struct{})
	if held, taken := l.held.LoadOrStore(id, done); taken {
		return nil, held.(chan struct{})
	}
	return func() { l.held.Delete(id); close(done) }, nil
}
