// Package web serves the pages of digest: editions, sign-in, settings, newsletters, and the public pages for visitors
// and programs.
//
// All routes are in routes.go. The page /settings/zone has its handler in settings_zone.go and its template in
// templates/settings_zone.html. A handler reads the request, queries the store, if possible once, and shows a page or
// returns an error. problem.go turns errors into pages. middleware.go has the code around all handlers, session.go
// the sessions, and form.go the code that forms share. A page of settings, of a publisher or of an operator gets a visit
// (visit.go). Its handler describes the fields of its form (field.go), which parses a POST; the template shows each field
// with its label. Pages are rendered to a buffer first, so that no incomplete page is sent. No page needs JavaScript.
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
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"

	"github.com/go-webauthn/webauthn/webauthn"
)

// A PingReceiver stores the pings that sites send.
type PingReceiver interface {
	// Pinged records that there is news at one of these addresses, which belong to one ping and are in normal form.
	// The first that is the address of a feed or its site counts. Its next poll happens as soon as its limits allow.
	Pinged(ctx context.Context, urls []string, now time.Time) error
}

// A PictureFetcher fetches pictures of posts for readers.
type PictureFetcher interface {
	// Picture returns the picture at an address, digest.NotFound if it has no picture, and poller.ErrPicturesBusy if
	// too many are being fetched.
	Picture(ctx context.Context, address string) (poller.Picture, error)
}

// A SoundFetcher fetches audio files of posts.
type SoundFetcher interface {
	// Sound begins to fetch a file, or the part of it that stretch names as a Range header. It returns
	// digest.NotFound if the address has no file, and poller.ErrPicturesBusy if too many are being fetched.
	Sound(ctx context.Context, address, stretch string) (*poller.Sound, error)
}

// A Searcher finds posts among those that a reader received or saved.
type Searcher interface {
	Search(ctx context.Context, user digest.UserID, q store.SearchQuery) (store.SearchResult, error)
}

// An ActorKey returns the key that signs requests to the fediverse.
type ActorKey func(context.Context) (*rsa.PrivateKey, error)

// A Measure judges the size of the database in bytes.
type Measure func(bytes int64) digest.Storage

// Options configures the web view. Store, Editions, Signer and BaseURL are required.
type Options struct {
	Store         *store.Store
	Editions      *edition.Builder
	Signer        *digest.Signer
	SignUp        SignUp                // default: SignUpClosed
	MemberLimit   int                   // of newsletters created on the web; 0: no limit
	Publishing    Publishing            // default: PublishingClosed
	Outbox        *mailer.Outbox        // nil: this instance sends no email
	Subscriber    *subscribe.Subscriber // nil: no feeds can be added
	Domains       *domains.Registrar    // nil: newsletters cannot have their own sender address
	ReportAddress string                // receives DMARC reports; "": none
	Search        Searcher              // default: Store
	Pings         PingReceiver          // nil: pings are not accepted
	Pushed        func()                // called after a hub has sent content; may be nil
	Pictures      PictureFetcher        // nil: no pictures are shown
	Sounds        SoundFetcher          // nil: no player is offered
	ActorKey      ActorKey              // of this instance's fediverse actor; nil: there is no actor
	BaseURL       string                // URL for visitors, without a final slash; https makes cookies Secure
	Version       string                // shown on the bot page
	PostalAddress string                // at the foot of emails; "" shows none
	Contact       string                // email address of the operator; "" shows none
	// networks from which feeds are requested, for the bot page; nil: not fixed
	Addresses    []string
	Spread       poller.Spread    // of the hourly job, for the bot and status pages; a Gap of 0 is 1 h
	HostGap      time.Duration    // least time between two requests to one host, for the bot page; default 2 s
	Offline      bool             // readers may store editions on their devices
	Beats        bool             // the hourly job runs too: health checks its heartbeat
	MetricsToken string           // grants access to the metrics; "": no access
	Metrics      http.Handler     // Prometheus metrics; nil: none
	Storage      Measure          // judges the size of the database; nil: no judgement
	Observe      Observer         // called for each request; may be nil
	Now          func() time.Time // default time.Now

	// Fence returns the fence of the database. nil: there is never a fence.
	Fence func(context.Context) (store.Fence, error)

	// TrustedProxies are the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. No other address is,
	// not even a loopback address.
	TrustedProxies digest.Proxies

	Log *slog.Logger // default: discard
}

// A site is the web view, with the data that handlers share. Only limits, counters, caches and locks change after
// New.
type site struct {
	Options
	mux     *http.ServeMux
	pages   pageSet
	assets  assets
	limits  limits
	clicked *clickLog   // clicks on links in emails in this hour
	images  *imageCache // nil: no pictures are shown

	relying *webauthn.WebAuthn // nil: this address does not support passkeys
	opened  time.Time

	feedCounter feedCounter
	noticed     watch

	importing places      // limits parallel imports of feeds
	joining   places      // limits parallel imports of members
	drawing   places      // limits parallel conversions of logos
	forms     readerLocks // readers whose long form is being received
	long      longForms   // all long forms together
	lists     readerLocks // publishers whose list of members is being read: a small file may unpack to a large one
	searches  readerLocks
	listening listening
}

// New returns the handler of the web view. It panics if an embedded template is broken, which no input can cause.
func New(o Options) http.Handler {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Search == nil && o.Store != nil {
		o.Search = o.Store.Posts
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
