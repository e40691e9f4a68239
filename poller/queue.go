package poller

import (
	"sync"
	"time"
)

// queues are the ways to hosts, by name. One is forgotten when nobody uses it
// and its host may be asked again.
type queues struct {
	now func() time.Time

	mu      sync.Mutex
	byName  map[string]*queue
	sweepAt int // the number of queues at which idle ones are looked for
}

// A queue is the way to one host: whoever joins it parts.
type queue struct {
	all   *queues
	name  string
	wire  chan struct{} // holds a token for each request under way
	users int           // who wait or ask; guarded by all.mu
	free  time.Time     // from when the host may be asked; guarded by all.mu
}

const firstSweep = 1024

func newQueues(now func() time.Time) *queues {
	return &queues{now: now, byName: make(map[string]*queue), sweepAt: firstSweep}
}

// join gives the queue of a name, which lets so many through at once.
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

// sweep forgets the idle ones, once in a while: the map stays as large as what is
// going on.
func (q *queues) sweep() {
	if len(q.byName) < q.sweepAt {
		return
	}
	for _, l := range q.byName {
		l.forget()
	}
	q.sweepAt = max(firstSweep, 2*len(q.byName))
}

// forget drops a queue that is idle; the caller holds the lock.
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

// rest leaves the host alone until a time at least.
func (l *queue) rest(until time.Time) {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.free = latest(l.free, until)
}
