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
func (e *env) bounces(st *store.Store) (*bounce.Handler, error) {
	signer, err := e.signer(st)
	if err != nil {
		return nil, err
	}
	return &bounce.Handler{Store: st, Signer: signer, Address: e.returnPath, Now: e.clock, Log: e.log}, nil
}

// takeReturns gives what takes in mail that comes back until it is told to
// stop: the listener, which listens already, and the Maildir's sweeper.
func (e *env) takeReturns(st *store.Store) ([]func(context.Context) error, error) {
	if e.bounceListen == "" && e.bounceMaildir == "" {
		return nil, nil
	}
	desk, err := e.bounces(st)
	if err != nil {
		return nil, err
	}
	var parts []func(context.Context) error
	if e.bounceListen != "" {
		server, err := desk.Listen(e.bounceListen)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(e.stdout, "mail that comes back is taken at %s\n", server.Addr())
		parts = append(parts, server.Serve)
	}
	if e.bounceMaildir != "" {
		parts = append(parts, func(ctx context.Context) error { return e.keepSweeping(ctx, desk) })
	}
	return parts, nil
}

// keepSweeping looks at the Maildir again and again. What goes wrong is
// logged: mail that came back is no reason to stop the mail that goes out.
func (e *env) keepSweeping(ctx context.Context, desk *bounce.Handler) error {
	for {
		if _, err := desk.HandleMaildir(ctx, e.bounceMaildir); err != nil && ctx.Err() == nil {
			e.log.Error("returned mail could not be taken in; it stays where it is", "maildir", e.bounceMaildir, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sweepEvery):
		}
	}
}

// sweepReturns looks at the Maildir once.
func (e *env) sweepReturns(st *store.Store) error {
	if e.bounceMaildir == "" {
		return nil
	}
	desk, err := e.bounces(st)
	if err != nil {
		return err
	}
	_, err = desk.HandleMaildir(e.soft, e.bounceMaildir)
	return err
}
