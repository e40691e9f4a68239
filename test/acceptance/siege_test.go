package acceptance

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/grammar"
	"digest/test/program"
	"digest/test/tier"
)

// A siege is a midnight with honest feeds, many feeds that never end, and expensive documents. Each feed has its own
// host; the second byte of its address is its kind.
type siege struct {
	*house
	port      int
	deadline  time.Duration
	calm      bool          // no worker is stopped
	slowness  time.Duration // of a slow feed
	night     atomic.Bool   // before it, all feeds are honest
	day       atomic.Int64  // number of posts of mixed feeds
	documents [5]string     // the hostile documents
}

const (
	honestFeed  = 1
	tarpitFeed  = 2
	hostileFeed = 3
	slowFeed    = 4
	mixedFeed   = 5
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
	s.deadline, s.slowness = 2*time.Minute, 12*time.Second
	if full() { // the defaults
		s.deadline, s.slowness = 30*time.Minute, 25*time.Second
	} else {
		s.Set("DIGEST_POLL_WINDOW=0", "DIGEST_RELEASE_DEADLINE="+s.deadline.String())
	}
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
	case kind == mixedFeed:
		s.mixed(w, r, n)
	case kind == tarpitFeed && s.night.Load():
		tarry(w, r, n)
	case kind == slowFeed && s.night.Load():
		select {
		case <-r.Context().Done():
		case <-time.After(s.slowness):
			_, _ = io.WriteString(w, siegeFeed(n, true))
		}
	case kind == hostileFeed && s.night.Load():
		_, _ = io.WriteString(w, s.documents[n%len(s.documents)])
	default:
		_, _ = io.WriteString(w, siegeFeed(n, s.night.Load()))
	}
}

func siegeFeed(n int, night bool) string {
	items := fmt.Sprintf("<item><title>Evening of %d</title><guid>e</guid></item>", n)
	if night {
		items = fmt.Sprintf("<item><title>Morning of %d.</title><guid>m</guid></item>", n) + items
	}
	return fmt.Sprintf(`<rss version="2.0"><channel><title>Feed %d</title>%s</channel></rss>`, n, items)
}

