package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"digest"
)

// smtpTransport keeps connections to one server open, and runs one transaction at a time on each. It opens as many as
// there are concurrent calls of Send.
type smtpTransport struct {
	server server
	o      Options

	mu     sync.Mutex
	closed bool
	idle   []*smtpConn // the most recently used last
	open   map[*smtpConn]bool
}

// mostIdle is how long an unused connection stays open.
const mostIdle = 30 * time.Second

var errClosed = fmt.Errorf("%w: the mail transport is closed", errTooLate)

func newSMTP(s server, o Options) *smtpTransport {
	return &smtpTransport{server: s, o: o.withDefaults(), open: map[*smtpConn]bool{}}
}

// Idempotent returns false, because a server delivers a message twice that it accepts twice.
func (t *smtpTransport) Idempotent() bool { return false }

// Send runs one transaction, on an idle connection if there is one. The server may have closed that connection. Send
// detects this before the message begins, and opens a new connection.
func (t *smtpTransport) Send(ctx context.Context, e Envelope, message []byte, beforeDot func(context.Context) error) (
	Reply, error) {
	wire, err := e.onWire()
	if err != nil {
		return Reply{}, &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	if c := t.reuseIdle(); c != nil {
		reply, err := c.transact(ctx, wire, message, beforeDot)
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
	return c.transact(ctx, wire, message, beforeDot)
}

// hungUp reports whether the server had closed an idle connection: it sent nothing or 421 in reply to MAIL.
func (e *NotAcceptedError) hungUp() bool {
	return e.Stage == StageMail && (e.Reply.Code == 0 && !e.isUnsendable() || e.Reply.Code == 421)
}

// isUnsendable reports whether the server cannot accept the message at all.
func (e *NotAcceptedError) isUnsendable() bool { return errors.Is(e.Err, errNoUTF8) || e.isTooLarge() }

// isTooLarge reports whether the message is too large for the server, by its SIZE or by its reply. A bare 552 to RCPT
// means a full mailbox.
func (e *NotAcceptedError) isTooLarge() bool {
	_, announced := errors.AsType[*tooLargeError](e.Err)
	return announced || e.Reply.isTooLarge() && (e.Stage != StageRcpt || e.Reply.Enhanced != "")
}

type wireEnvelope struct {
	from, to string
	utf8     bool          // to needs SMTPUTF8
	watch    time.Duration // duration of the watch before beforeDot
}

func (e Envelope) onWire() (wireEnvelope, error) {
	from, err := parseAddress(e.From)
	if err != nil {
		return wireEnvelope{}, err
	}
	to, err := parseAddress(e.To)
	if err != nil {
		return wireEnvelope{}, err
	}
	w := wireEnvelope{from: bare(from), to: bare(to), utf8: needsUTF8(to.Address), watch: usualWatch}
	if e.Again {
		w.watch = carefulWatch
	}
	return w, nil
}

func (t *smtpTransport) reuseIdle() *smtpConn {
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

// put returns a connection after a transaction to the idle ones, or closes it.
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
	c.idleTimer = time.AfterFunc(mostIdle, func() { t.endIdle(c) })
}

// endIdle closes a connection if it is still idle.
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

// Close sends QUIT on idle connections and aborts the others.
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

// connect opens a connection with go-mail: dial, EHLO, STARTTLS and login. go-mail does not close the connection after
// an error, so connect does. Every failure concerns the route.
func (t *smtpTransport) connect(outer context.Context) (*smtpConn, error) {
	ctx, cancel := context.WithTimeout(outer, t.o.DialTimeout)
	defer cancel()
	conn, client, err := t.dial(ctx)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		if outer.Err() != nil {
			return nil, &NotAcceptedError{Stage: StageConnect, Err: stoppedBy(outer)}
		}
		return nil, t.connectError(ctx, err)
	}
	c := newConn(conn, client)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		conn.Close()
		return nil, &NotAcceptedError{Stage: StageConnect, Err: errClosed}
	}
	t.open[c] = true
	return c, nil
}

