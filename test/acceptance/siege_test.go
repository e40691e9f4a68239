package acceptance

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A siege is one midnight at which honest feeds are asked beside many that never
// end, and documents that are meant to cost. Each feed has a host of its own: its
// second number is its kind.
type siege struct {
	*house
	port  int
	night atomic.Bool // until then all are well
}

// The kinds of feeds of a siege.
const (
	honestFeed  = 1
	tarpitFeed  = 2
	hostileFeed = 3
)

func (s *siege) address(kind, n int) string {
	return fmt.Sprintf("http://127.%d.%d.%d:%d/feed.xml", 80+kind, n/250, n%250+1, s.port)
}

func newSiege(t *testing.T, database string) *siege {
	s := &siege{house: newHouse(t, database)}
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	server := &http.Server{Handler: s}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	s.set("DIGEST_POLL_WINDOW=0", "DIGEST_RELEASE_DEADLINE=2m")
	return s
}

func (s *siege) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	ip := net.ParseIP(host).To4()
	if ip == nil || r.URL.Path != "/feed.xml" {
		http.NotFound(w, r)
		return
	}
	kind, n := int(ip[1])-80, int(ip[2])*250+int(ip[3])-1
	switch {
	case kind == tarpitFeed && s.night.Load():
		tarry(w, r, n)
	case kind == hostileFeed && s.night.Load():
		_, _ = io.WriteString(w, hostileDocument(n))
	default:
		_, _ = io.WriteString(w, siegeFeed(n, s.night.Load()))
	}
}

// siegeFeed is an honest document.
func siegeFeed(n int, night bool) string {
	items := fmt.Sprintf("<item><title>Evening of %d</title><guid>e</guid></item>", n)
	if night {
		items = fmt.Sprintf("<item><title>Morning of %d.</title><guid>m</guid></item>", n) + items
	}
	return fmt.Sprintf(`<rss version="2.0"><channel><title>Feed %d</title>%s</channel></rss>`, n, items)
}

// tarry answers never, or a little at a time, in one of several ways.
func tarry(w http.ResponseWriter, r *http.Request, n int) {
	piece, pause := strings.Repeat(" ", 1), 100*time.Millisecond
	switch n % 4 {
	case 0:
		<-r.Context().Done()
		return
	case 1: // much of a body, at the pace of a slow line
		piece = strings.Repeat(" ", 32<<10)
	case 2: // from one slow answer to the next
		select {
		case <-r.Context().Done():
		case <-time.After(25 * time.Second):
			http.Redirect(w, r, "/feed.xml?"+strconv.FormatInt(time.Now().UnixNano(), 36), http.StatusFound)
		}
		return
	}
	for {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(pause):
		}
	}
}

// hostileDocument is one that costs much to read, store or keep in memory.
func hostileDocument(n int) string {
	item := func(content string) string {
		return `<rss version="2.0"><channel><title>x</title><item><guid>g</guid><description><![CDATA[` + content + `]]></description></item></channel></rss>`
	}
	var b strings.Builder
	switch n % 5 {
	case 0:
		for i := range 55_000 {
			fmt.Fprintf(&b, "<html a%d=b>", i)
		}
		return item(b.String())
	case 1:
		return item(strings.Repeat("<table>a<tr>", 40_000))
	case 2:
		return item(strings.Repeat("<div>", 200_000))
	case 3:
		return item(strings.Repeat("word ", 1_800_000))
	}
	for i := range 55_000 {
		fmt.Fprintf(&b, "<item><title>%d</title><guid>%d</guid><description>%s</description></item>", i, i, strings.Repeat("x ", 50))
	}
	return `<rss version="2.0"><channel><title>x</title>` + b.String() + `</channel></rss>`
}

// readers adds readers of each*n feeds of a kind, each of feeds of their own.
func (s *siege) readers(now time.Time, name string, n, each, kind int) {
	s.t.Helper()
	for i := range n {
		var b strings.Builder
		b.WriteString(`<opml version="2.0"><body>`)
		for k := range each {
			fmt.Fprintf(&b, `<outline type="rss" xmlUrl="%s"/>`, s.address(kind, i*each+k))
		}
		b.WriteString(`</body></opml>`)
		list := filepath.Join(s.dir, "list.opml")
		if err := os.WriteFile(list, []byte(b.String()), 0o600); err != nil {
			s.t.Fatal(err)
		}
		email := fmt.Sprintf("%s%d@example.org", name, i)
		s.at(now, "user", "add", email, "--time-zone", "UTC")
		s.at(now, "opml", "import", email, list)
	}
}

// worker runs a worker whose clock begins at an instant, until the test ends.
func (s *siege) worker(begin time.Time) *exec.Cmd {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	cmd := s.command(ctx, "--now", instant(begin), "work")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { stop(); _ = cmd.Wait() })
	return cmd
}

// mostMemory is the most memory that a program has had, in bytes; 0: not known.
func mostMemory(cmd *exec.Cmd) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(kib)
	return n << 10
}

// complete counts the honest readers' editions, and those that lack a post.
func (s *siege) complete(readers, each int) (editions, lacking int) {
	files, err := filepath.Glob(filepath.Join(s.maildir(), "new", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		l := readLetter(s.t, raw)
		name, isHonest := strings.CutPrefix(strings.TrimSuffix(l.to, "@example.org"), "honest")
		if !isHonest {
			continue
		}
		n, err := strconv.Atoi(name)
		if err != nil || n >= readers {
			s.t.Fatalf("an edition for %s", l.to)
		}
		editions++
		for k := range each {
			if !strings.Contains(l.text, fmt.Sprintf("Morning of %d.", n*each+k)) {
				lacking++
				break
			}
		}
	}
	return editions, lacking
}

// TestSiege: at one midnight of two workers, 500 feeds that never end and 50 hostile
// documents stand beside 200 honest feeds: each honest reader's edition is
// complete and on time, and no worker takes 400 MB.
func TestSiege(t *testing.T) {
	tier.Acceptance(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		const readers, each = 20, 10
		s := newSiege(t, database)
		evening := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
		s.readers(evening, "mallory", 5, 100, tarpitFeed)
		s.readers(evening, "hostile", 5, 10, hostileFeed)
		s.readers(evening, "honest", readers, each, honestFeed)
		s.tick(evening)
		s.tick(evening.AddDate(0, 0, 1).Truncate(24 * time.Hour))
		if err := os.RemoveAll(s.maildir()); err != nil {
			t.Fatal(err)
		}
		s.night.Store(true)
		midnight := evening.AddDate(0, 0, 2).Truncate(24 * time.Hour)
		workers := []*exec.Cmd{s.worker(midnight.Add(-2 * time.Second)), s.worker(midnight.Add(-2 * time.Second))}
		begun := time.Now()
		editions, lacking := 0, 0
		for editions < readers && time.Since(begun) < patience {
			time.Sleep(time.Second)
			editions, lacking = s.complete(readers, each)
		}
		took := time.Since(begun)
		if editions != readers || lacking > 0 || took > 150*time.Second {
			t.Errorf("%d editions after %v, %d of them lack posts; want %d", editions, took, lacking, readers)
		}
		time.Sleep(time.Until(begun.Add(100 * time.Second))) // while the rest comes
		for _, w := range workers {
			memory := mostMemory(w)
			t.Logf("editions after %v, %d MiB of memory", took, memory>>20)
			if memory > 400<<20 {
				t.Errorf("a worker took %d MiB", memory>>20)
			}
		}
	})
}
