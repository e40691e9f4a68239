package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"digest/internal/dmarc"
	"digest/internal/metrics"
	"digest/internal/socket"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
	"digest/web"
	"digest/web/page"
	"digest/worker"
)

type serveCmd struct {
	migrates
	alone
	serves
}

// Run runs the hourly job and the web view until it is stopped. While there is a fence it only serves the web view.
func (serveCmd) Run(a *app) error {
	a.runOn()
	a.works, a.asItself = true, true
	if err := a.reachable(); err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		listener, err := listen("DIGEST_LISTEN", a.Listen, "127.0.0.1:8080")
		if err != nil {
			return err
		}
		defer listener.Close()
		outbox, closeOutbox, err := a.openOutbox(st)
		if err != nil {
			return err
		}
		defer closeOutbox()
		counters := a.counters(st)
		parts, err := a.serveMetrics(counters)
		if err != nil {
			return err
		}
		if err := a.beginProxies(st); err != nil {
			return err
		}
		server, err := a.webServer(st, outbox, counters)
		if err != nil {
			return err
		}
		for _, what := range a.strayMail() {
			a.log.Warn(what)
		}
		a.announce("the web view is at %s (listening on %s)", a.BaseURL, shownAddress(listener))
		if err := a.printOperatorLink(st); err != nil {
			return err
		}
		bounces, err := a.readBounces(st)
		if err != nil {
			return err
		}
		return a.together(append(append(bounces, parts...),
			func(ctx context.Context) error { return a.work(ctx, st) },
			func(ctx context.Context) error { return serveUntil(ctx, server, listener) },
		)...)
	})
}

// listen listens at the address of a setting: host:port, or unix:/path.
func listen(setting, address, example string) (l net.Listener, err error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		l, err = socket.Listen(path)
	} else {
		l, err = net.Listen("tcp", address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s=%q cannot be used (%w); an example: %s", setting, address, err, example)
	}
	return l, nil
}

func shownAddress(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	return l.Addr().String()
}

func metricsAt(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return "/metrics of " + shownAddress(l)
	}
	return "http://" + shownAddress(l) + "/metrics"
}

// together runs all parts until one fails or the program is stopped, and returns the first error.
func (a *app) together(parts ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(a.soft)
	for _, part := range parts {
		all.Go(func() error { return part(ctx) })
	}
	return all.Wait()
}

func (a *app) counters(st *store.Store) *metrics.Metrics {
	return metrics.New(metrics.Options{Store: st, Fence: a.fenceOf(st), Version: version(), Deadline: a.ReleaseDeadline,
		Storage: a.storage, Abandoned: a.parsers.Abandoned, Now: a.clock, Log: a.log})
}

// serveMetrics opens the listener for metrics, if there is one in the settings, and returns a function that serves it.
func (a *app) serveMetrics(counters http.Handler) ([]func(context.Context) error, error) {
	if a.MetricsListen == "" {
		return nil, nil
	}
	listener, err := listen("DIGEST_METRICS_LISTEN", a.MetricsListen, "127.0.0.1:9464")
	if err != nil {
		return nil, err
	}
	a.announce("the metrics are at %s", metricsAt(listener))
	return []func(context.Context) error{func(ctx context.Context) error {
		return serveUntil(ctx, web.NewMetricsServer(counters, a.log), listener)
	}}, nil
}

// beginProxies deletes the proxy notes of earlier settings, and warns about https without trusted proxies.
func (a *app) beginProxies(st *store.Store) error {
	if strings.HasPrefix(a.BaseURL, "https://") && a.TrustedProxies.None() {
		a.log.Warn(
			"readers use https through a proxy that DIGEST_TRUSTED_PROXIES does not name: all readers count as one",
			"base_url", a.BaseURL)
	}
	return st.Operator.ForgetProxies(a.hard)
}