func (t *smtpTransport) dial(ctx context.Context) (conn *patientConn, client *smtp.Client, err error) {
	stop := func() bool { return true }
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		raw, err := t.o.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &patientConn{Conn: raw}
		conn.wait(t.o.DialTimeout)
		stop = context.AfterFunc(ctx, func() { raw.Close() })
		if t.server.security == implicitTLS {
			return tls.Client(conn, t.tlsConfig()), nil
		}
		return conn, nil
	}
	factory, err := gomail.NewClient(t.server.host, t.clientOptions(dial)...)
	if err != nil {
		return nil, nil, fmt.Errorf("setting up: %w", err)
	}
	client, err = factory.DialToSMTPClientWithContext(ctx)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	return conn, client, err
}

func (t *smtpTransport) clientOptions(dial DialFunc) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(t.server.port),
		gomail.WithTimeout(t.o.DialTimeout),
		gomail.WithDialContextFunc(gomail.DialContextFunc(dial)),
		gomail.WithTLSConfig(t.tlsConfig()),
		gomail.WithoutSMTPUTF8(), // go-mail would request it for every message; transact requests it if needed
	}
	switch t.server.security {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case implicitTLS:
		options = append(options, gomail.WithSSL())
	case plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if t.o.Helo != "" {
		options = append(options, gomail.WithHELO(t.o.Helo))
	}
	if t.server.user != "" {
		options = append(options, t.login(),
			gomail.WithUsername(t.server.user), gomail.WithPassword(t.server.password))
	}
	return options
}

// login returns the mechanisms in order of preference. Without encryption, which is allowed only on loopback, the
// mechanisms that reveal the password are last.
func (t *smtpTransport) login() gomail.Option {
	if t.server.security == plain {
		return gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
			gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc)
	}
	return gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
		gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5)
}

func (t *smtpTransport) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.o.TLS != nil {
		config = t.o.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = t.server.host
	}
	return config
}

// connectError describes a failed connection, with the server but without the login.
func (t *smtpTransport) connectError(ctx context.Context, err error) error {
	e := &NotAcceptedError{Stage: StageConnect}
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		e.Reply.Code = answer.Code
		e.Reply.Enhanced, e.Reply.Text = cutEnhanced(answer.Code, digest.OneLine(answer.Msg))
		e.Reply.Text = digest.FirstBytes(e.Reply.Text, maxReplyText)
	}
	if strings.HasPrefix(err.Error(), "SMTP AUTH failed") { // go-mail has no error type for it
		e.Stage = StageAuth
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errors.New("no answer in " + t.o.DialTimeout.String())
	}
	if what, todo, ok := t.server.diagnoseOffer(err.Error()); ok {
		err = errors.New(what + "; " + todo)
	}
	e.Err = fmt.Errorf("mail server %s: %s", t.server.address(),
		short(digest.Bare(err).Error()))
	return e
}

// patientConn applies a timeout to each read and write. It ignores the deadline that go-mail sets for a whole session.
// It is below TLS.
type patientConn struct {
	net.Conn
	timeout atomic.Int64
	heard   bool  // the server has sent something
	written int64 // bytes that the network has accepted
}

func (c *patientConn) wait(d time.Duration) { c.timeout.Store(int64(d)) }

func (c *patientConn) deadline() time.Time {
	return time.Now().Add(time.Duration(c.timeout.Load()))
}

// Read implements net.Conn.
func (c *patientConn) Read(p []byte) (int, error) {
	if err := c.Conn.SetReadDeadline(c.deadline()); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.heard = c.heard || n > 0
	return n, err
}

// Write implements net.Conn.
func (c *patientConn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(c.deadline()); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.written += int64(n)
	return n, err
}

// SetDeadline does nothing.
func (c *patientConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (c *patientConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (c *patientConn) SetWriteDeadline(time.Time) error { return nil }
