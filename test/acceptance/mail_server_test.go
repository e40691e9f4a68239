package acceptance

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A mailServer is an SMTP server (RFC 5321) on plain net connections, with the faults of its plan. Its journal
// contains the messages that it stored, whatever the client learned about that.
type mailServer struct {
	t        *testing.T
	tls      *tls.Config // the server offers STARTTLS, and AUTH only after it
	password string      // of every user; "": no AUTH

	mu         sync.Mutex
	plan       plan
	lone       bool      // new connections do not offer PIPELINING
	now        time.Time // simulated
	conns      int
	journal    []accepted
	attempts   []*attempt
	injected   map[string]int // faults, by point and trick
	violations []string       // protocol errors of the client
	traps      map[string]*trap
	busy, most map[string]int // concurrent transactions, by the recipient's domain
}

// An accepted message is one that the server stored.
type accepted struct {
	conn     int
	run      string
	now      time.Time // simulated
	from, to string
	raw      []byte
	answer   string // the completely sent response; "": none
}

// An attempt is a transaction, from MAIL on.
type attempt struct {
	conn     int
	run      string
	now      time.Time
	from, to string
	reached  point
	dot      bool   // the final dot arrived
	kept     bool   // the message is in the journal
	code     int    // of the last completely sent response
	reply    string // the same
}

// A trap calls spring when a run reaches a point for the n-th time. Afterwards the server ends the connection, unless
// goOn is set.
type trap struct {
	at     point
	n      int
	spring func()
	goOn   bool
}

func newMailServer(t *testing.T, now time.Time) *mailServer {
	return &mailServer{
		t: t, now: now, plan: noFaults, injected: map[string]int{}, traps: map[string]*trap{},
		busy: map[string]int{}, most: map[string]int{},
	}
}

// door opens a port for a run and returns its address. Everything on it has the simulated time at which the door was
// opened, however late the server reads it.
func (s *mailServer) door(run string) string {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	now := s.clock()
	var sessions sync.WaitGroup
	s.t.Cleanup(func() { l.Close(); sessions.Wait() })
	sessions.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { s.serve(conn, run, now) })
		}
	})
	return l.Addr().String()
}

func (s *mailServer) set(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

func (s *mailServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// offer sets whether new connections offer PIPELINING.
func (s *mailServer) offer(pipelining bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lone = !pipelining
}

func (s *mailServer) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *mailServer) follow(p plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan = p
}

func (s *mailServer) catch(run string, t *trap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traps[run] = t
}

func (s *mailServer) kept() []accepted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journal)
}

func (s *mailServer) tries() []attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]attempt, len(s.attempts))
	for i, a := range s.attempts {
		all[i] = *a
	}
	return all
}

func (s *mailServer) faults() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.injected)
}

// atOnce returns the most concurrent transactions of a domain's recipients.
func (s *mailServer) atOnce(domain string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most[domain]
}

// checkProtocol checks that the client kept to the protocol.
func (s *mailServer) checkProtocol() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.violations {
		s.t.Errorf("the protocol was not kept: %s", v)
	}
}

