package main

import (
	"context"
	"errors"
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
	"digest/calendar"
	"digest/internal/demo"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/timezone"
	"digest/web"
	"digest/web/page"
	"digest/worker"
)

type demoCmd struct {
	withoutSettings
	migrates

	Once bool `help:"Exit when every edition is delivered."`
}

// A demoRun is one run of the demo: the program in a temporary folder, with a clock that jumps from midnight to
// midnight.
type demoRun struct {
	*app
	unix  atomic.Int64 // Unix seconds
	dir   string
	sites *demo.Sites
	st    *store.Store
	job   *worker.Job
	total worker.Summary
	once  bool
}

func (c demoCmd) Run(a *app) error {
	dir, err := os.MkdirTemp("", "digest-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer os.RemoveAll(dir)
	d := &demoRun{app: a, dir: dir, once: c.Once}
	d.setClock(demo.Begin())
	a.clock, a.frozen = d.instant, true
	a.Database, a.Mail = filepath.Join(dir, "digest.db"), "maildir:"+filepath.Join(dir, "mail")
	a.AllowNetworks = append(a.AllowNetworks, netip.MustParsePrefix("127.0.0.0/8"))
	return a.withStore(func(st *store.Store) error {
		d.st = st
		return d.run()
	})
}

func (d *demoRun) setClock(t time.Time) { d.unix.Store(t.Unix()) }

func (d *demoRun) instant() time.Time { return time.Unix(d.unix.Load(), 0).UTC() }

// run shows one day. Then it serves the web view until it is interrupted, or returns immediately with --once.
func (d *demoRun) run() error {
	stopSites, err := d.openSites()
	if err != nil {
		return err
	}
	defer stopSites()
	listener, err := d.listenWeb()
	if err != nil {
		return err
	}
	defer listener.Close()
	err = d.withJob(d.st, func(job *worker.Job) error {
		d.job, job.Report = job, d.report
		job.Mail.Renderer = announced{job.Mail.Renderer, d.printStep}
		if err := d.subscribeAll(); err != nil {
			return err
		}
		return d.midnights()
	})
	if err != nil {
		return err
	}
	if err := d.verdict(); err != nil || d.once || d.soft.Err() != nil {
		return err
	}
	return d.keepServing(listener)
}

func (d *demoRun) openSites() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the sample sites: %w", err)
	}
	d.sites = &demo.Sites{Base: "http://" + listener.Addr().String(), Now: d.instant}
	server := &http.Server{Handler: d.sites, ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	return func() { server.Close() }, nil
}

// listenWeb opens the web view's port before the day begins, because the links in emails contain it. If the usual port
// is in use, it opens another.
func (d *demoRun) listenWeb() (net.Listener, error) {
	listener, err := net.Listen("tcp", d.Listen)
	if err != nil {
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("serving the web view: %w", err)
		}
	}
	if _, port, err := net.SplitHostPort(listener.Addr().String()); err == nil {
		d.BaseURL = "http://localhost:" + port
	}
	return listener, nil
}

func (d *demoRun) subscribeAll() error {
	d.printStep("the times on the left are UTC")
	d.printStep("three readers subscribe to %d sample sites; each new feed is fetched once", len(demo.SiteNames()))
	subscriber := d.subscriber(d.st)
	for _, r := range demo.Readers() {
		_, own, err := d.st.Readers.AddUser(d.soft, r.Email, r.Zone, d.now())
		if err != nil {
			return err
		}
		for _, site := range demo.SiteNames() {
			f, _, err := subscriber.Subscribe(d.soft, digest.Subscription{DigestID: own.ID}, d.sites.FeedURL(site))
			if err != nil {
				return err
			}
			if r.Email == demo.Readers()[0].Email {
				d.printStep("  found %q (%s)", f.Title, f.Kind)
			}
		}
		d.printStep("%s in %s will have the first edition at %s", r.Email, r.Zone, inZone(own.NextDueAt, r.Zone))
	}
	return nil
}

