package mailer

import (
	"path/filepath"
	"strings"
	"testing"

	"digest"
)

func TestParseServer(t *testing.T) {
	for in, want := range map[string]server{
		"smtp://mail.example.org":               {"mail.example.org", 587, startTLS, "", ""},
		"smtp://u:p@mail.example.org:2587/":     {"mail.example.org", 2587, startTLS, "u", "p"},
		"SMTP://u%40example.org:p%3A%2F%23@h":   {"h", 587, startTLS, "u@example.org", "p:/#"},
		"smtps://u:p@bücher.example":            {"xn--bcher-kva.example", 465, implicitTLS, "u", "p"},
		"smtp+insecure://127.0.0.1:2525":        {"127.0.0.1", 2525, plain, "", ""},
		"smtp+insecure://relay.example.org":     {"relay.example.org", 25, plain, "", ""}, // explicitly requested
		"smtp+insecure://u:p@[::1]:2525":        {"::1", 2525, plain, "u", "p"},
		" smtp+insecure://u:p@localhost:2525\n": {"localhost", 2525, plain, "u", "p"},
	} {
		got, err := parseServer(in)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", in, got, err, want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, setting := range []string{
		"", "mail", "sendmail:/usr/sbin/sendmail", "maildir:", "http://example.org",
		"smtp://", "smtp://user:s3cret@", "smtp://user:s3cret@:587", "smtp://user:s3cret@host:port",
		"smtp://user:s3cret@host:0", "smtp://user:s3cret@host:70000", "smtp://user:s3cret@host/path",
		"smtp://user:s3cret@host?x=y",
		"smtp://user:s3cret#@host:587", "smtp://user:s3cret/@host:587", "smtp://user:s3cret%zz@host:587",
		"smtp://user:s3cret\n@host",
		"smtp+insecure://user:s3cret@mail.example.org:25", // would send a password unencrypted
		"smtp:user:s3cret@host", "smtp://user:s3cret", "user:s3cret@host", "smtp:user:s3cret",
	} {
		tr, err := Open(setting, Options{})
		if err == nil {
			tr.Close()
			t.Errorf("%q was taken", setting)
			continue
		}
		msg := err.Error()
		if digest.KindOf(err) != digest.Invalid || !strings.Contains(msg, "DIGEST_MAIL=") ||
			!strings.Contains(msg, "example") {
			t.Errorf("%q: %s", setting, msg)
		}
		if strings.Contains(msg, "s3cret") || strings.Contains(msg, "\n") {
			t.Errorf("%q: the error shows the password or is no single line: %s", setting, msg)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("smtp", "user:%40@host:587")
	f.Add("smtps", "[::1]")
	f.Fuzz(func(t *testing.T, scheme, rest string) {
		if strings.EqualFold(scheme, "maildir") || strings.Contains(scheme, ":") {
			return // it would create folders
		}
		const secret = "zQ9secret"
		tr, err := Open(scheme+"://user:"+secret+rest, Options{})
		if err == nil {
			tr.Close()
			return
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the password: %v", err)
		}
	})
}

func TestOpenMaildir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "mail")
	tr, err := Open("maildir:"+dir, Options{})
	must(t, err)
	if !tr.Idempotent() {
		t.Error("a Maildir is idempotent")
	}
}