func (s *mailServer) violated(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

type mailSession struct {
	*mailServer
	conn    net.Conn
	one     bool // no PIPELINING
	r       *bufio.Reader
	w       *bufio.Writer
	id      int
	run     string
	now     time.Time // simulated time of the run
	secure  bool
	known   bool // authenticated
	greeted bool
	open    *attempt // the transaction; nil: none
	entry   int      // index of the open transaction in the journal, if it is stored
	count   int      // accepted messages
}

var errEnd = errors.New("the session is over")

func (s *mailServer) serve(conn net.Conn, run string, now time.Time) {
	s.mu.Lock()
	s.conns++
	c := &mailSession{mailServer: s, conn: conn, one: s.lone, r: bufio.NewReader(conn), w: bufio.NewWriter(conn),
		id: s.conns, run: run, now: now}
	s.mu.Unlock()
	defer func() { c.conn.Close() }()
	defer c.finish()
	if _, err := c.answer(atBanner, "220 mail.example ESMTP"); err != nil {
		return
	}
	for {
		line, err := c.line(512) // RFC 5321 §4.5.3.1.4
		if err != nil {
			return
		}
		verb, arg, _ := strings.Cut(line, " ")
		if err := c.command(strings.ToUpper(verb), arg); err != nil {
			return
		}
	}
}

func (c *mailSession) line(most int) (string, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(line, "\r\n") {
		c.violated("a line ends without CR: %q", line)
	}
	if len(line) > most {
		c.violated("a line of %d octets: %.60q", len(line), line)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

// alone checks that nothing follows a command that ends a group (RFC 2920 §3.1), or any command without PIPELINING.
func (c *mailSession) alone(verb string) {
	last := c.one || !slices.Contains([]string{"MAIL", "RCPT", "RSET"}, verb)
	if last && c.r.Buffered() > 0 {
		c.violated("more was sent behind %s", verb)
	}
}

func (c *mailSession) command(verb, arg string) error {
	c.alone(verb)
	switch verb {
	case "EHLO", "HELO":
		c.finish()
		code, err := c.answer(atEHLO, c.offers()...)
		c.greeted = code == 250
		return err
	case "STARTTLS":
		return c.startTLS()
	case "AUTH":
		return c.auth(arg)
	case "MAIL":
		return c.mail(arg)
	case "RCPT":
		return c.rcpt(arg)
	case "DATA":
		return c.data()
	case "RSET":
		code, err := c.answer(atRSET, "250 2.0.0 forgotten")
		if code == 250 {
			c.finish()
		}
		return err
	case "NOOP":
		return c.say("250 2.0.0 here")
	case "QUIT":
		c.finish()
		c.answer(atQUIT, "221 2.0.0 goodbye") //nolint:errcheck // the session ends anyway
		return errEnd
	}
	if verb != "*" { // go-mail sends it to cancel a refused AUTH
		c.violated("an unknown command %q", verb)
	}
	return c.say("500 5.5.2 what")
}

func (c *mailSession) offers() []string {
	offers := []string{"mail.example", "8BITMIME", "ENHANCEDSTATUSCODES", "SIZE 10000000"}
	if !c.one {
		offers = append(offers, "PIPELINING")
	}
	if c.tls != nil && !c.secure {
		offers = append(offers, "STARTTLS")
	} else if c.password != "" {
		offers = append(offers, "AUTH PLAIN LOGIN")
	}
	last := len(offers) - 1
	for i := range offers {
		offers[i] = "250-" + offers[i]
	}
	offers[last] = "250 " + offers[last][4:]
	return offers
}

func (c *mailSession) startTLS() error {
	code, err := c.answer(atSTARTTLS, "220 2.0.0 go on")
	if err != nil || code != 220 {
		return err
	}
	encrypted := tls.Server(c.conn, c.tls)
	if err := encrypted.Handshake(); err != nil {
		return err
	}
	c.conn, c.r, c.w = encrypted, bufio.NewReader(encrypted), bufio.NewWriter(encrypted)
	c.secure, c.greeted = true, false
	return nil
}

func (c *mailSession) auth(arg string) error {
	kind, given, _ := strings.Cut(arg, " ")
	if c.password == "" || c.tls != nil && !c.secure || !strings.EqualFold(kind, "PLAIN") {
		return c.say("504 5.5.4 not that way")
	}
	if given == "" {
		if err := c.say("334 "); err != nil {
			return err
		}
		var err error
		if given, err = c.line(12288); err != nil {
			return err
		}
	}
	login, _ := base64.StdEncoding.DecodeString(given)
	parts := bytes.Split(login, []byte{0})
	if len(parts) != 3 || string(parts[2]) != c.password {
		return c.say("535 5.7.8 wrong password")
	}
	code, err := c.answer(atAUTH, "235 2.7.0 welcome")
	c.known = code == 235
	return err
}

func (c *mailSession) mail(arg string) error {
	from, ok := path(arg, "FROM:")
	if !ok || c.open != nil || !c.greeted || c.password != "" && !c.known {
		c.violated("MAIL %s out of order or not understood", arg)
		return c.say("503 5.5.1 not now")
	}
	c.mu.Lock()
	a := &attempt{conn: c.id, run: c.run, now: c.now, from: from, reached: atMAIL}
	c.attempts = append(c.attempts, a)
	c.mu.Unlock()
	c.open = a
	code, err := c.answer(atMAIL, "250 2.1.0 sender ok")
	if code != 250 {
		c.open = nil
	}
	return err
}

func (c *mailSession) rcpt(arg string) error {
	to, ok := path(arg, "TO:")
	if !ok {
		c.violated("RCPT %s is not understood", arg)
	}
	if c.open == nil {
		return c.say("503 5.5.1 MAIL first")
	}
	c.note(func(a *attempt) {
		if a.to != "" {
			c.violations = append(c.violations, "a second recipient, "+to)
		}
		a.to, a.reached = to, atRCPT
		d := domainOf(to)
		c.busy[d]++
		c.most[d] = max(c.most[d], c.busy[d])
	})
	code, err := c.answer(atRCPT, "250 2.1.5 recipient ok")
	if code != 250 {
		c.finish()
	}
	return err
}

func (c *mailSession) finish() {
	if c.open == nil {
		return
	}
	c.note(func(a *attempt) {
		if a.to != "" {
			c.busy[domainOf(a.to)]--
		}
	})
	c.open = nil
}

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

func (c *mailSession) note(change func(*attempt)) {
	if c.open == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c.open)
}

// path reads FROM:<…> or TO:<…>, followed only by offered parameters.
func path(arg, name string) (string, bool) {
	if len(arg) < len(name) || !strings.EqualFold(arg[:len(name)], name) {
		return "", false
	}
	address, params, ok := strings.Cut(strings.TrimPrefix(arg[len(name):], "<"), ">")
	for param := range strings.FieldsSeq(params) {
		ok = ok && (strings.HasPrefix(param, "BODY=") || strings.HasPrefix(param, "SIZE="))
	}
	return address, ok && arg[len(name)] == '<'
}

func codeOf(reply string) int {
	code, _ := strconv.Atoi(reply[:min(3, len(reply))])
	return code
}
