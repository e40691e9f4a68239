package worker_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/textsearch"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/test/program"
	"digest/worker"
)

func TestMain(m *testing.M) { storetest.Main(m, built.Remove) }

var built program.Workshop

// A site is a feed under test. Tests change what it serves, and it records requests.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	posts  []string // newest first, as items
	shows  int      // how many of them are listed; 0: all
	status int      // 0: answer normally
	header http.Header
	extra  string // additional elements of the channel
	asked  []string
}

func newSite(t *testing.T, titles ...string) *site {
	s := &site{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	s.publish(titles...)
	return s
}

// publish adds posts without dates, the newest first.
func (s *site) publish(titles ...string) {
	for _, title := range slices.Backward(titles) {
		s.add(title, "")
	}
}

// publishAt adds posts with one date, the oldest first.
func (s *site) publishAt(clock string, titles ...string) {
	at, err := time.Parse("2006-01-02 15:04", clock)
	if err != nil {
		panic(err)
	}
	for _, title := range titles {
		s.add(title, at.Format("<pubDate>"+time.RFC1123Z+"</pubDate>"))
	}
}

func (s *site) add(title, date string) { s.item(title, strings.ReplaceAll(title, " ", "-"), date) }

func (s *site) item(title, guid, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = slices.Insert(s.posts, 0, fmt.Sprintf(
		`<item><title>%s</title><guid>%s</guid><link>http://example.org/%[2]s</link>%s</item>`, title, guid, more))
}

// says sets the answer until the next call; 0 means the normal answer.
func (s *site) says(status int, header ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.header = status, http.Header{}
	for i := 0; i < len(header); i += 2 {
		s.header.Set(header[i], header[i+1])
	}
}

// requests returns the methods of the requests since the last call.
func (s *site) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return strings.Join(asked, " ")
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method)
	maps.Copy(w.Header(), s.header)
	if s.status != 0 {
		w.WriteHeader(s.status)
		return
	}
	shown := s.posts
	if s.shows > 0 && len(shown) > s.shows {
		shown = shown[:s.shows]
	}
	body := `<rss version="2.0"><channel><title>Paper</title>` + s.extra + strings.Join(shown, "") + `</channel></rss>`
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, crc32.ChecksumIEEE([]byte(body))))
	http.ServeContent(w, r, "feed.xml", time.Time{}, strings.NewReader(body))
}

// A house is everything around the hourly job, with a clock that the test sets.
type house struct {
	t      *testing.T
	st     *store.Store
	clock  time.Time
	mail   string
	spread poller.Spread
	d      digest.Digest // of the last added reader
	hubs   *callbacks    // nil: hubs cannot reach this house
}

func newHouse(t *testing.T, st *store.Store, clock string) *house {
	h := &house{t: t, st: st, mail: t.TempDir()}
	h.spread = poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute, NoWait: true}
	h.set(clock)
	return h
}

// eachHouse runs f on both databases, with a reader in UTC of a site that has published "first".
func eachHouse(t *testing.T, clock string, f func(t *testing.T, h *house, s *site)) {
	t.Helper()
	eachEmptyHouse(t, clock, func(t *testing.T, h *house) {
		s := newSite(t, "first")
		h.reader("utc@example.org", "UTC", s)
		f(t, h, s)
	})
}

// eachEmptyHouse runs f on both databases without readers.
func eachEmptyHouse(t *testing.T, clock string, f func(t *testing.T, h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) { f(t, newHouse(t, st, clock)) })
}

// eachDatedHouse runs f on both databases with the house of newDatedHouse.
func eachDatedHouse(t *testing.T, f func(t *testing.T, h *house, s *site)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h, s := newDatedHouse(t, st)
		f(t, h, s)
	})
}

// newDatedHouse returns a house with a reader in UTC of a site whose posts have dates.
func newDatedHouse(t *testing.T, st *store.Store) (*house, *site) {
	p := newSite(t)
	p.publishAt("2026-11-18 09:00", "old")
	h := newHouse(t, st, "2026-11-18 10:00")
	h.reader("ann@example.org", "UTC", p)
	return h, p
}

