package page

import (
	"context"
	"crypto/rsa"
	"log/slog"
	"net/http"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/domains"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
)

// An Observer observes a request. It gets the pattern of the route, or "" if none matches, and
// returns a function that gets the status of the response.
type Observer func(route string) (answered func(status int))

// Publishing says who may create newsletters on the web.
type Publishing string

// The values of DIGEST_NEWSLETTERS. Any other value is treated as closed.
const (
	PublishingClosed Publishing = "closed" // only the operator, by command
	PublishingAsk    Publishing = "ask"    // any reader, and the operator approves each newsletter
)

// SignUp says who may sign up.
type SignUp string

// The values of DIGEST_SIGN_UP. Any other value is treated as closed.
const (
	SignUpOpen       SignUp = "open"
	SignUpInvitation SignUp = "invitation" // people with an invitation
	SignUpClosed     SignUp = "closed"
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
