package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"digest/internal/metrics"
	"digest/store"
	"digest/subscribe"
	"digest/web"
)

type serveCmd struct{}

// Run runs the hourly job and the web view until it is told to stop. While
// there is a fence it serves the web view alone.
func (serveCmd) Run(a *app) error {
	a.runOn()
	a.works = true
	if err := a.logAt(slog.LevelInfo); err != nil {
		return err
	}
	if err := a.named(); err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		listener, err := net.Listen("tcp", a.listen)
		if err != nil {
			return fmt.Errorf("DIGEST_LISTEN=%q cannot be used (%w); an example: 127.0.0.1:8080", a.listen, err)
		}
		defer listener.Close()
		letters, err := a.openLetters(st)
		if err != nil {
			return err
		}
		defer letters.close()
		server, err := a.webServer(st, letters)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "the web view is at %s (listening on %s)\n", a.baseURL, listener.Addr())
		if err := a.printOperatorLink(st); err != nil {
			return err
		}
		returns, err := a.takeReturns(st)
		if err != nil {
			return err
		}
		return a.together(append(returns,
			func(ctx context.Context) error { return a.work(ctx, st) },
			func(ctx context.Context) error { return serveUntil(ctx, server, listener) },
		)...)
	})
}

// together runs both until the first fails or the program is told to stop, and
// gives the first error.
func (a *app) together(parts ...func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(a.soft)
	defer stop(nil)
	var all sync.WaitGroup
	errs := make([]error, len(parts))
	for i, part := range parts {
		all.Go(func() {
			if errs[i] = part(ctx); errs[i] != nil {
				stop(errs[i])
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// webServer makes the web view.
func (a *app) webServer(st *store.Store, l *letters) (*http.Server, error) {
	signer, err := a.signer(st)
	if err != nil {
		return nil, err
	}
	told := metrics.New(metrics.Options{Store: st, Version: version(), Now: a.clock, Log: a.log})
	handler := web.New(web.Options{
		Store:         st,
		Editions:      a.editions(st, signer),
		Signer:        signer,
		SignUp:        a.signUp,
		Outbox:        l.outbox,
		PostalAddress: a.postalAddress,
		Mailbox:       parseEmail,
		Subscriber:    a.fencedDesk(st),
		Pings:         st,
		Pictures:      a.poller(st),
		BaseURL:       a.baseURL,
		Version:       version(),
		Contact:       a.contact,
		Addresses:     a.botAddresses,
		Spread:        a.spread(),
		HostGap:       a.hostInterval,
		Beats:         a.works,
		Now:           a.clock,
		Log:           a.log,

		MetricsToken: a.metricsToken,
		Metrics:      told,
		Observe:      told.Observe,
	})
	return web.NewServer(handler, a.log), nil
}

// fencedDesk is a desk that asks nothing while there is a fence.
func (a *app) fencedDesk(st *store.Store) *subscribe.Subscriber {
	desk := a.desk(st)
	desk.Fence = func(ctx context.Context) (string, error) {
		f, err := st.LookFence(ctx, a.baseURL, a.clock(), a.fenceAfter, fenceMost)
		return f.Reason, err
	}
	return desk
}

// serveUntil serves until ctx ends, then lets requests in flight finish.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	const patience = 10 * time.Second
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		stopped <- server.Shutdown(last)
	})()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the web view: %w", err)
	}
	return <-stopped
}

type workCmd struct{}

// Run runs the hourly job until it is told to stop. It does not begin where
// there is a fence.
func (workCmd) Run(a *app) error {
	a.runOn()
	if err := a.logAt(slog.LevelInfo); err != nil {
		return err
	}
	return a.withWork(func(st *store.Store) error {
		returns, err := a.takeReturns(st)
		if err != nil {
			return err
		}
		return a.together(append(returns, func(ctx context.Context) error { return a.work(ctx, st) })...)
	})
}

func (a *app) work(ctx context.Context, st *store.Store) error {
	job, transport, err := a.job(st)
	if err != nil {
		return err
	}
	defer transport.Close()
	a.log.Info("working", "version", version(), "database", a.databaseName())
	return job.Run(ctx)
}

// databaseName is the setting without its password, for the log.
func (a *app) databaseName() string {
	u, err := url.Parse(a.database)
	if err != nil || u.User == nil {
		return a.database
	}
	return u.Redacted()
}