func (h *house) set(clock string) {
	h.t.Helper()
	var err error
	if h.clock, err = time.Parse("2006-01-02 15:04", clock); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) poller() *poller.Poller {
	p := poller.New(poller.Options{
		UserAgentVersion: "test", BaseURL: "http://localhost:8080", NoWait: true,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Now:           func() time.Time { return h.clock },
		Roots:         h.hubs.roots(),
		Known:         h.st.Feeds.KnownPosts,
		HomePicture:   h.st.Feeds.HomePicture,
	})
	h.t.Cleanup(p.Close)
	return p
}

func (h *house) job() *worker.Job {
	h.t.Helper()
	transport, err := mailer.Open("maildir:"+h.mail, mailer.Options{})
	ok(h.t, err)
	h.t.Cleanup(func() { transport.Close() })
	signer := digest.NewSigner(make([]byte, 32))
	return worker.New(worker.Options{
		Store:  h.st,
		Poller: h.poller(),
		Mail: &mailer.Deliverer{
			Queue: h.st.Editions, Signer: signer,
			Sender: &mailer.Sender{Transport: transport, From: "Digest <digest@example.org>"},
			Renderer: edition.New(edition.Options{Store: h.st.Editions, Signer: signer,
				BaseURL: "http://localhost:8080"}),
		},
		Spread: h.spread,
		Keep:   400 * 24 * time.Hour,
		Now:    func() time.Time { return h.clock },
		Frozen: true,

		Callback: h.hubs.callback(),
	})
}

func (h *house) reader(email, zone string, sites ...*site) digest.Digest {
	h.t.Helper()
	_, d, err := h.st.Readers.AddUser(h.t.Context(), email, zone, h.clock)
	ok(h.t, err)
	h.d = d
	for _, s := range sites {
		h.follows(s.address())
		s.requests()
	}
	return d
}

// tick runs the job at an instant and checks the summary, such as "Polled:1 Sent:1".
func (h *house) tick(clock, want string) {
	h.t.Helper()
	h.set(clock)
	sum, err := h.job().Tick(h.t.Context())
	ok(h.t, err)
	fields := strings.Fields(strings.Trim(fmt.Sprintf("%+v", sum), "{}"))
	fields = slices.DeleteFunc(fields, func(f string) bool { return strings.HasSuffix(f, ":0") || f[len(f)-1] == ':' })
	if got := strings.Join(fields, " "); got != want {
		h.t.Errorf("tick at %s: %s, want %s", clock, got, want)
	}
}

// run ticks at an instant and ignores the summary.
func (h *house) run(at time.Time) {
	h.t.Helper()
	h.clock = at
	h.tickNow()
}

// inbox returns the number of mails, and their text without line breaks of quoted-printable.
func (h *house) inbox() (mails int, text string) {
	h.t.Helper()
	all := h.letters()
	return len(all), strings.Join(all, "\n")
}

func (h *house) letters() (all []string) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.mail, "new", "*"))
	ok(h.t, err)
	for _, f := range files {
		content, err := os.ReadFile(f)
		ok(h.t, err)
		all = append(all, strings.ReplaceAll(string(content), "=\r\n", ""))
	}
	return all
}

