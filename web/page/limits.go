package page

import (
	"context"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"digest"
)

// limits contains the rate limiters for strangers and readers.
type limits struct {
	Pingers, Pinged, Pings, Lookups, SignIns, SignUps, Ceremonies, Finds, Imports, Exports, Rounds, Linked, Joins,
	Tests, Clicks, Owners, Pushers, Forgers, Previews *Limiter
}

func newLimits() limits {
	return limits{
		// Pings from one client. A blog host pings for many blogs.
		Pingers: newLimiter(60, 10*time.Second),
		// Pings of one feed or site. Anyone can ping for any site, and each ping may cause a
		// request to it.
		Pinged: newLimiter(3, 8*time.Hour),
		Pings:  newLimiter(200, 100*time.Millisecond), // all pings: each may write to the database
		// Checks of the rule of one domain's owner. Anyone can start them.
		Owners:  newLimiter(4, 30*time.Minute),
		Lookups: newLimiter(60, 2*time.Second), // queries for the status of a feed from one client

		SignIns:    newLimiter(20, 3*time.Minute),  // requests for sign-in emails from one network
		SignUps:    newLimiter(20, 3*time.Minute),  // requests for sign-up emails from one network
		Ceremonies: newLimiter(60, 10*time.Second), // passkey ceremonies from one client: each stores a row

		// Searches for feeds by one reader. Each sends requests to a site.
		Finds: newLimiter(60, 10*time.Second),
		// Previews for one reader. Each reads and renders all waiting posts.
		Previews: newLimiter(6, 5*time.Minute),
		Imports:  newLimiter(20, time.Minute),  // imports of one reader
		Exports:  newLimiter(5, 5*time.Minute), // exports of all data of one reader
		// New rounds of links, access tokens, and keys and DNS checks of one reader.
		Rounds: newLimiter(5, 5*time.Minute),
		// requests for confirmation emails of newsletters from one network
		Joins:  newLimiter(40, time.Minute),
		Tests:  newLimiter(10, 2*time.Minute),        // test emails of a newsletter by one publisher
		Clicks: newLimiter(200, 10*time.Millisecond), // all counted clicks: each is a write
		// pushes from one client: a hub pushes many feeds in a short time
		Pushers: newLimiter(1000, 50*time.Millisecond),
		Forgers: newLimiter(20, 10*time.Second), // of these, pushes without a valid signature
		Linked:  newLimiter(120, time.Second),   // API requests from one client
	}
}

const (
	rows  = 4    // buckets per key
	cells = 4096 // buckets per row
)

// A Limiter is a token bucket for each key: burst tokens at first, and a new one after every span.
// It has a fixed number of buckets, so that strangers cannot make it grow. A key has one bucket in
// each row, selected by a secret hash, and shares it with other keys. A request is denied only if
// all its buckets are empty. Requests with many other keys can therefore hardly ever block a given
// key.
type Limiter struct {
	burst float64
	every time.Duration
	seed  maphash.Seed

	mu      sync.Mutex
	buckets [rows][cells]bucket
}

// A bucket records how much was spent at an instant.
type bucket struct {
	spent float64
	at    int64 // Unix milliseconds
}

// A Share is the cost of a request for a key. It is below 1 if many clients share the key.
type Share struct {
	Key  string
	Cost float64
}

func newLimiter(burst int, every time.Duration) *Limiter {
	return &Limiter{burst: float64(burst), every: every, seed: maphash.MakeSeed()}
}

// Allow takes a token of key. It returns false if there is none left.
func (l *Limiter) Allow(key string, now time.Time) bool {
	return l.AllowAll([]Share{{key, 1}}, now)
}

// AllowAll takes the cost of a request from each key. If a key has too little left, it takes
// nothing and returns false.
func (l *Limiter) AllowAll(shares []Share, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range shares {
		if l.spent(s.Key, now) > l.burst-s.Cost {
			return false
		}
	}
	for _, s := range shares {
		least := l.spent(s.Key, now)
		for _, b := range l.of(s.Key) {
			b.spent = max(b.spent, least+s.Cost)
		}
	}
	return true
}

// spent returns the minimum of the key's buckets, an upper bound of its spending.
func (l *Limiter) spent(key string, now time.Time) float64 {
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

func (l *Limiter) of(key string) (all [rows]*bucket) {
	hash := maphash.String(l.seed, key)
	for i := range all {
		all[i] = &l.buckets[i][hash>>(12*i)%cells]
	}
	return all
}

// ReaderLocks limits each reader to one expensive operation at a time, so that no reader can slow
// down the others. It contains only readers with a request in progress, each with a channel that is
// closed at its end.
type ReaderLocks struct{ held sync.Map }

// Lock waits for the reader's lock.
func (l *ReaderLocks) Lock(ctx context.Context, id digest.UserID) (unlock func(), err error) {
	for {
		unlock, busy := l.TryLock(id)
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

// TryLock returns unlock if it got the reader's lock. Otherwise busy is closed when the lock is
// free.
func (l *ReaderLocks) TryLock(id digest.UserID) (unlock func(), busy <-chan struct{}) {
	done := make(chan struct{})
	if held, taken := l.held.LoadOrStore(id, done); taken {
		return nil, held.(chan struct{})
	}
	return func() { l.held.Delete(id); close(done) }, nil
}
