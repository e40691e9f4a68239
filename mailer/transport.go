package mailer

import (
	"context"
	"fmt"
	"strings"
)

// An Envelope says where a message goes, apart from what its headers say.
type Envelope struct {
	From      string // bare address, the return path
	To        string // bare address
	MessageID string // without angle brackets: the name of the file in a Maildir
	Again     bool   // an earlier attempt may have been accepted: worth looking for it
}

// A Transport hands messages over, one at a time each call, any number of calls at once.
type Transport interface {
	// Send delivers a complete message as Compose makes them. It calls beforeDot
	// once, immediately before the step after which the message may count as
	// accepted (the final dot, the rename); if that fails, the message is not
	// delivered and Send returns a NotAcceptedError that wraps its error.
	//
	// When ctx ends before that step, the attempt is given up; after it the answer is
	// still waited for, and only Close cuts that short.
	//
	// The error is a *NotAcceptedError, when the message is certainly not
	// delivered, or an *InDoubtError.
	Send(ctx context.Context, e Envelope, message []byte, beforeDot func(context.Context) error) (Reply, error)

	// Idempotent reports whether sending the same message again replaces it
	// instead of delivering it twice.
	Idempotent() bool

	// Close ends every connection. Sends under way are cut off.
	Close() error
}

// A Reply is what a server answered (RFC 5321 §4.2).
type Reply struct {
	Code     int    // 0: there was none
	Enhanced string // RFC 3463, "5.1.1"; empty when not given
	Text     string // one line
}

// String gives the reply in one line.
func (r Reply) String() string {
	var b strings.Builder
	if r.Code != 0 {
		fmt.Fprintf(&b, "%d ", r.Code)
	}
	if r.Enhanced != "" {
		b.WriteString(r.Enhanced + " ")
	}
	b.WriteString(r.Text)
	return strings.TrimSpace(b.String())
}

// A Stage is a step of handing a message over.
type Stage string

// The stages, in order.
const (
	StageCompose Stage = "compose" // the message itself cannot be sent by anyone
	StageConnect Stage = "connect" // dial, banner, EHLO, STARTTLS; a folder that cannot be written
	StageAuth    Stage = "auth"
	StageMail    Stage = "mail"
	StageRcpt    Stage = "rcpt"
	StageData    Stage = "data" // the DATA command
	StageBody    Stage = "body" // everything but the final dot; beforeDot
	StageDot     Stage = "dot"  // the answer to the final dot
)

// A NotAcceptedError says that the message was certainly not accepted.
type NotAcceptedError struct {
	Stage Stage
	Reply Reply // zero when the connection was lost
	Err   error // what broke, when it was not a reply
}

// Error tells the stage and the reason in one line.
func (e *NotAcceptedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("not accepted at %s: %v", e.Stage, e.Err)
	}
	return fmt.Sprintf("not accepted at %s: %s", e.Stage, e.Reply)
}

// Unwrap gives the cause.
func (e *NotAcceptedError) Unwrap() error { return e.Err }

// An InDoubtError says that the final dot was under way and its answer never came:
// the message may have been accepted (RFC 1047).
type InDoubtError struct{ Err error }

// Error tells what broke.
func (e *InDoubtError) Error() string { return fmt.Sprintf("acceptance unknown: %v", e.Err) }

// Unwrap gives the cause.
func (e *InDoubtError) Unwrap() error { return e.Err }
