package mailer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"digest"
)

// How long a group waits for company. A group of dots waits no longer than the
// last commit took, and leaves at once when no send is on its way to one; under
// load the commit before it is all the time it needs to gather.
const (
	dotWindow  = 5 * time.Millisecond   // at most
	dotHurry   = 200 * time.Microsecond // commits faster than this are not worth waiting for
	markWindow = 20 * time.Millisecond
)

var (
	errFenced = errors.New("the lease on the edition was lost")
	errQueue  = errors.New("the queue cannot be written")
)

// A committer writes the dots and marks of all connections, many to a
// transaction, from one goroutine. A dot is waited for, because the message's
// end must not be written before it is committed; a mark is not. But no dot is
// committed before the marks that came earlier: so each connection has at most
// one message out without its mark, and a crash leaves at most as many in doubt
// as there are connections.
type committer struct {
	ctx   context.Context
	queue Queue
	token string
	clock func() time.Time
	wake  chan struct{}
	took  time.Duration // the last commit of dots; of the goroutine alone
	done  chan struct{}

	mu      sync.Mutex
	onWay   int // sends begun that have not come to their dot
	dots    []dotRequest
	marks   []digest.Mark
	closing bool
	err     error // of the marks
}

type dotRequest struct {
	dot    digest.Dot
	result chan<- error
}

func newCommitter(ctx context.Context, queue Queue, token string, clock func() time.Time) *committer {
	c := &committer{ctx: ctx, queue: queue, token: token, clock: clock, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.run()
	return c
}

// change alters the state and wakes the goroutine to look at it.
func (c *committer) change(f func()) {
	c.mu.Lock()
	f()
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// coming announces a dot, gone takes the announcement back.
func (c *committer) coming() { c.change(func() { c.onWay++ }) }
func (c *committer) gone()   { c.change(func() { c.onWay-- }) }

// dot returns when the edition is committed as dotting. An error wraps
// errFenced when it is no longer ours, errQueue when nothing is known.
func (c *committer) dot(d digest.Dot) error {
	result := make(chan error, 1)
	c.change(func() {
		c.onWay--
		c.dots = append(c.dots, dotRequest{d, result})
	})
	err := <-result
	if err != nil {
		c.change(func() { c.onWay++ }) // as the caller counts it: not dotted
	}
	return err
}

func (c *committer) mark(m digest.Mark) { c.change(func() { c.marks = append(c.marks, m) }) }

// close writes what is left and gives the error of any mark that was lost.
func (c *committer) close() error {
	c.change(func() { c.closing = true })
	<-c.done
	return c.err
}

func (c *committer) run() {
	defer close(c.done)
	var dotsDue, marksDue <-chan time.Time
	for {
		c.mu.Lock()
		dots, marks, closing := len(c.dots), len(c.marks), c.closing
		full := dots > 0 && (c.onWay == 0 || c.took < dotHurry)
		c.mu.Unlock()
		switch {
		case full:
			dotsDue, marksDue = nil, nil
			c.writeDots()
			continue
		case closing && marks > 0:
			c.writeMarks()
			continue
		case closing:
			return
		}
		if dots > 0 && dotsDue == nil {
			dotsDue = time.After(min(c.took, dotWindow))
		}
		if marks > 0 && marksDue == nil {
			marksDue = time.After(markWindow)
		}
		select {
		case <-c.wake:
		case <-dotsDue:
			dotsDue, marksDue = nil, nil
			c.writeDots()
		case <-marksDue:
			marksDue = nil
			c.writeMarks()
		}
	}
}

func (c *committer) writeDots() {
	c.mu.Lock()
	requests := c.dots
	c.dots = nil
	c.mu.Unlock()
	dots := make([]digest.Dot, len(requests))
	for i, q := range requests {
		dots[i] = q.dot
	}
	start := time.Now()
	var won []digest.EditionID
	err := c.writeMarks()
	if err == nil {
		won, err = c.queue.BeginDot(c.ctx, c.clock(), c.token, dots)
	}
	c.took = time.Since(start)
	ours := make(map[digest.EditionID]bool, len(won))
	for _, id := range won {
		ours[id] = true
	}
	for _, q := range requests {
		switch {
		case err != nil:
			q.result <- fmt.Errorf("%w: %w", errQueue, err)
		case !ours[q.dot.ID]:
			q.result <- fmt.Errorf("%w: %w", errQueue, errFenced)
		default:
			q.result <- nil
		}
	}
}

// writeMarks tries for three seconds: a mark that is lost makes a known answer
// a doubt.
func (c *committer) writeMarks() (err error) {
	c.mu.Lock()
	marks := c.marks
	c.marks = nil
	c.mu.Unlock()
	if len(marks) == 0 {
		return nil
	}
	for wait := 100 * time.Millisecond; wait < 3*time.Second; wait *= 2 {
		if err = c.queue.Finish(c.ctx, c.clock(), c.token, marks); err == nil {
			return nil
		}
		time.Sleep(wait)
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	return err
}
