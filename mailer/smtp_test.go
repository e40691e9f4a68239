package mailer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"

	"digest/test/certificate"
	"digest/test/program"
)

func noDot(context.Context) error { return nil }

func openTest(t testing.TB, setting string, o Options) *smtpTransport {
	t.Helper()
	tr, err := Open(setting, o)
	must(t, err)
	t.Cleanup(func() { tr.Close() })
	return tr.(*smtpTransport)
}

func envelope() Envelope {
	return Envelope{From: "Daily Digest <digest@example.org>", To: "reader@bücher.example",
		MessageID: "d.x@example.org"}
}

func sendSample(t *testing.T, tr Transport) error {
	t.Helper()
	_, err := tr.Send(t.Context(), envelope(), mustCompose(t, sample()), noDot)
	return err
}

func TestSendDialogue(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := &sink{plain: plain}
		tr := openTest(t, s.listen(t), Options{Helo: "digest.example.org"})
		message := mustCompose(t, sample())
		for range 2 {
			reply, err := tr.Send(t.Context(), envelope(), message, noDot)
			if err != nil || reply != (Reply{250, "2.0.0", "queued"}) {
				t.Fatalf("%+v, %v", reply, err)
			}
		}
		tr.Close()
		args := " BODY=7BIT"
		if plain {
			args = ""
		}
		one := []string{"MAIL FROM:<digest@example.org>" + args, "RCPT TO:<reader@xn--bcher-kva.example>", "DATA"}
		want := append(append([]string{"EHLO digest.example.org"}, one...), append(one, "QUIT")...)
		// No NOOP, no RSET, no SMTPUTF8, one connection.
		if got := strings.Join(s.log, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("pipelining %v:\n%s\nwant\n%s", !plain, got, strings.Join(want, "\n"))
		}
		for _, got := range s.messages() {
			if got != string(message) {
				t.Errorf("the message changed on the way:\n%s", got)
			}
		}
	}
}

// TestNoDotWithoutCommit: after a failure before the dot, the client sends nothing that could end the message, not even
// QUIT or RSET.
func TestNoDotWithoutCommit(t *testing.T) {
	s := &sink{}
	tr := openTest(t, s.listen(t), Options{})
	refuse := errors.New("no commit")
	message := mustCompose(t, sample())
	_, err := tr.Send(t.Context(), envelope(), message, func(context.Context) error { return refuse })
	if e, ok := errors.AsType[*NotAcceptedError](err); !ok || !errors.Is(err, refuse) || e.Stage != StageBody {
		t.Errorf("%v", err)
	}
	if err := sendSample(t, tr); err != nil {
		t.Error(err)
	}
	if n := len(s.messages()); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestRefusesReset(t *testing.T) {
	s := &sink{answer: func(c string, n int) string {
		switch {
		case c == "RSET" || c == "NOOP":
			return "502 no such command"
		case c == "RCPT" && n == 1:
			return "550 5.1.1 no such user"
		}
		return ""
	}}
	tr := openTest(t, s.listen(t), Options{})
	for i := range 3 {
		if err := sendSample(t, tr); (err == nil) != (i > 0) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	if s.seen("EHLO") != 2 || s.seen("NOOP") != 0 || len(s.messages()) != 2 {
		t.Errorf("%d connections, %d messages", s.seen("EHLO"), len(s.messages()))
	}
}

// TestStaleConnection: if a server has closed an idle connection, the client opens a new one. No attempt is lost.
func TestStaleConnection(t *testing.T) {
	for _, goodbye := range []string{hangUp, "421 4.4.2 idle for too long"} {
		s := &sink{answer: onNth("MAIL", 2, goodbye)}
		tr := openTest(t, s.listen(t), Options{})
		dots := 0
		for i := range 2 {
			_, err := tr.Send(t.Context(), envelope(), mustCompose(t, sample()),
				func(context.Context) error { dots++; return nil })
			if err != nil {
				t.Errorf("%s: message %d: %v", goodbye, i, err)
			}
		}
		if dots != 2 || s.seen("EHLO") != 2 {
			t.Errorf("%d dots over %d connections", dots, s.seen("EHLO"))
		}
	}
}

func TestConnectionsAreUsedAndRenewed(t *testing.T) {
	s := &sink{}
	tr := openTest(t, s.listen(t), Options{PerConn: 5})
	for range 12 {
		must(t, sendSample(t, tr))
	}
	if got := s.seen("EHLO"); got != 3 || s.seen("QUIT") != 2 {
		t.Errorf("%d connections for 12 messages, 5 each; %d goodbyes", got, s.seen("QUIT"))
	}
}

func outcome(err error) string {
	if e, ok := errors.AsType[*NotAcceptedError](err); ok {
		return string(e.Verdict())
	}
	if err != nil {
		return "in doubt"
	}
	return "accepted"
}

func TestIdleConnectionsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		tr := s.dialed()
		must(t, sendSample(t, tr))
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if s.seen("QUIT") != 0 {
			t.Error("closed too soon")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s.seen("QUIT") != 1 || len(tr.open) != 0 || len(tr.idle) != 0 {
			t.Errorf("still open: %d, %d", len(tr.open), len(tr.idle))
		}
	})
}

