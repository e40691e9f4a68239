package main

import (
	"context"
	"fmt"
	"time"

	"digest/internal/bounce"
	"digest/store"
)

// sweepEvery is how often a Maildir of returned mail is looked at.
const sweepEvery = time.Minute

// bounces is where mail that comes back is taken in.
func (a *app) bounces(st *store.Store) (*bounce.Handler, error) {
	signer, err := a.signer(st)
	if err != nil {
		return nil, err
	}
	return &bounce.Handler{Store: st, Signer: signer, Address: a.returnPath, Now: a.clock, Log: a.log}, nil
}

// takeReturns gives what takes in mail that comes back until it is told to
// stop: the listener, which listens already, and the Maildir's sweeper.
func (a *app) takeReturns(st *store.Store) ([]func(context.Context) error, error) {
	if a.bounceListen == "" && a.bounceMaildir == "" {
		return nil, nil
	}
	desk, err := a.bounces(st)
	if err != nil {
		return nil, err
	}
	var parts []func(context.Context) error
	if a.bounceListen != "" {
		server, err := desk.Listen(a.bounceListen)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(a.stdout, "mail that comes back is taken at %s\n", server.Addr())
		parts = append(parts, server.Serve)
	}
	if a.bounceMaildir != "" {
		parts = append(parts, func(ctx context.Context) error { return a.keepSweeping(ctx, desk) })
	}
	return parts, nil
}

// keepSweeping looks at the Maildir again and again. What goes wrong is
// logged: mail that came back is no reason to stop the mail that goes out.
func (a *app) keepSweeping(ctx context.Context, desk *bounce.Handler) error {
	for {
		if _, err := desk.HandleMaildir(ctx, a.bounceMaildir); err != nil && ctx.Err() == nil {
			a.log.Error("returned mail could not be taken in; it stays where it is", "maildir", a.bounceMaildir, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepEvery):
		}
	}
}

// sweepReturns looks at the Maildir once.
func (a *app) sweepReturns(st *store.Store) error {
	if a.bounceMaildir == "" {
		return nil
	}
	desk, err := a.bounces(st)
	if err != nil {
		return err
	}
	_, err = desk.HandleMaildir(a.soft, a.bounceMaildir)
	return err
}