func (a *app) webServer(st *store.Store, outbox *mailer.Outbox, counters *metrics.Metrics) (*http.Server, error) {
	signer, err := a.signer(st)
	if err != nil {
		return nil, err
	}
	registrar, err := a.domains(st)
	if err != nil {
		return nil, err
	}
	fetcher := a.fetcher(st)
	handler := web.New(web.Options{
		Store:         st,
		Editions:      a.pages(st, signer),
		Signer:        signer,
		SignUp:        a.SignUp,
		Publishing:    a.Newsletters,
		MemberLimit:   a.NewsletterMembers,
		Outbox:        outbox,
		PostalAddress: a.PostalAddress,
		Subscriber:    a.fencedSubscriber(st),
		Domains:       registrar,
		ReportAddress: dmarc.ReportAddress(a.ReturnPath),
		Pings:         pings{st, a.pinged},
		Pushed:        a.wakePushes,
		Pictures:      fetcher,
		Sounds:        fetcher,
		ActorKey:      a.actorKey(st),
		BaseURL:       a.BaseURL,
		Version:       version(),
		Contact:       a.Contact,
		Addresses:     a.BotAddresses.words(),
		Spread:        a.spread(),
		HostGap:       a.HostInterval,
		Fence:         a.fenceOf(st),
		Offline:       a.OfflineReading,
		Beats:         a.works,
		Now:           a.clock,
		Log:           a.log,

		TrustedProxies: a.TrustedProxies,
		MetricsToken:   a.MetricsToken,
		Metrics:        counters,
		Observe:        counters.Observe,
		Storage:        a.storage,
	})
	return page.NewServer(handler, a.log), nil
}

// pings stores pings, and wakes the polls of this process if it runs the hourly job.
type pings struct {
	store *store.Store
	wake  chan<- struct{}
}

func (p pings) Pinged(ctx context.Context, urls []string, now time.Time) error {
	err := p.store.Feeds.Pinged(ctx, urls, now)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return err
}

// wakePushes wakes the hourly job, if this process runs it, to store the posts from a hub.
func (a *app) wakePushes() {
	select {
	case a.pushed <- struct{}{}:
	default:
	}
}

// fetcher returns the poller for the pictures and sounds of posts.
func (a *app) fetcher(st *store.Store) *poller.Poller {
	if a.pictures != nil {
		return a.pictures
	}
	return a.poller(st)
}

func (a *app) fenceOf(st *store.Store) func(context.Context) (store.Fence, error) {
	return func(ctx context.Context) (store.Fence, error) { return a.lookFence(ctx, st) }
}

// fencedSubscriber returns a subscriber that sends no requests while there is a fence.
func (a *app) fencedSubscriber(st *store.Store) *subscribe.Subscriber {
	s := a.subscriber(st)
	s.Fence = func(ctx context.Context) (string, error) {
		f, err := a.lookFence(ctx, st)
		return f.Reason, err
	}
	return s
}

// serveUntil serves until ctx ends, then waits a few seconds for open requests.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	const patience = 8 * time.Second
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err := server.Shutdown(last)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close() // cancels the contexts of requests
		}
		stopped <- err
	})()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving at %s: %w", listener.Addr(), err)
	}
	return <-stopped
}

type workCmd struct {
	migrates
	alone
	serves
}

// Run runs the hourly job until it is stopped. It does not start while there is a fence.
func (workCmd) Run(a *app) error {
	a.runOn()
	return a.withWork(func(st *store.Store) error {
		bounces, err := a.readBounces(st)
		if err != nil {
			return err
		}
		return a.together(append(bounces, func(ctx context.Context) error { return a.work(ctx, st) })...)
	})
}

func (a *app) work(ctx context.Context, st *store.Store) error {
	return a.withJob(st, func(job *worker.Job) error {
		for _, what := range a.command.file.removed() {
			a.log.Warn(what)
		}
		a.log.Info("working", "version", version(), "database", a.databaseName(), "config", a.command.file.path)
		return job.Run(ctx)
	})
}
