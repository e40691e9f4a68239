package mailer

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// A mailbox is a server of the library go-smtp with one user.
type mailbox struct {
	refuse error // of a login

	mu       sync.Mutex
	logins   int
	messages []string
}

// login is the user and the password of a mailbox, as in a setting.
const (
	login    = "ann%40example.org:s3%3Acr%40t%2F@"
	password = "s3:cr@t/"
)

func (m *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return m, nil }
func (m *mailbox) AuthMechanisms() []string                    { return []string{sasl.Plain} }
func (m *mailbox) Mail(string, *smtp.MailOptions) error        { return nil }
func (m *mailbox) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (m *mailbox) Reset()                                      {}
func (m *mailbox) Logout() error                               { return nil }

func (m *mailbox) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, given string) error {
		if user != "ann@example.org" || given != password {
			return smtp.ErrAuthFailed
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.logins++
		return m.refuse
	}), nil
}

func (m *mailbox) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = append(m.messages, string(b))
	return err
}

// serveSMTP runs a go-smtp server on loopback until the test ends.
func serveSMTP(t testing.TB, s *smtp.Server, implicitTLS bool) (address string) {
	t.Helper()
	s.Domain = "sink.example.org"
	s.ErrorLog = log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address = l.Addr().String()
	if implicitTLS {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return address
}
