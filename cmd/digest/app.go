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
	"digest/calendar"
	"digest/poller"
	"digest/store"
)

type app struct {
	settings
	command *cli // the source of the settings

	soft, hard     context.Context // soft ends when the command should finish, hard when it must stop immediately
	stdout, stderr io.Writer
	announcer      *announcer // on stdout, for lines about this process
	json           bool
	force          bool // --now may change a database that another process uses
	log            *slog.Logger

	clock  func() time.Time
	frozen bool // --now is set and the clock does not run
	asOf   bool // --now is set
	works  bool // this process runs the hourly job as well as the web view

	parsers   *poller.Parsers // shared by all pollers
	readsOnly bool            // the command changes nothing that has a time
	opens     opening         // permissions of the command on the database
	asItself  bool            // the command uses DIGEST_BASE_URL and not the stored address of the instance
	presence  presence

	pictures *poller.Poller // for the demo; nil: the usual poller
	pushed   chan struct{}  // tells the hourly job that a hub sent news
	pinged   chan struct{}  // tells the hourly job about a ping
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

// logHandler returns the handler of the log. With --now the log's times start at that instant, and the clock runs in
// serve and work.
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

// do runs a command. Its Run may take the database, and the reader or the newsletter that it is about. do calls
// check first, which needs no database.
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
	case newsletterCommand:
		return a.withStore(func(st *store.Store) error {
			n, err := st.Newsletters.NewsletterBySlug(a.soft, c.slug())
			if err != nil {
				return err
			}
			return c.Run(a, st, n)
		})
	}
	return fmt.Errorf("%T cannot be run", command)
}

type readerCommand interface {
	email() string
	Run(a *app, st *store.Store, u digest.User, d digest.Digest) error
}

type newsletterCommand interface {
	slug() string
	Run(a *app, st *store.Store, n digest.Newsletter) error
}

type readerArg struct {
	Email string `arg:""`
}

func (r readerArg) email() string { return r.Email }

// withoutCredentials removes the passwords in addresses of feeds from the values of the log: texts, errors, lists and
// panics.
func withoutCredentials(_ []string, a slog.Attr) slog.Attr {
	if kind := a.Value.Kind(); kind == slog.KindString || kind == slog.KindAny {
		a.Value = slog.StringValue(digest.WithoutCredentials(fmt.Sprint(a.Value.Any())))
	}
	return a
}

// now returns the time. With --now the clock does not run, except in serve and work.
func (a *app) now() time.Time { return a.clock() }

// runOn lets the clock run from --now, for a command that runs until it is stopped.
func (a *app) runOn() {
	if !a.frozen {
		return
	}
	start, began := a.clock(), time.Now()
	a.clock = func() time.Time { return start.Add(time.Since(began)) }
	a.frozen = false
}

// reader returns the reader with an address in any spelling.
func (a *app) reader(st *store.Store, email string) (u digest.User, d digest.Digest, err error) {
	if normal, err := parseEmail(email); err == nil {
		email = normal
	}
	if u, err = st.Readers.UserByEmail(a.soft, email); err == nil {
		d, err = st.Readers.DigestOf(a.soft, u.ID)
	}
	return u, d, err
}

// fenceMost is the number of editions that may wait in a database that was not used for long. If more wait, nothing is
// sent before the operator agrees. A family or a club has fewer.
const fenceMost = 100

func (a *app) fenceRules(after time.Duration) store.FenceRules {
	return store.FenceRules{After: after, Most: fenceMost, AsOf: a.asOf}
}

// lookFence returns the fence of the database without leaving a heartbeat.
func (a *app) lookFence(ctx context.Context, st *store.Store) (store.Fence, error) {
	if why := a.wrongClock(a.now()); why != "" {
		return store.Fence{Reason: why}, nil
	}
	return st.Operator.LookFence(ctx, a.BaseURL, a.now(), a.fenceRules(a.FenceAfter))
}

// wrongClock returns why the hourly job cannot work at now, or "". A machine without a battery starts in 1970 or 2000.
func (a *app) wrongClock(now time.Time) string {
	if a.asOf || calendar.Believable(now) {
		return ""
	}
	return fmt.Sprintf("the clock shows %s; correct it", now.UTC().Format("2006-01-02 15:04 MST"))
}

// beat returns a function with which the hourly job checks for a fence and leaves a heartbeat. It uses the hard
// context, so stopping the program does not interrupt it. The machine may sleep between two calls, so a heartbeat that
// this process saw before causes no fence. An older heartbeat does, because then somebody restored a backup while this
// process ran.
func (a *app) beat(st *store.Store) func(context.Context, time.Time) (string, error) {
	const forever = time.Duration(math.MaxInt64)
	var seen time.Time // the latest heartbeat in the database
	return func(_ context.Context, now time.Time) (string, error) {
		if why := a.wrongClock(now); why != "" {
			return why, nil
		}
		f, err := st.Operator.Beat(a.hard, a.BaseURL, now, a.fenceRules(a.FenceAfter))
		if err == nil && f.Reason != "" && !seen.IsZero() && !f.Beat.Before(seen) {
			f, err = st.Operator.Beat(a.hard, a.BaseURL, now, a.fenceRules(forever))
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

// withWork is withStore for the hourly job, and leaves a heartbeat. It returns an error if site owners could not reach
// the operator, or if there is a fence.
func (a *app) withWork(do func(*store.Store) error) error {
	return a.withoutFence(func(st *store.Store) error {
		if err := a.sealAddresses(st); err != nil {
			a.log.Warn("passwords in the database are not encrypted", "why", err)
		}
		return do(st)
	}, func(st *store.Store) (string, error) { return a.beat(st)(a.soft, a.now()) })
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
	a.asItself = true
	return a.withStore(func(st *store.Store) error {
		reason, err := look(st)
		if err != nil {
			return err
		}
		if reason != "" {
			return digest.Errorf(digest.Conflict, "%s", behindFence(reason))
		}
		return do(st)
	})
}

func behindFence(reason string) string {
	return reason + "; digest polls and sends nothing: see digest fence"
}

// noteFence prints a fence on stderr, for a command that shows planned work.
func (a *app) noteFence(st *store.Store) error {
	f, err := a.lookFence(a.soft, st)
	if err == nil && f.Reason != "" {
		fmt.Fprintln(a.stderr, "fenced: "+plain(behindFence(f.Reason)))
	}
	return err
}

var errInterrupted = errors.New("interrupted")