// TestStop: a stop aborts messages before their dot, and waits for those after it.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			command string
			want    string
		}{{"MAIL", "retry"}, {"DOT", "accepted"}} {
			s := &sink{answer: slow(test.command, 2*time.Minute)}
			tr := s.dialed()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Minute, cancel)
			start := time.Now()
			_, err := tr.Send(ctx, envelope(), mustCompose(t, sample()), noDot)
			if got := outcome(err); got != test.want {
				t.Errorf("%s: %v", test.command, err)
			}
			if test.want == "retry" && (time.Since(start) > 61*time.Second || !errors.Is(err, errTooLate)) {
				t.Errorf("took %s: %v", time.Since(start), err)
			}
			tr.Close()
		}
		time.Sleep(time.Hour)
	})
}

// TestCloseCuts: Close aborts a message after its dot.
func TestCloseCuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: slow("DOT", 5*time.Minute)}
		tr := s.dialed()
		time.AfterFunc(time.Minute, func() { tr.Close() })
		start := time.Now()
		err := sendSample(t, tr)
		if outcome(err) != "in doubt" || time.Since(start) != time.Minute {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		if err := sendSample(t, tr); !errors.Is(err, errClosed) {
			t.Error(err)
		}
		time.Sleep(time.Hour)
	})
}

func TestNobodyThere(t *testing.T) {
	address := program.FreeAddress(t)
	tr := openTest(t, "smtp+insecure://user:s3cret@"+address, Options{})
	err := sendSample(t, tr)
	if outcome(err) != "route" || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), address) {
		t.Error(err)
	}
}

func TestEncryptionAndLogin(t *testing.T) {
	box := &mailbox{}
	server := smtp.NewServer(box)
	c := certificate.New(t)
	serverTLS, clientTLS := c.Server(), c.Client()
	server.TLSConfig = serverTLS
	starttls := serveSMTP(t, server, false)
	implicit := smtp.NewServer(box)
	implicit.TLSConfig = serverTLS
	wrapped := serveSMTP(t, implicit, true)
	bare := smtp.NewServer(box)
	bare.AllowInsecureAuth = true
	open := serveSMTP(t, bare, false)

	for _, test := range []struct {
		setting string
		roots   bool
		want    string
	}{
		{"smtp://" + login + starttls, true, "accepted"},
		{"smtps://" + login + wrapped, true, "accepted"},
		{"smtp+insecure://" + login + open, false, "accepted"}, // loopback
		{"smtp://" + login + starttls, false, "route"},         // an untrusted certificate
		{"smtps://" + login + wrapped, false, "route"},
		{"smtp://" + login + open, true, "route"}, // no STARTTLS: never unencrypted
		{"smtp://ann%40example.org:wrong@" + starttls, true, "paused"},
		{"smtps://ann%40example.org:wrong@" + wrapped, true, "paused"},
	} {
		o := Options{}
		if test.roots {
			o.TLS = clientTLS
		}
		tr := openTest(t, test.setting, o)
		err := sendSample(t, tr)
		if got := outcome(err); got != test.want {
			t.Errorf("%s: %v, want %s", test.setting, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "TLSMandatory") {
			t.Errorf("the error has words of the library: %v", err)
		}
		if err != nil && (strings.Contains(err.Error(), "wrong") || strings.Contains(err.Error(), password)) {
			t.Errorf("the error shows the password: %v", err)
		}
		tr.Close()
	}
	if len(box.messages) != 3 || box.logins != 3 {
		t.Errorf("%d messages after %d logins", len(box.messages), box.logins)
	}
	for _, m := range box.messages {
		if m != string(mustCompose(t, sample())) {
			t.Error("the message changed on the way")
		}
	}
}
