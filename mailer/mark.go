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

// mark logs and counts the result of an edition, and passes it to the committer, which stores it soon.
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
		if !m.Uncounted { // otherwise the lane logs the cause
			r.count(func(s *Stats) { s.Retried++ })
			r.log.Info("an edition was deferred", "edition", d.ID, "attempt", d.Attempt, "again_at", m.NextAt, "reason",
				m.Error)
		}
	}
	r.marks.mark(m)
}

// These are the times for which a group waits for more members. A group of dots waits at most as long as the last
// commit of dots took. It does not wait if no send is about to reach its dot. Under load the previous commit is time
// enough.
const (
	dotWindow  = 5 * time.Millisecond
	dotHurry   = 200 * time.Microsecond // it is not worth waiting for faster commits
	markWindow = 20 * time.Millisecond
)

// unsyncedWindow is the number of editions of each connection that commits without a sync to disk may mark as sent.
const unsyncedWindow = 8

var (
	errFenced = errors.New("the lease on the edition was lost")
	errQueue  = errors.New("the queue cannot be written")
)

// A committer writes the dots and marks of all connections, many in one transaction. It runs one transaction at a time.
// A connection waits for the commit of its dot before it ends the message, but not for its mark. A commit of dots
// includes all earlier marks. So each connection has at most one message without a stored mark, and a kill leaves at
// most one edition per connection in doubt.
//
// A kill does not undo a commit that has not been synced to disk. So dots, and the marks of accepted messages, are
// committed without a sync (MarkEditionsUnsynced). The committer keeps such marks and writes them again with the next
// synced commit. That happens after markWindow, or when window marks are unsynced. So a loss of power undoes at most
// that many marks, and none while this process lives.
//
// Every other mark waits for the disk. If it were written twice, the second time could affect an edition that has been
// claimed again.
type committer struct {
	ctx    context.Context
	queue  Queue
	token  string
	clock  func() time.Time
	wrote  func(marks int) // called after marks were written or failed
	window int             // maximum of unsynced marks; 0 if every commit waits for the disk
	wake   chan struct{}
	done   chan struct{}

	commit chan struct{} // full during a commit; acquired before mu

	mu       sync.Mutex
	took     time.Duration // duration of the last commit of dots
	onWay    int           // sends before their dot
	dots     []dotRequest
	marks    []digest.Mark
	unsynced []digest.Mark // written, but not yet synced to disk
	eager    bool          // a caller waits for marks
	closing  bool
	err      error // of writing marks
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

// nudge wakes the goroutine to check the state.
func (c *committer) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// announceDot announces a dot; withdrawDot cancels the announcement.
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

func (c *committer) full() bool {
	return len(c.dots) > 0 && (c.onWay == 0 || c.took < dotHurry)
}

// dot returns when the edition is committed as dotting. The error wraps errFenced if the lease was lost, and errQueue
// if the state is unknown.
func (c *committer) dot(d digest.Dot) error {
	result := make(chan error, 1)
	c.mu.Lock()
	c.onWay--
	c.dots = append(c.dots, dotRequest{d, result})
	full := c.full()
	c.mu.Unlock()
	if full {
		c.writeDots() // directly, because waking the goroutine takes longer
	} else {
		c.nudge()
	}
	err := <-result
	if err != nil {
		c.announceDot() // the caller withdraws it
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

// hurry sets whether a caller waits for marks. Then marks are written without delay.
func (c *committer) hurry(eager bool) {
	c.mu.Lock()
	c.eager = eager
	c.mu.Unlock()
	if eager {
		c.nudge()
	}
}

// close writes the remaining marks and returns the error of any lost mark.
func (c *committer) close() error {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.nudge()
	<-c.done
	return c.err
}

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
	if lost != nil { // dots may be committed only after earlier marks
		for _, q := range requests {
			q.result <- fmt.Errorf("%w: %w", errQueue, lost)
		}
		requests = nil
	}
	if len(requests) == 0 { // another caller has written them
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

// write commits dots with all earlier marks. If that fails, it retries the marks alone for longer.
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

// keep stores marks until a commit is synced to disk.
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

// markPatience is a little less than the 15 minutes after which a dot without a mark is in doubt.
const markPatience = 12 * time.Minute

// finish writes marks, and retries until other workers may consider the editions in doubt (RecoverEditions). A lost
// mark puts a delivered edition in doubt, and the reader gets it twice (I6). fresh is the number of new marks.
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
