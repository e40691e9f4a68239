package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"

	"digest"
	"digest/edition"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/subscribe"
	"digest/test/tier"
	"digest/worker"
)

// TestAWeek runs the program for a week of simulated time, over the night in which Paris loses an hour. Ann
// in Paris and Raj in Kolkata read three sites. One publishes twice a day, one is down for two days, and
// one asks to wait 24 hours after each answer. The mail server rejects each reader's first mail temporarily
// (greylisting).
//
// Each reader must get one edition for each date with posts, soon after their own midnight, and each post
// once. No site may get requests too often.
func TestAWeek(t *testing.T) {
	tier.Alone(t)
	inWeek(t, time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC), func(t *testing.T, w *week) {
		w.subscribe("ann@example.org", "Europe/Paris")
		w.subscribe("raj@example.org", "Asia/Kolkata")
		stop := w.run(w.job())
		time.Sleep(7 * 24 * time.Hour)
		stop()
		w.checkMail("ann@example.org", "Europe/Paris")
		w.checkMail("raj@example.org", "Asia/Kolkata")
		w.checkManners()
	})
}

// A week is the environment of the program: sites and a mail server, in memory.
type week struct {
	t       *testing.T
	begin   time.Time
	st      *store.Store
	sites   *pipe
	server  *http.Server
	posts   *smtp.Server
	mailnet *pipe
	closing []func()

	mu       sync.Mutex
	requests map[string][]request // by host
	inbox    map[string][]letter
	turned   map[string]bool // readers whose mail was rejected once
}

type request struct {
	at     time.Time
	header http.Header
}

type letter struct {
	at   time.Time
	mail *mail.Message
	body string
}

func inWeek(t *testing.T, begin time.Time, f func(t *testing.T, w *week)) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(begin))
		w := newWeek(t, path, begin)
		defer w.close()
		f(t, w)
	})
}

func (w *week) run(job *worker.Job) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := job.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	return func() { cancel(); running.Wait() }
}

func newWeek(t *testing.T, path string, begin time.Time) *week {
	w := &week{
		t: t, begin: begin, sites: newPipe(), mailnet: newPipe(),
		requests: map[string][]request{}, inbox: map[string][]letter{}, turned: map[string]bool{},
	}
	w.st = storetest.Open(t, path)
	w.server = &http.Server{Handler: w}
	w.posts = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{week: w}, nil }))
	w.posts.Domain = "mail.example.org"
	w.posts.ErrorLog = log.New(io.Discard, "", 0)
	go w.server.Serve(w.sites)
	go w.posts.Serve(w.mailnet)
	return w
}

func (w *week) close() {
	for _, f := range w.closing {
		f()
	}
	w.server.Close()
	w.posts.Close()
}

func (w *week) poller() *poller.Poller {
	p := poller.New(poller.Options{
		UserAgentVersion: "test", BaseURL: "https://digest.example.org", HostInterval: 2 * time.Second,
		DialContext: w.sites.dial,
	})
	w.closing = append(w.closing, p.Close)
	return p
}

func (w *week) subscribe(email, zone string) {
	w.t.Helper()
	_, d, err := w.st.Readers.AddUser(w.t.Context(), email, zone, time.Now())
	ok(w.t, err)
	subscriber := subscribe.Subscriber{Store: w.st, Poller: w.poller(), Now: time.Now}
	for _, host := range []string{"busy", "down", "shy"} {
		if _, _, err := subscriber.Subscribe(w.t.Context(), digest.Subscription{DigestID: d.ID},
			"http://"+host+".example/feed"); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *week) job() *worker.Job {
	transport, err := mailer.Open("smtp+insecure://mail.example.org:25", mailer.Options{Dial: w.mailnet.dial})
	ok(w.t, err)
	w.closing = append(w.closing, func() { transport.Close() })
	signer := digest.NewSigner(make([]byte, 32))
	return worker.New(worker.Options{
		Store:  w.st,
		Poller: w.poller(),
		Spread: poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute,
			Jitter: poller.RandomJitter},
		Keep: 400 * 24 * time.Hour,
		Nap:  20 * time.Minute,
		Mail: &mailer.Deliverer{
			Queue: w.st.Editions, Signer: signer,
			Sender: &mailer.Sender{Transport: transport, From: "Digest <digest@example.org>"}, Now: time.Now,
			Renderer: edition.New(edition.Options{Store: w.st.Editions, Signer: signer,
				BaseURL: "https://digest.example.org"}),
		},
	})
}

// published returns the titles on a site at an instant, newest first: two a day, at 06:00 and 18:00 UTC.
func published(begin, at time.Time) []string {
	var titles []string
	for x := begin.Truncate(12 * time.Hour).Add(-6 * time.Hour); !x.After(at); x = x.Add(12 * time.Hour) {
		titles = append([]string{x.Format("post-0102-15h")}, titles...)
	}
	return titles
}

