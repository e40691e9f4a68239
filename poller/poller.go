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

// HeadMode is the use of HEAD before GET (the setting DIGEST_HEAD).
type HeadMode string

// The values of HeadMode. In all of them, a new feed and a feed without stored validators get a plain GET.
const (
	HeadLearned HeadMode = "learned" // until the poller knows how the server handles HEAD
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

// Options configures a Poller. The zero value of each field has a default.
type Options struct {
	// UserAgentVersion and BaseURL identify this instance to sites.
	UserAgentVersion, BaseURL string

	// AllowNetworks are non-public networks that requests may reach: at addresses that a person typed, and
	// at links in such networks.
	AllowNetworks []netip.Prefix

	// Timeout limits one request in total; 0 means 30 s.
	Timeout time.Duration

	// HostInterval is the minimum pause between two requests to one host.
	HostInterval time.Duration

	Head HeadMode // "" means HeadLearned

	// Open decrypts the credential of a private feed; nil: there is no key.
	Open func(sealed string) (digest.Credential, error)

	// ActorKey returns the key that signs requests to the fediverse; nil: requests are unsigned.
	ActorKey func(context.Context) (*rsa.PrivateKey, error)

	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// Log gets a debug record for each request, and warnings; nil means no log.
	Log *slog.Logger

	// DialContext replaces the guarded dialler, for tests. It bypasses the check of addresses.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)

	// Roots are the trusted certificate authorities; nil: the system's.
	Roots *x509.CertPool

	// NoWait disables all pauses between requests. A host still gets one request at a time.
	NoWait bool

	// Requests is the number of requests in flight over all hosts, not counting slow ones; 0 means
	// DefaultRequests.
	Requests int

	// Memory is the memory for documents in bytes, at least LeastBodies; 0 means MostBodies.
	Memory int64

	// Longest is the maximum size of a feed in bytes; 0 means DefaultLongest. Of a feed larger than 10 MiB,
	// the posts at both ends are read.
	Longest int64

	// Parsers limits parallel parsing; nil: the Poller creates one.
	Parsers *Parsers

	// SlowAfter is the time after which a request is slow; 0 means 1 s.
	SlowAfter time.Duration

	// Robots stores the robots.txt rules of sites; nil: the poller ignores robots.txt.
	Robots RobotsCache

	// HostBlocks reads the blocked hosts; nil: none are blocked.
	HostBlocks func(context.Context) ([]digest.HostRule, error)

	// Known returns the content hashes of a feed's stored posts with the given identities. A poll of an
	// account uses them to decide how many pages to read; nil: it reads the first page only.
	Known func(ctx context.Context, feed digest.FeedID, identities []string) (map[string]string, error)

	// HomePicture returns the addresses of the feeds at a host in an allowed network that published a picture; nil:
	// the poller refuses all pictures in such networks.
	HomePicture func(ctx context.Context, host, picture string) (feeds []string, err error)

	// Hosts leases hosts, so that no two workers send requests to one host. It is not used for a host that
	// the caller has leased. Nil: there is only one process.
	Hosts HostLeases
}

// HostLeases leases each host to one worker at a time.
type HostLeases interface {
	// LeaseHost leases a host. An empty token means that the host is leased or in its pause. The caller may
	// retry at free.
	LeaseHost(ctx context.Context, now time.Time, host string, lease time.Duration) (token string, free time.Time,
		err error)

	// GiveBackHost releases a host; free is the time from which the next request may start.
	GiveBackHost(ctx context.Context, host, token string, free time.Time) error
}

// A Poller polls feeds. It is safe for concurrent use. A process needs exactly one, because it paces hosts
// across all polls.
type Poller struct {
	transport *http.Transport // for requests that may reach the allowed networks
	public    *http.Transport // for all other requests; connections are never shared
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
	wire      *wire         // requests in flight
	hosts     HostLeases    // may be nil
	robots    *robotsReader // nil: requests ignore robots.txt
	known     func(context.Context, digest.FeedID, []string) (map[string]string, error)
	blocked   *blockedHosts
	pictures  *pictureQueues
	sounds    *pictureQueues
	parsers   *Parsers
	signers   *signers

	homePicture func(ctx context.Context, host, picture string) (feeds []string, err error) // may be nil

	longest  int64         // maximum bytes of a document
	bodies   *memory       // of documents
	decoders chan struct{} // one token for each memory-intensive decoder in use
}

// DefaultLongest is the default maximum size of a feed, in bytes.
const DefaultLongest = 32 << 20

// DefaultRequests is the default number of requests in flight, not counting slow ones.
const DefaultRequests = 20

// mostDecoders limits the memory-intensive decoders in use: each takes up to 16 MiB, however small the body
// is.
const mostDecoders = 2

// DefaultTimeout is the default time limit of one request in total.
const DefaultTimeout = 30 * time.Second

// New returns a Poller.
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
		transport:   transport,
		public:      public,
		guard:       home,
		pace:        newPacer(o.HostInterval, o.NoWait, now),
		now:         now,
		log:         log,
		parse:       feed.Parse,
		open:        o.Open,
		base:        o.BaseURL,
		agent:       agent(o.UserAgentVersion, o.BaseURL),
		timeout:     cmp.Or(o.Timeout, DefaultTimeout),
		head:        cmp.Or(o.Head, HeadLearned),
		wire:        newWire(cmp.Or(max(o.Requests, 0), DefaultRequests), cmp.Or(o.SlowAfter, slowAfter)),
		hosts:       o.Hosts,
		known:       o.Known,
		robots:      newRobotsReader(o.Robots),
		blocked:     &blockedHosts{read: o.HostBlocks},
		pictures:    newPictureQueues(now),
		sounds:      newSoundQueues(now),
		parsers:     parsers,
		signers:     newSigners(o.BaseURL, o.ActorKey),
		homePicture: o.HomePicture,
		longest:     cmp.Or(o.Longest, DefaultLongest),
		bodies:      &memory{most: o.Memory},
		decoders:    make(chan struct{}, mostDecoders),
	}
}

