// Package web is what a reader sees in a browser: their editions, the way in
// and out, and the pages that strangers may ask for (the bot page, health).
//
// All routes stand in one table (routes.go). A handler returns an error, and
// one place (problem.go) turns errors into pages. Pages are rendered to a
// buffer first, so that nothing half made is ever sent. Nothing needs JavaScript.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/poller"
	"digest/render"
	"digest/store"

	"github.com/go-webauthn/webauthn/webauthn"
)

// Archive is where editions are looked up. Only released editions have a row,
// so nothing hidden can be found through it.
type Archive interface {
	// DigestOf gives a user's own daily digest; digest.NotFound if there is none.
	DigestOf(ctx context.Context, user digest.UserID) (digest.Digest, error)
	// Digest gives any digest by its key.
	Digest(ctx context.Context, id digest.DigestID) (digest.Digest, error)
	// SetDigestState starts or ends a digest; the same state again changes nothing.
	SetDigestState(ctx context.Context, id digest.DigestID, state digest.DigestState, now time.Time) error
	// PauseDigest pauses a digest until an instant.
	PauseDigest(ctx context.Context, id digest.DigestID, until, now time.Time) error
	// ResumeDigest makes a paused digest active again; one that was left stays so.
	ResumeDigest(ctx context.Context, id digest.DigestID, now time.Time) error
	// SetWeekdays changes the local days on which a digest appears.
	SetWeekdays(ctx context.Context, id digest.DigestID, w digest.Weekdays, now time.Time) error
	// Edition gives one edition by its key; digest.NotFound if there is none.
	Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error)
}

// Door is how readers come in. Secrets reach it only as hashes.
type Door interface {
	SignIns
	Comings
	// UseSignIn uses up a sign-in token: of any number of calls with one
	// hash, at any time, exactly one succeeds. digest.NotFound for one that is
	// unknown, used, or expired at now.
	UseSignIn(ctx context.Context, hash []byte, now time.Time) (digest.UserID, error)
	// AddSession stores a session that ends at expires.
	AddSession(ctx context.Context, hash []byte, user digest.UserID, now, expires time.Time) error
	// SessionUser gives whose session it is; digest.NotFound if it is unknown or over at now.
	SessionUser(ctx context.Context, hash []byte, now time.Time) (digest.User, error)
	// EndSession forgets a session; an unknown one is no error.
	EndSession(ctx context.Context, hash []byte) error
	// Ping reports whether the database answers.
	Ping(ctx context.Context) error
}

// Feeds is what is known of the sites that are asked.
type Feeds interface {
	// FeedByURL finds a feed by its exact address in normal form, or by one it
	// had before it moved for good; digest.NotFound if there is none.
	FeedByURL(ctx context.Context, url string) (digest.Feed, error)
	// Feed gives a feed with the next midnight of its readers.
	Feed(ctx context.Context, id digest.FeedID) (store.FeedInfo, error)
	// Polls gives the polls of a feed since an instant, oldest first.
	Polls(ctx context.Context, id digest.FeedID, since time.Time) ([]store.PollRecord, error)
}

// Store is what the web view needs of the database.
type Store interface {
	Archive
	Shelf
	Door
	Feeds
	OperatorDesk
	Keeping
	Settings
	Leaving
	Taking
	Filtering
}

// Pings takes in what sites say of themselves.
type Pings interface {
	// Pinged takes it that there is news at one of these addresses, which are
	// one ping's, in normal form: the first that is a feed's or its site's
	// counts. It is asked as soon as it may be asked anyway.
	Pinged(ctx context.Context, urls []string, now time.Time) error
}

// Editions makes pages from stored editions.
type Editions interface {
	// Page gives the content of one sealed edition, grouped by site in the order of the mail.
	Edition(ctx context.Context, d digest.Delivery) (render.Edition, error)
	// Block renders one post as it would be in a page.
	Post(p digest.Post) *render.Post
}

// Options is what the web view is made of. Store, Editions, Signer and BaseURL are required.
type Options struct {
	Store        Store
	Editions     Editions
	Signer       *digest.Signer
	SignUp       SignUp                               // who may sign up; default: nobody
	Mailroom     *Mailroom                            // nil: no letter can be sent
	Mailbox      func(address string) (string, error) // gives the form of a bare address that is mailed and stored; required with Mailroom
	Desk         Desk                                 // nil: no feeds can be added
	Pings        Pings                                // nil: pings are not taken
	Pictures     Pictures                             // nil: no picture is shown
	BaseURL      string                               // where visitors reach it, without a final slash; https makes cookies Secure
	Version      string                               // shown on the bot page
	Contact      string                               // mail address of whoever runs this instance; "" shows none
	Addresses    []string                             // networks that feeds are asked from, for the bot page; none: they are not fixed
	Spread       poller.Spread                        // as the hourly job has it, for the bot and status pages; a Gap of 0 is 1 h
	HostGap      time.Duration                        // least time between two requests to one host, for the bot page; default 2 s
	Beats        bool                                 // the hourly job runs too: health asks for its heartbeat
	MetricsToken string                               // lets who has it read the metrics; "": only programs on this machine
	Metrics      http.Handler                         // for Prometheus; nil: there are none
	Observe      Observer                             // is told of each request; may be nil
	Now          func() time.Time                     // default time.Now
	Log          *slog.Logger                         // default: nowhere
}

// A site is the web view: the handlers' shared parts. Only the limits and what
// is kept of pictures change.
type site struct {
	Options
	pages  pages
	assets assets
	limits limits
	images *imageCache // nil: no picture is shown

	relying *webauthn.WebAuthn // nil: no passkey can be used at this address
	opened  time.Time

	midnightFeeds kept[[]store.Midnight]

	importing chan struct{} // holds a token while a list is read
	forms     *turns        // of readers whose long form is on its way
	searches  *turns
}

// New makes the web view. It panics if an embedded template is broken, which
// no input can cause.
func New(o Options) http.Handler {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Spread.Gap == 0 {
		o.Spread.Gap = time.Hour
	}
	if o.HostGap == 0 {
		o.HostGap = 2 * time.Second
	}
	a := loadAssets()
	s := &site{Options: o, assets: a, pages: loadPages(a), limits: newLimits(), opened: o.Now(), images: newImageCache(o), relying: newRelying(o.BaseURL), importing: make(chan struct{}, 1), forms: newTurns(), searches: newTurns()}
	return s.guard(s.routes())
}
