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
	// soundsAtOnce, soundsASite and soundsAHost limit the sounds in flight. Each may last for hours.
	soundsAtOnce = 64
	soundsASite  = 16
	soundsAHost  = 8

	soundTimeout = 15 * time.Second // until the answer begins
	acceptSound  = "audio/*, video/*;q=0.5, */*;q=0.1"
)

// A Sound is a part of an audio or video file in transfer. The caller must close its Body.
type Sound struct {
	Status int    // 200: the whole file; 206: a part; 416: no such part
	Type   string // an audio or video type, or application/octet-stream
	Length int64  // bytes of Body; -1: unknown
	Range  string // Content-Range of 206 and 416
	Body   io.ReadCloser
}

// oneRange matches the only accepted form of a range: one range of bytes.
var oneRange = regexp.MustCompile(`^bytes=(?:[0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$`)

// Sound begins to fetch an audio or video file, or the part that stretch names, in the form of a Range
// header with one range. It connects to public addresses only (I7), stores nothing, and sends no cookies,
// Referer or credentials. The transfer lasts until the Body is closed or ctx ends. Sound limits the
// transfers of each host; they do not use the connection limit of feeds.
//
// The error is a *digest.Error: NotFound if there is no such file, Unavailable if there may be one later.
// It is ErrPicturesBusy if too many are in flight.
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

// askSound sends one request when the host's queue permits it. It returns the sound, or the redirect to
// follow.
func (p *Poller) askSound(ctx context.Context, r route, stretch string) (*Sound, *answer, error) {
	h := http.Header{"User-Agent": {p.agent + "sound for a reader)"}, "Accept": {acceptSound},
		"Accept-Encoding": {"identity"}}
	if oneRange.MatchString(stretch) {
		h.Set("Range", stretch)
	}
	a, resp, leave, err := p.askMedium(ctx, p.sounds, r, h)
	if err != nil {
		return nil, nil, err
	}
	if s, ok := soundOf(resp); ok {
		s.Body = closer{resp.Body, func() error { defer leave(); return resp.Body.Close() }}
		return s, nil, nil
	}
	defer leave()
	defer resp.Body.Close()
	switch {
	case isRedirect(a.status):
		skipBody(resp)
		return nil, a, nil
	case a.status == http.StatusOK, a.status == http.StatusPartialContent:
		return nil, nil, errNotSound
	}
	return nil, nil, badStatus(a)
}

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

// noSound turns an error into one that tells whether it may pass.
func noSound(err error) error {
	if errors.Is(err, ErrPicturesBusy) {
		return err
	}
	kind, text := mediumProblem(err, soundTimeout, errNotSound, errNotPublic, errPort)
	return &digest.Error{Kind: kind, Message: fmt.Sprintf("the sound cannot be fetched: %s", text)}
}

// A closer is a body with its own Close.
type closer struct {
	io.Reader
	end func() error
}

// Close calls end.
func (c closer) Close() error { return c.end() }
