package mailer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"digest"
)

// mark records what became of an edition, says so, and counts it. The record is
// written soon, together with others.
func (r *run) mark(d digest.Delivery, m digest.Mark) {
	switch m.State {
	case digest.EditionSent:
		r.count(func(s *Stats) { s.Sent++ })
	case digest.EditionFailed:
		r.count(func(s *Stats) { s.Failed++ })
		r.log.Warn("a mail server rejected an edition permanently", "edition", d.ID, "reader", d.Email, "reply",
			m.Reply, "reason", m.Error)
	case digest.EditionExpired:
		r.count(func(s *Stats) { s.Failed++ })
		r.log.Warn("an edition expired", "edition", d.ID, "reader", d.Email, "attempt", d.Attempt, "reply", m.Reply,
			"reason", m.Error)
	case digest.EditionInDoubt, digest.EditionUnconfirmed:
		r.count(func(s *Stats) {
			if m.State == digest.EditionUnconfirmed {
				s.Unconfirmed++
			} else {
				s.InDoubt++
			}
		})
		r.log.Warn("no reply after sending an edition; it is in doubt",
			"edition", d.ID, "digest", d.DigestID, "state", m.State, "reason", m.Error)
	case digest.EditionReady:
		if !m.Uncounted { // else its lane is to blame, and says so itself
			r.count(func(s *Stats) { s.Retried++ })
			r.log.Info("an edition was deferred", "edition", d.ID, "attempt", d.Attempt, "again_at", m.NextAt, "reason",
				m.Error)
		}
	}
	r.marks.mark(m)
}

// How long a group waits for company. A group of dots waits no longer than the
// last commit took, and leaves at once when no send is on its way to one; under
// load the commit before it is all the time it needs to gather.
const (
	dotWindow  = 5 * time.Millisecond   // at most
	dotHurry   = 200 * time.Microsecond // commits faster than this are not worth waiting for
	markWindow = 20 * time.Millisecond
)

// unsyncedWindow is how many editions of each connection may be marked as sent
// by commits that did not wait for the disk.
const unsyncedWindow = 8

var (
	errFenced = errors.New("the lease on the edition was lost")
	errQueue  = errors.New("the queue cannot be written")
)

// A committer writes the dots and marks of all connections, many to a
// transaction, one at a time. A dot is waited for, because the message's
// end must not be written before it is committed; a mark is not. But no dot is
// committed before the marks that came earlier: so each connection has at most
// one message out without its mark, and a kill leaves at most as many in doubt
// as there are connections.
//
// What a kill cannot undo needs no disk: dots, and the marks of what was
// accepted, are committed without waiting for it (MarkEditionsUnsynced). Such
// marks are held and written once more, with the next commit that does wait: it
// comes after markWindow, or when window of them are held, so that no more is
// undone when the power fails, and nothing at all while this process lives.
// Every other mark waits for the disk: written twice, it could meet an edition
// that has been claimed again.
type committer struct {
	ctx    context.Context
	queue  Queue
	token  string
	clock  func() time.Time
	wrote  func(marks int) // called after marks were written, or could not be
	window int             // unsynced marks at most; 0: every commit waits for the disk
	wake   chan struct{}
	done   chan struct{}

	commit chan struct{} // full during a commit; taken before mu

	mu       sync.Mutex
	took     time.Duration // the last commit of dots
	onWay    int           // sends begun that have not come to their dot
	dots     []dotRequest
	marks    []digest.Mark
	unsynced []digest.Mark // written, but by no commit that waited for the disk
	eager    bool          // marks are waited for
	closing  bool
	err      error // of the marks
}

type dotRequest struct {
	dot    digest.Dot
	result chan<- error
}

func newCommitter(ctx context.Context, queue Queue, token string, clock func() time.Time, wrote func(marks int),
	window int) *committer {
	c := &committer{
		ctx: ctx, queue: queue, token: token, clock: clock, wrote: wrote, window: window,
		wake: make(chan struct{}, 1), done: make(chan struct{}), commit: make(chan struct{}, 1),
	}
	go c.run()
	return c
}

// nudge makes the goroutine look at the state again.
func (c *committer) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// announceDot announces a dot, withdrawDot takes the announcement back.
func (c *committer) announceDot() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onWay++
}

func (c *committer) withdrawDot() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onWay--; len(c.dots) > 0 {
		c.nudge()
	}
}

// full reports that a group of dots need not wait any longer.
func (c *committer) full() bool {
	return len(c.dots) > 0 && (c.onWay == 0 || c.took < dotHurry)
}

// dot returns when the edition is committed as dotting. An error wraps
// errFenced when it is no longer ours, errQueue when nothing is known.
func (c *committer) dot(d digest.Dot) error {
	result := make(chan error, 1)
	c.mu.Lock()
	c.onWay--
	c.dots = append(c.dots, dotRequest{d, result})
	full := c.full()
	c.mu.Unlock()
	if full {
		c.writeDots() // here and now: waking the goroutine would take longer
	} else {
		c.nudge()
	}
	err := <-result
	if err != nil {
		c.announceDot() // as the caller counts it: not dotted
	}
	return err
}

func (c *committer) mark(m digest.Mark) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.marks = append(c.marks, m); len(c.marks) == 1 {
		c.nudge()
	}
}

