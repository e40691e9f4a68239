package poller

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"digest"
	"digest/feed"
)

// acceptTypes is the same in every HEAD and GET request, as are the codings. Servers that vary their answer
// by them then name the same version (RFC 9110 §12.5.5).
const acceptTypes = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1"

// A validators holds the version fields of the last 200 of one URL. They are sent to that URL only (S12).
type validators struct {
	etag, lastModified, url string

	since    time.Time // when they were received; zero: not known
	byDate   bool      // send only the date, because the ETag prevents a 304 (S37)
	withheld bool      // send none, because they are in doubt or were wrong (S36)
}

func validatorsOf(f digest.Feed) validators {
	return validators{
		etag: f.ETag, lastModified: f.LastModified, url: f.ValidatorURL,
		since: f.ParsedAt, byDate: f.ByDate, withheld: f.ValidatorsDoubted || f.Conditional == digest.Lies,
	}
}

// A session sends all requests of one poll, or of one search for a feed.
type session struct {
	poller           *Poller
	feed             digest.FeedID // whose share of a minute spreads the requests of all instances
	agent            string
	host             string // whose freeAt the session reports
	leasedHost       string // the host that the caller has leased, or ""
	avoidsHotMinutes bool   // send nothing in the hot minutes (S35)
	forRobots        bool   // requests a robots.txt, which robots.txt does not restrict
	forOwner         bool   // the host's owner asked for the request, even if the host is blocked
	validators
	*usage
	private   *private   // of a private feed; otherwise nil
	fediverse *fediverse // of an account of the fediverse; otherwise nil

	begin context.Context // no first request is sent after its end; nil: no such limit

	// stop, if set, may end a session at the target of permanent redirects.
	stop func(ctx context.Context, address string) error
}

// A usage counts the resources that the requests of a session used.
type usage struct {
	left      time.Duration // request time that is left, without pauses
	took      time.Duration
	startedAt time.Time // time of the first request; zero: none was sent
	requests  int
	bytes     int64
	freeAt    time.Time
	pins      pins
	hold      hold  // the memory of its document
	held      int64 // bytes of it that stay in memory during other requests
	smaller   bool  // requests pages or posts in addition to the document
	fromHome  bool  // the address before redirects is in an allowed network
}

// sessionTimeouts limits the time of a session, in request timeouts: a chain of slow redirects must not
// occupy a worker forever.
const sessionTimeouts = 4

func (p *Poller) newSession(f digest.Feed, subscribers int) *session {
	agent := p.agent + strconv.Itoa(subscribers) + " subscribers"
	if f.ID != 0 {
		agent += "; feed-id=" + strconv.FormatInt(int64(cmp.Or(f.Number, f.ID)), 10)
	}
	return &session{
		poller:     p,
		feed:       f.ID,
		agent:      agent + ")",
		host:       f.Host,
		validators: validatorsOf(f),
		usage:      &usage{left: sessionTimeouts * p.timeout, hold: hold{memory: p.bodies}},
	}
}

// An answer is the response to a request after its redirects.
type answer struct {
	route
	status    int
	header    http.Header
	body      []byte // decoded; only of a GET with a usable status, or a service's reason for 400
	shortened bool   // the body lacks a part from its middle
	received  time.Time
	isHome    bool   // it came from an allowed network that is not public
	hash      string // of the posts of the page, if further pages were read; otherwise ""
}

// usable reports whether an answer with that status contains the document.
func usable(status int) bool {
	return status == http.StatusOK || status == http.StatusNonAuthoritativeInfo
}

// fetch sends one request and follows its redirects. The error is a *pollError, unless the session was
// stopped.
func (s *session) fetch(ctx context.Context, method string, r route) (*answer, error) {
	if r.cookies == nil {
		r.cookies = &cookies{}
	}
	for {
		a, err := s.askAllowed(ctx, method, r)
		if err != nil {
			a, err = s.secondly(ctx, method, r, err)
		}
		if err != nil || !isRedirect(a.status) {
			return a, err
		}
		if r, err = a.follow(); err != nil {
			return nil, err
		}
		if s.stop != nil && r.moved() {
			if err := s.stop(ctx, r.address); err != nil {
				return nil, err
			}
		}
	}
}

