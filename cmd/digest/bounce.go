package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"digest/internal/bounce"
	"digest/store"
)

type bounceCmd struct {
	To string `placeholder:"ADDRESS" help:"The message's recipient, if its headers do not name it."`
}

// mostBounce is the maximum number of bytes to read of a message. A bounce has its report early, and some return the
// whole edition.
const mostBounce = 4 << 20

// tryLater is the exit status on which a mail server keeps a message and tries again (EX_TEMPFAIL of sysexits.h).
const tryLater = 75

// whenBroken returns the exit status of a failure. The mail server then keeps the message, so that a wrong setting
// loses nothing.
func (bounceCmd) whenBroken() int { return tryLater }

// Run reads one message from standard input. If it cannot store the result, the mail server tries again. It succeeds
// for a message that is not a bounce.
func (c bounceCmd) Run(a *app) error {
	if a.ReturnPath == "" {
		return errors.New("bounces need a return path; " +
			"set DIGEST_RETURN_PATH to the address whose email is piped here, such as bounces@example.org")
	}
	message, err := io.ReadAll(io.LimitReader(os.Stdin, mostBounce))
	if err != nil {
		return fmt.Errorf("reading the message: %w", err)
	}
	m := bounce.Message{Bytes: message}
	if c.To != "" {
		m.To = []string{c.To}
	}
	return a.withStore(func(st *store.Store) error {
		handler, err := a.bounceHandler(st)
		if err != nil {
			return err
		}
		outcome, err := handler.Handle(a.soft, m)
		if err != nil {
			return err
		}
		return a.say(outcome, "%s", plain(outcome.String()))
	})
}

// maildirEvery is the interval between reads of the Maildir of bounces.
const maildirEvery = time.Minute

// bounceRecords has the methods of the store that a bounce.Handler calls. The aliases name its fields, because a field
// Editions would hide the method Editions.
type (
	bounceRecords struct {
		bounceEditions
		bounceMembers
		bounceNewsletters
		bounceReaders
	}
	bounceEditions    = store.Editions
	bounceMembers     = store.Members
	bounceNewsletters = store.Newsletters
	bounceReaders     = store.Readers
)

func (a *app) bounceHandler(st *store.Store) (*bounce.Handler, error) {
	signer, err := a.signer(st)
	if err != nil {
		return nil, err
	}
	from, err := contactOf("", a.From)
	records := bounceRecords{st.Editions, st.Members, st.Newsletters, st.Readers}
	return &bounce.Handler{Store: records, Signer: signer, Address: a.ReturnPath, From: from, Now: a.clock, Log: a.log},
		err
}

// readBounces returns functions that read returned emails until their context ends: from a listener, which is already
// open, and from a Maildir.
func (a *app) readBounces(st *store.Store) ([]func(context.Context) error, error) {
	if a.BounceListen == "" && a.BounceMaildir == "" {
		return nil, nil
	}
	handler, err := a.bounceHandler(st)
	if err != nil {
		return nil, err
	}
	var parts []func(context.Context) error
	if a.BounceListen != "" {
		server, err := handler.Listen(a.BounceListen)
		if err != nil {
			return nil, err
		}
		a.announce("accepting bounces at %s", server.Addr())
		parts = append(parts, server.Serve)
	}
	if a.BounceMaildir != "" {
		parts = append(parts, func(ctx context.Context) error { return a.watchMaildir(ctx, handler) })
	}
	return parts, nil
}

// watchMaildir reads the Maildir regularly. It only logs errors, because returned emails must not stop the sending of
// others.
func (a *app) watchMaildir(ctx context.Context, handler *bounce.Handler) error {
	for {
		if _, err := handler.HandleMaildir(ctx, a.BounceMaildir); err != nil && ctx.Err() == nil {
			a.log.Error("cannot process a returned email; retrying", "maildir", a.BounceMaildir, "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(maildirEvery):
		}
	}
}

func (a *app) readBouncesOnce(st *store.Store) error {
	if a.BounceMaildir == "" {
		return nil
	}
	handler, err := a.bounceHandler(st)
	if err != nil {
		return err
	}
	_, err = handler.HandleMaildir(a.soft, a.BounceMaildir)
	return err
}
