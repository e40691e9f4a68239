package bounce

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"digest"
	"digest/internal/socket"
)

type place struct {
	lmtp    bool
	network string // tcp or unix
	address string // host:port, or the path of a socket
}

// Check reports whether Listen accepts a setting, without opening anything. The error is a *digest.Error.
func Check(setting string) error {
	_, err := parsePlace(setting)
	return err
}

// Listen listens at the setting DIGEST_BOUNCE_LISTEN: smtp://host:port, lmtp://host:port, or lmtp:/path/of.sock. A
// socket gets the mode 0660 and replaces an abandoned one. The error is a *digest.Error.
func (h *Handler) Listen(setting string) (*Server, error) {
	p, err := parsePlace(setting)
	if err != nil {
		return nil, err
	}
	var l net.Listener
	if p.network == "unix" {
		l, err = socket.Listen(p.address)
	} else {
		l, err = net.Listen(p.network, p.address)
	}
	if err != nil {
		return nil, listenError(setting, err)
	}
	return newServer(h, l, p.lmtp), nil
}

func parsePlace(setting string) (place, error) {
	setting = strings.TrimSpace(setting)
	u, err := url.Parse(setting)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// Hide the setting, which may contain a password.
		return place{}, badPlace("…", "is not an address to listen at")
	}
	p := place{lmtp: u.Scheme == "lmtp", network: "tcp", address: u.Host}
	switch {
	case u.Scheme != "smtp" && u.Scheme != "lmtp":
		return place{}, badPlace(setting, "doesn't begin with smtp:// or lmtp:")
	case u.Scheme == "lmtp" && u.Host == "" && filepath.IsAbs(u.Path):
		return place{lmtp: true, network: "unix", address: filepath.Clean(u.Path)}, nil
	case u.Path != "" && u.Path != "/" || u.Opaque != "":
		return place{}, badPlace(setting, "is neither a host and port nor the full path of a socket")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 && u.Port() != "0" {
		return place{}, badPlace(setting, "has no port")
	}
	return p, nil
}

func badPlace(setting, what string) error {
	return digest.Errorf(digest.Invalid,
		"DIGEST_BOUNCE_LISTEN=%s %s; examples: smtp://0.0.0.0:25, lmtp://127.0.0.1:2003, lmtp:/run/digest/bounce.sock",
		shortLine(setting), what)
}

func listenError(setting string, err error) error {
	return &digest.Error{
		Kind:    digest.Unavailable,
		Message: fmt.Sprintf("DIGEST_BOUNCE_LISTEN=%s: cannot listen there; stop the other program that does, or choose a port or path that this user can use", shortLine(setting)),
		Err:     err,
	}
}

// The limits for strangers.
const (
	maxConnections = 50 // open connections
	maxFromOne     = 10 // open connections of one address; LMTP has no such limit, because its clients are trusted
	maxRecipients  = 20 // of one message

	// maxUnanswered is the maximum number of bytes between two replies of the server, except for a message after DATA,
	// whose rest is skipped. Between the chunks of a message (RFC 3030) the library would read a command of any length
	// into memory.
	maxUnanswered = 2 * MaxMessage

	commandTimeout = 5 * time.Minute  // for a command or a whole message (RFC 5321 §4.5.3.2.7)
	writeTimeout   = time.Minute      // for a reply
	maxSession     = 15 * time.Minute // for a connection
	minSession     = 10 * time.Second // time without a message after which another connection may replace this one
)

// A Server receives mail by SMTP or LMTP (RFC 2033). It accepts only our addresses, and relays nothing.
type Server struct {
	smtp     *smtp.Server
	listener *listener

	ctx      context.Context // of Serve, for the sessions
	handling sync.RWMutex    // read-locked while a message is handled
}

func newServer(h *Handler, l net.Listener, lmtp bool) *Server {
	s := &Server{listener: &listener{Listener: l, now: h.Now, open: map[*conn]bool{}, from: map[string]int{}},
		ctx: context.Background()}
	s.smtp = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{handler: h, server: s, conn: c.Conn().(*conn)}, nil // the listener returns no others
	}))
	if !lmtp {
		s.listener.fromOne = maxFromOne
	}
	s.smtp.Domain = digest.MailDomain(h.Address)
	s.smtp.LMTP = lmtp
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = commandTimeout, writeTimeout
	s.smtp.MaxRecipients = maxRecipients
	s.smtp.EnableSMTPUTF8 = true // reports about such mail need it (RFC 6533 §5)
	s.smtp.ErrorLog = debugLog{h.Log}
	if !lmtp {
		// Over LMTP the library would read bytes beyond its limit as commands, so the session enforces the limit.
		s.smtp.MaxMessageBytes = MaxMessage
	}
	return s
}

// Addr returns the address of the server.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve receives mail until ctx ends. It waits for messages that are being handled. A sender without an answer tries
// again.
func (s *Server) Serve(ctx context.Context) error {
	s.ctx = ctx
	defer context.AfterFunc(ctx, s.close)()
	err := s.smtp.Serve(s.listener)
	s.close()
	s.handling.Lock() // handling a message uses the store
	defer s.handling.Unlock()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("receiving email at %s: %w", s.Addr(), err)
	}
	return nil
}

// close also closes the listener, which the library may not know yet.
func (s *Server) close() {
	s.smtp.Close()     //nolint:errcheck // it may be closed already
	s.listener.Close() //nolint:errcheck // likewise
	s.listener.endAll()
}
