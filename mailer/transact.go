package mailer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

const (
	replyTimeout = 5 * time.Minute  // for each command (RFC 5321 §4.5.3.2)
	dotTimeout   = 10 * time.Minute // for the reply to the final dot (§4.5.3.2.6)
)

// smtpConn is one connection, used by one goroutine at a time.
type smtpConn struct {
	conn      *patientConn
	r         *bufio.Reader
	w         *bufio.Writer
	pipelines bool // RFC 2920
	bits      bool // 8BITMIME (RFC 6152)
	utf8      bool // SMTPUTF8 (RFC 6531)
	sizes     bool // SIZE (RFC 1870)
	largest   int  // maximum size of a message in octets; 0 if the server states none

	sent      int  // transactions that reached the final dot
	broken    bool // replies no longer match commands, or no reply will arrive
	idleTimer *time.Timer
}

func newConn(conn *patientConn, client *smtp.Client) *smtpConn {
	c := &smtpConn{conn: conn, r: client.Text.R, w: client.Text.W}
	var largest string
	c.pipelines, _ = client.Extension("PIPELINING")
	c.bits, _ = client.Extension("8BITMIME")
	c.utf8, _ = client.Extension("SMTPUTF8")
	c.sizes, largest = client.Extension("SIZE")
	if n, err := strconv.Atoi(strings.TrimSpace(largest)); err == nil && n > 0 {
		c.largest = n
	}
	conn.wait(replyTimeout)
	return c
}

var (
	errTooLate  = errors.New("stopped before the message was ended")
	errNoAnswer = errors.New("the server did not answer the final dot")
)

// The mailer watches the server for these times before the final dot. If the server has closed the connection in the
// body, or refuses the body, it usually shows within usualWatch. Each message waits for that, so it is short. A message
// that was in doubt before would be lost if it were in doubt again, so carefulWatch is longer than any round trip.
const (
	usualWatch   = time.Millisecond
	carefulWatch = 500 * time.Millisecond
	lastWatch    = 200 * time.Microsecond // between beforeDot and the dot
)

// transact sends one message. It writes the final dot only after beforeDot. A failure before that leaves no message
// at the server, because transact closes the connection in the middle of the data. It does not send QUIT, because
// some clients' QUIT has ended half a message with a dot.
func (c *smtpConn) transact(ctx context.Context, e wireEnvelope, message []byte,
	beforeDot func(context.Context) error) (Reply, error) {
	c.conn.wait(replyTimeout)
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	err := c.open(e, len(message))
	if err == nil {
		err = c.body(message)
	}
	if err == nil {
		err = c.watch(e.watch)
	}
	if !stop() {
		return Reply{}, c.breakOff(StageBody, stoppedBy(ctx))
	}
	if err != nil {
		return Reply{}, err
	}
	if err := beforeDot(ctx); err != nil {
		return Reply{}, c.breakOff(StageBody, err)
	}
	if err := c.watch(lastWatch); err != nil {
		return Reply{}, err
	}
	return c.dot()
}

// watch waits for d. It returns an error if the server has closed the connection or replied: the server has not seen
// the end of the message, so it cannot have accepted it.
func (c *smtpConn) watch(d time.Duration) error {
	c.conn.wait(d)
	defer c.conn.wait(replyTimeout)
	_, err := c.r.Peek(1)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	case err != nil:
		return c.breakOff(StageBody, err)
	}
	c.conn.wait(replyTimeout)
	reply, err := readReply(c.r)
	c.breakOff(StageBody, err) //nolint:errcheck // the reply says more
	return &NotAcceptedError{Stage: StageBody, Reply: reply, Err: err}
}

func stoppedBy(ctx context.Context) error {
	return fmt.Errorf("%w: %w", errTooLate, context.Cause(ctx))
}

// mailCommand returns the MAIL command for a message of size octets, or an error if the server cannot accept it.
func (c *smtpConn) mailCommand(e wireEnvelope, size int) (string, error) {
	command := "MAIL FROM:<" + e.from + ">"
	switch {
	case e.utf8 && !c.utf8:
		return "", fmt.Errorf("%w, without which %s cannot be mailed", errNoUTF8, e.to)
	case c.largest > 0 && size > c.largest:
		return "", &tooLargeError{size: size, largest: c.largest}
	case e.utf8:
		command += " SMTPUTF8 BODY=8BITMIME"
	case c.bits:
		command += " BODY=7BIT" // Compose returns 7 bit
	}
	if c.sizes {
		command += " SIZE=" + strconv.Itoa(size)
	}
	return command, nil
}

// errNoUTF8 is returned for an address that is not ASCII if the server does not support SMTPUTF8.
var errNoUTF8 = errors.New("the mail server does not offer SMTPUTF8 (RFC 6531)")

