package web

import (
	"context"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"digest"
)

// limits is how much strangers and readers may ask for.
type limits struct {
	pingers, pinged, pings, lookups, signIns, signUps, ceremonies, finds, imports, exports, rounds, linked, joins,
	tests, clicks, owners, hubAskers, hubAsked, pushers, forgers, previews *limiter
}

func newLimits() limits {
	return limits{
		// pings from one address: a host of blogs pings for many of them
		pingers: newLimiter(60, 10*time.Second),
		// pings of one feed or site: anyone can ping for anyone, and the site would pay
		pinged:    newLimiter(3, 8*time.Hour),
		pings:     newLimiter(200, 100*time.Millisecond), // all pings: each may cost the database a write
		hubAskers: newLimiter(60, 10*time.Second),        // subscriptions at our hub that one address asks for
		// of one domain's callbacks, whoever asks: it is called each time
		hubAsked: newLimiter(100, time.Minute),
		// looks at what the owner of a domain wants: anyone can have us look
		owners:  newLimiter(4, 30*time.Minute),
		lookups: newLimiter(60, 2*time.Second), // questions for a feed's status from one address

		signIns:    newLimiter(20, 3*time.Minute),  // letters to sign in that one network asks for
		signUps:    newLimiter(20, 3*time.Minute),  // letters to sign up
		ceremonies: newLimiter(60, 10*time.Second), // passkeys asked from one address: each is a row for a while

		// addresses that one reader looks for feeds at: each asks a site
		finds: newLimiter(60, 10*time.Second),
		// looks of one reader at what waits: all of it is read and rendered
		previews: newLimiter(6, 5*time.Minute),
		imports:  newLimiter(20, time.Minute),  // lists of one reader
		exports:  newLimiter(5, 5*time.Minute), // of all of one reader's data
		// of links in one reader's mail, of tokens, and of keys and looks at the DNS
		rounds:  newLimiter(5, 5*time.Minute),
		joins:   newLimiter(40, time.Minute),           // letters to join a newsletter that one network asks for
		tests:   newLimiter(10, 2*time.Minute),         // letters of a newsletter that one publisher tries
		clicks:  newLimiter(200, 10*time.Millisecond),  // counted in all: each is a write
		pushers: newLimiter(1000, 50*time.Millisecond), // pushes from one address: a hub pushes many feeds at once
		forgers: newLimiter(20, 10*time.Second),        // of these, those that are not signed as they should be
		linked:  newLimiter(120, time.Second),          // questions of programs from one address, by a token
	}
}

const (
	rows  = 4    // in which a limiter keeps what a key has spent
	cells = 4096 // of a row
)

// A limiter gives each key burst tokens and a new one after every span. It holds
// a fixed number of buckets, so that no crowd of strangers makes it grow. A key has
// a bucket in each row, and shares each with others, which nobody outside can know;
// it is refused only if all of them are spent. So a crowd that has spent many
// buckets hardly ever meets all those of somebody else.
type limiter struct {
	burst float64
	every time.Duration
	seed  maphash.Seed

	mu      sync.Mutex
	buckets [rows][cells]bucket
}

// A bucket is how much of the burst was spent at an instant.
type bucket struct {
	spent float64
	at    int64 // in milliseconds
}

// A share is what a request costs a key: less than a token where many stand
// behind it.
type share struct {
	key  string
	cost float64
}

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{burst: float64(burst), every: every, seed: maphash.MakeSeed()}
}

// allow uses one of key's tokens; false: there is none left.
func (l *limiter) allow(key string, now time.Time) bool {
	return l.allowAll([]share{{key, 1}}, now)
}

// allowAll uses what a request costs each key; false, and nothing is used, if one
// of them has not so much left.
func (l *limiter) allowAll(shares []share, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range shares {
		if l.spent(s.key, now) > l.burst-s.cost {
			return false
		}
	}
	for _, s := range shares {
		least := l.spent(s.key, now)
		for _, b := range l.of(s.key) {
			b.spent = max(b.spent, least+s.cost)
		}
	}
	return true
}

// spent is what a key has spent at most: what the least spent of its buckets says.
func (l *limiter) spent(key string, now time.Time) float64 {
	least := math.Inf(1)
	for _, b := range l.of(key) {
		if passed := now.UnixMilli() - b.at; passed > 0 {
			b.spent = max(0, b.spent-float64(passed)/float64(l.every.Milliseconds()))
			b.at = now.UnixMilli()
		}
		least = min(least, b.spent)
	}
	return least
}

// of gives the buckets of a key.
func (l *limiter) of(key string) (all [rows]*bucket) {
	hash := maphash.String(l.seed, key)
	for i := range all {
		all[i] = &l.buckets[i][hash>>(12*i)%cells]
	}
	return all
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
