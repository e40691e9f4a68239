package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// An app is what a command works with: the settings, the clock, the output, and
// the database.
type app struct {
	settings

	soft, hard     context.Context // soft ends to ask the command to finish, hard to make it stop at once
	stdout, stderr io.Writer
	json           bool
	level          string
	log            *slog.Logger

	clock  func() time.Time
	frozen bool // --now is given and the clock stands still
	works  bool // this process runs the hourly job beside the web view
}

func newApp(c *cli, soft, hard context.Context, stdout, stderr io.Writer) (*app, error) {
	if c.wrong != nil {
		return nil, c.wrong
	}
	a := &app{
		settings: c.settings, soft: soft, hard: hard, stdout: stdout, stderr: stderr,
		json: c.JSON, level: c.LogLevel, clock: time.Now,
	}
	if err := a.settings.check(); err != nil {
		return nil, err
	}
	if !c.Now.IsZero() {
		a.clock, a.frozen = func() time.Time { return c.Now }, true
	}
	return a, a.logAt(slog.LevelWarn)
}

// logAt starts the log on stderr: at the level of --log-level, or else at the usual
// one of the command.
func (a *app) logAt(usual slog.Level) error {
	if a.level != "" {
		if err := usual.UnmarshalText([]byte(a.level)); err != nil {
			return badSetting("DIGEST_LOG_LEVEL", a.level, "is not a level", "debug, info, warn or error")
		}
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: usual, ReplaceAttr: withoutCredentials}))
	return nil
}

// withoutCredentials removes the passwords of feeds' addresses from the log.
func withoutCredentials(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(digest.WithoutCredentials(v))
	case error:
		a.Value = slog.StringValue(digest.WithoutCredentials(v.Error()))
	}
	return a
}

// now gives the time. For a command that ends, --now is the time all along.
func (a *app) now() time.Time { return a.clock() }

// runOn starts the clock at --now. It is for a command that runs until it is
// stopped.
func (a *app) runOn() {
	if !a.frozen {
		return
	}
	start, began := a.clock(), time.Now()
	a.clock = func() time.Time { return start.Add(time.Since(began)) }
	a.frozen = false
}

// withStore opens the database, brings its schema up to date, and does one thing with it.
func (a *app) withStore(do func(*store.Store) error) error {
	st, err := store.Open(a.soft, a.Database)
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Migrate(a.soft); err != nil {
		return err
	}
	st.Policy = store.Policy{
		Askable:    func(f digest.Feed, from time.Time) time.Time { return poller.Askable(f, a.PollGap, from) },
		PaceDomain: poller.PaceDomain,
	}
	return do(st)
}

// withReader is withStore for a command about one reader and their digest.
func (a *app) withReader(email string, do func(*store.Store, digest.User, digest.Digest) error) error {
	return a.withStore(func(st *store.Store) error { return a.forReader(st, email, do) })
}

// forReader finds the reader of an address, in whichever form it is written.
func (a *app) forReader(st *store.Store, email string, do func(*store.Store, digest.User, digest.Digest) error) error {
	if normal, err := parseEmail(email); err == nil {
		email = normal
	}
	u, err := st.UserByEmail(a.soft, email)
	if err != nil {
		return err
	}
	d, err := st.DigestOf(a.soft, u.ID)
	if err != nil {
		return err
	}
	return do(st, u, d)
}

// fenceMost is how many editions may wait in a database that nobody used for long.
// If there are more, nothing is sent before the operator agrees. A family or a
// club has fewer.
const fenceMost = 100

// lookFence says whether there is a fence. It leaves no heartbeat.
func (a *app) lookFence(ctx context.Context, st *store.Store) (store.Fence, error) {
	return st.LookFence(ctx, a.BaseURL, a.now(), a.FenceAfter, fenceMost)
}

// beat gives the function by which the hourly job looks for a fence and leaves a
// heartbeat. To stop the program does not cut it short. The machine may have slept
// between two looks: a heartbeat that this process has seen before is no reason for
// a fence, however old it is. An older one is a reason, because then somebody has
// restored the database from a backup while this process ran.
func (a *app) beat(st *store.Store) func(context.Context, time.Time) (string, error) {
	const forever = time.Duration(math.MaxInt64)
	var seen time.Time // the latest heartbeat that was found in the database
	return func(_ context.Context, now time.Time) (string, error) {
		f, err := st.Beat(a.hard, a.BaseURL, now, a.FenceAfter, fenceMost)
		if err == nil && f.Reason != "" && !seen.IsZero() && !f.Beat.Before(seen) {
			f, err = st.Beat(a.hard, a.BaseURL, now, forever, fenceMost)
		}
		if err == nil && f.Reason == "" && f.Beat.After(seen) {
			seen = f.Beat
		}
		return f.Reason, err
	}
}

// withWork is withStore for the hourly job. It does nothing if the owners of sites
// could not reach the operator, or if there is a fence. It leaves a heartbeat.
func (a *app) withWork(do func(*store.Store) error) error {
	return a.withoutFence(do, func(st *store.Store) (string, error) { return a.beat(st)(a.soft, a.now()) })
}

// withPolls is withWork for a command that polls some feeds once. It leaves no heartbeat.
func (a *app) withPolls(do func(*store.Store) error) error {
	return a.withoutFence(do, func(st *store.Store) (string, error) {
		f, err := a.lookFence(a.soft, st)
		return f.Reason, err
	})
}

func (a *app) withoutFence(do func(*store.Store) error, look func(*store.Store) (reason string, err error)) error {
	if err := a.reachable(); err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		reason, err := look(st)
		if err != nil {
			return err
		}
		if reason != "" {
			return &digest.Error{Kind: digest.Conflict, Message: reason + "; nothing is asked and nothing is sent: see digest fence"}
		}
		return do(st)
	})
}

var errInterrupted = errors.New("interrupted")