// askAllowed sends one request, if neither robots.txt nor the operator forbids it.
func (s *session) askAllowed(ctx context.Context, method string, r route) (*answer, error) {
	if err := s.mayAsk(ctx, r); err != nil {
		return nil, err
	}
	return s.askSigned(ctx, method, r)
}

// mayAsk checks before a request that the host is not blocked and that its robots.txt allows the request.
func (s *session) mayAsk(ctx context.Context, r route) error {
	if s.forOwner {
		return nil
	}
	if err := s.poller.blocked.check(ctx, r.host()); err != nil {
		return err
	}
	return s.allowedByRobots(ctx, r)
}

// ask sends one request when its host is free, and reads the answer.
func (s *session) ask(ctx context.Context, method string, r route) (*answer, error) {
	if s.left <= 0 {
		return nil, words(digest.Words("the responses took too long in total"))
	}
	leave, err := s.acquire(s.waiting(ctx), r.host())
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := ctx.Err(); err != nil { // the wait ended because of a stop
		return nil, err
	}
	if s.startedAt.IsZero() {
		s.startedAt = s.poller.now()
	}
	begun := time.Now() // the poller's clock may be frozen
	limit := newLimit(ctx, min(s.poller.timeout, s.left))
	defer limit.cancel()
	a, err := s.roundTrip(limit, method, r)
	took := time.Since(begun) - limit.paused
	s.left -= took
	s.took += took
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errNoRoom):
		return nil, errNoRoom
	}
	s.logRequest(ctx, method, r, a, err)
	return a, err
}

// waiting returns the context that limits the wait for the host.
func (s *session) waiting(ctx context.Context) context.Context {
	if s.startedAt.IsZero() && s.begin != nil {
		return s.begin
	}
	return ctx
}

func (s *session) roundTrip(limit *limit, method string, r route) (*answer, error) {
	sends := 0
	isHome := false
	ctx := s.pins.in(s.countSends(limit.ctx, &sends, &isHome))
	resp, err := s.poller.transportOf(r).RoundTrip(s.request(ctx, method, &r))
	s.requests += sends
	if err != nil {
		return nil, noAnswer(limit.blame(err), sends > 0, s.poller.timeout)
	}
	defer resp.Body.Close()
	if len(r.seen) == 0 && !s.forRobots {
		s.fromHome = isHome
	}
	a := &answer{route: r, status: resp.StatusCode, header: resp.Header, received: s.poller.now(), isHome: isHome}
	switch {
	case method == http.MethodGet && usable(a.status):
		reader := s.bodyReader(limit)
		body, wire, err := reader.read(resp, s.most(), errTooLarge)
		s.bytes += wire
		switch {
		case errors.Is(err, errNoRoom):
			return nil, err
		case err != nil:
			return nil, badBody(limit.blame(err), a.status, s.poller.timeout)
		}
		a.body, a.shortened = body, reader.shortened
	case method == http.MethodGet && a.status == http.StatusBadRequest && strings.HasPrefix(r.url.Path, "/xrpc/"):
		why := s.bodyReader(limit)
		why.cut = true
		body, wire, _ := why.read(resp, feed.MaxProblem, errTooLarge)
		s.bytes += wire
		a.body = body
	case isRedirect(a.status):
		s.bytes += skipBody(resp)
	}
	return a, nil
}

func (s *session) most() int64 {
	switch {
	case s.forRobots:
		return maxRobots
	case s.smaller:
		return maxObject
	}
	return maxBody
}

