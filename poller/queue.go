package poller

import (
	"sync"
	"time"
)

// A queues holds the queue of each host or site, by name. It drops an unused queue after the host's pause.
type queues struct {
	now func() time.Time

	mu      sync.Mutex
	byName  map[string]*queue
	sweepAt int // the number of queues from which sweep drops idle ones
}

// A queue limits the requests to one host. Each join needs a part.
type queue struct {
	all   *queues
	name  string
	wire  chan struct{} // one token for each request in flight
	users int           // that wait or have a token; guarded by all.mu
	free  time.Time     // end of the pause; guarded by all.mu
}

const firstSweep = 1024

func newQueues(now func() time.Time) *queues {
	return &queues{now: now, byName: make(map[string]*queue), sweepAt: firstSweep}
}

// join returns the queue of a name, which permits width requests at a time.
func (q *queues) join(name string, width int) *queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.byName[name]
	if l == nil {
		q.sweep()
		l = &queue{all: q, name: name, wire: make(chan struct{}, width)}
		q.byName[name] = l
	}
	l.users++
	return l
}

// sweep drops idle queues from time to time, so that the map does not grow.
func (q *queues) sweep() {
	if len(q.byName) < q.sweepAt {
		return
	}
	for _, l := range q.byName {
		l.forget()
	}
	q.sweepAt = max(firstSweep, 2*len(q.byName))
}

// forget drops an idle queue. The caller holds the lock.
func (l *queue) forget() {
	if l.users == 0 && !l.free.After(l.all.now()) {
		delete(l.all.byName, l.name)
	}
}

func (l *queue) part() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.users--
	l.forget()
}

func (l *queue) freeAt() time.Time {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return l.free
}

// rest extends the pause of the host to a time.
func (l *queue) rest(until time.Time) {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.free = latest(l.free, until)
}
