package acceptance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A talker is a minimal mail client.
type talker struct {
	conn net.Conn
	r    *bufio.Reader
}

func (k *talker) hear() (reply string, err error) {
	for {
		line, err := k.r.ReadString('\n')
		reply += strings.TrimRight(line, "\r\n")
		if err != nil {
			return reply, err
		}
		if len(line) < 4 || line[3] != '-' {
			return reply, nil
		}
	}
}

func (k *talker) send(line string) (string, error) {
	fmt.Fprintf(k.conn, "%s\r\n", line)
	return k.hear()
}

// talk runs a session with one message up to the first unexpected response. It returns that step, the response and
// the error.
func talk(t *testing.T, address string) (stopped point, reply string, err error) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	k := &talker{conn, bufio.NewReader(conn)}
	steps := []struct {
		at         point
		line, want string
	}{
		{atBanner, "", "220"}, {atEHLO, "EHLO here", "250"}, {atMAIL, "MAIL FROM:<a@x.example>", "250"},
		{atRSET, "RSET", "250"}, {atMAIL, "MAIL FROM:<a@x.example>", "250"}, {atRCPT, "RCPT TO:<b@y.example>", "250"},
		{atDATA, "DATA", "354"}, {inBody, strings.TrimSuffix(strings.Repeat("..a line\r\n", 400), "\r\n"), ""},
		{atDotStored, ".", "250"}, {atQUIT, "QUIT", "221"},
	}
	for _, s := range steps {
		switch {
		case s.at == atBanner:
			reply, err = k.hear()
		case s.want == "":
			_, err = fmt.Fprintf(conn, "%s\r\n", s.line)
			continue
		default:
			reply, err = k.send(s.line)
		}
		if err != nil || !strings.HasPrefix(reply, s.want) {
			return s.at, reply, err
		}
	}
	return "", reply, nil
}

// TestMailServer checks the server's faults at each point and its journal.
func TestMailServer(t *testing.T) {
	t.Parallel()
	for _, at := range []point{atBanner, atEHLO, atMAIL, atRCPT, atDATA, inBody, atDotLost, atDotStored, atRSET,
		atQUIT} {
		for _, kind := range []trick{drop, delay, refuse, bye, garbage, half, torn, silent} {
			t.Run(fmt.Sprintf("%s/%s", at, kind), func(t *testing.T) {
				t.Parallel()
				s := newMailServer(t, begin())
				s.follow(only(at, fault{trick: kind, reply: "451 4.3.0 not now", wait: 20 * time.Millisecond}))
				began := time.Now()
				stopped, reply, err := talk(t, s.door("run"))
				s.checkTrick(at, kind, stopped, reply, err)
				if slow := time.Since(began) >= 20*time.Millisecond; !slow && (kind == delay || kind == silent) {
					t.Error("nothing was slow")
				}
				s.checkJournal(at, kind)
				s.checkProtocol()
			})
		}
	}
}

func (s *mailServer) checkTrick(at point, kind trick, stopped point, reply string, err error) {
	s.t.Helper()
	seen := at
	if at == inBody || at == atDotLost {
		seen = atDotStored
	}
	ended := kind == drop || kind == half || kind == torn || kind == silent
	switch {
	case kind == delay:
		if stopped != "" || err != nil {
			s.t.Errorf("it stopped at %s: %q, %v", stopped, reply, err)
		}
		return
	case stopped != seen:
		s.t.Errorf("it stopped at %q (%q, %v), not at %s", stopped, reply, err, at)
	// the client may read a 421 there as the response to the dot, or lose it with the connection
	case ended != (err != nil) && at != inBody:
		s.t.Errorf("the end is %v", err)
	}
	want := map[trick]string{refuse: "451 4.3.0 not now", bye: "421 ", garbage: "\x00\xffNot"}[kind]
	if !strings.HasPrefix(reply, want) && at != inBody {
		s.t.Errorf("the answer is %q, not %q", reply, want)
	}
}

func (s *mailServer) checkJournal(at point, kind trick) {
	s.t.Helper()
	keeps := kind == delay || at == atDotStored || at == atQUIT
	journal, tries := s.kept(), s.tries()
	if keeps != (len(journal) == 1) {
		s.t.Fatalf("%d messages are in the journal", len(journal))
	}
	if n := s.faults()[string(at)+": "+string(kind)]; n == 0 {
		s.t.Errorf("the fault is not counted: %v", s.faults())
	}
	if keeps {
		l := journal[0]
		if want := strings.Repeat(".a line\r\n", 400); string(l.raw) != want || l.to != "b@y.example" ||
			l.from != "a@x.example" || l.run != "run" {
			s.t.Errorf("the journal has %d octets from %q to %q by %q", len(l.raw), l.from, l.to, l.run)
		}
		answered := at != atDotStored || kind == delay || kind == bye || kind == refuse
		if answered != (l.answer != "") {
			s.t.Errorf("it was answered %q", l.answer)
		}
		if a := tries[len(tries)-1]; !a.kept || !a.dot {
			s.t.Errorf("the attempt is %+v", a)
		}
	}
}

func TestMailServerProtocol(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines string
		found bool
	}{
		"right":               {"EHLO a\r\nMAIL FROM:<a@b>\r\n", false},
		"a bare LF":           {"EHLO a\nQUIT\r\n", true},
		"MAIL before EHLO":    {"MAIL FROM:<a@b>\r\n", true},
		"MAIL twice":          {"EHLO a\r\nMAIL FROM:<a@b>\r\nMAIL FROM:<a@b>\r\n", true},
		"no command":          {"EHLO a\r\nHELP\r\n", true},
		"no brackets":         {"EHLO a\r\nMAIL FROM:a@b\r\n", true},
		"an odd parameter":    {"EHLO a\r\nMAIL FROM:<a@b> SMTPUTF8\r\n", true},
		"a long line":         {"EHLO " + strings.Repeat("a", 600) + "\r\n", true},
		"two recipients":      {"EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<a@b>\r\nRCPT TO:<c@b>\r\n", true},
		"eight bits":          {"EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<a@b>\r\nDATA\r\nfür\r\n.\r\n", true},
		"more behind QUIT":    {"EHLO a\r\nQUIT\r\nNOOP\r\n", true},
		"a bare LF in a body": {"EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<a@b>\r\nDATA\r\na\nb\r\n.\r\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMailServer(t, begin())
			conn, err := net.Dial("tcp", s.door("run"))
			if err != nil {
				t.Fatal(err)
			}
			k := &talker{conn, bufio.NewReader(conn)}
			k.hear() //nolint:errcheck // the banner
			for line := range strings.SplitAfterSeq(c.lines, "\r\n") {
				if name == "more behind QUIT" && strings.HasPrefix(line, "QUIT") {
					line += "NOOP\r\n"
				}
				io.WriteString(conn, line) //nolint:errcheck // the session may be over
				if strings.HasPrefix(line, "für") || strings.HasPrefix(line, "a\n") || line == "" {
					continue
				}
				k.hear() //nolint:errcheck
			}
			conn.Close()
			s.mu.Lock()
			defer s.mu.Unlock()
			if found := len(s.violations) > 0; found != c.found {
				t.Errorf("violations: %q", s.violations)
			}
		})
	}
}
