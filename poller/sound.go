package poller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"digest"
)

const (
	// soundsAtOnce, soundsASite and soundsAHost are how many stretches of sound are on their
	// way at once; who waits for them listens for long.
	soundsAtOnce = 64
	soundsASite  = 16
	soundsAHost  = 8

	soundTimeout = 15 * time.Second // until it begins
	acceptSound  = "audio/*, video/*;q=0.5, */*;q=0.1"
)

// A Sound is a stretch of a file that is heard, on its way. Whoever has it closes its
// Body.
type Sound struct {
	Status int    // 200: all of it; 206: a stretch; 416: the stretch is not in it
	Type   string // a media type of sound or film, or application/octet-stream
	Length int64  // bytes of Body; -1: not known
	Range  string // Content-Range of 206 and 416
	Body   io.ReadCloser
}

// oneRange is the only form of a range that is passed on: one stretch of bytes.
var oneRange = regexp.MustCompile(`^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$`)

// Sound begins to fetch a file that is heard, from public addresses only (I7), or the
// stretch of it that a Range header of one range names. Nothing of it is stored. No
// cookies, no Referer, no credentials go along. It is under way until its Body is closed
// or ctx ends, and a few of one host are at once; those take no places on the feeds' wire.
//
// The error is a *digest.Error: NotFound if there is no sound there, Unavailable if there
// may be later; or else ErrPicturesBusy.
func (p *Poller) Sound(ctx context.Context, address, stretch string) (*Sound, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(soundTimeout, func() { cancel(context.DeadlineExceeded) })
	s, err := p.findSound(ctx, address, stretch)
	if !late.Stop() && err == nil {
		s.Body.Close()
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel(nil)
		return nil, noSound(err)
	}
	body := s.Body
	s.Body = closer{body, func() error { cancel(nil); return body.Close() }}
	return s, nil
}

// findSound follows redirects to where the sound is.
func (p *Poller) findSound(ctx context.Context, address, stretch string) (*Sound, error) {
	r, err := routeTo(address)
	for err == nil {
		var s *Sound
		var a *answer
		if s, a, err = p.askSound(ctx, r, stretch); err != nil || s != nil {
			return s, err
		}
		r, err = a.follow()
	}
	return nil, err
}

// askSound sends one request when it is its turn at the host. It gives the sound, or the
// answer that leads on.
func (p *Poller) askSound(ctx context.Context, r route, stretch string) (*Sound, *answer, error) {
	if err := p.blocked.check(ctx, r.host()); err != nil {
		return nil, nil, err
	}
	host, leave, err := p.sounds.enter(ctx, r.host())
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{"User-Agent": {p.agent + "sound for a reader)"}, "Accept": {acceptSound},
		"Accept-Encoding": {"identity"}}
	if oneRange.MatchString(stretch) {
		header.Set("Range", stretch)
	}
	req := (&http.Request{
		Method: http.MethodGet, URL: r.url, Host: r.url.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header,
	}).WithContext(ctx)
	resp, err := p.public.RoundTrip(req)
	if err != nil {
		leave()
		return nil, nil, err
	}
	if s, ok := soundOf(resp); ok {
		s.Body = closer{resp.Body, func() error { defer leave(); return resp.Body.Close() }}
		return s, nil, nil
	}
	defer leave()
	defer resp.Body.Close()
	a := &answer{route: r, status: resp.StatusCode, header: resp.Header, received: p.now()}
	switch {
	case isRedirect(a.status):
		skipBody(resp)
		return nil, a, nil
	case a.status == http.StatusTooManyRequests, a.status == http.StatusServiceUnavailable:
		wait, _ := retryAfter(a.header, a.received)
		host.rest(a.received.Add(min(max(wait, leastPause), mostPause)))
	case a.status == http.StatusOK, a.status == http.StatusPartialContent:
		return nil, nil, errNotSound
	}
	return nil, nil, badStatus(a)
}

// soundOf makes a sound of an answer, if it is one.
func soundOf(resp *http.Response) (*Sound, bool) {
	typ, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Type"))), ";")
	coded := resp.Header.Get("Content-Encoding")
	s := &Sound{Status: resp.StatusCode, Length: resp.ContentLength, Range: resp.Header.Get("Content-Range")}
	switch {
	case coded != "" && coded != "identity":
		return nil, false
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		s.Type = "application/octet-stream"
		return s, true
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent:
		return nil, false
	case soundType.MatchString(typ), typ == "application/ogg":
		s.Type = typ
	case typ == "", typ == "application/octet-stream", typ == "binary/octet-stream",
		typ == "application/force-download":
		s.Type = "application/octet-stream"
	default:
		return nil, false
	}
	return s, true
}

var soundType = regexp.MustCompile(`^(?:audio|video)/[a-z0-9.+-]{1,60}$`)

var errNotSound = errors.New("the response is not audio")

// noSound makes what went wrong an error that says whether it may pass.
func noSound(err error) error {
	if errors.Is(err, ErrPicturesBusy) {
		return err
	}
	kind, text := digest.Unavailable, describe(err, true, soundTimeout)
	if t, ok := errors.AsType[*pollError](err); ok {
		text = t.text
		if !t.throttled() && t.status < 500 && t.status != http.StatusRequestTimeout {
			kind = digest.NotFound
		}
	}
	for _, final := range []error{errNotSound, errNotPublic, errPort} {
		if errors.Is(err, final) {
			kind = digest.NotFound
		}
	}
	return &digest.Error{Kind: kind, Message: fmt.Sprintf("the sound cannot be fetched: %s", text)}
}

// A closer reads a body and closes more than it.
type closer struct {
	io.Reader
	end func() error
}

// Close ends it.
func (c closer) Close() error { return c.end() }
