package mailer

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"digest"
)

// Options configure a Transport. The zero value is valid.
type Options struct {
	TLS         *tls.Config   // nil means the system's roots and TLS 1.2 or later
	Helo        string        // the name in EHLO; empty means the machine's name
	PerConn     int           // messages per connection; default 50
	DialTimeout time.Duration // from the first packet to the end of AUTH; default 1 minute

	// Dial replaces net.Dialer in tests.
	Dial DialFunc
}

func (o Options) withDefaults() Options {
	o.PerConn = cmp.Or(max(o.PerConn, 0), 50)
	o.DialTimeout = cmp.Or(max(o.DialTimeout, 0), time.Minute)
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	return o
}

// Open returns the Transport for DIGEST_MAIL: maildir:DIR, smtp://user:password@host:587 (STARTTLS required),
// smtps://…:465, or smtp+insecure://host:port. It creates the folders of a Maildir. It does not connect to a server
// yet. The error is a *digest.Error and never contains the password.
func Open(setting string, o Options) (Transport, error) {
	folder, s, err := parseSetting(setting)
	switch {
	case err != nil:
		return nil, err
	case folder != "":
		return openMaildir(folder)
	}
	return newSMTP(s, o), nil
}

// A Place is the destination of a DIGEST_MAIL: a folder or a server.
type Place struct {
	Folder string // of a Maildir; empty for a server
	Host   string
	Port   int
	Login  bool // with a user name and a password
}

// Destination parses a setting. It returns the error of Open for an invalid setting.
func Destination(setting string) (Place, error) {
	folder, s, err := parseSetting(setting)
	return Place{Folder: folder, Host: s.host, Port: s.port, Login: s.user != ""}, err
}

func parseSetting(setting string) (folder string, s server, err error) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(setting), ":")
	switch strings.ToLower(scheme) {
	case "maildir":
		if folder = strings.TrimPrefix(rest, "//"); strings.TrimSpace(folder) == "" {
			err = badSetting(setting, "has no folder", "maildir:mail")
		}
	case "smtp", "smtps", "smtp+insecure":
		s, err = parseServer(setting)
	default:
		err = badSetting(setting, "does not start with smtp://, smtps://, smtp+insecure:// or maildir:", "maildir:mail")
	}
	return folder, s, err
}

type security int

const (
	startTLS    security = iota // smtp://
	implicitTLS                 // smtps://
	plain                       // smtp+insecure://
)

type server struct {
	host           string
	port           int
	security       security
	user, password string
}

func (s server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

func parseServer(setting string) (server, error) {
	u, err := url.Parse(strings.TrimSpace(setting))
	if err != nil {
		return server{}, badSetting(setting, "is not a valid URL (write @ : / # in a password as %40 %3A %2F %23)",
			exampleServer)
	}
	var s server
	switch strings.ToLower(u.Scheme) {
	case "smtp":
		s.security, s.port = startTLS, 587
	case "smtps":
		s.security, s.port = implicitTLS, 465
	default:
		s.security, s.port = plain, 25
	}
	if s.host, err = toASCII(u.Hostname()); err != nil || s.host == "" {
		return server{}, badSetting(setting, "has no host", exampleServer)
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil || s.port < 1 || s.port > 65535 {
			return server{}, badSetting(setting, "has an invalid port", exampleServer)
		}
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return server{}, badSetting(setting, "has more than a host and a port", exampleServer)
	}
	if u.User != nil {
		s.user = u.User.Username()
		s.password, _ = u.User.Password()
	}
	if s.security == plain && s.user != "" && !isLoopback(s.host) {
		return server{}, badSetting(setting, "would send the password unencrypted; use smtp:// or smtps://",
			exampleServer)
	}
	return s, nil
}

const exampleServer = "smtp://user:password@mail.example.org:587"

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func badSetting(setting, what, example string) error {
	return digest.Errorf(digest.Invalid, "DIGEST_MAIL=%s %s; an example: %s", hidePassword(setting), what, example)
}

// hidePassword masks the password in a setting, which may be invalid. After the scheme, all text from the first colon
// to the last @ may be secret. Without an @, the rest may be secret unless it is a port.
func hidePassword(setting string) string {
	setting = digest.OneLine(setting)
	if strings.HasPrefix(strings.ToLower(setting), "maildir:") {
		return setting
	}
	start := 0
	if i := strings.Index(setting, "://"); i >= 0 {
		start = i + len("://")
	}
	rest, host := setting[start:], ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest, host = rest[:at], rest[at:]
	}
	user, secret, ok := strings.Cut(rest, ":")
	if !ok || host == "" && strings.Trim(secret, "0123456789/") == "" {
		return setting
	}
	return setting[:start] + user + ":***" + host
}
