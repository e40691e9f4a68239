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
func (serveCmd) Run(e *env) error {
	e.runOn()
	e.works = true
	if err := e.logAt(slog.LevelInfo); err != nil {
		return err
	}
	if err := e.named(); err != nil {
		return err
	}
	return e.withStore(func(st *store.Store) error {
		listener, err := net.Listen("tcp", e.listen)
		if err != nil {
			return fmt.Errorf("DIGEST_LISTEN=%q cannot be used (%w); an example: 127.0.0.1:8080", e.listen, err)
		}
		defer listener.Close()
		letters, err := e.openLetters(st)
		if err != nil {
			return err
		}
		defer letters.close()
		server, err := e.webServer(st, letters)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "the web view is at %s (listening on %s)\n", e.baseURL, listener.Addr())
		if err := e.printOperatorLink(st); err != nil {
			return err
		}
		returns, err := e.takeReturns(st)
		if err != nil {
			return err
		}
		return e.together(append(returns,
			func(ctx context.Context) error { return e.work(ctx, st) },
			func(ctx context.Context) error { return serveUntil(ctx, server, listener) },
		)...)
	})
}

// together runs both until the first fails or the program is told to stop, and
// gives the first error.
func (e *env) together(parts ...func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(e.soft)
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
func (e *env) webServer(st *store.Store, l *letters) (*http.Server, error) {
	signer, err := e.signer(st)
	if err != nil {
		return nil, err
	}
	told := metrics.New(metrics.Options{Store: st, Version: version(), PollGap: e.pollGap, Now: e.clock, Log: e.log})
	handler := web.New(web.Options{
		Store:         st,
		Editions:      e.editions(st, signer),
		Signer:        signer,
		SignUp:        e.signUp,
		Outbox:        l.outbox,
		PostalAddress: e.postalAddress,
		Mailbox:       parseEmail,
		Subscriber:    e.fencedDesk(st),
		Pings:         st,
		Pictures:      e.poller(st),
		BaseURL:       e.baseURL,
		Version:       version(),
		Contact:       e.contact,
		Addresses:     e.botAddresses,
		Spread:        e.spread(),
		HostGap:       e.hostInterval,
		Beats:         e.works,
		Now:           e.clock,
		Log:           e.log,

		MetricsToken: e.metricsToken,
		Metrics:      told,
		Observe:      told.Observe,
	})
	return web.NewServer(handler, e.log), nil
}

// fencedDesk is a desk that asks nothing while there is a fence.
func (e *env) fencedDesk(st *store.Store) *subscribe.Subscriber {
	desk := e.desk(st)
	desk.Fence = func(ctx context.Context) (string, error) {
		f, err := st.LookFence(ctx, e.baseURL, e.clock(), e.fenceAfter, fenceMost)
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
func (workCmd) Run(e *env) error {
	e.runOn()
	if err := e.logAt(slog.LevelInfo); err != nil {
		return err
	}
	return e.withWork(func(st *store.Store) error {
		returns, err := e.takeReturns(st)
		if err != nil {
			return err
		}
		return e.together(append(returns, func(ctx context.Context) error { return e.work(ctx, st) })...)
	})
}

func (e *env) work(ctx context.Context, st *store.Store) error {
	job, transport, err := e.job(st)
	if err != nil {
		return err
	}
	defer transport.Close()
	e.log.Info("working", "version", version(), "database", e.databaseName())
	return job.Run(ctx)
}

// databaseName is the setting without its password, for the log.
func (e *env) databaseName() string {
	u, err := url.Parse(e.database)
	if err != nil || u.User == nil {
		return e.database
	}
	return u.Redacted()
}
