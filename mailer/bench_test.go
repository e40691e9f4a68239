package mailer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"digest"
)

// realSink is a go-smtp server that parses every message and discards it.
func realSink(b *testing.B) (address string) {
	b.Helper()
	s := smtp.NewServer(discard{})
	return serveSMTP(b, s, false)
}

type discard struct{}

func (discard) NewSession(*smtp.Conn) (smtp.Session, error) { return discard{}, nil }
func (discard) Mail(string, *smtp.MailOptions) error        { return nil }
func (discard) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (discard) Reset()                                      {}
func (discard) Logout() error                               { return nil }
func (discard) Data(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// fastSink only searches for the end of a message. This leaves the clients' own cost.
func fastSink(b *testing.B) (address string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveFast(c)
		}
	}()
	return l.Addr().String()
}

func serveFast(c net.Conn) {
	defer c.Close()
	r, w := bufio.NewReaderSize(c, 64<<10), bufio.NewWriter(c)
	io.WriteString(w, "220 sink\r\n")
	data := false
	for {
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
		line, err := r.ReadSlice('\n')
		switch {
		case err != nil:
			return
		case data && string(line) == ".\r\n":
			data = false
			io.WriteString(w, "250 2.0.0 queued\r\n")
		case data:
		case string(line) == "DATA\r\n":
			data = true
			io.WriteString(w, "354 go on\r\n")
		case strings.HasPrefix(string(line), "EHLO"):
			io.WriteString(w, "250-sink\r\n250 PIPELINING\r\n")
		default:
			io.WriteString(w, "250 2.0.0 ok\r\n")
		}
	}
}