type tooLargeError struct{ size, largest int } // octets

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the message has %d bytes, and the mail server takes %d", e.size, e.largest)
}

// open sends MAIL, RCPT and DATA for a message of size octets, in one packet if the server allows it.
func (c *smtpConn) open(e wireEnvelope, size int) error {
	mail, err := c.mailCommand(e, size)
	if err != nil {
		return &NotAcceptedError{Stage: StageMail, Err: err}
	}
	steps := [...]struct {
		stage   Stage
		command string
		class   int // first digit of a positive reply
	}{
		{StageMail, mail, 2},
		{StageRcpt, "RCPT TO:<" + e.to + ">", 2},
		{StageData, "DATA", 3},
	}
	var refused *NotAcceptedError
	if c.pipelines {
		if err := c.write(steps[0].command, steps[1].command, steps[2].command); err != nil {
			return c.breakOff(StageMail, err)
		}
	}
	for _, s := range steps {
		if !c.pipelines {
			if err := c.write(s.command); err != nil {
				return c.breakOff(s.stage, err)
			}
		}
		reply, err := readReply(c.r)
		switch {
		case err != nil && refused != nil:
			c.broken = true
			return refused
		case err != nil:
			return c.breakOff(s.stage, err)
		case refused == nil && reply.Code/100 != s.class:
			refused = &NotAcceptedError{Stage: s.stage, Reply: reply}
			c.broken = reply.Code < 400 || reply.Code == 421 // not a reply to this command, or the server's last reply
		case refused != nil && s.stage == StageData && reply.Code/100 == 3:
			c.broken = true // it waits for the data of a message without a recipient
		}
		if refused != nil && (!c.pipelines || c.broken) {
			break
		}
	}
	if refused == nil {
		return nil
	}
	c.reset()
	return refused
}

func (c *smtpConn) write(commands ...string) error {
	for _, command := range commands {
		c.w.WriteString(command)
		c.w.WriteString("\r\n")
	}
	return c.w.Flush()
}

// reset ends a failed transaction. If RSET fails, the connection is broken.
func (c *smtpConn) reset() {
	if c.broken {
		return
	}
	if err := c.write("RSET"); err != nil {
		c.broken = true
		return
	}
	if reply, err := readReply(c.r); err != nil || reply.Code/100 != 2 {
		c.broken = true
	}
}

// body sends the message without the dot, and flushes it.
func (c *smtpConn) body(message []byte) error {
	c.w.Write(stuffDots(message)) //nolint:errcheck // Flush gives the same error
	if err := c.w.Flush(); err != nil {
		return c.breakOff(StageBody, err)
	}
	return nil
}

// stuffDots doubles the dots that begin lines (RFC 5321 §4.5.2).
func stuffDots(message []byte) []byte {
	if !bytes.HasPrefix(message, []byte(".")) && !bytes.Contains(message, []byte("\n.")) {
		return message
	}
	stuffed := bytes.ReplaceAll(message, []byte("\n."), []byte("\n.."))
	if stuffed[0] == '.' {
		stuffed = append([]byte("."), stuffed...)
	}
	return stuffed
}

// dot ends the message. After the network has accepted a byte of it, only a reply shows whether the server accepted the
// message.
func (c *smtpConn) dot() (Reply, error) {
	c.sent++
	c.conn.wait(dotTimeout)
	defer c.conn.wait(replyTimeout)
	before := c.conn.written
	if err := c.write("."); err != nil {
		if c.conn.written == before {
			return Reply{}, c.breakOff(StageBody, err)
		}
		c.broken = true
		return Reply{}, &InDoubtError{Err: err}
	}
	reply, err := readReply(c.r)
	switch {
	case err != nil:
		c.broken = true
		return Reply{}, &InDoubtError{Err: fmt.Errorf("%w: %w", errNoAnswer, err)}
	case reply.Code/100 == 2:
		return reply, nil
	case reply.Code/100 == 3:
		c.broken = true
		return Reply{}, &InDoubtError{Err: fmt.Errorf("the answer to the final dot was %s", reply)}
	}
	c.broken = reply.Code == 421
	return Reply{}, &NotAcceptedError{Stage: StageDot, Reply: reply}
}

func (c *smtpConn) breakOff(stage Stage, err error) error {
	c.broken = true
	c.conn.Close()
	return &NotAcceptedError{Stage: stage, Err: err}
}

// quit sends QUIT and waits up to two seconds for the reply.
func (c *smtpConn) quit() {
	c.broken = true
	c.conn.wait(2 * time.Second)
	if c.write("QUIT") == nil {
		readReply(c.r) //nolint:errcheck // nothing depends on it
	}
}
