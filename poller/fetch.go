package poller

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"digest"
)

// The header fields that are the same in every request, HEAD and GET alike:
// servers that vary their answer by them then name the same one (RFC 9110 §12.5.5).
const (
	acceptTypes = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
		"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.1"
	acceptCodings = "gzip"
)

// validators are what the last 200 of one URL said of its version. They are
// sent to that URL and to no other (S12).
type validators struct {
	etag, lastModified, url string
}

// A trip is all the requests of one poll, or of one search for a feed.
type trip struct {
	p     *Poller
	agent string
	host  string // whose freeAt is wanted
	validators

	// stop, if set, may end a trip at an address that permanent redirects lead to.
	stop func(ctx context.Context, address string) error

	left      time.Duration // that its requests may still take, pauses not counted
	startedAt time.Time     // of the first request; zero: none was sent
	requests  int
	bytes     int64
	freeAt    time.Time
}

// tripTimeouts is how many times the time of one request a whole trip may take:
// a chain of slow redirects must not hold a worker for as long as it likes.
const tripTimeouts = 4

func (p *Poller) newTrip(f digest.Feed, subscribers int) *trip {
	return &trip{
		p:          p,
		agent:      p.agent + strconv.Itoa(subscribers) + " subscribers)",
		host:       f.Host,
		left:       tripTimeouts * p.timeout,
		validators: validators{f.ETag, f.LastModified, f.ValidatorURL},
	}
}

// An answer is what a request came to after its redirects.
type answer struct {
	route
	status   int
	header   http.Header
	body     []byte // decoded; only of a GET whose status is usable
	received time.Time
}

// usable reports whether a status promises the document itself.
func usable(status int) bool {
	return status == http.StatusOK || status == http.StatusNonAuthoritativeInfo
}

// fetch sends one request and follows its redirects. The error is a *trouble,
// or the context's own if that ended first.
func (t *trip) fetch(ctx context.Context, method string, r route) (*answer, error) {
	for {
		a, err := t.ask(ctx, method, r)
		if err != nil || !isRedirect(a.status) {
			return a, err
		}
		if r, err = a.follow(); err != nil {
			return nil, err
		}
		if t.stop != nil && r.moved() {
			if err := t.stop(ctx, r.address); err != nil {
				return nil, err
			}
		}
	}
}

// ask sends one request when its host is free, and reads the answer.
func (t *trip) ask(ctx context.Context, method string, r route) (*answer, error) {
	if t.left <= 0 {
		return nil, &trouble{text: "the answers took too long, all together"}
	}
	host := r.host()
	if err := t.p.pace.enter(ctx, host); err != nil {
		return nil, err
	}
	defer t.leave(host)
	start := t.p.now()
	if t.startedAt.IsZero() {
		t.startedAt = start
	}
	limited, cancel := context.WithTimeout(ctx, min(t.p.timeout, t.left))
	defer cancel()
	a, err := t.roundTrip(limited, method, r)
	t.left -= t.p.now().Sub(start)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	t.logRequest(ctx, method, r, a, err)
	return a, err
}

func (t *trip) leave(host string) {
	free := t.p.pace.leave(host)
	if host == t.host {
		t.freeAt = free
	}
}

func (t *trip) roundTrip(ctx context.Context, method string, r route) (*answer, error) {
	sends := 0
	ctx = t.countSends(ctx, &sends)
	resp, err := t.p.transport.RoundTrip(t.request(ctx, method, &r))
	t.requests += sends
	if err != nil {
		return nil, noAnswer(err, sends > 0, t.p.timeout)
	}
	defer resp.Body.Close()
	a := &answer{route: r, status: resp.StatusCode, header: resp.Header, received: t.p.now()}
	if method == http.MethodGet && usable(a.status) {
		body, wire, err := readBody(resp)
		t.bytes += wire
		if err != nil {
			return nil, badBody(err, a.status, t.p.timeout)
		}
		a.body = body
	}
	return a, nil
}

// countSends counts how often the transport sends a request. It does so a
// second time where a connection that was kept turns out to be closed (RFC 9112
// §9.3.1), and that is spaced like any other request. GotConn is called by
// RoundTrip itself, before the request is written.
func (t *trip) countSends(ctx context.Context, n *int) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			if *n++; *n > 1 {
				_ = t.p.pace.sleep(ctx, t.p.now().Add(t.p.pace.interval))
			}
		},
	})
}

// request makes the request: no Cookie, no Referer, no Cache-Control (S22, S23,
// S25), validators byte for byte (S3, S4) and only where they belong.
func (t *trip) request(ctx context.Context, method string, r *route) *http.Request {
	h := http.Header{
		"User-Agent":      {t.agent},
		"Accept":          {acceptTypes},
		"Accept-Encoding": {acceptCodings},
	}
	r.conditional = false
	if r.address == t.validators.url {
		if t.etag != "" {
			h["If-None-Match"] = []string{t.etag}
		}
		if t.lastModified != "" {
			h["If-Modified-Since"] = []string{t.lastModified}
		}
		r.conditional = t.etag != "" || t.lastModified != ""
	}
	req := (&http.Request{Method: method, URL: r.url, Host: r.url.Host, Header: h, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if u := r.url.User; u != nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	return req
}

func (t *trip) logRequest(ctx context.Context, method string, r route, a *answer, err error) {
	if !t.p.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	status, conditional := 0, false
	if a != nil {
		status, conditional = a.status, a.conditional
	}
	t.p.log.LogAttrs(ctx, slog.LevelDebug, "asked", slog.String("method", method), slog.String("url", r.url.Redacted()),
		slog.Bool("conditional", conditional), slog.Int("status", status), slog.Any("error", err))
}