// bareSend measures the limit: the same pipelined dialogue over n connections, without any other work.
func bareSend(b *testing.B, address string, n, messages int, message []byte) time.Duration {
	b.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		c, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conns[i] = c
	}
	start := time.Now()
	var wg sync.WaitGroup
	for i, c := range conns {
		share := messages / n
		if i < messages%n {
			share++
		}
		wg.Go(func() {
			if err := bareConn(c, share, message); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

func bareConn(c net.Conn, messages int, message []byte) error {
	r := bufio.NewReader(c)
	answers := func(n int) error {
		for range n {
			if _, err := r.ReadSlice('\n'); err != nil {
				return err
			}
		}
		return nil
	}
	io.WriteString(c, "EHLO bare\r\n")
	for { // the greeting and the extensions
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		if strings.HasPrefix(line, "250 ") {
			break
		}
	}
	end := append(append([]byte(nil), message...), ".\r\n"...)
	for range messages {
		io.WriteString(c, "MAIL FROM:<digest@example.org>\r\nRCPT TO:<reader@example.org>\r\nDATA\r\n")
		if err := answers(3); err != nil {
			return err
		}
		c.Write(end)
		if err := answers(1); err != nil {
			return err
		}
	}
	return nil
}

// benchMail returns an edition of about 29 KB when composed, with an encoded body as from render.
func benchMail() Letter {
	m := sample()
	m.To = "reader@example.org"
	m.HTML, m.Text = "", ""
	m.Encoded.HTML = blocks("<!doctype html>" +
		strings.Repeat(
			"<p><a href=\"https://example.org/post\">A title — of a post</a><br>An excerpt of the post, as it is.</p>\n",
			200))
	m.Encoded.Text = blocks(strings.Repeat("A title — of a post\nAn excerpt of the post, as it is.\n\n", 60))
	return m
}

// BenchmarkDelivery measures all steps (claim, compose, commit before the dot, send, mark, with the queue in memory)
// and a bare client that pipelines the same bytes into the same sink. The target is a ratio of 0.75 with a real server.
func BenchmarkDelivery(b *testing.B) { bothSinks(b, deliverAll) }

// BenchmarkSend measures only the transport with a composed message.
func BenchmarkSend(b *testing.B) { bothSinks(b, sendAll) }

const benchBatch = 2000

func bothSinks(b *testing.B, ours func(b *testing.B, tr Transport, n int)) {
	for name, sink := range map[string]func(*testing.B) string{"go-smtp": realSink, "bare": fastSink} {
		for _, n := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("sink=%s/connections=%d", name, n), func(b *testing.B) {
				address := sink(b)
				message := mustCompose(b, benchMail())
				tr := openTest(b, "smtp+insecure://"+address, Options{PerConn: 100})
				var took, limit time.Duration
				total := 0
				for b.Loop() {
					limit += bareSend(b, address, n, benchBatch, message)
					start := time.Now()
					ours(b, tr, n)
					took += time.Since(start)
					total += benchBatch
				}
				report(b, total, took, limit)
			})
		}
	}
}

// BenchmarkSigned is BenchmarkDelivery with an RSA signature on each message. Its limit is signing alone, on all
// processors. The target is a ratio of 0.85 with the bare sink. A real sink on the same processors costs about as much
// as all of our work except the signature.
func BenchmarkSigned(b *testing.B) {
	key, err := NewDKIMKey("example.org", "s1", midnight)
	if err != nil {
		b.Fatal(err)
	}
	key.Active = true
	keys := []digest.DKIMKey{key}
	signer, err := NewDKIMSigner(keys, "digest@example.org")
	if err != nil {
		b.Fatal(err)
	}
	for name, sink := range map[string]func(*testing.B) string{"go-smtp": realSink, "bare": fastSink} {
		b.Run(fmt.Sprintf("sink=%s/connections=4", name), func(b *testing.B) {
			message := mustCompose(b, benchMail())
			tr := openTest(b, "smtp+insecure://"+sink(b), Options{PerConn: 100})
			var took, limit time.Duration
			total := 0
			for b.Loop() {
				limit += signAll(b, signer, message)
				start := time.Now()
				deliverWith(b, tr, 4, keys)
				took += time.Since(start)
				total += benchBatch
			}
			report(b, total, took, limit)
		})
	}
}

func signAll(b *testing.B, signer *DKIMSigner, message []byte) time.Duration {
	start := time.Now()
	var todo atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for todo.Add(1) <= benchBatch {
				if _, err := signer.Sign(message); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

func deliverAll(b *testing.B, tr Transport, n int) { deliverWith(b, tr, n, nil) }

func deliverWith(b *testing.B, tr Transport, n int, keys []digest.DKIMKey) {
	l := testDeliverer(b, &quickQueue{memQueue: newMemQueue(benchBatch, midnight)}, tr)
	l.Route.Connections, l.Log = n, slog.New(slog.DiscardHandler)
	l.Keys = func(context.Context) ([]digest.DKIMKey, error) { return keys, nil }
	mail := benchMail()
	mail.MessageID = ""
	l.Renderer = renderFunc(func(ds []digest.Delivery) ([]Letter, error) {
		return slices.Repeat([]Letter{mail}, len(ds)), nil
	})
	got, err := l.Deliver(context.Background(), midnight)
	if err != nil || got.Sent != benchBatch {
		b.Fatalf("%+v, %v", got, err)
	}
}

func sendAll(b *testing.B, tr Transport, n int) {
	e := Envelope{From: "digest@example.org", To: "reader@example.org", MessageID: "d.x@example.org"}
	message := mustCompose(b, benchMail())
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range benchBatch / n {
				if _, err := tr.Send(context.Background(), e, message, noDot); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func report(b *testing.B, n int, ours, limit time.Duration) {
	b.ReportMetric(float64(n)/ours.Seconds(), "messages/s")
	b.ReportMetric(float64(n)/limit.Seconds(), "limit/s")
	b.ReportMetric(limit.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCompose composes encoded bodies as from render, and plain bodies.
func BenchmarkCompose(b *testing.B) {
	kept := benchMail()
	raw := kept
	raw.HTML, raw.Text, raw.Encoded = strings.Join(kept.Encoded.HTML, ""), strings.Join(kept.Encoded.Text, ""),
		Encoded{}
	for name, m := range map[string]Letter{"kept-encoded": kept, "encoding": raw} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compose(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