// tarry never completes its response, in one of several ways.
func tarry(w http.ResponseWriter, r *http.Request, n int) {
	piece, pause := strings.Repeat(" ", 1), 100*time.Millisecond
	switch n % 4 {
	case 0:
		<-r.Context().Done()
		return
	case 1: // a large body at the speed of a slow line
		piece = strings.Repeat(" ", 32<<10)
	case 2: // the delay between slow responses
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

// hostileDocument returns a document that is expensive to read, store or keep in memory, almost as large as the
// limit.
func hostileDocument(n int) string {
	const size = 10<<20 - 1<<10
	item := func(content string) string {
		return `<rss version="2.0"><channel><title>x</title><item><guid>g</guid><description><![CDATA[` +
			content + `]]></description></item></channel></rss>`
	}
	switch n % 5 {
	case 0:
		return item(grammar.Repeated(size, "<html a#=b>"))
	case 1:
		return item(strings.Repeat("<table>a<tr>", size/12))
	case 2:
		return item(strings.Repeat("<div>", size/5))
	case 3:
		return item(strings.Repeat("word ", size/5))
	}
	posts := grammar.Repeated(size, "<item><title>#</title><guid>#</guid><description>"+strings.Repeat("x ", 50)+
		"</description></item>")
	return `<rss version="2.0"><channel><title>x</title>` + posts + `</channel></rss>`
}

// readers adds readers with each feeds of a kind, in order.
func (s *siege) readers(now time.Time, name string, n, each, kind, feeds int) {
	s.t.Helper()
	for k := range s.documents {
		if kind == hostileFeed {
			s.documents[k] = hostileDocument(k)
		}
	}
	for i := range n {
		var addresses []string
		for k := range each {
			addresses = append(addresses, s.address(kind, (i*each+k)%feeds))
		}
		s.addReader(now, fmt.Sprintf("%s%d@example.org", name, i), "UTC", addresses...)
	}
}

const mostMemory = 400 << 20

// worker runs a worker whose clock begins at a time.
func (s *siege) worker(begin time.Time) *program.Process {
	s.t.Helper()
	return s.Start("", "--now", instant(begin), "work")
}

// stop interrupts a worker, and checks its time and its memory.
func (s *siege) stop(w *program.Process, after time.Duration) {
	s.t.Helper()
	memory, told := program.MostMemory(w.Process.Pid), time.Now()
	w.Stop()
	took := time.Since(told)
	s.t.Logf("after %v a worker that had %d MiB of memory was stopped within %v", after.Round(time.Second), memory>>20,
		took.Round(time.Millisecond))
	if memory > mostMemory {
		s.t.Errorf("a worker took %d MiB", memory>>20)
	}
	if took > stopWithin {
		s.t.Errorf("a worker ended %v after it was told to", took)
	}
}

// complete counts the editions of readers by the prefix of their name, and the incomplete ones.
func (s *siege) complete(whose string, readers, each int) (editions, lacking int) {
	for _, l := range newLetterbox(s.house).arrived(s.t) {
		number, found := strings.CutPrefix(strings.TrimSuffix(l.To, "@example.org"), whose)
		if !found {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n >= readers {
			s.t.Fatalf("an edition for %s", l.To)
		}
		editions++
		for k := range each {
			if !strings.Contains(l.Text, fmt.Sprintf("Morning of %d.", n*each+k)) {
				lacking++
				break
			}
		}
	}
	return editions, lacking
}

// TestSiege runs one midnight with two workers (on SQLite one): 500 feeds that never end, from several accounts, and
// 50 hostile documents beside 200 honest feeds. Each honest reader's edition is complete and on time. No worker uses
// 400 MB, and each ends when interrupted. With full it uses the default settings, for half an hour.
func TestSiege(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel() // mostly waiting
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		const readers, each = 20, 10
		s := newSiege(t, database)
		evening := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
		s.readers(evening, "mallory", 20, 100, tarpitFeed, 500)
		s.readers(evening, "hostile", 5, 10, hostileFeed, 50)
		s.readers(evening, "honest", readers, each, honestFeed, readers*each)
		s.tick(evening)
		s.tick(evening.AddDate(0, 0, 1).Truncate(24 * time.Hour))
		if err := os.RemoveAll(s.Maildir()); err != nil {
			t.Fatal(err)
		}
		s.night.Store(true)
		s.stand(evening.AddDate(0, 0, 2).Truncate(24*time.Hour), "honest", readers, each)
	})
}

// TestSlowFeeds checks that feeds with slow responses are all polled before the deadline, and delay no others. With
// full it uses 2,000 that take 25 seconds, with the default settings.
func TestSlowFeeds(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel() // mostly waiting
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		readers, each := 4, 100
		if full() {
			readers = 20
		}
		s := newSiege(t, database)
		s.calm = true // a poll that a stop interrupts is not repeated before the gap ends
		evening := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
		s.readers(evening, "slow", readers, each, slowFeed, readers*each)
		s.readers(evening, "honest", 4, 10, honestFeed, 40)
		s.tick(evening)
		s.tick(evening.AddDate(0, 0, 1).Truncate(24 * time.Hour))
		if err := os.RemoveAll(s.Maildir()); err != nil {
			t.Fatal(err)
		}
		s.night.Store(true)
		midnight := evening.AddDate(0, 0, 2).Truncate(24 * time.Hour)
		s.stand(midnight, "slow", readers, each)
		if editions, lacking := s.complete("honest", 4, 10); editions != 4 || lacking > 0 {
			t.Errorf("%d editions of others, %d of them lack posts", editions, lacking)
		}
	})
}

// stand runs two workers, or one on SQLite, through a midnight. It stops and restarts the last one sometimes. It
// checks the editions of readers by the prefix of their name.
func (s *siege) stand(midnight time.Time, whose string, readers, each int) {
	s.t.Helper()
	const early = 2 * time.Second
	begun := time.Now()
	workers := []*program.Process{s.worker(midnight.Add(-early))}
	if strings.HasPrefix(s.database, "postgres") {
		workers = append(workers, s.worker(midnight.Add(-early)))
	}
	last := len(workers) - 1
	editions, lacking := 0, 0
	stopAt := s.moment()
	for took := time.Duration(0); editions < readers && took < s.deadline+patience; took = time.Since(begun) {
		time.Sleep(time.Second)
		if editions, lacking = s.complete(whose, readers, each); took > stopAt && !s.calm {
			s.stop(workers[last], took)
			workers[last] = s.worker(midnight.Add(time.Since(begun) - early))
			stopAt = took + s.moment()
		}
	}
	took := time.Since(begun)
	s.t.Logf("all %d editions after %v", editions, took.Round(time.Second))
	if editions != readers || lacking > 0 || took > s.deadline+30*time.Second {
		s.t.Errorf("%d editions after %v, %d of them lack posts; want %d", editions, took, lacking, readers)
	}
	if !s.calm { // wait for the rest
		time.Sleep(time.Until(begun.Add(s.deadline * 5 / 6)))
	}
	for _, w := range workers {
		s.stop(w, time.Since(begun))
	}
}

// moment returns the time until the next stop of a worker.
func (s *siege) moment() time.Duration { return s.deadline/20 + rand.N(s.deadline/5) }
