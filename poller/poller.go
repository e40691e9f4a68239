package poller

import (
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

// HeadMode says how HEAD is used before GET (the setting DIGEST_HEAD).
type HeadMode string

// The ways to use HEAD. The first fetch of a feed, and a feed without stored
// validators, get a plain GET in all of them.
const (
	HeadLearned HeadMode = "learned" // until it is known what the server makes of it
	HeadAlways  HeadMode = "always"  // before every GET
	HeadNever   HeadMode = "never"
)

// ParseHeadMode reads the setting DIGEST_HEAD.
func ParseHeadMode(s string) (HeadMode, error) {
	switch m := HeadMode(s); m {
	case HeadLearned, HeadAlways, HeadNever:
		return m, nil
	}
	return "", fmt.Errorf("%q is not one of learned, always, never", s)
}

// Options are what a Poller needs to know. The zero value of each field has a
// sensible meaning.
type Options struct {
	// UserAgentVersion and BaseURL name this instance to the sites it asks.
	UserAgentVersion, BaseURL string

	// AllowNetworks may be asked although they are not public, at addresses that
	// a person gave and where these lead inside such networks.
	AllowNetworks []netip.Prefix

	// Timeout is for one request, all of it: 0 means 30 s.
	Timeout time.Duration

	// HostInterval is the least gap between two requests to one host.
	HostInterval time.Duration

	Head HeadMode // "" means HeadLearned

	// Open decrypts what a private feed is asked with; nil: there is no key.
	Open func(sealed string) (digest.Credential, error)

	// ActorKey gives the key with which this instance signs requests to the fediverse; nil:
	// they are not signed.
	ActorKey func(context.Context) (*rsa.PrivateKey, error)

	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// Log gets one debug record a request and what is odd; nil means none.
	Log *slog.Logger

	// DialContext replaces the guarded dialler. For tests: nothing checks its addresses.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)

	// Roots are believed to say who a server is; nil: those of the system.
	Roots *x509.CertPool

	// NoWait leaves out every pause between requests. There is still one
	// request in flight for each host at a time.
	NoWait bool

	// Requests is how many requests may be on the wire at once, over all
	// hosts: 0 means DefaultRequests. Those that are slow make way for others.
	Requests int

	// Memory is how many bytes documents may have at once, LeastBodies or more: 0 means
	// MostBodies.
	Memory int64

	// Longest is how many bytes a document of a feed may have; of one of more than 10 MiB the
	// posts at both ends are read: 0 means DefaultLongest.
	Longest int64

	// Parsers read the documents; nil: some of its own.
	Parsers *Parsers

	// SlowAfter is how long a request takes before it is slow: 0 means 1 s.
	SlowAfter time.Duration

	// Robots keeps what the robots.txt of a site says; nil: it is not asked for.
	Robots RobotsCache

	// HostBlocks reads which hosts nothing is asked of; nil: there are none.
	HostBlocks func(context.Context) ([]digest.HostRule, error)

	// Known returns, for the identities that a feed has stored, the hashes of their contents. By these a poll of an
	// account decides how many pages to read; nil: the first page only.
	Known func(ctx context.Context, feed digest.FeedID, identities []string) (map[string]string, error)

	// Hosts are leased before a request to one that the caller has not leased,
	// so that no two workers ask it at once; nil: there is one process only.
	Hosts HostLeases
}

// HostLeases gives hosts to one asker at a time, across all workers.
type HostLeases interface {
	// LeaseHost leases a host. An empty token: it is leased elsewhere or rests,
	// and is worth trying again at free.
	LeaseHost(ctx context.Context, now time.Time, host string, lease time.Duration) (token string, free time.Time,
		err error)

	// GiveBackHost gives a host back; it may be asked again from free on.
	GiveBackHost(ctx context.Context, host, token string, free time.Time) error
}

// A Poller asks feeds. It is safe for concurrent use; one serves a process, so
// that hosts are paced across all its workers.
type Poller struct {
	transport *http.Transport // for what may lead into the allowed networks
	public    *http.Transport // for all else; their connections are never shared
	guard     *guard
	pace      *pacer
	now       func() time.Time
	log       *slog.Logger
	parse     func(body []byte, contentType, address string) (*feed.Document, error)
	open      func(sealed string) (digest.Credential, error)
	base      string // the address of this instance
	agent     string // the User-Agent up to the number of subscribers
	timeout   time.Duration
	head      HeadMode
	wire      *wire         // the requests under way
	hosts     HostLeases    // may be nil
	robots    *robotsReader // nil: requests ignore robots.txt
	known     func(context.Context, digest.FeedID, []string) (map[string]string, error)
	blocked   *blockedHosts
	pictures  *pictureQueues
	sounds    *pictureQueues
	parsers   *Parsers
	signers   *signers

	longest  int64         // bytes of a document
	bodies   *memory       // of documents
	decoders chan struct{} // holds a token for each body whose codings are undone
}

// DefaultLongest is how many bytes a document of a feed may have.
const DefaultLongest = 32 << 20

// DefaultRequests is how many requests that are not slow may be on the wire at once.
const DefaultRequests = 20

// mostDecoders is how many bodies' codings are undone at once: that takes up to 16
// MiB for each, however small it is.
const mostDecoders = 2

// DefaultTimeout is the time one request may take, all of it.
const DefaultTimeout = 30 * time.Second

// New makes a Poller.
func New(o Options) *Poller {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	parsers := o.Parsers
	if parsers == nil {
		parsers = NewParsers(log)
	}
	home, idle := newGuard(o.AllowNetworks), idleFor(o.HostInterval, o.NoWait)
	transport, public := newTransport(home.DialContext, idle), newTransport(newGuard(nil).DialContext, idle)
	if o.DialContext != nil {
		transport = newTransport(o.DialContext, idle)
		public = transport
	}
	transport.TLSClientConfig.RootCAs, public.TLSClientConfig.RootCAs = o.Roots, o.Roots
	return &Poller{
		transport: transport,
		public:    public,
		guard:     home,
		pace:      newPacer(o.HostInterval, o.NoWait, now),
		now:       now,
		log:       log,
		parse:     feed.Parse,
		open:      o.Open,
		base:      o.BaseURL,
		agent:     agent(o.UserAgentVersion, o.BaseURL),
		timeout:   cmp.Or(o.Timeout, DefaultTimeout),
		head:      cmp.Or(o.Head, HeadLearned),
		wire:      newWire(cmp.Or(max(o.Requests, 0), DefaultRequests), cmp.Or(o.SlowAfter, slowAfter)),
		hosts:     o.Hosts,
		known:     o.Known,
		robots:    newRobotsReader(o.Robots),
		blocked:   &blockedHosts{read: o.HostBlocks},
		pictures:  newPictureQueues(now),
		sounds:    newSoundQueues(now),
		parsers:   parsers,
		signers:   newSigners(o.BaseURL, o.ActorKey),
		longest:   cmp.Or(o.Longest, DefaultLongest),
		bodies:    &memory{most: o.Memory},
		decoders:  make(chan struct{}, mostDecoders),
	}
}

// Close closes the connections that are kept for a next request.
func (p *Poller) Close() {
	p.transport.CloseIdleConnections()
	p.public.CloseIdleConnections()
}

// Outcome is how a poll ended.
type Outcome string

// The outcomes of a poll.
const (
	Unchanged Outcome = "unchanged"
	Changed   Outcome = "changed"
	Failed    Outcome = "failed"

	// Stopped: the context ended first. The record is as it was handed in but
	// for LastAttemptAt, which has moved if a request had gone out; the feed
	// is still queued and nothing is held against it.
	Stopped Outcome = "stopped"
)

// A Result is what one poll brought.
type Result struct {
	Feed     digest.Feed    // the record as it must be stored now
	Outcome  Outcome        //
	Document *feed.Document // only when Changed
	Message  string         // one line for people and logs

	Body        []byte // the document, codings undone; only when Changed
	ContentType string // of the document, as it came
	Address     string // where the document was found

	StartedAt time.Time // of the first request; zero: none was sent

	// Behind says that posts of an account are left to be read soon.
	Behind bool

	Status int           // of the last answer; 0: there was none
	Took   time.Duration // all requests together, without the pauses between them

	Requests int   // sent on the wire, redirects included
	Bytes    int64 // of bodies, as they travelled

	// HostFreeAt is when Feed.Host, as it was before the poll, may be asked
	// again; zero if it was not asked.
	HostFreeAt time.Time

	parsers *Parsers // may be nil
	hold    *hold    // the memory of the document; may be nil
	partly  bool     // posts of a group could not be read, which its page may tell of
}

// Release says that the document is no longer needed. Only so many bytes of them are in
// memory at once, so that whoever polls has to call it for each Result, or the function
// that Keep gives.
func (r Result) Release() {
	if r.hold != nil {
		r.hold.release()
	}
}

// Keep says that the document is no longer needed, and that so many bytes of what was
// found in it are, until they are released: they count among those of documents.
func (r Result) Keep(bytes int64) (release func()) {
	h := r.hold
	if h == nil {
		return func() {}
	}
	h.keep(bytes)
	return h.release
}

// Full reports whether so much of what was kept waits to be stored that no further
// poll should begin.
func (p *Poller) Full() bool { return p.bodies.full() }

// agent gives "digest/VERSION (+BASE/bot; ", to be completed by subscribers.
func agent(version, base string) string {
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' || r == '(' || r == ')' {
				return -1
			}
			return r
		}, s)
	}
	return "digest/" + cmp.Or(clean(version), "0") + " (+" + strings.TrimSuffix(clean(base), "/") + "/bot; "
}
