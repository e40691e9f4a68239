package poller

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"digest"
	"digest/feed"
)

// A pollError is the reason of a failed poll: one line for people, and the facts that decide about the next
// poll. Its text contains no resolved address.
type pollError struct {
	failure
	text string

	// unanswered: the connection succeeded, but no answer came. After a HEAD, the cause may be the method.
	unanswered bool

	closed bool // the port is closed

	needsPassword bool // the site requires a password, and the request had none

	page *feed.Document // the page that came in place of a feed; nil: it was unreadable
}

func (t *pollError) Error() string { return t.text }

// badAnswer is the error of an answer with a status.
func badAnswer(status int, text string) *pollError {
	return &pollError{failure: failure{status: status}, text: text}
}

func words(w digest.Words) *pollError { return &pollError{text: string(w)} }

// Errors that Illness recognises.
const (
	noSuchHost     = string(digest.Words("no such host"))
	badCertificate = "the certificate is not valid: "
	byRobots       = string(digest.Words("the site's robots.txt disallows this program"))
)

// The same errors in the wording of older versions. Databases keep it, because dead feeds are not polled
// again.
const (
	formerNoSuchHost = "there is no host of that name"
	formerByRobots   = "the site's robots.txt asks this program not to read it"
	formerNotPublic  = "refused: the address is not public; whoever runs this reader can allow its network"
)

func noAnswer(err error, connected bool, timeout time.Duration) *pollError {
	closed := !connected && (errors.Is(err, syscall.ECONNREFUSED) || isTimeout(err))
	return &pollError{text: describe(err, connected, timeout), unanswered: connected, closed: closed}
}

func badBody(err error, status int, timeout time.Duration) *pollError {
	text := describe(err, true, timeout)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		text = string(digest.Words("the response was incomplete"))
	}
	return badAnswer(status, text)
}

// badStatus returns the error for an answer without a document.
func badStatus(a *answer) *pollError {
	t := &pollError{failure: failure{status: a.status}}
	t.wait, t.waitSaid = retryAfter(a.header, a.received)
	t.text = strings.TrimSpace(fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
	switch said := feed.ATProtoProblem(a.body); {
	case a.status == http.StatusBadRequest && said != "":
		t.text = fmt.Sprintf("its service says: %s (%d)", shortLine(said), a.status)
	case strings.EqualFold(a.header.Get("Cf-Mitigated"), "challenge"):
		t.text += ", blocked by the site's bot protection"
	case t.waitSaid && t.wait > 0:
		t.text += ", asked to wait " + length(t.wait)
	}
	return t
}

// length describes a waiting time roughly.
func length(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Round(time.Second)/time.Second))
	}
	unit, n := rounded(d)
	name := map[time.Duration]string{time.Minute: "minute", time.Hour: "hour", oneDay: "day"}[unit]
	if n == 1 {
		return "one " + name
	}
	return digest.Counted(n, name)
}

func describe(err error, connected bool, timeout time.Duration) string {
	if s := describeName(err); s != "" {
		return s
	}
	if s := describeTLS(err); s != "" {
		return s
	}
	switch {
	case errors.Is(err, errNotPublic), errors.Is(err, errPort):
		return innermost(err).Error()
	case isTimeout(err) && !connected:
		return string(digest.Words("connection timed out"))
	case isTimeout(err):
		return fmt.Sprintf("no complete answer within %s", timeout)
	case errors.Is(err, syscall.ECONNREFUSED):
		return string(digest.Words("connection refused"))
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return string(digest.Words("no route to the host"))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return string(digest.Words("the connection was closed before the response"))
	}
	text := strings.TrimPrefix(innermost(err).Error(), "net/http: ")
	if strings.Contains(text, "response header") && strings.Contains(text, "exceeded") ||
		strings.Contains(text, "header list larger") {
		return string(digest.Words("the response header is larger than 64 kB"))
	}
	return shortLine(strings.TrimPrefix(text, "HTTP/1.x transport connection broken: "))
}

func describeName(err error) string {
	switch e, ok := errors.AsType[*net.DNSError](err); {
	case !ok:
		return ""
	case e.IsNotFound:
		return noSuchHost
	}
	return string(digest.Words("DNS lookup failed"))
}

func describeTLS(err error) string {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return shortLine(badCertificate + e.Err.Error())
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return string(digest.Words("the site does not support TLS on this port"))
	}
	return ""
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// innermost removes the addresses that net.OpError and similar errors prefix.
func innermost(err error) error {
	for {
		e, ok := errors.AsType[*net.OpError](err)
		if !ok {
			return err
		}
		err = e.Err
	}
}

const maxLine = 200 // characters

// shortLine makes foreign text fit for a log line or a table.
func shortLine(s string) string {
	return digest.Shortened(digest.OneLine(strings.ReplaceAll(strings.ToValidUTF8(s, " "), "\uFFFD", " ")), maxLine)
}