// midnights sets the clock to each reader's next midnight in turn and runs the hourly job there.
func (d *demoRun) midnights() error {
	for range demo.Readers() {
		due, any, err := d.st.Feeds.NextMidnight(d.soft, time.Time{})
		if err != nil || !any {
			return err
		}
		d.pause()
		if d.soft.Err() != nil {
			return nil
		}
		d.setClock(due)
		d.printStep("it is midnight in %s", d.whoseMidnight(due))
		sum, err := d.job.Tick(d.soft)
		d.total.Add(sum)
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *demoRun) pause() {
	if d.once {
		return
	}
	ctx, cancel := context.WithTimeout(d.soft, time.Second)
	defer cancel()
	<-ctx.Done()
}

func (d *demoRun) whoseMidnight(at time.Time) string {
	for _, r := range demo.Readers() {
		if loc, err := timezone.Load(r.Zone); err == nil &&
			calendar.Next(at.Add(-time.Second), loc, digest.Daily).Equal(at) {
			return r.Zone
		}
	}
	return "UTC"
}

func (d *demoRun) report(ev worker.Event) {
	switch ev.Kind {
	case worker.EventPlanned:
		d.printStep("  due: %s; %s can be polled", digest.Counted(ev.Digests, "digest"),
			digest.Counted(ev.Feeds, "feed"))
	case worker.EventPolled:
		d.printStep("  poll: %s (%s) of %q", ev.Result.Message, digest.Counted(ev.Result.Requests, "request"),
			ev.Result.Feed.Title)
	case worker.EventStored:
		d.printStep("  store: %s, hidden until midnight: %s for the readers", digest.Counted(ev.Posts, "new post"),
			digest.Counted(ev.Hidden, "row"))
	case worker.EventReleased:
		d.printStep("  release: %s sealed", digest.Counted(ev.Digests, "edition"))
	case worker.EventDelivered:
		d.printStep("  deliver: %s accepted", digest.Counted(ev.Mail.Sent, "message"))
	}
}

type announced struct {
	mailer.Renderer
	printStep func(format string, args ...any)
}

func (a announced) Render(ctx context.Context, ds []digest.Delivery) ([]mailer.Letter, error) {
	mails, err := a.Renderer.Render(ctx, ds)
	for _, m := range mails {
		a.printStep("  render: %q for %s, %d KB", m.Subject, m.To, m.Encoded.Size()>>10)
	}
	return mails, err
}

func (d *demoRun) printStep(format string, args ...any) {
	fmt.Fprintf(d.stdout, "%s  %s\n", d.now().Format("Mon 15:04"), indented(fmt.Sprintf(format, args...)))
}

// indented is plain, but keeps the leading spaces.
func indented(s string) string {
	text := strings.TrimLeft(s, " ")
	return s[:len(s)-len(text)] + plain(text)
}

// verdict returns an error unless every reader's edition was delivered.
func (d *demoRun) verdict() error {
	readers := len(demo.Readers())
	if d.total.Editions != readers || d.total.Sent != readers {
		return fmt.Errorf("only %d of %d editions were delivered; run with --log-level debug to see why", d.total.Sent,
			readers)
	}
	d.printStep("all %d editions were delivered", readers)
	return nil
}

func (d *demoRun) keepServing(listener net.Listener) error {
	d.SignUp, d.pictures = page.SignUpOpen, d.ownPictures()
	outbox, closeOutbox, err := d.openOutbox(d.st)
	if err != nil {
		return err
	}
	defer closeOutbox()
	server, err := d.webServer(d.st, outbox, d.counters(d.st))
	if err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "\nthe emails are in %s until you stop the demo\n", filepath.Join(d.dir, "mail", "new"))
	fmt.Fprintf(d.stdout, "the web view is at %s; sign in as\n", d.BaseURL)
	for _, r := range demo.Readers() {
		if err := d.printSignIn(r.Email); err != nil {
			return err
		}
	}
	fmt.Fprintf(d.stdout, "%s is the operator and can open the operator pages\n", demo.Readers()[0].Email)
	return serveUntil(d.soft, server, listener)
}

// ownPictures returns a poller for the pictures of the sample sites. They are on loopback, which the usual poller
// rejects (I7).
func (d *demoRun) ownPictures() *poller.Poller {
	sites := strings.TrimPrefix(d.sites.Base, "http://")
	return poller.New(poller.Options{
		UserAgentVersion: version(), BaseURL: d.BaseURL,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != sites {
				return nil, errors.New("the demo polls only its own sites")
			}
			return new(net.Dialer).DialContext(ctx, network, sites)
		},
	})
}

// printSignIn prints a sign-in link for a reader. It makes the first reader the operator.
func (d *demoRun) printSignIn(email string) error {
	u, err := d.st.Readers.UserByEmail(d.soft, email)
	if err != nil {
		return err
	}
	if err := d.st.Operator.SetOperator(d.soft, u.ID, email == demo.Readers()[0].Email); err != nil {
		return err
	}
	link, err := web.SignInLink(d.soft, d.st, d.BaseURL, u.ID, d.now())
	if err == nil {
		fmt.Fprintf(d.stdout, "  %-20s %s\n", email, link)
	}
	return err
}
