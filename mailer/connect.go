package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// connect dials, greets, encrypts and logs in, all by go-mail, which closes nothing
// when a step fails: that is done here. Every failure is the route's.
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
	c := newConn(conn, client, t.o)
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
		gomail.WithoutSMTPUTF8(), // it would be asked for with every message
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

// login lists the mechanisms in order of preference. Without encryption, which
// only a loopback server is allowed, the ones that show the password come last.
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

// connectError names the server, never the login.
func (t *smtpTransport) connectError(ctx context.Context, err error) error {
	e := &NotAcceptedError{Stage: StageConnect}
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		e.Reply.Code = answer.Code
		e.Reply.Enhanced, e.Reply.Text = cutEnhanced(answer.Code, oneLine(answer.Msg))
		e.Reply.Text = shorten(e.Reply.Text, maxReplyText)
	}
	if strings.HasPrefix(err.Error(), "SMTP AUTH failed") { // go-mail has no type for it
		e.Stage = StageAuth
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errors.New("no answer in " + t.o.DialTimeout.String())
	}
	e.Err = fmt.Errorf("mail server %s: %s", t.server.address(), shorten(oneLine(quietReason(err)), maxReplyText))
	return e
}

// patientConn gives each read and write its own time, because go-mail sets one
// deadline for a whole session, which is ignored. It lies below TLS.
type patientConn struct {
	net.Conn
	timeout atomic.Int64
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
	return c.Conn.Read(p)
}

// Write implements net.Conn.
func (c *patientConn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(c.deadline()); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// SetDeadline does nothing.
func (c *patientConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (c *patientConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (c *patientConn) SetWriteDeadline(time.Time) error { return nil }