// ServeHTTP serves all sites.
func (w *week) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	now := time.Now()
	host, _, _ := strings.Cut(r.Host, ".")
	w.mu.Lock()
	w.requests[host] = append(w.requests[host], request{now, r.Header})
	w.mu.Unlock()
	day := int(now.Sub(w.begin) / (24 * time.Hour))
	if host == "down" && (day == 2 || day == 3) {
		http.Error(rw, "back soon", http.StatusServiceUnavailable)
		return
	}
	if host == "shy" {
		rw.Header().Set("Cache-Control", "max-age=86400")
	}
	titles := published(w.begin, now)
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>` + host + `</title>`)
	for _, title := range titles {
		fmt.Fprintf(&b, `<item><title>%s-%s</title><guid isPermaLink="false">%[2]s</guid></item>`, host, title)
	}
	b.WriteString(`</channel></rss>`)
	rw.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(titles)))
	http.ServeContent(rw, r, "feed.xml", time.Time{}, strings.NewReader(b.String()))
}

// A session is a connection to the greylisting mail server.
type session struct {
	week *week
	to   string
}

func (*session) Reset()                               {}
func (*session) Logout() error                        { return nil }
func (*session) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt rejects the first mail for each reader.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.week.mu.Lock()
	defer s.week.mu.Unlock()
	s.to = to
	if !s.week.turned[to] {
		s.week.turned[to] = true
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1},
			Message: "greylisted, come back later"}
	}
	return nil
}

// Data stores the letter.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	s.week.mu.Lock()
	defer s.week.mu.Unlock()
	s.week.inbox[s.to] = append(s.week.inbox[s.to], letter{time.Now(), m, string(raw)})
	return nil
}

func (w *week) checkMail(to, zone string) {
	loc, err := time.LoadLocation(zone)
	ok(w.t, err)
	letters := w.inbox[to]
	if len(letters) != 7 {
		w.t.Errorf("%s has %d letters, want one a day", to, len(letters))
	}
	seen := map[string]int{}
	for i, l := range letters {
		local := l.at.In(loc)
		subject := l.mail.Header.Get("Subject")
		if !strings.HasPrefix(subject, local.Format("Monday 2 January: ")) {
			w.t.Errorf("%s: %q came on %v", to, subject, local)
		}
		late := local.Sub(time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, loc))
		if late < time.Minute || late > 31*time.Minute && i > 0 || late > 40*time.Minute {
			w.t.Errorf("%s: %q came %v after midnight", to, subject, late)
		}
		text, _, _ := strings.Cut(l.body, "\r\nContent-Type: text/html")
		for _, host := range []string{"busy", "down", "shy"} {
			for _, title := range published(w.begin, w.begin.AddDate(0, 0, 8)) {
				if strings.Contains(text, host+"-"+title) {
					seen[host+"-"+title]++
				}
			}
		}
	}
	w.checkPosts(to, letters, seen)
}

// checkPosts checks I3 and I4: each post before the last letter is in exactly one letter. It counts from
// the newest post at the time of the subscription.
func (w *week) checkPosts(to string, letters []letter, seen map[string]int) {
	if len(letters) == 0 {
		return
	}
	known := published(w.begin, w.begin)
	want := published(w.begin, letters[len(letters)-1].at)
	for _, host := range []string{"busy", "down", "shy"} {
		for _, title := range want {
			name := host + "-" + title
			if old := slices.Contains(known[1:], title); !old && seen[name] != 1 {
				w.t.Errorf("%s was delivered to %s %d times", name, to, seen[name])
			}
			delete(seen, name)
		}
	}
}

func (w *week) checkManners() {
	for host, requests := range w.requests {
		gap, most := time.Hour, 2*7*2+4
		if host == "shy" {
			gap, most = 24*time.Hour, 10
		}
		if len(requests) > most {
			w.t.Errorf("%s was asked %d times in a week, %d are plenty", host, len(requests), most)
		}
		for i, r := range requests {
			if m := r.at.Minute(); i > 0 && (m == 59 || m <= 1) {
				w.t.Errorf("%s was asked in a hot minute: %v", host, r.at)
			}
			if r.header.Get("Referer")+r.header.Get("Cookie") != "" {
				w.t.Errorf("%s was sent %v", host, r.header)
			}
			if i == 0 {
				continue
			}
			between := r.at.Sub(requests[i-1].at)
			samePoll := between < time.Minute // HEAD, and then GET
			if between < 2*time.Second || !samePoll && between < gap {
				w.t.Errorf("%s was asked again after %v", host, between)
			}
			if r.header.Get("If-None-Match") == "" {
				w.t.Errorf("%s was asked without its ETag at %v", host, r.at)
			}
		}
	}
}

// A pipe is a network in memory that accepts all connections.
type pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the other end of a dialled connection.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the network.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr returns a placeholder.
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }
