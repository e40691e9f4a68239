package main

import (
	"context"
	"errors"
	"fmt"
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
	command *cli // where the settings came from

	soft, hard     context.Context // soft ends to ask the command to finish, hard to make it stop at once
	stdout, stderr io.Writer
	announcer      *announcer // on stdout, for lines about this process
	json           bool
	force          bool // --now may change a database on which somebody is at work
	log            *slog.Logger

	clock  func() time.Time
	frozen bool // --now is given and the clock stands still
	asOf   bool // --now is given
	works  bool // this process runs the hourly job beside the web view

	parsers   *poller.Parsers // of all pollers
	readsOnly bool            // the command changes nothing that has a time
	opens     opening         // what the command may do to the database
	asItself  bool            // the command goes by DIGEST_BASE_URL, not by the address that the instance is known by
	presence  presence

	pictures *poller.Poller // of the demo; nil: the poller
	pushed   chan struct{}  // tells the hourly job that a hub has sent something
	pinged   chan struct{}  // tells it that a ping has come
}

func newApp(c *cli, soft, hard context.Context, stdout, stderr io.Writer) (*app, error) {
	if c.wrong != nil {
		return nil, c.wrong
	}
	if err := c.settings.check(); err != nil {
		return nil, err
	}
	a := &app{settings: c.settings, command: c, force: c.Force, soft: soft, hard: hard, stdout: stdout, stderr: stderr,
		json: c.JSON, clock: time.Now,
		pushed: make(chan struct{}, 1), pinged: make(chan struct{}, 1)}
	if !c.Now.IsZero() {
		a.clock, a.frozen, a.asOf = func() time.Time { return c.Now }, true, true
	}
	level := c.usualLevel
	if c.LogLevel != "" {
		if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
			return nil, badSetting("DIGEST_LOG_LEVEL", c.LogLevel, "is not a level", "debug, info, warn or error")
		}
	}
	a.log = slog.New(a.logHandler(stderr, c.LogFormat, level))
	a.parsers = poller.NewParsers(a.log)
	return a, nil
}

// logHandler returns the handler of the log. With --now the log's times start at that instant, and run on in serve
// and work.
func (a *app) logHandler(w io.Writer, format string, level slog.Level) slog.Handler {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, attr slog.Attr) slog.Attr {
		if a.asOf && len(groups) == 0 && attr.Key == slog.TimeKey {
			return slog.Time(slog.TimeKey, a.now())
		}
		return withoutCredentials(groups, attr)
	}}
	if format == "json" {
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

// do runs a command with what its Run asks for: nothing more, the database, or the
// database and the reader whom the command is about. What the command can check
// without the database is checked first.
func (a *app) do(command any) error {
	if c, ok := command.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return err
		}
	}
	_, a.readsOnly = command.(interface{ onlyReads() })
	_, a.asItself = command.(interface{ goesByItself() })
	a.opens = openingOf(command)
	switch c := command.(type) {
	case interface{ Run(*app) error }:
		return c.Run(a)
	case interface {
		Run(*app, *store.Store) error
	}:
		return a.withStore(func(st *store.Store) error { return c.Run(a, st) })
	case readerCommand:
		return a.withStore(func(st *store.Store) error {
			u, d, err := a.reader(st, c.email())
			if err != nil {
				return err
			}
			return c.Run(a, st, u, d)
		})
	}
	return fmt.Errorf("%T cannot be run", command)
}

// A readerCommand is about one reader and their digest.
type readerCommand interface {
	email() string
	Run(a *app, st *store.Store, u digest.User, d digest.Digest) error
}

// A readerArg names a reader by their address, in whichever form it is written.
type readerArg struct {
	Email string `arg:""`
}

func (r readerArg) email() string { return r.Email }

// withoutCredentials removes the passwords of feeds' addresses from the log, whatever
// they are part of: a text, an error, a list, what a panic brought.
func withoutCredentials(_ []string, a slog.Attr) slog.Attr {
	if kind := a.Value.Kind(); kind == slog.KindString || kind == slog.KindAny {
		a.Value = slog.StringValue(digest.WithoutCredentials(fmt.Sprint(a.Value.Any())))
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

// reader finds the reader of an address, in whichever form it is written.
func (a *app) reader(st *store.Store, email string) (u digest.User, d digest.Digest, err error) {
	if normal, err := parseEmail(email); err == nil {
		email = normal
	}
	if u, err = st.UserByEmail(a.soft, email); err == nil {
		d, err = st.DigestOf(a.soft, u.ID)
	}
	return u, d, err
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
		if err == nil && f.Reason == "" {
			err = a.attend(st)
		}
		return f.Reason, err
	}
}

// withWork is withStore for the hourly job. It does nothing if the owners of sites
// could not reach the operator, or if there is a fence. It leaves a heartbeat.
func (a *app) withWork(do func(*store.Store) error) error {
	return a.withoutFence(func(st *store.Store) error {
		if err := a.sealAddresses(st); err != nil {
			a.log.Warn("passwords in the database are not encrypted", "why", err)
		}
		return do(st)
	}, func(st *store.Store) (string, error) { return a.beat(st)(a.soft, a.now()) })
}

// withPolls is withWork for a command that polls some feeds once. It leaves no heartbeat. What a wrong clock has left
// is put right first: a host that is leased until next year would not be asked.
func (a *app) withPolls(do func(*store.Store) error) error {
	return a.withoutFence(func(st *store.Store) error {
		note, err := st.PutRight(a.soft, a.now())
		if err != nil {
			return err
		}
		if note.Any() {
			a.log.Warn("a clock was wrong; corrected times that were too far ahead", "what", note.String())
		}
		return do(st)
	}, func(st *store.Store) (string, error) {
		f, err := a.lookFence(a.soft, st)
		return f.Reason, err
	})
}

func (a *app) withoutFence(do func(*store.Store) error, look func(*store.Store) (reason string, err error)) error {
	if err := a.reachable(); err != nil {
		return err
	}
	a.asItself = true
	return a.withStore(func(st *store.Store) error {
		reason, err := look(st)
		if err != nil {
			return err
		}
		if reason != "" {
			return &digest.Error{Kind: digest.Conflict, Message: behindFence(reason)}
		}
		return do(st)
	})
}

// behindFence says what a fence means, in one line.
func behindFence(reason string) string {
	return reason + "; digest polls and sends nothing: see digest fence"
}

// noteFence says on stderr that there is a fence, beside what a command shows of work to come.
func (a *app) noteFence(st *store.Store) error {
	f, err := a.lookFence(a.soft, st)
	if err == nil && f.Reason != "" {
		fmt.Fprintln(a.stderr, "fenced: "+plain(behindFence(f.Reason)))
	}
	return err
}

var errInterrupted = errors.New("interrupted")
