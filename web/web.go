// Package web is what a reader sees in a browser: their editions, the way in
// and out, and the pages that strangers may ask for (the bot page, health).
//
// All routes stand in one table (routes.go). The page at /settings/zone is
// answered by settings_zone.go and its words are templates/settings_zone.html.
// A handler reads the request, asks the store once where it can, and shows a
// page or returns an error; one place (problem.go) turns errors into pages.
// What is around all handlers is in middleware.go, sessions are in session.go,
// what forms share is in form.go. Pages are rendered to a buffer first, so that
// nothing half made is ever sent. Nothing needs JavaScript.
package web

import (
	"context"
	"crypto/rsa"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/domains"
	"digest/internal/hub"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"

	"github.com/go-webauthn/webauthn/webauthn"
)

// A PingReceiver is told of the pings that sites send.
type PingReceiver interface {
	// Pinged takes it that there is news at one of these addresses, which are
	// one ping's, in normal form: the first that is a feed's or its site's
	// counts. It is asked as soon as it may be asked anyway.
	Pinged(ctx context.Context, urls []string, now time.Time) error
}

// A PictureFetcher fetches the pictures of posts for readers who have them shown.
type PictureFetcher interface {
	// Picture gives a picture; digest.NotFound if there is none at the address,
	// poller.ErrPicturesBusy if it was not asked for.
	Picture(ctx context.Context, address string) (poller.Picture, error)
}

// A SoundFetcher fetches what posts come with to be heard.
type SoundFetcher interface {
	// Sound begins to fetch a file, or the stretch of it that a Range header names;
	// digest.NotFound if there is none at the address, poller.ErrPicturesBusy if it was
	// not asked for.
	Sound(ctx context.Context, address, stretch string) (*poller.Sound, error)
}

// A Searcher finds posts among those that have come to a reader, and those that they saved.
type Searcher interface {
	Search(ctx context.Context, user digest.UserID, q store.SearchQuery) (store.SearchResult, error)
}

// An ActorKey gives the key with which requests to the fediverse are signed.
type ActorKey func(context.Context) (*rsa.PrivateKey, error)

// A Measure judges a size of the database, in bytes.
type Measure func(bytes int64) digest.Storage

// Options is what the web view is made of. Store, Editions, Signer and BaseURL are required.
type Options struct {
	Store         *store.Store
	Editions      *edition.Builder
	Signer        *digest.Signer
	SignUp        SignUp                // who may sign up; default: nobody
	MemberLimit   int                   // of newsletters that are begun on the web; 0: as many as come
	Publishing    Publishing            // who may begin a newsletter; default: nobody
	Outbox        *mailer.Outbox        // nil: no letter can be sent
	Subscriber    *subscribe.Subscriber // nil: no feeds can be added
	Domains       *domains.Registrar    // nil: no newsletter can be given an address of its own
	CountsReplies bool                  // this instance receives mail, so it can count answers to newsletters
	ReportAddress string                // receives DMARC reports; "": none
	Search        Searcher              // default: Store
	Pings         PingReceiver          // nil: pings are not taken
	Hub           *hub.Hub              // of our own feeds; nil: they have none
	Clouds        bool                  // rssCloud servers are asked to tell of news; what they say is taken
	Pushed        func()                // is told when a hub has sent something; nil: nobody is
	Pictures      PictureFetcher        // nil: no picture is shown
	Sounds        SoundFetcher          // nil: no sound is played
	ActorKey      ActorKey              // of this instance in the fediverse; nil: it is not there
	BaseURL       string                // where visitors reach it, without a final slash; https makes cookies Secure
	Version       string                // shown on the bot page
	PostalAddress string                // at the foot of letters; "" shows none
	Contact       string                // mail address of whoever runs this instance; "" shows none
	// networks that feeds are asked from, for the bot page; none: they are not fixed
	Addresses    []string
	Spread       poller.Spread    // as the hourly job has it, for the bot and status pages; a Gap of 0 is 1 h
	HostGap      time.Duration    // least time between two requests to one host, for the bot page; default 2 s
	Offline      bool             // readers may keep editions on their devices, to be read without a network
	Beats        bool             // the hourly job runs too: health asks for its heartbeat
	MetricsToken string           // lets who has it read the metrics; "": nobody may here
	Metrics      http.Handler     // for Prometheus; nil: there are none
	Storage      Measure          // how large the database may be; nil: it is not judged
	Observe      Observer         // is told of each request; may be nil
	Now          func() time.Time // default time.Now

	// Fence tells of the fence around the database; nil: none can stand.
	Fence func(context.Context) (store.Fence, error)

	// TrustedProxies are believed when they say for whom they ask (X-Forwarded-For,
	// X-Forwarded-Proto). Nobody else is, this machine neither.
	TrustedProxies digest.Proxies

	Log *slog.Logger // default: nowhere
}

// A site is the web view: the handlers' shared parts. Only the limits and what
// is kept of pictures change.
type site struct {
	Options
	mux     *http.ServeMux
	pages   pageSet
	assets  assets
	limits  limits
	clicked *clickLog   // on links of letters, in this hour
	images  *imageCache // nil: no picture is shown

	relying *webauthn.WebAuthn // nil: no passkey can be used at this address
	opened  time.Time

	feedCounter feedCounter
	noticed     watch

	importing places      // in which lists of feeds are read
	joining   places      // in which lists of members are read
	drawing   places      // in which pictures are made logos
	forms     readerLocks // of readers whose long form is on its way
	long      longForms   // of all readers
	lists     readerLocks // of publishers whose list of members is read: a small file may unpack to a large one
	searches  readerLocks
	listening listening
}

// New makes the web view. It panics if an embedded template is broken, which
// no input can cause.
func New(o Options) http.Handler {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Search == nil {
		o.Search = o.Store
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
	s := &site{
		Options: o, assets: a, pages: loadPages(a), limits: newLimits(), clicked: newClickLog(), opened: o.Now(),
		images: newImageCache(o), relying: newRelying(o.BaseURL),
		noticed:   watch{last: make(map[string]time.Time)},
		importing: make(places, 1), joining: make(places, 2), drawing: make(places, 1),
	}
	s.mux = s.routes()
	return s.guard(s.mux)
}
