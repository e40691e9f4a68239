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
func realSink(b *testing.B) (address string) { return serveSMTP(b, smtp.NewServer(discard{}), false) }

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
	must(b, err)
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
		must(b, err)
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
			"<p><a href=\"https://example.org/post\">A title — of a post</a><br>An excerpt of the post, as it "+
				"is.</p>\n",
			200))
	m.Encoded.Text = blocks(strings.Repeat("A title — of a post\nAn excerpt of the post, as it is.\n\n", 60))
	return m
}

const benchBatch = 2000

// sinks returns the servers of the benchmarks by name.
func sinks() map[string]func(*testing.B) string {
	return map[string]func(*testing.B) string{"go-smtp": realSink, "bare": fastSink}
}

// BenchmarkDelivery measures all steps (claim, compose, commit before the dot, send, mark, with the queue in memory)
// and a bare client that pipelines the same bytes into the same sink. The target is a ratio of 0.75 with a real server.
func BenchmarkDelivery(b *testing.B) {
	message := mustCompose(b, benchMail())
	for name, sink := range sinks() {
		for _, n := range []int{1, 4, 16} {
			measure(b, name, sink, n, nil, func(b *testing.B, address string) time.Duration {
				return bareSend(b, address, n, benchBatch, message)
			})
		}
	}
}

// BenchmarkSigned is BenchmarkDelivery with an RSA signature on each message. Its limit is signing alone, on all
// processors. The target is a ratio of 0.85 with the bare sink. A real sink on the same processors costs about as much
// as all of our work except the signature.
func BenchmarkSigned(b *testing.B) {
	signer, message := testSigner(b), mustCompose(b, benchMail())
	for name, sink := range sinks() {
		measure(b, name, sink, 4, []digest.DKIMKey{testKey(b)}, func(b *testing.B, _ string) time.Duration {
			return signAll(b, signer, message)
		})
	}
}

// measure delivers batches to a sink over n connections, and compares them with a limit.
func measure(b *testing.B, name string, sink func(*testing.B) string, n int, keys []digest.DKIMKey,
	limit func(b *testing.B, address string) time.Duration) {
	b.Run(fmt.Sprintf("sink=%s/connections=%d", name, n), func(b *testing.B) {
		address := sink(b)
		tr := openTest(b, "smtp+insecure://"+address, Options{PerConn: 100})
		var ours, alone time.Duration
		total := 0.0
		for b.Loop() {
			alone += limit(b, address)
			start := time.Now()
			deliverBatch(b, tr, n, keys)
			ours += time.Since(start)
			total += benchBatch
		}
		b.ReportMetric(total/ours.Seconds(), "messages/s")
		b.ReportMetric(total/alone.Seconds(), "limit/s")
		b.ReportMetric(alone.Seconds()/ours.Seconds(), "ratio")
		b.ReportMetric(0, "ns/op")
	})
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

func deliverBatch(b *testing.B, tr Transport, n int, keys []digest.DKIMKey) {
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
