package worker_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"digest"
	"digest/mailer"
)

// BenchmarkDelivery sends the editions of one midnight from the database to an SMTP server on this machine,
// unsigned and signed: claim, read, render, compose, commit before each final dot, send, mark. The bound is
// a client that pipelines one message of the same size over the same number of connections and stores
// nothing.
//
// The processor time includes the server at the other end. GOGC=400 GOMEMLIMIT=200MiB sets the garbage
// collector as in the program.
func BenchmarkDelivery(b *testing.B) {
	const readers, feeds, each, posts = 4000, 1000, 5, 3
	for _, of := range []struct {
		connections int
		signed      string
	}{{4, ""}, {16, ""}, {64, ""}, {4, "/RSA"}} {
		connections := of.connections
		b.Run(fmt.Sprintf("connections=%d%s", connections, of.signed), func(b *testing.B) {
			eachCrowd(b, readers, each, addresses(feeds, 80), func(b *testing.B, c *crowd) {
				loop, address := c.smtpLoop(b, connections)
				if of.signed != "" {
					loop.Keys = benchKeys(b)
				}
				var r race
				var used time.Duration
				collected := 0
				for b.Loop() {
					now := c.nextMidnight(b, posts)
					c.release(b, now)
					message := c.typical(b, now)
					r.run(readers, func() {
						used, collected = used-ownTime(b), collected-collections()
						deliver(b, loop, now, readers)
						used, collected = used+ownTime(b), collected+collections()
					}, func() { sendBare(b, address, connections, readers, message) })
				}
				r.report(b, "messages/s")
				b.ReportMetric(float64(used.Microseconds())/float64(r.done), "cpu-us/message")
				b.ReportMetric(1000*float64(collected)/float64(r.done), "collections/1000")
			})
		})
	}
}

// smtpLoop returns a loop that sends to an SMTP server on this machine, and the server's address.
func (c *crowd) smtpLoop(b *testing.B, connections int) (loop *mailer.Deliverer, address string) {
	b.Helper()
	address = smtpSink(b)
	tr, err := mailer.Open("smtp+insecure://"+address, mailer.Options{})
	ok(b, err)
	b.Cleanup(func() { tr.Close() })
	return c.loop(tr, connections), address
}

func deliver(b *testing.B, loop *mailer.Deliverer, now time.Time, want int) {
	b.Helper()
	if stats, err := loop.Deliver(b.Context(), now); err != nil || stats.Sent != want {
		b.Fatalf("%+v, %v", stats, err)
	}
}

func collections() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.NumGC)
}

func benchKeys(b *testing.B) func(context.Context) ([]digest.DKIMKey, error) {
	b.Helper()
	key, err := mailer.NewDKIMKey("example.org", "s1", eve)
	ok(b, err)
	key.Active = true
	return func(context.Context) ([]digest.DKIMKey, error) { return []digest.DKIMKey{key}, nil }
}

// typical returns a composed message of a released midnight.
func (c *crowd) typical(b *testing.B, now time.Time) []byte {
	b.Helper()
	claimed, err := c.Editions.ClaimEditions(b.Context(), now,
		digest.Claim{Most: 1, Lease: time.Minute, Token: "typical"})
	ok(b, err)
	mails, err := c.renderer().Render(b.Context(), claimed)
	ok(b, err)
	m := mails[0]
	m.From, m.MessageID, m.Date = "Digest <digest@example.org>",
		mailer.MessageID(benchSigner(), digest.EditionID(1), "example.org"), now
	message, err := mailer.Compose(m)
	ok(b, err)
	ok(b, c.Editions.GiveBackEditions(b.Context(), "typical"))
	return message
}

// smtpSink starts a server that reads each message and drops it.
func smtpSink(b *testing.B) (address string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(b, err)
	s := smtp.NewServer(sink{})
	s.Domain, s.ErrorLog = "sink.example.org", log.New(io.Discard, "", 0)
	go func() { _ = s.Serve(l) }()
	b.Cleanup(func() { s.Close() })
	return l.Addr().String()
}

type sink struct{}

func (sink) NewSession(*smtp.Conn) (smtp.Session, error) { return sink{}, nil }
func (sink) Mail(string, *smtp.MailOptions) error        { return nil }
func (sink) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (sink) Reset()                                      {}
func (sink) Logout() error                               { return nil }
func (sink) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func sendBare(b *testing.B, address string, connections, messages int, message []byte) {
	var clients sync.WaitGroup
	for i := range connections {
		share := messages / connections
		if i < messages%connections {
			share++
		}
		clients.Go(func() {
			c, err := net.Dial("tcp", address)
			if err == nil {
				defer c.Close()
				err = bareDialogue(c, share, message)
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	clients.Wait()
}

// bareDialogue waits for answers only where SMTP requires it (RFC 2920).
func bareDialogue(c net.Conn, messages int, message []byte) error {
	r := bufio.NewReader(c)
	answers := func(n int) error {
		for n > 0 {
			line, err := r.ReadString('\n')
			switch {
			case err != nil:
				return err
			case line[0] > '3':
				return fmt.Errorf("refused: %s", line)
			case line[3] == ' ':
				n--
			}
		}
		return nil
	}
	if _, err := io.WriteString(c, "EHLO bare.example.org\r\n"); err != nil {
		return err
	}
	if err := answers(2); err != nil { // with the banner's
		return err
	}
	const envelope = "MAIL FROM:<digest@example.org>\r\nRCPT TO:<reader@example.org>\r\nDATA\r\n"
	body := strings.TrimSuffix(string(message), "\r\n") + "\r\n.\r\n"
	for range messages {
		if _, err := io.WriteString(c, envelope); err != nil {
			return err
		}
		if err := answers(3); err != nil {
			return err
		}
		if _, err := io.WriteString(c, body); err != nil {
			return err
		}
		if err := answers(1); err != nil {
			return err
		}
	}
	return nil
}

func ownTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
