package poller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"time"

	"digest"
)

// A Callback is a request to a subscriber's address (WebSub).
type Callback struct {
	Method, Address string
	Home            bool // it may reach the allowed networks, because its subscriber is there
	Header          http.Header
	Body            []byte
}

const (
	callbackTimeout = 10 * time.Second // slower callbacks are retried later
	maxCallbackBody = 4 << 10          // bytes of an answer that are read
)

// Callback sends one request when its host is free. It keeps the pauses of polls and sends one request at a
// time to a host, across all workers. It does not follow redirects (WebSub section 7). body is the first 4
// KiB of the answer.
//
// An error of kind digest.Unavailable means that the request was not sent and can be retried. If the
// callback itself fails, err is nil and the reply has the status 0 and the reason.
func (p *Poller) Callback(ctx context.Context, c Callback) (reply digest.HubReply, body []byte, err error) {
	r, err := routeTo(c.Address)
	if err != nil {
		return digest.HubReply{Error: err.Error()}, nil, nil
	}
	r.mayBeHome = c.Home
	if err := p.blocked.check(ctx, r.host()); err != nil {
		if refused, ok := errors.AsType[*pollError](err); ok {
			return digest.HubReply{Error: refused.text}, nil, nil
		}
		return reply, nil, notSent(err)
	}
	s := p.newSession(digest.Feed{Host: r.host()}, 0)
	leave, err := s.acquire(ctx, r.host())
	if err != nil {
		return reply, nil, notSent(err)
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return reply, nil, notSent(err)
	}
	limit := newLimit(ctx, min(p.timeout, callbackTimeout))
	defer limit.cancel()
	resp, err := p.transportOf(r).RoundTrip(p.callbackRequest(limit.ctx, c, r))
	if err != nil {
		if ctx.Err() != nil {
			return reply, nil, notSent(ctx.Err())
		}
		return digest.HubReply{Error: describe(limit.blame(err), true, min(p.timeout, callbackTimeout))}, nil, nil
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxCallbackBody))
	if err != nil { // the status is enough, except for a challenge
		body = nil
	}
	wait, _ := retryAfter(resp.Header, p.now())
	return digest.HubReply{Status: resp.StatusCode, RetryAfter: wait}, body, nil
}

func (p *Poller) callbackRequest(ctx context.Context, c Callback, r route) *http.Request {
	header := c.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("User-Agent", p.agent+"hub)")
	req := (&http.Request{
		Method: c.Method, URL: r.url, Host: r.url.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	if c.Method == http.MethodPost {
		req.ContentLength = int64(len(c.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.Body)), nil }
		req.Body, _ = req.GetBody()
	}
	return req
}

func notSent(err error) error {
	message := "it was stopped before it was sent"
	if errors.Is(err, errBusy) {
		message = "its host is being asked by others"
	}
	return &digest.Error{Kind: digest.Unavailable, Message: message, Err: fmt.Errorf("calling back: %w", err)}
}

// IsHome reports whether a is in a non-public network that the operator allows.
func (p *Poller) IsHome(a netip.Addr) bool { return p.guard.isHome(a.Unmap()) }