// Close closes idle connections.
func (p *Poller) Close() {
	p.transport.CloseIdleConnections()
	p.public.CloseIdleConnections()
}

// Outcome is the result of a poll.
type Outcome string

// The outcomes of a poll.
const (
	Unchanged Outcome = "unchanged"
	Changed   Outcome = "changed"
	Failed    Outcome = "failed"

	// Stopped means that the context ended first. The record is unchanged, except that LastAttemptAt moves
	// if a request was sent. The feed stays in the queue.
	Stopped Outcome = "stopped"
)

// A Result is the result of one poll.
type Result struct {
	Feed     digest.Feed // the record to store
	Outcome  Outcome
	Document *feed.Document // only if Changed
	Message  string         // one line for people and logs

	Body        []byte // the decoded document; only if Changed
	ContentType string // of the document, as received
	Address     string // of the document

	StartedAt time.Time // time of the first request; zero: none was sent

	// Behind means that the next poll should come soon, because posts of an account remain.
	Behind bool

	Status int           // of the last answer; 0: none came
	Took   time.Duration // time of all requests, without the pauses between them

	Requests int   // sent requests, including redirects
	Bytes    int64 // bytes of bodies on the wire

	// HostFreeAt is when Feed.Host, as before the poll, accepts the next request. It is zero if the poll
	// sent none to it.
	HostFreeAt time.Time

	parsers *Parsers // may be nil
	hold    *hold    // the memory of the document; may be nil
	partly  bool     // the poll could not read posts of a group, which its page may have
}

// Release frees the memory of the document. Since this memory is limited, the caller must call Release for
// each Result, or the function that Keep returns.
func (r Result) Release() {
	if r.hold != nil {
		r.hold.release()
	}
}

// Keep frees the document but keeps that many bytes of its posts in the count until release is called.
func (r Result) Keep(bytes int64) (release func()) {
	h := r.hold
	if h == nil {
		return func() {}
	}
	h.keep(bytes)
	return h.release
}

// Full reports whether no further poll should begin, because half of the memory waits to be stored.
func (p *Poller) Full() bool { return p.bodies.full() }

// agent returns "digest/VERSION (+BASE/bot; ", to which sessions append the number of subscribers.
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
