package mailer

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"testing"

	"github.com/emersion/go-smtp"
)

// serveSMTP runs a go-smtp server on loopback until the test ends.
func serveSMTP(t testing.TB, s *smtp.Server, implicitTLS bool) (address string) {
	t.Helper()
	s.Domain = "sink.example.org"
	s.ErrorLog = log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
