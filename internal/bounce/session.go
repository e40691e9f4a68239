package bounce

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/emersion/go-smtp"
)

// A session handles one connection. The library calls it from one goroutine at a time.
type session struct {
	handler *Handler
	server  *Server
	conn    *conn

	from string
	to   []string
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	s.Reset()
	s.from = from
	if o != nil && o.Size > MaxMessage {
		return tooLarge()
	}
	return nil
}

// Rcpt accepts only our addresses. The return path of an edition accepts only bounces, which have no sender. An address
// that unsubscribes accepts no bounces.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	p, ours := s.handler.destinationOf(to)
	switch {
	case !ours:
		return reply(550, smtp.EnhancedCode{5, 1, 1}, "No such address here")
	case p.edition != 0 && s.from != "":
		return reply(550, smtp.EnhancedCode{5, 7, 1}, "This address accepts only bounces, from <>")
	case p.digest != 0 && s.from == "":
		return reply(550, smtp.EnhancedCode{5, 7, 1}, "This address does not accept bounces")
	}
	s.to = append(s.to, to)
	return nil
}

// Data answers 250 when the result of the message is committed.
func (s *session) Data(r io.Reader) error {
	message, err := s.read(r)
	if err != nil {
		return err
	}
	return s.handle(message, s.to)
}

// LMTPData answers for each recipient (RFC 2033 §4.2).
func (s *session) LMTPData(r io.Reader, status smtp.StatusCollector) error {
	message, err := s.read(r)
	if err != nil {
		return err
	}
	for _, to := range s.to {
		status.SetStatus(to, s.handle(message, []string{to}))
	}
	return nil
}

// read returns the message. It always reads to the end, because the library would read the rest as commands.
func (s *session) read(r io.Reader) ([]byte, error) {
	_, chunked := r.(*io.PipeReader)
	s.conn.passing.Store(!chunked)
	message, err := io.ReadAll(io.LimitReader(r, MaxMessage+1))
	if err == nil && chunked && s.conn.broken.Load() {
		// The library treats a truncated chunk as a whole one.
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if len(message) <= MaxMessage {
		return message, nil
	}
	if _, err := io.Copy(io.Discard, r); err != nil && !errors.Is(err, smtp.ErrDataTooLarge) {
		return nil, err
	}
	return nil, tooLarge()
}

func (s *session) handle(message []byte, to []string) error {
	s.server.handling.RLock()
	defer s.server.handling.RUnlock()
	err := s.conn.store(func() error {
		_, err := s.handler.Handle(s.server.ctx, Message{From: s.from, FromKnown: true, To: to, Bytes: message})
		return err
	})
	if err != nil && s.server.ctx.Err() == nil {
		s.handler.Log.Error("cannot store a returned email; its server will retry", "err", err)
	}
	if err != nil {
		return reply(451, smtp.EnhancedCode{4, 3, 0}, "Not now, try again later")
	}
	return nil
}

// Reset forgets the message.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout implements smtp.Session and does nothing.
func (s *session) Logout() error { return nil }

func reply(code int, enhanced smtp.EnhancedCode, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: text}
}

func tooLarge() error {
	return reply(552, smtp.EnhancedCode{5, 3, 4}, fmt.Sprintf("More than %d bytes", MaxMessage))
}

// debugLog logs the library's messages about broken connections.
type debugLog struct{ log *slog.Logger }

func (l debugLog) Printf(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l debugLog) Println(v ...any)               { l.log.Debug(fmt.Sprint(v...)) }
