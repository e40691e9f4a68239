package mailer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// smtpTransport keeps connections to one server and runs one transaction at a
// time on each. It opens as many as there are calls of Send at once.
type smtpTransport struct {
	server server
	o      Options

	mu     sync.Mutex
	closed bool
	idle   []*smtpConn        // the most recently used last
	open   map[*smtpConn]bool // idle or in use
}

var errClosed = fmt.Errorf("%w: the mail transport is closed", errTooLate)

func newSMTP(s server, o Options) *smtpTransport {
	return &smtpTransport{server: s, o: o.withDefaults(), open: map[*smtpConn]bool{}}
}

// Idempotent is false: a server that accepted a message twice delivers it twice.
func (t *smtpTransport) Idempotent() bool { return false }

// Send runs one transaction, on a connection that is open already if there is
// one. A server may have hung up on such a connection meanwhile; that shows
// before the message has begun, and costs a new connection, nothing else.
func (t *smtpTransport) Send(ctx context.Context, e Envelope, message []byte, beforeDot func(context.Context) error) (Reply, error) {
	from, to, err := e.addresses()
	if err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	if c := t.takeIdle(); c != nil {
		reply, err := c.transact(ctx, from, to, message, beforeDot)
		t.put(c)
		if refused, ok := errors.AsType[*NotAcceptedError](err); !ok || !refused.hungUp() {
			return reply, err
		}
	}
	c, err := t.connect(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer t.put(c)
	return c.transact(ctx, from, to, message, beforeDot)
}

// hungUp reports what a server that closed an idle connection looks like: the
// end, or 421, in place of the answer to MAIL.
func (e *NotAcceptedError) hungUp() bool {
	return e.Stage == StageMail && (e.Reply.Code == 0 || e.Reply.Code == 421)
}

// addresses gives the bare addresses as they go on the wire.
func (e Envelope) addresses() (from, to string, err error) {
	a, err := parseAddress(e.From)
	if err != nil {
		return "", "", err
	}
	b, err := parseAddress(e.To)
	if err != nil {
		return "", "", err
	}
	return a.Address, b.Address, nil
}

func (t *smtpTransport) takeIdle() *smtpConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.idle)
	if n == 0 {
		return nil
	}
	c := t.idle[n-1]
	t.idle = t.idle[:n-1]
	c.idleTimer.Stop()
	return c
}

// put takes a connection back after a transaction, or ends it.
func (t *smtpTransport) put(c *smtpConn) {
	if !c.broken && c.sent >= t.o.PerConn {
		c.quit()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.broken || t.closed {
		c.conn.Close()
		delete(t.open, c)
		return
	}
	t.idle = append(t.idle, c)
	c.idleTimer = time.AfterFunc(t.o.Idle, func() { t.endIdle(c) })
}

// endIdle says goodbye on a connection that nobody has used meanwhile.
func (t *smtpTransport) endIdle(c *smtpConn) {
	t.mu.Lock()
	i := slices.Index(t.idle, c)
	if i >= 0 {
		t.idle = slices.Delete(t.idle, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		return
	}
	c.quit()
	c.conn.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
}

// Close says goodbye on idle connections and cuts the others.
func (t *smtpTransport) Close() error {
	t.mu.Lock()
	t.closed = true
	idle := t.idle
	t.idle = nil
	for _, c := range idle {
		c.idleTimer.Stop()
		delete(t.open, c)
	}
	for c := range t.open {
		c.conn.Close()
	}
	t.mu.Unlock()
	var wg sync.WaitGroup
	for _, c := range idle {
		wg.Go(func() {
			c.quit()
			c.conn.Close()
		})
	}
	wg.Wait()
	return nil
}

// DialFunc opens a network connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// quietReason keeps what a network error says but not which of our own ports it used.
func quietReason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Op + ": " + op.Err.Error()
	}
	return strings.TrimSpace(err.Error())
}
