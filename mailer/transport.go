package mailer

import (
	"context"
	"fmt"
	"strings"
)

// An Envelope contains the addresses of a message outside its header.
type Envelope struct {
	From      string // bare address, the return path
	To        string
	MessageID string // without angle brackets; the name of the file in a Maildir
	Again     bool   // an earlier attempt may have been accepted, so a Transport should check for it
}

// A Transport sends messages, one in each call. It is safe for concurrent use.
type Transport interface {
	// Send delivers a complete message from Compose. It calls beforeDot once, immediately before the step after which
	// the message may count as accepted (the final dot, the rename). If beforeDot fails, Send does not deliver the
	// message and returns a NotAcceptedError that wraps its error.
	//
	// If ctx ends before that step, Send aborts the attempt. After that step it still waits for the reply, and only
	// Close ends the wait.
	//
	// The error is a *NotAcceptedError if the message was certainly not delivered, and otherwise an *InDoubtError.
	Send(ctx context.Context, e Envelope, message []byte, beforeDot func(context.Context) error) (Reply, error)

	// Idempotent reports whether sending the same message again replaces it, and does not deliver it twice.
	Idempotent() bool

	// Close closes every connection and aborts sends.
	Close() error
}

// A Reply is the reply of a server (RFC 5321 §4.2).
type Reply struct {
	Code     int    // 0 if there was none
	Enhanced string // RFC 3463, such as "5.1.1"; may be empty
	Text     string
}

// String returns the reply in one line.
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

// A Stage is a step of sending a message.
type Stage string

// The stages, in order.
const (
	StageCompose Stage = "compose" // the message is invalid for every server
	StageConnect Stage = "connect" // dial, greeting, EHLO, STARTTLS; a folder that cannot be written
	StageAuth    Stage = "auth"
	StageMail    Stage = "mail"
	StageRcpt    Stage = "rcpt"
	StageData    Stage = "data" // the DATA command
	StageBody    Stage = "body" // the message without the final dot; beforeDot
	StageDot     Stage = "dot"  // the reply to the final dot
)

// A NotAcceptedError reports that the message was certainly not accepted.
type NotAcceptedError struct {
	Stage Stage
	Reply Reply // zero if the connection was lost
	Err   error // the cause if there was no reply
}

// Error returns the stage and the reason in one line.
func (e *NotAcceptedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("not accepted at %s: %v", e.Stage, e.Err)
	}
	return fmt.Sprintf("not accepted at %s: %s", e.Stage, e.Reply)
}

// Unwrap returns the cause.
func (e *NotAcceptedError) Unwrap() error { return e.Err }

// An InDoubtError reports that the final dot got no reply, so that the message may have been accepted (RFC 1047).
type InDoubtError struct{ Err error }

// Error returns the cause in one line.
func (e *InDoubtError) Error() string { return fmt.Sprintf("acceptance unknown: %v", e.Err) }

// Unwrap returns the cause.
func (e *InDoubtError) Unwrap() error { return e.Err }
