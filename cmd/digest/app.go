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

	soft, hard     context.Context // ask to finish; end at once
	stdout, stderr io.Writer
	json           bool
	level          string
	log            *slog.Logger

	clock  func() time.Time
	frozen bool // the clock stands still, at --now
	works  bool // this command runs the hourly job beside the web view
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

// logAt starts logging to stderr, at the level asked for or else at usual.
func (a *app) logAt(usual slog.Level) error {
	if a.level != "" {
		if err := usual.UnmarshalText([]byte(a.level)); err != nil {
			return badSetting("DIGEST_LOG_LEVEL", a.level, "is not a level", "debug, info, warn or error")
		}
	}
	a.log = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: usual, ReplaceAttr: withoutCredentials}))
	return nil
}

// withoutCredentials takes the passwords of feeds' addresses from what is logged.
func withoutCredentials(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(digest.WithoutCredentials(v))
	case error:
		a.Value = slog.StringValue(digest.WithoutCredentials(v.Error()))
	}
	return a
}

// now is the clock: it stands at --now for a command that ends.
func (a *app) now() time.Time { return a.clock() }

// runOn makes a clock that stands at --now start there and run on, for a
// command that goes on.
func (a *app) runOn() {
	if !a.frozen {
		return
	}
	start, began := a.clock(), time.Now()
	a.clock = func() time.Time { return start.Add(time.Since(began)) }
	a.frozen = false
}

// withStore does one thing with the database, whose schema it brings up to date.
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

// withReader is withStore for what concerns one reader and their digest.
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

// fenceMost is how many editions may wait in a database that was long unused
// before they are held back: more than a family's, or a club's.
const fenceMost = 100

// lookFence tells how the fence stands, and leaves no heartbeat.
func (a *app) lookFence(ctx context.Context, st *store.Store) (store.Fence, error) {
	return st.LookFence(ctx, a.BaseURL, a.now(), a.FenceAfter, fenceMost)
}

// beat is the hourly job's look at the fence: it leaves a heartbeat. A stop does
// not cut it short. Between two looks a process may have slept with its machine: a
// heartbeat that it knows is no reason for a fence, however old; an older one is,
// for then the database was brought back from the past beneath it.
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

// withWork is withStore for the hourly job: it begins only if it says who asks,
// and if there is no fence, and leaves a heartbeat.
func (a *app) withWork(do func(*store.Store) error) error {
	return a.withoutFence(do, func(st *store.Store) (string, error) { return a.beat(st)(a.soft, a.now()) })
}

// withPolls is withWork for a command that asks a few sites and is no instance at work.
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
