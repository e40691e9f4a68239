package mailer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest"
)

// Probe checks DIGEST_MAIL without sending a message. It connects to a server, starts TLS, logs in and quits. For a
// Maildir it creates and removes an empty file. The error is a *digest.Error that states a remedy, and it never
// contains the password.
func Probe(ctx context.Context, setting string, o Options) error {
	folder, s, err := parseSetting(setting)
	switch {
	case err != nil:
		return err
	case folder != "":
		return probeFolder(folder)
	}
	return probeServer(ctx, s, o)
}

// probeFolder tries the folders of a Maildir, or their parents where they do not exist.
func probeFolder(dir string) error {
	for _, sub := range []string{"", "tmp", "new", "cur"} {
		if err := TryFolder(filepath.Join(dir, sub)); err != nil {
			return folderError(dir, err)
		}
	}
	return nil
}

// TryFolder creates and removes a file in a folder, or in its nearest parent that exists.
func TryFolder(dir string) error {
	for {
		_, err := os.Stat(dir)
		if err == nil {
			break
		}
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return err
		}
		dir = above
	}
	f, err := os.CreateTemp(dir, ".digest-probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func probeServer(ctx context.Context, s server, o Options) error {
	o = o.withDefaults()
	var unreached error
	dial := o.Dial
	o.Dial = func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		conn, err = dial(ctx, network, address)
		unreached = err
		return conn, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.DialTimeout)
	defer cancel()
	conn, client, err := newSMTP(s, o).dial(ctx)
	if conn != nil {
		defer conn.Close()
	}
	if err == nil {
		newConn(conn, client).quit()
		return nil
	}
	late := errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
	var what, todo string
	if unreached != nil {
		what, todo = s.diagnoseDial(unreached, late)
	} else {
		what, todo = s.diagnose(err, late, conn != nil && conn.heard)
	}
	return digest.Errorf(digest.Unavailable, "mail server %s: %s; %s", s.address(), s.withoutSecrets(what), todo)
}

func (s server) diagnose(err error, late, heard bool) (what, todo string) {
	if what, todo, ok := s.diagnoseTLS(err); ok {
		return what, todo
	}
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		return s.diagnoseReply(answer, strings.Contains(err.Error(), "AUTH failed"))
	}
	if what, todo, ok := s.diagnoseOffer(err.Error()); ok {
		return what, todo
	}
	switch {
	case s.security == startTLS && !heard:
		return "it accepts the connection but sends nothing",
			"use smtps:// if this port expects TLS from the start, as 465 does, or set the submission port, usually 587"
	case late:
		return "it did not answer in time",
			"check that it is a mail server, that it is not overloaded, and that no firewall blocks the connection"
	}
	return short(digest.Bare(err).Error()),
		"check that this is the host and port of a mail server"
}

// diagnoseOffer explains errors of go-mail about a server without a required extension.
func (s server) diagnoseOffer(text string) (what, todo string, ok bool) {
	switch {
	case strings.Contains(text, "does not support STARTTLS"):
		return "it does not support STARTTLS, and digest only sends email encrypted",
			"use smtps:// and its TLS port, usually 465" + s.orInsecure(), true
	case strings.Contains(text, "does not support SMTP AUTH"):
		return "it does not accept logins on this port",
			"remove the user and the password from DIGEST_MAIL if it needs none, " +
				"or set its submission port, usually 587 or 465", true
	case strings.Contains(text, "supported authentication mechanism"), strings.Contains(text, "AUTH type"):
		return "it does not support a login method that digest can use", "enable PLAIN or LOGIN over TLS on the server",
			true
	}
	return "", "", false
}

// orInsecure suggests an unencrypted connection if the server is on this machine.
func (s server) orInsecure() string {
	if isLoopback(s.host) {
		return ", or smtp+insecure://, which is safe for a server on this machine"
	}
	return ""
}

func (s server) diagnoseDial(err error, late bool) (what, todo string) {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return "there is no host of this name", "correct the host in DIGEST_MAIL"
		}
		return "its name cannot be looked up", "check that this machine can reach a DNS server"
	}
	todo = "check that the host and port in DIGEST_MAIL are correct, that the server is running, and that no firewall blocks the connection"
	if s.port == 25 && !isLoopback(s.host) {
		todo = "many networks block port 25: set the submission port, usually 587 with smtp:// or 465 with smtps://"
	}
	if late {
		return "no connection in time", todo
	}
	return "no connection (" + short(digest.Bare(err).Error()) + ")", todo
}

func (s server) diagnoseTLS(err error) (what, todo string, ok bool) {
	if invalid, is := errors.AsType[x509.CertificateInvalidError](err); is {
		if invalid.Reason == x509.Expired && invalid.Cert != nil && invalid.Cert.NotAfter.Before(time.Now()) {
			return "its certificate expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly),
				"renew the certificate on the server and reload the server", true
		}
		return short(invalid.Error()),
			"install a valid certificate on the server, and check the clock of this machine", true
	}
	if _, is := errors.AsType[x509.UnknownAuthorityError](err); is {
		return "its certificate is from an authority that this machine does not trust",
			"install a certificate from a public authority on the server, with its intermediate certificates, or install its authority on this machine", true
	}
	if wrong, is := errors.AsType[x509.HostnameError](err); is {
		names := "another name"
		if wrong.Certificate != nil && len(wrong.Certificate.DNSNames) > 0 {
			names = short(strings.Join(wrong.Certificate.DNSNames, ", "))
		}
		return "its certificate is for " +
			names, "use that name as the host in DIGEST_MAIL, or get a certificate for " + s.host, true
	}
	if _, is := errors.AsType[tls.RecordHeaderError](err); is {
		return "it does not use TLS from the start",
			"use smtp:// instead of smtps://, and its submission port, usually 587", true
	}
	if alert, is := errors.AsType[tls.AlertError](err); is {
		return "the TLS handshake failed: " + digest.OneLine(alert.Error()),
			"check that the server supports TLS 1.2 or later", true
	}
	return "", "", false
}

// diagnoseReply explains replies before the first message.
func (s server) diagnoseReply(answer *textproto.Error, login bool) (what, todo string) {
	what = "it responds: " + Reply{Code: answer.Code,
		Text: short(answer.Msg)}.String()
	switch {
	case answer.Code == 534 || strings.Contains(strings.ToLower(answer.Msg), "application-specific"):
		return what, "create an app password in the security settings of the account and put it into DIGEST_MAIL"
	case answer.Code == 535 || login && answer.Code >= 500:
		return what,
			"correct the user and the password in DIGEST_MAIL (write @ : / # as %40 %3A %2F %23); some providers require an app password"
	case login:
		return what, "try again later; if it continues, ask the operator of the server"
	case answer.Code == 530:
		return what, "add a user and a password to DIGEST_MAIL"
	case answer.Code == 421 || answer.Code/100 == 4:
		return what, "it is busy, or limits connections from here: try again later"
	}
	return what,
		"it does not accept email from this machine: ask its operator, or set a different server in DIGEST_MAIL"
}

// withoutSecrets removes the login from a server's text, in plain text or as encoded for AUTH.
func (s server) withoutSecrets(text string) string {
	if s.password == "" {
		return text
	}
	encode := base64.StdEncoding.EncodeToString
	for _, secret := range []string{
		encode([]byte("\x00" + s.user + "\x00" + s.password)),
		encode([]byte(s.password)),
		digest.OneLine(s.password),
	} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}
