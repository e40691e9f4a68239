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

// env is what a command works with: the settings, the clock, the output, and
// the parts of the house wired together as they are asked for.
type env struct {
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

func newEnv(c *cli, soft, hard context.Context, stdout, stderr io.Writer) (*env, error) {
	h, err := c.understand()
	if err != nil {
		return nil, err
	}
	e := &env{
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
func (e *env) logAt(usual slog.Level) error {
	if e.level != "" {
		if err := usual.UnmarshalText([]byte(e.level)); err != nil {
			return badSetting("DIGEST_LOG_LEVEL", e.level, "is not a level", "debug, info, warn or error")
		}
	}
	e.log = slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: usual, ReplaceAttr: withoutCredentials}))
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
func (e *env) now() time.Time { return e.clock() }

// runOn makes a clock that stands at --now start there and run on, for a
// command that goes on.
func (e *env) runOn() {
	if !e.frozen {
		return
	}
	start, began := e.clock(), time.Now()
	e.clock = func() time.Time { return start.Add(time.Since(began)) }
	e.frozen = false
}

// open opens the database and brings its schema up to date.
func (e *env) open() (*store.Store, error) {
	st, err := store.Open(e.soft, e.database)
	if err != nil {
		return nil, err
	}
	if err := st.Migrate(e.soft); err != nil {
		st.Close()
		return nil, err
	}
	return st, nil
}

// withStore does one thing with the database.
func (e *env) withStore(do func(*store.Store) error) error {
	st, err := e.open()
	if err != nil {
		return err
	}
	defer st.Close()
	return do(st)
}

func (e *env) poller(st *store.Store) *poller.Poller {
	return poller.New(poller.Options{
		UserAgentVersion: version(),
		BaseURL:          e.baseURL,
		AllowNetworks:    e.allowNetworks,
		Timeout:          e.fetchTimeout,
		HostInterval:     e.hostInterval,
		Head:             e.head,
		Now:              e.clock,
		Log:              e.log,
		NoWait:           e.frozen,
		Requests:         e.requests,
		Robots:           robots{st},
		Hosts:            hostLeases{st, e.clock},
	})
}

func (e *env) desk(st *store.Store) *subscribe.Subscriber {
	return &subscribe.Subscriber{Store: st, Poller: e.poller(st), Now: e.clock}
}

// signer makes and checks the links of this instance. A stop while serve starts
// does not cut it short: that is no failure.
func (e *env) signer(st *store.Store) (*digest.Signer, error) {
	secret, err := st.Secret(e.hard)
	if err != nil {
		return nil, err
	}
	return digest.NewSigner(secret), nil
}

func (e *env) editions(st *store.Store, signer *digest.Signer) *edition.Builder {
	return edition.New(edition.Options{Store: st, Signer: signer, BaseURL: e.baseURL, PostalAddress: e.postalAddress})
}

// job wires the hourly job; the transport is the caller's to close.
func (e *env) job(st *store.Store) (*hourly.Job, mailer.Transport, error) {
	tuneMemory()
	signer, err := e.signer(st)
	if err != nil {
		return nil, nil, err
	}
	transport, err := mailer.Open(e.mail, mailer.Options{PerConn: e.perConnection})
	if err != nil {
		return nil, nil, err
	}
	loop := e.delivery(st, signer, transport)
	return hourly.New(hourly.Options{
		Store:  st,
		Poller: e.poller(st),
		Mail:   loop,
		Spread: e.spread(),
		Keep:   e.keep,
		Now:    e.clock,
		Frozen: e.frozen,
		Hard:   e.hard,
		Fence:  e.fence(st),
		Log:    e.log,
	}), transport, nil
}

// delivery wires the mailer.
func (e *env) delivery(st *store.Store, signer *digest.Signer, transport mailer.Transport) *mailer.Deliverer {
	loop := &mailer.Deliverer{
		Queue:    st,
		Renderer: renderer{e.editions(st, signer)},
		Sender:   e.sender(st, transport),
		Signer:   signer,
		HelpURL:  e.baseURL + "/help",
		Route:    e.route,
		Domain:   e.domain,
		Hard:     e.hard,
		Log:      e.log,
	}
	if !e.frozen {
		loop.Now, loop.Jitter = e.clock, tenth
	}
	return loop
}

// sender says how all that is mailed is signed, and whom it comes from.
func (e *env) sender(st *store.Store, transport mailer.Transport) *mailer.Sender {
	return &mailer.Sender{Transport: transport, From: e.from, ReplyTo: e.replyTo, ReturnPath: e.returnPath, Keys: st.DKIMKeys}
}

func (e *env) spread() poller.Spread {
	return poller.Spread{
		Gap:      e.pollGap,
		Deadline: e.releaseDeadline,
		Window:   e.pollWindow,
		Jitter:   poller.RandomJitter,
		NoWait:   e.frozen || e.pollWindow == 0, // a window of 0 asks for polls at once
	}
}

// tenth is a random part of at most a tenth of d, either sign.
func tenth(d time.Duration) time.Duration {
	return time.Duration((rand.Float64()*2 - 1) * float64(d) / 10)
}

// A renderer renders editions for the mailer.
type renderer struct {
	editions *edition.Builder
}

// Render renders editions in the order of ds.
func (p renderer) Render(ctx context.Context, ds []digest.Delivery) ([]mailer.Letter, error) {
	printed, err := p.editions.Mails(ctx, ds)
	if err != nil {
		return nil, err
	}
	mails := make([]mailer.Letter, len(printed))
	for i, e := range printed {
		mails[i] = mailer.Letter{
			To:             e.Delivery.Email,
			Subject:        e.Subject,
			HTML:           e.HTML,
			Text:           e.Text,
			Encoded:        true,
			ListName:       e.Name,
			UnsubscribeURL: e.UnsubscribeURL,
		}
	}
	return mails, nil
}

// printJSON prints one value on one line.
func (e *env) printJSON(v any) error {
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// onTerminal reports whether a person watches stdout.
func (e *env) onTerminal() bool {
	f, ok := e.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
