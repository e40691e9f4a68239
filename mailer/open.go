package mailer

import (
	"crypto/tls"
	"errors"
	"time"
)

// Options adjust a Transport; the zero value is right for most.
type Options struct {
	TLS          *tls.Config   // nil: the system's roots, TLS 1.2 at least
	Helo         string        // the name in EHLO; empty: the machine's
	PerConn      int           // messages on one connection at most; default 50
	Idle         time.Duration // a connection unused for this long is closed; default 30 s
	DialTimeout  time.Duration // up to and including AUTH; default 30 s
	ReplyTimeout time.Duration // for each command; default 5 minutes (RFC 5321 §4.5.3.2)
	DotTimeout   time.Duration // for the answer to the final dot; default 10 minutes
}

// Open makes the Transport that the setting DIGEST_MAIL names: maildir:DIR,
// smtp://user:password@host:587 (STARTTLS required), smtps://…:465, or
// smtp+insecure://host:port. It connects to nothing yet. The error is a
// *digest.Error and never holds the password.
func Open(setting string, o Options) (Transport, error) { return nil, errors.New("not yet") }
