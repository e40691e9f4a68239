package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"digest"
	"digest/hourly"
	"digest/internal/demo"
	"digest/mailer"
	"digest/store"
	"digest/timezone"
	"digest/web"
)

type demoCmd struct {
	Once bool `help:"Exit when every edition is delivered."`
}

// A show is one run of the demo: the house in a temporary folder, under a clock
// that is set from one midnight to the next.
type show struct {
	*app
	unix  atomic.Int64 // Unix seconds
	dir   string
	sites *demo.Sites
	st    *store.Store
	job   *hourly.Job
	total hourly.Summary
	once  bool
}

// Run shows the main job on sample feeds.
func (c demoCmd) Run(a *app) error {
	dir, err := os.MkdirTemp("", "digest-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	s := &show{app: a, dir: dir, once: c.Once}
	s.setClock(demo.Begin())
	a.clock, a.frozen = s.instant, true
	a.database, a.mail = filepath.Join(dir, "digest.db"), "maildir:"+filepath.Join(dir, "mail")
	a.allowNetworks = append(a.allowNetworks, netip.MustParsePrefix("127.0.0.0/8"))
	return a.withStore(func(st *store.Store) error {
		s.st = st
		return s.play()
	})
}

func (s *show) setClock(t time.Time) { s.unix.Store(t.Unix()) }

func (s *show) instant() time.Time { return time.Unix(s.unix.Load(), 0).UTC() }

// play runs the day; afterwards it keeps serving, unless it is to end at once.
func (s *show) play() error {
	stopSites, err := s.openSites()
	if err != nil {
		return err
	}
	defer stopSites()
	listener, err := s.listenWeb()
	if err != nil {
		return err
	}
	defer listener.Close()
	job, transport, err := s.app.job(s.st)
	if err != nil {
		return err
	}
	defer transport.Close()
	s.job, job.Report = job, s.tell
	job.Mail.Renderer = announced{job.Mail.Renderer, s.say}
	if err := s.subscribeAll(); err != nil {
		return err
	}
	if err := s.midnights(); err != nil {
		return err
	}
	if s.once || s.soft.Err() != nil {
		return s.verdict()
	}
	return s.keepServing(listener)
}

// openSites serves the sample sites on a loopback port.
func (s *show) openSites() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the sample sites: %w", err)
	}
	s.sites = &demo.Sites{Base: "http://" + listener.Addr().String(), Now: s.instant}
	server := &http.Server{Handler: s.sites, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	return func() { server.Close() }, nil
}

// listenWeb takes the web view's port before the day begins, because the links
// in the mail name it; when the usual one is taken, any other will do.
func (s *show) listenWeb() (net.Listener, error) {
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("serving the web view: %w", err)
		}
	}
	if _, port, err := net.SplitHostPort(listener.Addr().String()); err == nil {
		s.baseURL = "http://localhost:" + port
	}
	return listener, nil
}

// subscribeAll adds the readers and what they read.
func (s *show) subscribeAll() error {
	s.say("the times on the left are UTC")
	s.say("three readers subscribe to %d sample sites; each new feed is fetched once", len(demo.SiteNames()))
	desk := s.desk(s.st)
	for _, r := range demo.Readers() {
		_, d, err := s.st.AddUser(s.soft, r.Email, r.Zone, s.now())
		if err != nil {
			return err
		}
		for _, site := range demo.SiteNames() {
			f, _, err := desk.Subscribe(s.soft, d.ID, s.sites.FeedURL(site))
			if err != nil {
				return err
			}
			if r.Email == demo.Readers()[0].Email {
				s.say("  found %q (%s)", f.Title, f.Kind)
			}
		}
		s.say("%s in %s will have the first edition at %s", r.Email, r.Zone, inZone(d.NextDueAt, r.Zone))
	}
	return nil
}

// midnights sets the clock to each reader's next midnight in turn and does the
// hour's work there.
func (s *show) midnights() error {
	for range demo.Readers() {
		due, any, err := s.st.NextMidnight(s.soft)
		if err != nil || !any {
			return err
		}
		s.pause()
		if s.soft.Err() != nil {
			return nil
		}
		s.setClock(due)
		s.say("it is midnight in %s", s.whoseMidnight(due))
		sum, err := s.job.Tick(s.soft)
		s.total.Add(sum)
		if err != nil {
			return err
		}
	}
	return nil
}

