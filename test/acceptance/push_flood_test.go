package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// A flood sends requests as fast as the machine can, up to a rate per second.
type flood struct {
	t       *testing.T
	address string
	rate    int
	began   time.Time
	next    atomic.Int64 // number of the next request
	sent    atomic.Int64 // requests with a response
	failed  atomic.Int64 // requests without one
	mu      sync.Mutex
	answers map[int]int // by status
}

func newFlood(t *testing.T, address string, rate int) *flood {
	return &flood{t: t, address: address, rate: rate, began: time.Now(), answers: map[int]int{}}
}

// waits waits for the turn of n requests; false: the flood is over.
func (f *flood) waits(ctx context.Context, n int) bool {
	i := f.next.Add(int64(n)) - int64(n)
	ahead := time.Until(f.began.Add(time.Duration(i) * time.Second / time.Duration(f.rate)))
	select {
	case <-ctx.Done():
		return false
	case <-time.After(max(ahead, 0)):
		return ctx.Err() == nil
	}
}

// exchange sends n requests on one connection, and reads the responses.
func (f *flood) exchange(conn net.Conn, in *bufio.Reader, n int, requests []byte) error {
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := conn.Write(requests); err != nil {
		return err
	}
	for range n {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		f.sent.Add(1)
		f.mu.Lock()
		f.answers[res.StatusCode]++
		f.mu.Unlock()
	}
	return nil
}

// pour sends requests in batches until ctx ends. If endless, all batches use one connection, otherwise each uses its
// own.
func (f *flood) pour(ctx context.Context, batch int, endless bool, request func(i int64) string) {
	var conn net.Conn
	var in *bufio.Reader
	for f.waits(ctx, batch) {
		var b bytes.Buffer
		for k := range batch {
			b.WriteString(request(f.next.Load() + int64(k)))
		}
		if conn == nil {
			c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}).DialContext(ctx, "tcp",
				f.address)
			if err != nil {
				f.failed.Add(int64(batch))
				continue
			}
			conn, in = c, bufio.NewReader(c)
		}
		if err := f.exchange(conn, in, batch, b.Bytes()); err != nil && ctx.Err() == nil {
			f.failed.Add(1)
		} else if err == nil && endless {
			continue
		}
		conn.Close()
		conn = nil
	}
	if conn != nil {
		conn.Close()
	}
}

func (f *flood) told(took time.Duration) string {
	return fmt.Sprintf("%d answered, %.0f a second (wanted %d), %d not, by status %v", f.sent.Load(),
		float64(f.sent.Load())/took.Seconds(), f.rate, f.failed.Load(), f.answers)
}

func rawPost(path, kind, body string, fields ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: digest.example\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s",
		path, kind, len(body), strings.Join(fields, ""), body)
}

// pushServer starts a server at an address. Its clock starts at now.
func (h *house) pushServer(address string, now time.Time) *program.Process {
	h.t.Helper()
	return h.Start(address, "--now", instant(now), "--listen", address, "serve")
}

// TestFloodAtMidnight sends 10,000 pings and 10,000 forged pushes per second from one address, or as many as this
// machine can. The midnight must be on time with all posts. No site gets additional requests, and no forged post is
// stored.
func TestFloodAtMidnight(t *testing.T) {
	tier.Acceptance(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		const feeds, each, rate, early = 40, 10, 10_000, 5 * time.Second
		const deadline = 2 * time.Minute
		w := newPushWorld(t)
		for range feeds {
			w.add(honestHub)
		}
		h := newHouse(t, database)
		address := program.FreeAddress(t)
		h.Set("DIGEST_BASE_URL=http://"+address, "DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=100ms",
			"DIGEST_LOG_LEVEL=error", "SSL_CERT_FILE="+w.trust, "DIGEST_RELEASE_DEADLINE="+deadline.String())
		evening := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
		h.follow(w, evening, "/pushed.xml", each)
		h.tick(evening)
		subscriber := h.pushServer(address, evening.Add(time.Hour))
		w.awaitPromises(feeds) // the tick subscribed while no server listened
		subscriber.Stop()
		in := newLetterbox(h)
		want := map[string]bool{}
		for _, f := range w.feeds {
			want[w.publish(f)] = true
		}

		midnight := evening.Truncate(day).AddDate(0, 0, 1)
		begun := time.Now()
		server := h.pushServer(address, midnight.Add(-early))
		ctx, cancel := context.WithCancel(t.Context())
		pings, pushes := newFlood(t, address, rate), newFlood(t, address, rate)
		var pouring sync.WaitGroup
		for range 32 {
			pouring.Go(func() {
				pings.pour(ctx, 1, false, func(i int64) string {
					address := fmt.Sprintf("http://127.90.9.9/unknown-%d.xml", i)
					if i%2 == 0 {
						address = w.address(w.feeds[i/2%feeds], "/pushed.xml")
					}
					return rawPost("/ping", "application/x-www-form-urlencoded", url.Values{"url": {address}}.Encode())
				})
			})
		}
		var paths []string
		for callback := range w.callbacks(honestHub, w.feeds[0]) {
			paths = append(paths, strings.TrimPrefix(callback, "http://"+address))
		}
		if len(paths) == 0 {
			t.Fatal("no callback")
		}
		body := w.document(w.feeds[0], "/pushed.xml", []string{"http://site-999.example/posts/1"})
		for range 16 {
			pouring.Go(func() {
				pushes.pour(ctx, 20, true, func(i int64) string {
					path := paths[0]
					if i%2 == 0 {
						path = fmt.Sprintf("/websub/%032d", i)
					}
					return rawPost(path, "application/rss+xml", body, "X-Hub-Signature: sha256="+
						strings.Repeat("0", 64)+"\r\n")
				})
			})
		}
		got := map[string]bool{}
		editions := 0
		for editions < feeds/each && time.Since(begun) < early+deadline+patience {
			time.Sleep(100 * time.Millisecond)
			for _, l := range in.arrived(t) {
				if strings.HasPrefix(l.To, "reader") {
					editions++
				}
				for post := range l.posts {
					got[post] = true
				}
			}
		}
		took := time.Since(begun)
		cancel()
		pouring.Wait()
		memory := program.MostMemory(server.Process.Pid)
		server.Stop()
		t.Logf("%d editions %v after midnight, %d MiB; pings: %s; pushes: %s", editions,
			(took - early).Round(100*time.Millisecond), memory>>20, pings.told(took), pushes.told(took))
		if editions != feeds/each || took > early+deadline+30*time.Second {
			t.Errorf("%d editions %v after midnight", editions, took-early)
		}
		for post := range want {
			if !got[post] {
				t.Errorf("%s is in no edition", post)
			}
		}
		if got["http://site-999.example/posts/1"] || memory > mostMemory {
			t.Errorf("something forged was mailed (%t), or it took %d MiB", got["http://site-999.example/posts/1"],
				memory>>20)
		}
		h.judgeFlood(w, midnight, pushes)
	})
}

// judgeFlood checks the statistics of the program, and the requests to sites.
func (h *house) judgeFlood(w *pushWorld, now time.Time, pushes *flood) {
	h.t.Helper()
	pings := 0
	for _, f := range w.feeds {
		// the subscription, the first tick, the midnight, and a ping
		if n := f.requests["/pushed.xml"]; n > 4 {
			h.t.Errorf("feed %d was asked %d times", f.n, n)
		}
		var said struct {
			News struct{ Pings, Pushes int }
		}
		h.read(now, &said, "feeds", w.address(f, "/pushed.xml"))
		if pings += said.News.Pings; said.News.Pings > 3 || said.News.Pushes != 0 {
			h.t.Errorf("feed %d has %d pings and %d pushes", f.n, said.News.Pings, said.News.Pushes)
		}
	}
	if pushes.answers[http.StatusTooManyRequests] == 0 ||
		pushes.answers[http.StatusAccepted] > 100+int(time.Since(pushes.began).Minutes()+1)*60 {
		h.t.Errorf("forged pushes were answered %v", pushes.answers)
	}
	h.t.Logf("%d pings count", pings)
}
