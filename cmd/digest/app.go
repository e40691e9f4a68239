package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/term"

	"digest"
	"digest/edition"
	"digest/hourly"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
)

// An app is what a command works with: the settings, the clock, the output, and
// the parts of the program connected together as they are asked for.
type app struct {
	house
	database, mail, listen string

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
	h, err := c.understand()
	if err != nil {
		return nil, err
	}
	e := &app{
		house: h, database: c.Database, mail: c.Mail, listen: c.Listen,
		soft: soft, hard: hard, stdout: stdout, stderr: stderr,
		json: c.JSON, level: c.LogLevel, clock: time.Now,
	}
	if c.Now != "" {
		at, err := parseNow(c.Now)
		if err != nil {
			return nil, err
		}
		e.clock, e.frozen = func() time.Time { return at }, true
	}
	return e, e.logAt(slog.LevelWarn)
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

// open opens the database and brings its schema up to date.
func (a *app) open() (*store.Store, error) {
	st, err := store.Open(a.soft, a.database)
	if err != nil {
		return nil, err
	}
	if err := st.Migrate(a.soft); err != nil {
		st.Close()
		return nil, err
	}
	st.Policy = store.Policy{
		Askable:    func(f digest.Feed, from time.Time) time.Time { return poller.Askable(f, a.pollGap, from) },
		PaceDomain: poller.PaceDomain,
	}
	return st, nil
}

// withStore does one thing with the database.
func (a *app) withStore(do func(*store.Store) error) error {
	st, err := a.open()
	if err != nil {
		return err
	}
	defer st.Close()
	return do(st)
}

func (a *app) poller(st *store.Store) *poller.Poller {
	return poller.New(poller.Options{
		UserAgentVersion: version(),
		BaseURL:          a.baseURL,
		AllowNetworks:    a.allowNetworks,
		Timeout:          a.fetchTimeout,
		HostInterval:     a.hostInterval,
		Head:             a.head,
		Now:              a.clock,
		Log:              a.log,
		NoWait:           a.frozen,
		Requests:         a.requests,
		Robots:           robots{st},
		Hosts:            hostLeases{st, a.clock},
	})
}

func (a *app) desk(st *store.Store) *subscribe.Subscriber {
	return &subscribe.Subscriber{Store: st, Poller: a.poller(st), Now: a.clock}
}

// signer makes and checks the links of this instance. A stop while serve starts
// does not cut it short: that is no failure.
func (a *app) signer(st *store.Store) (*digest.Signer, error) {
	secret, err := st.Secret(a.hard)
	if err != nil {
		return nil, err
	}
	return digest.NewSigner(secret), nil
}

func (a *app) editions(st *store.Store, signer *digest.Signer) *edition.Builder {
	return edition.New(edition.Options{Store: st, Signer: signer, BaseURL: a.baseURL, PostalAddress: a.postalAddress})
}

// job wires the hourly job; the transport is the caller's to close.
func (a *app) job(st *store.Store) (*hourly.Job, mailer.Transport, error) {
	tuneMemory()
	signer, err := a.signer(st)
	if err != nil {
		return nil, nil, err
	}
	transport, err := mailer.Open(a.mail, mailer.Options{PerConn: a.perConnection})
	if err != nil {
		return nil, nil, err
	}
	loop := a.delivery(st, signer, transport)
	return hourly.New(hourly.Options{
		Store:  st,
		Poller: a.poller(st),
		Mail:   loop,
		Spread: a.spread(),
		Keep:   a.keep,
		Now:    a.clock,
		Frozen: a.frozen,
		Hard:   a.hard,
		Fence:  a.fence(st),
		Log:    a.log,
	}), transport, nil
}

// delivery wires the mailer.
func (a *app) delivery(st *store.Store, signer *digest.Signer, transport mailer.Transport) *mailer.Deliverer {
	loop := &mailer.Deliverer{
		Queue:    st,
		Renderer: a.editions(st, signer),
		Sender:   a.sender(st, transport),
		Signer:   signer,
		Route:    a.route,
		Domain:   a.domain,
		Hard:     a.hard,
		Log:      a.log,
	}
	if !a.frozen {
		loop.Now, loop.Jitter = a.clock, tenth
	}
	return loop
}

// sender says how all that is mailed is signed, and whom it comes from.
func (a *app) sender(st *store.Store, transport mailer.Transport) *mailer.Sender {
	return &mailer.Sender{Transport: transport, From: a.from, ReplyTo: a.replyTo, ReturnPath: a.returnPath, Keys: st.DKIMKeys}
}

func (a *app) spread() poller.Spread {
	return poller.Spread{
		Gap:      a.pollGap,
		Deadline: a.releaseDeadline,
		Window:   a.pollWindow,
		Jitter:   poller.RandomJitter,
		NoWait:   a.frozen || a.pollWindow == 0, // a window of 0 asks for polls at once
	}
}

// tenth is a random part of at most a tenth of d, either sign.
func tenth(d time.Duration) time.Duration {
	return time.Duration((rand.Float64()*2 - 1) * float64(d) / 10)
}

// printJSON prints one value on one line.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// onTerminal reports whether a person watches stdout.
func (a *app) onTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