// pause lets a person read along.
func (s *show) pause() {
	if s.once {
		return
	}
	ctx, cancel := context.WithTimeout(s.soft, time.Second)
	defer cancel()
	<-ctx.Done()
}

func (s *show) whoseMidnight(at time.Time) string {
	for _, r := range demo.Readers() {
		if loc, err := timezone.Load(r.Zone); err == nil && timezone.NextMidnight(at.Add(-time.Second), loc).Equal(at) {
			return r.Zone
		}
	}
	return "UTC"
}

// tell prints one line a step of the hour.
func (s *show) tell(ev hourly.Event) {
	switch ev.Kind {
	case hourly.EventPlanned:
		s.say("  due: %s; %s may be asked", count(ev.Digests, "digest"), count(ev.Feeds, "feed"))
	case hourly.EventPolled:
		s.say("  poll: %s (%s) of %q", ev.Result.Message, count(ev.Result.Requests, "request"), ev.Result.Feed.Title)
	case hourly.EventStored:
		s.say("  store: %s, hidden until midnight: %s for the readers", count(ev.Posts, "new post"), count(ev.Hidden, "row"))
	case hourly.EventReleased:
		s.say("  release: %s sealed", count(ev.Digests, "edition"))
	case hourly.EventDelivered:
		s.say("  deliver: %s accepted", count(ev.Mail.Sent, "message"))
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// announced prints editions and says so.
type announced struct {
	mailer.Renderer
	say func(format string, args ...any)
}

// Render renders editions and tells their subjects.
func (a announced) Render(ctx context.Context, ds []digest.Delivery) ([]mailer.Letter, error) {
	mails, err := a.Renderer.Render(ctx, ds)
	for _, m := range mails {
		a.say("  render: %q for %s, %d KB", m.Subject, m.To, (len(m.HTML)+len(m.Text))>>10)
	}
	return mails, err
}

func (s *show) say(format string, args ...any) {
	fmt.Fprintf(s.stdout, "%s  %s\n", s.now().Format("Mon 15:04"), indented(fmt.Sprintf(format, args...)))
}

// indented is plain with the indent that marks a part of a step.
func indented(s string) string {
	text := strings.TrimLeft(s, " ")
	return s[:len(s)-len(text)] + plain(text)
}

// verdict is an error unless every reader's edition was delivered.
func (s *show) verdict() error {
	readers := len(demo.Readers())
	if s.total.Editions != readers || s.total.Sent != readers {
		return fmt.Errorf("only %d of %d editions were delivered; run with --log-level debug to see why", s.total.Sent, readers)
	}
	s.say("all %d editions were delivered", readers)
	return nil
}

// keepServing serves the web view until interrupted.
func (s *show) keepServing(listener net.Listener) error {
	if err := s.verdict(); err != nil {
		return err
	}
	s.signUp = web.SignUpOpen
	letters, err := s.openLetters(s.st)
	if err != nil {
		return err
	}
	defer letters.close()
	server, err := s.webServer(s.st, letters)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "\nthe mail is in %s until you interrupt this\n", filepath.Join(s.dir, "mail", "new"))
	fmt.Fprintf(s.stdout, "the web view is at %s; sign in as\n", s.baseURL)
	for _, r := range demo.Readers() {
		if err := s.printSignIn(r.Email); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.stdout, "%s runs it, and sees the operator's page too\n", demo.Readers()[0].Email)
	return serveUntil(s.soft, server, listener)
}

// printSignIn prints a link for one of the readers; the first of them is the operator.
func (s *show) printSignIn(email string) error {
	u, err := s.st.UserByEmail(s.soft, email)
	if err != nil {
		return err
	}
	if err := s.st.SetOperator(s.soft, u.ID, email == demo.Readers()[0].Email); err != nil {
		return err
	}
	link, err := web.SignInLink(s.soft, s.st, s.baseURL, u.ID, s.now())
	if err == nil {
		fmt.Fprintf(s.stdout, "  %-20s %s\n", email, link)
	}
	return err
}
