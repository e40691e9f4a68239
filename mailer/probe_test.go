package mailer

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"digest"
	"digest/test/certificate"
)

// TestProbe checks a login over each kind of connection, without a message.
func TestProbe(t *testing.T) {
	c := certificate.New(t)
	for scheme, implicit := range map[string]bool{"smtp": false, "smtps": true, "smtp+insecure": false} {
		box := &mailbox{}
		s := smtp.NewServer(box)
		s.TLSConfig, s.AllowInsecureAuth = c.Server(), scheme == "smtp+insecure"
		address := serveSMTP(t, s, implicit)
		if err := Probe(t.Context(), scheme+"://"+login+address, Options{TLS: c.Client()}); err != nil ||
			box.logins != 1 {
			t.Errorf("%s: %v, logged in %d times", scheme, err, box.logins)
		}
	}
	sink := &sink{}
	if err := Probe(t.Context(), sink.listen(t), Options{Helo: "here"}); err != nil {
		t.Error(err)
	}
	if got := strings.Join(sink.log, " "); got != "EHLO here QUIT" {
		t.Errorf("said %s", got)
	}
}

// A failure is a faulty server with the expected diagnosis.
type failure struct {
	name     string
	setting  func(t *testing.T) (string, Options)
	what, do string
}

func refusal(err *smtp.SMTPError) func(t *testing.T) (string, Options) {
	return func(t *testing.T) (string, Options) {
		c := certificate.New(t)
		s := smtp.NewServer(&mailbox{refuse: err})
		s.TLSConfig = c.Server()
		return "smtp://" + login + serveSMTP(t, s, false), Options{TLS: c.Client()}
	}
}

// encrypted returns a server with a certificate that the client may trust or not.
func encrypted(from, to time.Duration, believed bool, name string) func(t *testing.T) (string, Options) {
	return func(t *testing.T) (string, Options) {
		c := certificate.For(t, time.Now().Add(from), time.Now().Add(to), name)
		var client *tls.Config
		if believed {
			client = c.Client()
		}
		s := smtp.NewServer(&mailbox{})
		s.TLSConfig = c.Server()
		return "smtps://" + login + serveSMTP(t, s, true), Options{TLS: client}
	}
}

// wire returns a sink with the address scheme.
func wire(scheme string, answer func(string, int) string) func(t *testing.T) (string, Options) {
	return func(t *testing.T) (string, Options) {
		s := &sink{answer: answer}
		return scheme + strings.TrimPrefix(s.listen(t), "smtp+insecure://"), Options{DialTimeout: time.Minute}
	}
}

func dialled(setting string, err error) func(t *testing.T) (string, Options) {
	return func(*testing.T) (string, Options) {
		return setting, Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, err }}
	}
}

func failures() []failure {
	hour := time.Hour
	secret := base64.StdEncoding.EncodeToString([]byte("\x00ann@example.org\x00" + password))
	silent := func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, other := net.Pipe()
		context.AfterFunc(ctx, func() { other.Close() })
		return conn, nil
	}
	return []failure{
		{"wrong password", refusal(&smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no " +
			secret + " " + password}), "it responds: 535 5.7.8 no *** ***", "correct the user and the password"},
		{"app password", refusal(&smtp.SMTPError{Code: 534, EnhancedCode: smtp.EnhancedCode{5, 7, 9},
			Message: "Application-specific password required"}), "it responds: 534", "an app password"},
		{"login later", refusal(&smtp.SMTPError{Code: 454, EnhancedCode: smtp.EnhancedCode{4, 7, 0}, Message: "later"}),
			"it responds: 454", "try again later"},
		{"expired", encrypted(-48*hour, -24*hour, true, "127.0.0.1"), "its certificate expired on " +
			time.Now().UTC().Add(-24*hour).Format(time.DateOnly), "renew the certificate"},
		{"not yet valid", encrypted(24*hour, 48*hour, true, "127.0.0.1"), "not yet valid", "clock of this machine"},
		{"trusted by nobody", encrypted(-hour, hour, false, "127.0.0.1"), "authority that this machine does not trust",
			"public authority"},
		{"another name", encrypted(-hour, hour, true, "mx.example.org"), "its certificate is for mx.example.org",
			"use that name as the host"},
		{"no STARTTLS", wire("smtp://"+login, nil), "it does not support STARTTLS",
			"use smtps:// and its TLS port, usually 465, or smtp+insecure://"},
		{"no TLS", wire("smtps://"+login, nil), "does not use TLS from the start", "use smtp://"},
		{"no login", wire("smtp+insecure://"+login, nil), "it does not accept logins",
			"remove the user and the password"},
		{"no known login", wire("smtp+insecure://"+login, always("EHLO", "250-sink\r\n250 AUTH GSSAPI")),
			"does not support a login method", "enable PLAIN"},
		{"TLS from the first byte", func(t *testing.T) (string, Options) {
			setting, o := encrypted(-hour, hour, true, "127.0.0.1")(t)
			o.DialTimeout = 2 * time.Second // the probe waits for it
			return strings.Replace(setting, "smtps", "smtp", 1), o
		}, "sends nothing", "use smtps://"},
		{"silence", func(*testing.T) (string, Options) {
			return "smtps://" + login + "mail.example.org", Options{DialTimeout: 50 * time.Millisecond, Dial: silent}
		}, "did not answer in time", "firewall"},
		{"refused here", wire("smtp+insecure://", always("BANNER", "554 5.7.1 you are on a list")),
			"it responds: 554 5.7.1 you are on a list", "does not accept email from this machine"},
		{"busy", wire("smtp+insecure://", always("BANNER", "421 4.3.2 busy")), "it responds: 421", "try again later"},
		{"hangs up", wire("smtp+insecure://", always("BANNER", hangUp)), "EOF", "host and port of a mail server"},
		{"no such host", dialled("smtp://mail.nowhere.example", &net.DNSError{Err: "no such host", IsNotFound: true}),
			"there is no host of this name", "correct the host"},
		{"no name server", dialled("smtp://mail.nowhere.example", &net.DNSError{Err: "timeout", IsTimeout: true}),
			"cannot be looked up", "DNS server"},
		{"nobody listens", dialled("smtp://mail.example.org",
			&net.OpError{Op: "dial", Err: errors.New("connection refused")}), "no connection (connection refused)",
			"that the server is running"},
		{"port 25", dialled("smtp://mail.example.org:25", &net.OpError{Op: "dial", Err: errors.New("refused")}),
			"no connection", "port 25"},
	}
}

// TestProbeFailures: each failure has its own diagnosis, and none contains the password.
func TestProbeFailures(t *testing.T) {
	for _, tt := range failures() {
		t.Run(tt.name, func(t *testing.T) {
			setting, o := tt.setting(t)
			err := Probe(t.Context(), setting, o)
			if digest.KindOf(err) != digest.Unavailable {
				t.Fatalf("got %v", err)
			}
			what, do, _ := strings.Cut(err.Error(), "; ")
			if !strings.HasPrefix(what, "mail server ") || !strings.Contains(what, tt.what) ||
				!strings.Contains(do, tt.do) {
				t.Errorf("got %q, want %q and %q", err, tt.what, tt.do)
			}
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "s3%3A") ||
				strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("shows too much: %q", err)
			}
		})
	}
	if err := Probe(t.Context(), "pigeon:loft", Options{}); digest.KindOf(err) != digest.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestProbeMaildir: Probe checks the folders and leaves no files.
func TestProbeMaildir(t *testing.T) {
	dir := t.TempDir()
	mail := filepath.Join(dir, "to", "come")
	if err := Probe(t.Context(), "maildir:"+mail, Options{}); err != nil {
		t.Error(err)
	}
	if found, _ := os.ReadDir(dir); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, sub := range []string{"file", "file/mail"} {
		err := Probe(t.Context(), "maildir:"+filepath.Join(dir, sub), Options{})
		if digest.KindOf(err) != digest.Unavailable || !strings.Contains(err.Error(), "make the folder writable") {
			t.Errorf("%s: %v", sub, err)
		}
	}
}

func TestDestination(t *testing.T) {
	for setting, want := range map[string]Place{
		"maildir:mail":                   {Folder: "mail"},
		"smtp://a:b@Mail.example.org":    {Host: "mail.example.org", Port: 587, Login: true},
		"smtps://bücher.example:4650":    {Host: "xn--bcher-kva.example", Port: 4650},
		"smtp+insecure://127.0.0.1:2525": {Host: "127.0.0.1", Port: 2525},
	} {
		if got, err := Destination(setting); err != nil || got != want {
			t.Errorf("%s: %+v, %v", setting, got, err)
		}
	}
}
