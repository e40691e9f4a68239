package acceptance

import (
	"bufio"
	"fmt"
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

func newTalker(conn net.Conn) *talker { return &talker{conn, bufio.NewReader(conn)} }

func (k *talker) hear() (reply string, err error) {
	for {
		line, err := k.r.ReadString('\n')
		reply += strings.TrimRight(line, "\r\n")
		if err != nil || len(line) < 4 || line[3] != '-' {
			return reply, err
		}
	}
}

func (k *talker) send(line string) (string, error) {
	fmt.Fprintf(k.conn, "%s\r\n", line)
	return k.hear()
}

// TestMailServer checks the server's faults at each point, and its journal: a message is in it unless the fault is
// before, whatever the client learned.
func TestMailServer(t *testing.T) {
	t.Parallel()
	steps := []struct {
		at         point
		line, want string
	}{
		{atBanner, "", "220"}, {atEHLO, "EHLO here\r\n", "250"}, {atMAIL, "MAIL FROM:<a@x.example>\r\n", "250"},
		{atRSET, "RSET\r\n", "250"}, {atMAIL, "MAIL FROM:<a@x.example>\r\n", "250"},
		{atRCPT, "RCPT TO:<b@y.example>\r\n", "250"}, {atDATA, "DATA\r\n", "354"},
		{atDotStored, strings.Repeat("..a line\r\n", 400) + ".\r\n", "250"}, {atQUIT, "QUIT\r\n", "221"},
	}
	for _, at := range []point{atBanner, atEHLO, atMAIL, atRCPT, atDATA, inBody, atDotLost, atDotStored, atRSET,
		atQUIT} {
		for kind, want := range map[trick]string{drop: "", delay: "", refuse: "451 4.3.0 not now", bye: "421 ",
			garbage: "\x00\xffNot", half: "", torn: "", silent: ""} {
			t.Run(fmt.Sprintf("%s/%s", at, kind), func(t *testing.T) {
				t.Parallel()
				s := newMailServer(t, begin())
				s.follow(only(at, fault{trick: kind, reply: "451 4.3.0 not now", wait: 20 * time.Millisecond}))
				conn, err := net.Dial("tcp", s.door("run"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				k, stopped, reply := newTalker(conn), point(""), ""
				for _, step := range steps {
					fmt.Fprint(conn, step.line)
					if reply, err = k.hear(); err != nil || !strings.HasPrefix(reply, step.want) {
						stopped = step.at
						break
					}
				}
				seen := map[point]point{inBody: atDotStored, atDotLost: atDotStored}[at]
				if seen == "" {
					seen = at
				}
				if kind == delay {
					seen = ""
				}
				if stopped != seen || !strings.HasPrefix(reply, want) && at != inBody {
					t.Errorf("it stopped at %q, not at %q: %q, %v", stopped, seen, reply, err)
				}
				journal, keeps := s.kept(), kind == delay || at == atDotStored || at == atQUIT
				if keeps != (len(journal) == 1) || s.faults()[string(at)+": "+string(kind)] == 0 {
					t.Fatalf("%d messages are in the journal, with the faults %v", len(journal), s.faults())
				}
				if keeps && (string(journal[0].raw) != strings.Repeat(".a line\r\n", 400) ||
					journal[0].to != "b@y.example") {
					t.Errorf("the journal has %+v", journal[0])
				}
				s.checkProtocol()
			})
		}
	}
}

func TestMailServerProtocol(t *testing.T) {
	t.Parallel()
	const mail = "EHLO a\r\nMAIL FROM:<a@b>\r\n"
	for name, lines := range map[string]string{
		"":                    mail,
		"a bare LF":           "EHLO a\nQUIT\r\n",
		"MAIL before EHLO":    "MAIL FROM:<a@b>\r\n",
		"MAIL twice":          mail + "MAIL FROM:<a@b>\r\n",
		"no command":          "EHLO a\r\nHELP\r\n",
		"no brackets":         "EHLO a\r\nMAIL FROM:a@b\r\n",
		"an odd parameter":    "EHLO a\r\nMAIL FROM:<a@b> SMTPUTF8\r\n",
		"a long line":         "EHLO " + strings.Repeat("a", 600) + "\r\n",
		"two recipients":      mail + "RCPT TO:<a@b>\r\nRCPT TO:<c@b>\r\n",
		"eight bits":          mail + "RCPT TO:<a@b>\r\nDATA\r\nfür\r\n.\r\n",
		"more behind QUIT":    "EHLO a\r\nQUIT\r\nNOOP\r\n",
		"a bare LF in a body": mail + "RCPT TO:<a@b>\r\nDATA\r\na\nb\r\n.\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMailServer(t, begin())
			conn, err := net.Dial("tcp", s.door("run"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			k := newTalker(conn)
			k.hear() //nolint:errcheck // the banner
			for line := range strings.SplitAfterSeq(lines, "\r\n") {
				if name == "more behind QUIT" && strings.HasPrefix(line, "QUIT") {
					line += "NOOP\r\n"
				}
				fmt.Fprint(conn, line) // the session may be over
				if !strings.HasPrefix(line, "für") && !strings.HasPrefix(line, "a\n") && line != "" {
					k.hear() //nolint:errcheck
				}
			}
			conn.(*net.TCPConn).CloseWrite() //nolint:errcheck // the same
			for err == nil {
				_, err = k.hear()
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if found := len(s.violations) > 0; found != (name != "") {
				t.Errorf("violations: %q", s.violations)
			}
		})
	}
}
