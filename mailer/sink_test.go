package mailer

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// A sink is an SMTP server that stores accepted messages and can misbehave. It implements the protocol itself, because
// server libraries do not allow such faults.
type sink struct {
	// answer returns the reply to the nth command of a kind over all connections, counted from 1. "" means the usual
	// reply, and hangUp closes the connection. Besides commands it handles BANNER, BODY after the first line of a
	// message, and DOT after its end.
	answer func(command string, n int) string

	// recipient, if set, returns the reply to an address. It has priority over answer.
	recipient func(to string) string

	plain bool // without PIPELINING
	size  int  // its SIZE; 0 if it states none

	mu       sync.Mutex
	count    map[string]int
	log      []string // commands in order
	accepted []string // messages without dot stuffing
	conns    map[net.Conn]bool
}

const (
	hangUp        = "hang up"
	takeAndHangUp = "take and hang up" // of DOT: the sink accepts the message and sends no reply
)

func onNth(command string, n int, reply string) func(string, int) string {
	return func(c string, i int) string {
		if c == command && i == n {
			return reply
		}
		return ""
	}
}

func always(command, reply string) func(string, int) string {
	return func(c string, _ int) string {
		if c == command {
			return reply
		}
		return ""
	}
}

func slow(command string, d time.Duration) func(string, int) string {
	return func(c string, _ int) string {
		if c == command {
			time.Sleep(d)
		}
		return ""
	}
}

// listen serves on loopback until the test ends, and returns its DIGEST_MAIL.
func (s *sink) listen(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
		wg.Wait()
	})
	return "smtp+insecure://" + l.Addr().String()
}

// dial serves over a pipe, for bubbles of synctest.
func (s *sink) dial(context.Context, string, string) (net.Conn, error) {
	a, b := net.Pipe()
	go s.serve(b)
	return a, nil
}

// dialed returns a Transport to the sink, for bubbles of synctest.
func (s *sink) dialed() *smtpTransport {
	return newSMTP(server{host: "mail.example.org", port: 25, security: plain}, Options{Dial: s.dial})
}

func (s *sink) messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.accepted...)
}

func (s *sink) seen(command string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[command]
}

// reply replies to a command. It returns false if the connection must be closed.
func (s *sink) reply(w io.Writer, command, usual string) bool {
	s.mu.Lock()
	if s.count == nil {
		s.count = map[string]int{}
	}
	s.count[command]++
	n := s.count[command]
	s.mu.Unlock()
	if s.answer != nil {
		if a := s.answer(command, n); a == hangUp {
			return false
		} else if a != "" {
			usual = a
		}
	}
	if usual != "" {
		io.WriteString(w, usual+"\r\n")
	}
	return true
}

func (s *sink) serve(c net.Conn) {
	s.mu.Lock()
	if s.conns == nil {
		s.conns = map[net.Conn]bool{}
	}
	s.conns[c] = true
	s.mu.Unlock()
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	}()
	r, w := bufio.NewReaderSize(c, 32<<10), bufio.NewWriter(c)
	recipient := false // one was accepted
	flush := func() bool { return r.Buffered() > 0 || w.Flush() == nil }
	if !s.reply(w, "BANNER", "220 sink ESMTP") || w.Flush() != nil {
		return
	}
	for flush() {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		s.mu.Lock()
		s.log = append(s.log, strings.TrimSpace(line))
		s.mu.Unlock()
		switch verb {
		case "EHLO":
			offers := "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"
			if s.size > 0 {
				offers = fmt.Sprintf("%s\r\n250 SIZE %d", strings.Replace(offers, "250 ", "250-", 1), s.size)
			}
			if s.plain {
				offers = "250 sink"
			}
			if !s.reply(w, verb, offers) {
				return
			}
		case "DATA":
			usual := "354 go on"
			if !recipient {
				usual = "554 5.5.1 no valid recipients"
			}
			var answer strings.Builder
			ok := s.reply(&answer, verb, usual)
			io.WriteString(w, answer.String())
			if ok && strings.HasPrefix(answer.String(), "354") {
				ok = w.Flush() == nil && s.data(r, w)
			}
			if recipient = false; !ok {
				w.Flush()
				return
			}
		case "RCPT":
			var answer strings.Builder
			usual := "250 2.1.5 ok"
			if s.recipient != nil {
				_, to, _ := strings.Cut(strings.TrimSpace(line), "<")
				usual = cmp.Or(s.recipient(strings.TrimSuffix(to, ">")), usual)
			}
			ok := s.reply(&answer, verb, usual)
			io.WriteString(w, answer.String())
			if recipient = strings.HasPrefix(answer.String(), "2"); !ok {
				w.Flush()
				return
			}
		case "QUIT":
			s.reply(w, verb, "221 bye")
			w.Flush()
			return
		default:
			if !s.reply(w, verb, "250 2.0.0 ok") {
				w.Flush()
				return
			}
		}
	}
}

func (s *sink) data(r *bufio.Reader, w *bufio.Writer) bool {
	var b strings.Builder
	for n := 0; ; n++ {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return false
		}
		if n == 0 && (!s.reply(w, "BODY", "") || w.Flush() != nil) {
			return false
		}
		if string(line) == ".\r\n" {
			break
		}
		if line[0] == '.' {
			line = line[1:]
		}
		b.Write(line)
	}
	var verdict strings.Builder
	ok := s.reply(&verdict, "DOT", "250 2.0.0 queued")
	lost := strings.HasPrefix(verdict.String(), takeAndHangUp)
	if lost || strings.HasPrefix(verdict.String(), "2") {
		s.mu.Lock()
		s.accepted = append(s.accepted, b.String())
		s.mu.Unlock()
	}
	if lost {
		return false
	}
	io.WriteString(w, verdict.String())
	return ok
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
