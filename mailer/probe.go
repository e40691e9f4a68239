package mailer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest"
)

// Probe finds out whether mail can be handed over the way a DIGEST_MAIL names,
// without a message: a server is greeted, encrypted with, logged in to and
// left; of a Maildir the folders are tried with an empty file. Nothing is made
// that stays. The error is a *digest.Error that says what to do, and never
// holds the password.
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

// probeFolder tries the folders that are there; those that are not must be
// possible to make.
func probeFolder(dir string) error {
	for _, sub := range []string{"", "tmp", "new", "cur"} {
		if err := TryFolder(filepath.Join(dir, sub)); err != nil {
			return folderError(dir, err)
		}
	}
	return nil
}

// TryFolder makes and removes a file in a folder, or in the nearest one above
// it that exists.
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
	return &digest.Error{
		Kind:    digest.Unavailable,
		Message: fmt.Sprintf("mail server %s: %s; %s", s.address(), s.withoutSecrets(what), todo),
	}
}

// diagnose says what a connection shows that failed, and what to do about it.
func (s server) diagnose(err error, late, heard bool) (what, todo string) {
	if what, todo, ok := s.diagnoseTLS(err); ok {
		return what, todo
	}
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		return s.diagnoseReply(answer, strings.Contains(err.Error(), "AUTH failed"))
	}
	switch text := err.Error(); {
	case strings.Contains(text, "does not support STARTTLS"):
		return "it offers no STARTTLS, and nothing is sent in the clear", "write smtps:// and its port for TLS, usually 465" + s.orInsecure()
	case strings.Contains(text, "does not support SMTP AUTH"):
		return "it offers no login here", "take the name and the password out of DIGEST_MAIL if it needs none, or name its port for submission, usually 587 or 465"
	case strings.Contains(text, "supported authentication mechanism"), strings.Contains(text, "AUTH type"):
		return "it offers no way to log in that is known here", "allow PLAIN or LOGIN under TLS at the server"
	case s.security == startTLS && !heard:
		return "it takes the connection and says nothing", "write smtps:// if this port speaks TLS from the first byte, as 465 does, or name the port for submission, usually 587"
	case late:
		return "it did not answer in time", "see that it is a mail server, that it is not overloaded, and that no firewall is between"
	}
	return shorten(digest.OneLine(quietReason(err)), maxReplyText), "see that this is the host and port of a mail server"
}

// orInsecure offers the unencrypted way where it is safe.
func (s server) orInsecure() string {
	if isLoopback(s.host) {
		return ", or smtp+insecure://, which is safe on this machine"
	}
	return ""
}

// diagnoseDial does so for a server that was not reached.
func (s server) diagnoseDial(err error, late bool) (what, todo string) {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return "there is no host of this name", "correct the host in DIGEST_MAIL"
		}
		return "its name cannot be looked up", "see that this machine can reach a DNS server"
	}
	todo = "see that the host and the port in DIGEST_MAIL are right, that the server runs, and that no firewall is between"
	if s.port == 25 && !isLoopback(s.host) {
		todo = "many networks let nobody out by port 25: name the port for submission, usually 587 with smtp:// or 465 with smtps://"
	}
	if late {
		return "no connection in time", todo
	}
	return "no connection (" + shorten(digest.OneLine(quietReason(err)), maxReplyText) + ")", todo
}

// diagnoseTLS knows what goes wrong in a handshake.
func (s server) diagnoseTLS(err error) (what, todo string, ok bool) {
	if invalid, is := errors.AsType[x509.CertificateInvalidError](err); is {
		if invalid.Reason == x509.Expired && invalid.Cert != nil && invalid.Cert.NotAfter.Before(time.Now()) {
			return "its certificate ended on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly), "renew the certificate at the server and let the server read it again", true
		}
		return shorten(digest.OneLine(invalid.Error()), maxReplyText), "put a valid certificate on the server, and see that the clock of this machine is right", true
	}
	if _, is := errors.AsType[x509.UnknownAuthorityError](err); is {
		return "its certificate is signed by nobody this machine trusts", "give the server a certificate of a public authority with all its intermediates, or install its authority on this machine", true
	}
	if wrong, is := errors.AsType[x509.HostnameError](err); is {
		names := "another name"
		if wrong.Certificate != nil && len(wrong.Certificate.DNSNames) > 0 {
			names = shorten(digest.OneLine(strings.Join(wrong.Certificate.DNSNames, ", ")), maxReplyText)
		}
		return "its certificate is for " + names, "write that name as the host in DIGEST_MAIL, or give the server a certificate for " + s.host, true
	}
	if _, is := errors.AsType[tls.RecordHeaderError](err); is {
		return "it does not speak TLS from the first byte", "write smtp:// in place of smtps://, and its port for submission, usually 587", true
	}
	if alert, is := errors.AsType[tls.AlertError](err); is {
		return "it ends the TLS handshake: " + digest.OneLine(alert.Error()), "see that the server speaks TLS 1.2 or newer", true
	}
	return "", "", false
}

// diagnoseReply knows what servers say before the first message.
func (s server) diagnoseReply(answer *textproto.Error, login bool) (what, todo string) {
	what = "it says " + Reply{Code: answer.Code, Text: shorten(digest.OneLine(answer.Msg), maxReplyText)}.String()
	switch {
	case answer.Code == 534 || strings.Contains(strings.ToLower(answer.Msg), "application-specific"):
		return what, "make a password for this program in the account's security settings (an app password) and put it into DIGEST_MAIL"
	case answer.Code == 535 || login && answer.Code >= 500:
		return what, "correct the name and the password in DIGEST_MAIL (signs such as @ : / # are written %40 %3A %2F %23); some providers want a password of its own for each program"
	case login:
		return what, "try again later; if it stays, ask whoever runs the server"
	case answer.Code == 530:
		return what, "put a name and a password into DIGEST_MAIL"
	case answer.Code == 421 || answer.Code/100 == 4:
		return what, "it is busy or wants no more connections from here: try again later"
	}
	return what, "it takes nothing from this machine: ask whoever runs it, or name another in DIGEST_MAIL"
}

// withoutSecrets takes out what a server may repeat of the login, in the clear
// or as it travelled.
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