// bodyReader returns a reader that uses the memory shared by all polls.
func (s *session) bodyReader(limit *limit) *bodyReader {
	long := s.poller.longest
	if s.forRobots {
		long = 0
	}
	return &bodyReader{
		cut:    s.forRobots,
		long:   long,
		grow:   func(to int64) error { return limit.pause(func() error { return s.hold.grow(limit.ctx, s.held+to) }) },
		add:    func(to int64) { s.hold.add(s.held + to) },
		settle: func(to int64) { s.hold.settle(s.held + to) },
		turn: func() (leave func(), err error) {
			err = limit.pause(func() (err error) {
				leave, err = s.poller.decoder(limit.ctx)
				return err
			})
			return leave, err
		},
	}
}

// decoder waits for permission to use memory-intensive decoders.
func (p *Poller) decoder(ctx context.Context) (leave func(), err error) {
	select {
	case p.decoders <- struct{}{}:
		return func() { <-p.decoders }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transportOf returns the connection pool for a route (I7).
func (p *Poller) transportOf(r route) *http.Transport {
	if r.mayBeHome {
		return p.transport
	}
	return p.public
}

const maxSkipped = 4 << 10 // bytes

// skipBody reads the short body of a redirect, so that the connection can be reused.
func skipBody(resp *http.Response) int64 {
	if resp.ContentLength > maxSkipped {
		return 0
	}
	n, _ := io.CopyN(io.Discard, resp.Body, maxSkipped)
	return n
}

// countSends counts how often the transport sends a request. The transport repeats a request if a reused
// connection turns out to be closed (RFC 9112 §9.3.1). countSends then waits as before any other request.
// RoundTrip calls GotConn before it writes the request.
//
// countSends also finds out whether the connection is to an allowed network.
func (s *session) countSends(ctx context.Context, n *int, isHome *bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			if a, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
				*isHome = s.poller.guard.isHome(a.AddrPort().Addr())
			}
			if *n++; *n > 1 {
				_ = s.poller.pace.sleep(ctx, s.poller.now().Add(s.poller.pace.interval))
			}
		},
	})
}

// request makes the request. It has the cookies of its chain of redirects only, no Referer and no Cache-Control (S22,
// S23, S25). Validators go byte for byte (S3, S4) to the address that they belong to.
func (s *session) request(ctx context.Context, method string, r *route) *http.Request {
	h := http.Header{
		"User-Agent":      {s.agent},
		"Accept":          {acceptTypes},
		"Accept-Encoding": {acceptCodings},
	}
	r.conditional = r.address == s.validators.url && s.validators.condition(h)
	s.authorize(h, r)
	r.cookies.send(h, *r)
	s.address(h, method, r)
	return newRequest(ctx, method, *r, h)
}

func newRequest(ctx context.Context, method string, r route, h http.Header) *http.Request {
	return (&http.Request{
		Method: method, URL: r.url, Host: r.url.Host, Header: h, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
}

// condition adds conditions to a request and reports whether there are any.
func (v validators) condition(h http.Header) bool {
	if v.withheld {
		return false
	}
	if v.etag != "" && !(v.byDate && v.lastModified != "") {
		h["If-None-Match"] = []string{v.etag}
	}
	if v.lastModified != "" {
		h["If-Modified-Since"] = []string{v.lastModified}
	}
	return v.etag != "" || v.lastModified != ""
}

const maxValidator = 2 << 10 // bytes

// validator returns a field as received. It returns "" if the field could not be sent back byte for byte,
// because it is too long or not UTF-8.
func validator(h http.Header, name string) string {
	s := h.Get(name)
	if len(s) > maxValidator || !utf8.ValidString(s) {
		return ""
	}
	return s
}

func (s *session) logRequest(ctx context.Context, method string, r route, a *answer, err error) {
	if !s.poller.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	status, conditional := 0, false
	if a != nil {
		status, conditional = a.status, a.conditional
	}
	s.poller.log.LogAttrs(ctx, slog.LevelDebug, "asked", slog.String("method", method), slog.String("url", s.shown(r)),
		slog.Bool("conditional", conditional), slog.Int("status", status), slog.Any("err", err))
}