func TestTheHour(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		s := newSite(t, "first", "older")
		h.reader("berlin@example.org", "Europe/Berlin", s) // midnight at 23:00Z
		asked := func(want string) {
			t.Helper()
			if got := s.requests(); got != want {
				t.Errorf("asked %q, want %q", got, want)
			}
		}
		h.tick("2026-11-19 22:00", "")
		asked("") // no reader's midnight is over
		s.publish("evening news")
		h.tick("2026-11-19 23:00", "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
		asked("HEAD GET")
		if n, text := h.inbox(); n != 1 || !strings.Contains(text, "evening news") ||
			!strings.Contains(text, "first") || strings.Contains(text, "older") {
			t.Errorf("%d mails; want one with the evening news and the newest post of before, and no older one:\n%s", n,
				text)
		}
		q, err := textsearch.Parse("evening")
		ok(t, err)
		found, err := h.st.Posts.Search(t.Context(), h.d.UserID, store.SearchQuery{Query: q, Now: h.clock, Limit: 9})
		if err != nil || len(found.Posts) != 1 || found.Posts[0].Title != "evening news" {
			t.Errorf("found %v, %v", found.Posts, err)
		}
		h.reader("utc@example.org", "UTC", s)
		h.tick("2026-11-20 00:00", "Polled:1 Unchanged:1 Editions:1 Sent:1")
		asked("GET") // HEAD has told the truth
		h.tick("2026-11-20 01:00", "")
		h.tick("2026-11-20 23:00", "Polled:1 Unchanged:1")
		if n, _ := h.inbox(); n != 2 {
			t.Errorf("%d mails; a day without posts brings none", n)
		}
	})
}

func TestSlowestFeedHoldsNobodyBeyondTheDeadline(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.set("2026-11-20 00:00")
		if n := claimAndKill(t, h, 15*time.Minute); n != 1 {
			t.Fatalf("claimed %d feeds", n)
		}
		h.tick("2026-11-20 00:01", "")
		h.tick("2026-11-20 00:30", "Editions:1 Sent:1")
		if asked := s.requests(); asked != "" {
			t.Errorf("asked %v although an attempt of this hour was committed (S16)", asked)
		}
		s.publish("second")
		h.tick("2026-11-20 01:00", "Polled:1 Changed:1 Posts:1")
	})
}

func TestLateHourPollsFirst(t *testing.T) {
	eachHouse(t, "2026-11-17 10:00", func(t *testing.T, h *house, s *site) {
		s.publish("second", "third")
		// after two missed midnights
		h.tick("2026-11-20 09:00", "Polled:1 Changed:1 Posts:2 Editions:1 Sent:1")
		n, text := h.inbox()
		if n != 1 || !strings.Contains(text, "third") || !strings.Contains(text, "Friday 20 November") {
			t.Errorf("%d mails; want one, of today, with what was published meanwhile:\n%s", n, text)
		}
		h.tick("2026-11-20 10:00", "")
	})
}

func TestMailDownKeepsEditions(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.set("2026-11-20 00:00")
		job := h.job()
		var err error
		if job.Mail.Transport, err = mailer.Open("smtp+insecure://"+program.FreeAddress(t),
			mailer.Options{}); err != nil {
			t.Fatal(err)
		}
		sum, err := job.Tick(t.Context())
		if err != nil || sum.Editions != 1 || sum.Sent != 0 {
			t.Errorf("with the mail server down: %+v, %v", sum, err)
		}
		h.tick("2026-11-20 01:00", "Sent:1")
	})
}

func TestRunStopsWhenAsked(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.set("2026-11-20 00:00")
		job := h.job()
		ctx, stop := context.WithCancel(t.Context())
		sent := 0
		job.Report = func(e worker.Event) {
			if sent += e.Mail.Sent; sent == 1 {
				stop() // like SIGTERM
			}
		}
		ok(t, job.Run(ctx))
		if n, _ := h.inbox(); n != 1 {
			t.Errorf("%d mails, want 1", n)
		}
	})
}

func TestManyFeedsManyWorkers(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		const feeds = 30
		var sites []*site
		for range feeds {
			s := newSite(t, "first")
			sites = append(sites, s)
		}
		h.reader("a@example.org", "UTC", sites...)
		h.reader("b@example.org", "UTC", sites[:10]...)
		h.set("2026-11-20 00:00")
		var workers sync.WaitGroup
		for range 3 {
			job := h.job()
			workers.Go(func() {
				if _, err := job.Tick(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		workers.Wait()
		h.tick("2026-11-20 00:30", "")
		for i, s := range sites {
			if asked := s.requests(); asked != "HEAD" {
				t.Errorf("feed %d was asked %v by three workers", i, asked)
			}
		}
		if n, _ := h.inbox(); n != 2 {
			t.Errorf("%d mails, want 2", n)
		}
	})
}
