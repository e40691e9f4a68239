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
	"digest/feed"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/subscribe"
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

func (s *site) add(title, date string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := fmt.Sprintf(`<item><title>%s</title><guid>%s</guid><link>http://example.org/%[2]s</link>%s</item>`,
		title, strings.ReplaceAll(title, " ", "-"), date)
	s.posts = append([]string{item}, s.posts...)
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
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, "first")
		h := newHouse(t, st, clock)
		h.reader("utc@example.org", "UTC", s)
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
	})
	h.t.Cleanup(p.Close)
	return p
}

func (h *house) job() *worker.Job {
	h.t.Helper()
	transport, err := mailer.Open("maildir:"+h.mail, mailer.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
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
	if err != nil {
		h.t.Fatal(err)
	}
	subscriber := subscribe.Subscriber{Store: h.st, Poller: h.poller(), Now: func() time.Time { return h.clock }}
	for _, s := range sites {
		if _, _, err := subscriber.Subscribe(h.t.Context(), d.ID, s.URL+"/feed.xml", 0); err != nil {
			h.t.Fatal(err)
		}
		s.requests()
	}
	h.d = d
	return d
}

// tick runs the job at an instant and checks the summary.
func (h *house) tick(clock string, want worker.Summary) {
	h.t.Helper()
	h.set(clock)
	got, err := h.job().Tick(h.t.Context())
	if err != nil {
		h.t.Fatalf("tick at %s: %v", clock, err)
	}
	if got != want {
		h.t.Errorf("tick at %s:\n got %+v\nwant %+v", clock, got, want)
	}
}

// run ticks at an instant and ignores the summary.
func (h *house) run(at time.Time) {
	h.t.Helper()
	h.clock = at
	if _, err := h.job().Tick(h.t.Context()); err != nil {
		h.t.Fatalf("tick at %s: %v", at, err)
	}
}

func (h *house) inbox() (mails int, text string) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.mail, "new", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			h.t.Fatal(err)
		}
		b.Write(content)
	}
	return len(files), b.String()
}

func TestTheHour(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, "first", "older")
		h := newHouse(t, st, "2026-11-19 10:00")
		h.reader("berlin@example.org", "Europe/Berlin", s) // midnight at 23:00Z
		h.reader("utc@example.org", "UTC", s)

		h.tick("2026-11-19 22:00", worker.Summary{})
		if asked := s.requests(); asked != "" {
			t.Errorf("asked %v though nobody's midnight has come", asked)
		}
		s.publish("evening news")
		h.tick("2026-11-19 23:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		if asked := s.requests(); asked != "HEAD GET" {
			t.Errorf("a changed feed was asked %v", asked)
		}
		if n, text := h.inbox(); n != 1 || !strings.Contains(text, "evening news") ||
			!strings.Contains(text, "first") || strings.Contains(text, "older") {
			t.Errorf("%d mails; want one with the evening news and the newest post of before, and no older one:\n%s", n,
				text)
		}
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Unchanged: 1, Editions: 1, Sent: 1})
		if asked := s.requests(); asked != "GET" {
			t.Errorf("an unchanged feed was asked %v once HEAD had told the truth", asked)
		}
		h.tick("2026-11-20 01:00", worker.Summary{})
		h.tick("2026-11-20 23:00", worker.Summary{Polled: 1, Unchanged: 1})
		if n, _ := h.inbox(); n != 2 {
			t.Errorf("%d mails; a day without posts brings none", n)
		}
	})
}

func TestFreshUntilWithinTheDeadline(t *testing.T) {
	// The gap ends at 00:20, before the deadline at 00:30.
	eachHouse(t, "2026-11-19 23:20", func(t *testing.T, h *house, s *site) {
		s.publish("second")
		h.tick("2026-11-20 00:00", worker.Summary{})
		if asked := s.requests(); asked != "" {
			t.Errorf("asked %v within the poll gap", asked)
		}
		h.tick("2026-11-20 00:20", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
	})
}

func TestSlowestFeedHoldsNobodyBeyondTheDeadline(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.set("2026-11-20 00:00")
		if n := claimAndKill(t, h, 15*time.Minute); n != 1 {
			t.Fatalf("claimed %d feeds", n)
		}
		h.tick("2026-11-20 00:01", worker.Summary{})
		h.tick("2026-11-20 00:30", worker.Summary{Editions: 1, Sent: 1})
		if asked := s.requests(); asked != "" {
			t.Errorf("asked %v although an attempt of this hour was committed (S16)", asked)
		}
		s.publish("second")
		h.tick("2026-11-20 01:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1})
	})
}

func TestLateHourPollsFirst(t *testing.T) {
	eachHouse(t, "2026-11-17 10:00", func(t *testing.T, h *house, s *site) {
		s.publish("second", "third")
		// after two missed midnights
		h.tick("2026-11-20 09:00", worker.Summary{Polled: 1, Changed: 1, Posts: 2, Editions: 1, Sent: 1})
		n, text := h.inbox()
		if n != 1 || !strings.Contains(text, "third") || !strings.Contains(text, "Friday 20 November") {
			t.Errorf("%d mails; want one, of today, with what was published meanwhile:\n%s", n, text)
		}
		h.tick("2026-11-20 10:00", worker.Summary{})
	})
}

func TestFeedInTroubleLosesNothing(t *testing.T) {
	eachHouse(t, "2026-11-18 10:00", func(t *testing.T, h *house, s *site) {
		s.publish("second")
		s.says(http.StatusServiceUnavailable)
		h.tick("2026-11-19 00:00", worker.Summary{Polled: 1, Failed: 1, Editions: 1, Sent: 1})
		h.tick("2026-11-19 01:00", worker.Summary{})
		s.says(0)
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		if _, text := h.inbox(); strings.Count(text, "second") == 0 {
			t.Error("the post published while the site was down is lost")
		}
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
		h.tick("2026-11-20 01:00", worker.Summary{Sent: 1})
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
		if err := job.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if n, _ := h.inbox(); n != 1 {
			t.Errorf("%d mails, want 1", n)
		}
	})
}

func TestManyFeedsManyWorkers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		const feeds = 30
		h := newHouse(t, st, "2026-11-19 10:00")
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
		h.tick("2026-11-20 00:30", worker.Summary{})
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

func TestIntakeSanitisesOnlyWhatIsNew(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		doc, err := feed.Parse([]byte(`<rss version="2.0"><channel><title>S</title>
			<item><title>a</title><guid>a</guid></item><item><title>b</title><guid>b</guid></item></channel></rss>`),
			"", "http://example.org/")
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		f, _, err := st.Feeds.EnsureFeed(t.Context(),
			digest.Feed{URL: "http://example.org/", Host: "example.org", Schedule: digest.Schedule{LastAttemptAt: now}})
		if err != nil {
			t.Fatal(err)
		}
		f.ParsedAt = now
		res := poller.Result{Feed: f, Outcome: poller.Changed, Document: doc}
		for _, want := range []int{2, 0} { // first both are new, then none
			polled, err := worker.PrepareRecord(t.Context(), st, digest.Feed{}, res, now)
			if err != nil {
				t.Fatal(err)
			}
			if len(polled.Posts) != want || len(polled.Listed) != 2 {
				t.Errorf("%d posts of %d listed, want %d of 2", len(polled.Posts), len(polled.Listed), want)
			}
			if _, err := st.Feeds.Record(t.Context(), now, []store.Polled{polled}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
