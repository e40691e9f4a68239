package mailer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
)

// TestSeedsOfFaults delivers a queue through connections that each break at a random place. Every edition arrives, and
// only those arrive twice that the server has accepted without a reply. Without SMTPUTF8, an address that needs it gets
// nothing, and no other edition suffers.
func TestSeedsOfFaults(t *testing.T) {
	const editions = 30
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := &breaker{t: t, random: rand.New(rand.NewPCG(seed, 35)), utf8: seed%2 == 0}
			b.doubted, b.kept = map[string]bool{}, map[string]bool{}
			q := newMemQueue(editions, midnight)
			for id := digest.EditionID(1); id <= editions; id += 5 {
				q.rows[id].Email = fmt.Sprintf("jörg%d@example.org", id)
			}
			l := testDeliverer(t, q, b.transport())
			l.Renderer, l.Route.Connections = renderFunc(sized), 1
			for now := midnight; now.Before(midnight.Add(20 * time.Hour)); now = now.Add(10 * time.Minute) {
				once(t, l, now)
			}
			arrived := b.arrived()
			for _, row := range q.rows {
				state, copies := digest.EditionSent, 1
				if b.kept[row.Email] {
					copies = 2
				}
				if !b.utf8 && strings.HasPrefix(row.Email, "jörg") {
					state, copies = digest.EditionFailed, 0
				}
				got := arrived["<"+row.Email+">"]
				if row.State != state || len(got) != copies {
					t.Errorf("%s: %s (%s), %d copies; want %s, %d", row.Email, row.State, row.Error, len(got), state,
						copies)
				}
				sameMessage(t, row.Email, got)
			}
			t.Logf("%d connections, %d editions accepted twice", len(b.sinks), len(b.kept))
		})
	}
}

// A breaker opens connections to a sink that each break once, or not at all.
type breaker struct {
	t      *testing.T
	l      net.Listener
	random *rand.Rand
	utf8   bool // the server supports SMTPUTF8

	mu      sync.Mutex
	sinks   []*sink
	doubted map[string]bool // recipients whose messages may be in doubt
	kept    map[string]bool // those whose message was accepted
}

func (b *breaker) transport() *smtpTransport {
	var err error
	if b.l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.l.Close() })
	return openTest(b.t, "smtp+insecure://"+b.l.Addr().String(), Options{Dial: b.dial, PerConn: 5})
}

func (b *breaker) dial(_ context.Context, network, address string) (net.Conn, error) {
	client, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	served, err := b.l.Accept()
	if err != nil {
		return nil, err
	}
	stages := []string{"BANNER", "EHLO", "MAIL", "RCPT", "DATA", "BODY", "DOT", "DOT", "RSET", "QUIT", ""}
	at, nth := stages[b.random.IntN(len(stages))], 1+b.random.IntN(3)
	reset, keeps := b.random.IntN(2) == 0, b.random.IntN(2) == 0
	if at == "BANNER" || at == "EHLO" {
		nth = 1
	}
	var to string
	s := &sink{size: 20_000, recipient: func(address string) string { to = address; return "" }}
	s.answer = func(command string, n int) string {
		switch {
		case command == at && n == nth:
		case command == "EHLO" && !b.utf8:
			return "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 SIZE 20000"
		default:
			return ""
		}
		if at == "DOT" && !b.doubt(to, keeps) {
			return ""
		}
		if at == "BODY" { // the mailer may detect it too late
			b.doubt(to, false)
		}
		if reset {
			served.(*net.TCPConn).SetLinger(0)
		}
		if at == "DOT" && keeps {
			return takeAndHangUp
		}
		return hangUp
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sinks = append(b.sinks, s)
	go s.serve(served)
	return client, nil
}

// doubt reports whether the final dot of a message may have no reply. That may happen once for each recipient, because
// the mailer never sends a third time.
func (b *breaker) doubt(to string, keeps bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.doubted[to] {
		return false
	}
	b.doubted[to] = true
	if keeps {
		b.kept[to] = true
	}
	return true
}

// arrived returns the accepted messages by their field To. Each must fit the server's SIZE.
func (b *breaker) arrived() map[string][]string {
	by := map[string][]string{}
	for _, s := range b.sinks {
		for _, m := range s.messages() {
			if len(m) > 20_000 {
				b.t.Errorf("a message has %d bytes", len(m))
			}
			to := parse(b.t, []byte(m)).Header.Get("To")
			by[to] = append(by[to], m)
		}
	}
	return by
}