// hurry says whether marks are waited for: then they wait for no company.
func (c *committer) hurry(eager bool) {
	c.mu.Lock()
	c.eager = eager
	c.mu.Unlock()
	if eager {
		c.nudge()
	}
}

// close writes what is left and gives the error of any mark that was lost.
func (c *committer) close() error {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.nudge()
	<-c.done
	return c.err
}

// run writes what has waited long enough.
func (c *committer) run() {
	defer close(c.done)
	var dotsDue, marksDue <-chan time.Time
	for {
		c.mu.Lock()
		dots, marks, closing, full, took := len(c.dots), len(c.marks), c.closing, c.full(), c.took
		unsynced := len(c.unsynced)
		eager := c.eager
		c.mu.Unlock()
		switch {
		case full:
			c.writeDots()
			continue
		case eager && marks > 0:
			c.writeMarks()
			continue
		case closing:
			c.writeMarks()
			return
		}
		if dotsDue == nil && dots > 0 {
			dotsDue = time.After(min(took, dotWindow))
		}
		if marksDue == nil && marks+unsynced > 0 {
			marksDue = time.After(markWindow)
		}
		select {
		case <-c.wake:
		case <-dotsDue:
			dotsDue = nil
			c.writeDots()
		case <-marksDue:
			marksDue = nil
			c.writeMarks()
		}
	}
}

func (c *committer) writeDots() {
	c.commit <- struct{}{}
	defer func() { <-c.commit }()
	c.mu.Lock()
	requests, lost := c.dots, c.err
	c.dots = nil
	c.mu.Unlock()
	if lost != nil { // no promise without the marks that came earlier
		for _, q := range requests {
			q.result <- fmt.Errorf("%w: %w", errQueue, lost)
		}
		requests = nil
	}
	if len(requests) == 0 { // somebody was faster
		return
	}
	dots := make([]digest.Dot, len(requests))
	for i, q := range requests {
		dots[i] = q.dot
	}
	start := time.Now()
	won, err := c.write(dots)
	c.mu.Lock()
	c.took = time.Since(start)
	c.mu.Unlock()
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

// write commits dots with the marks that came earlier. Marks that could not be
// written with the dots are tried for longer, alone; the dots are not worth that.
func (c *committer) write(dots []digest.Dot) ([]digest.EditionID, error) {
	c.mu.Lock()
	marks, unsynced := c.marks, c.unsynced
	c.marks, c.unsynced = nil, nil
	c.mu.Unlock()
	all := slices.Concat(unsynced, marks)
	var won []digest.EditionID
	var err error
	soon := needsNoDisk(c.window, marks, unsynced)
	if soon {
		won, err = c.queue.MarkEditionsUnsynced(c.ctx, c.clock(), c.token, marks, dots)
	} else {
		won, err = c.queue.MarkEditions(c.ctx, c.clock(), c.token, all, dots)
	}
	switch {
	case err == nil:
		if soon {
			c.keep(all)
		}
		c.wrote(len(marks))
		return won, nil
	case len(all) == 0:
		return nil, err
	}
	if err := c.finish(all, len(marks)); err != nil {
		return nil, err
	}
	return c.queue.MarkEditions(c.ctx, c.clock(), c.token, nil, dots)
}

// needsNoDisk reports whether marks may be committed without waiting for the disk.
func needsNoDisk(window int, marks, unsynced []digest.Mark) bool {
	return len(unsynced)+len(marks) < window && !slices.ContainsFunc(marks, func(m digest.Mark) bool {
		return m.State != digest.EditionSent || m.Bounce != nil || m.Uncounted
	})
}

// keep keeps marks until a commit waits for the disk.
func (c *committer) keep(marks []digest.Mark) {
	c.mu.Lock()
	first := len(c.unsynced) == 0 && len(marks) > 0
	c.unsynced = marks
	c.mu.Unlock()
	if first {
		c.nudge()
	}
}

func (c *committer) writeMarks() {
	c.commit <- struct{}{}
	defer func() { <-c.commit }()
	c.mu.Lock()
	unsynced, marks := c.unsynced, c.marks
	c.unsynced, c.marks = nil, nil
	c.mu.Unlock()
	c.finish(append(unsynced, marks...), len(marks)) //nolint:errcheck // saved for close
}

// markPatience is a little less than the 15 minutes after which an unmarked dot is in doubt.
const markPatience = 12 * time.Minute

// finish writes marks, and tries for as long as the editions are not in doubt
// for others (RecoverEditions): a mark that is lost makes a known answer a doubt,
// and the reader gets the edition twice (I6). So many of the marks are new.
func (c *committer) finish(marks []digest.Mark, fresh int) (err error) {
	if len(marks) == 0 {
		return nil
	}
	defer c.wrote(fresh)
	const most = 5 * time.Second
	patience := time.NewTimer(markPatience)
	defer patience.Stop()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, most) {
		if _, err = c.queue.MarkEditions(c.ctx, c.clock(), c.token, marks, nil); err == nil {
			return nil
		}
		select {
		case <-time.After(wait):
			continue
		case <-patience.C:
		case <-c.ctx.Done():
		}
		break
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	return err
}
