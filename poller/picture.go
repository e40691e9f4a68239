package poller

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"digest"
)

// A Picture is an image of a post, as its site sent it.
type Picture struct {
	Type  string // by its first bytes, whatever the site states
	Bytes []byte
}

const (
	maxPicture     = 5 << 20 // bytes, both on the wire and decoded
	pictureTimeout = 15 * time.Second
	pictureHops    = 3

	// acceptPictures prefers formats that all mail programs display. Some sites would otherwise send
	// others.
	acceptPictures = "image/png, image/jpeg, image/gif, image/*;q=0.5"
)

// ErrPicturesBusy means that a picture was not requested, because too many are being fetched.
var ErrPicturesBusy = errors.New("too many pictures are being fetched")

// Picture fetches a picture with one plain GET, from public addresses only (I7), since no person typed the
// address. It also fetches a picture from an allowed network if a feed at the same host and port there published it.
// The request has no cookies, Referer or credentials. Picture accepts only PNG, JPEG, GIF, WebP
// and AVIF of a size that can be displayed. It takes at most 15 seconds, including waits and redirects.
//
// Pictures have no pauses like feeds, because a person waits. Like a browser, Picture sends a few requests
// at a time to a host, and none while the host asks for a pause. They do not use the connection limit of
// feeds.
//
// The error is a *digest.Error: NotFound if there is no such picture, Unavailable if there may be one
// later. It is ErrPicturesBusy if too many are being fetched.
func (p *Poller) Picture(ctx context.Context, address string) (Picture, error) {
	return p.fetchPicture(ctx, address, p.askPicture)
}

func (p *Poller) fetchPicture(ctx context.Context, address string,
	ask func(context.Context, route) (*answer, error)) (Picture, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	r, err := routeTo(address)
	if err != nil {
		return Picture{}, noPicture(err)
	}
	origin, isHome := r.origin(), p.isHomePicture(ctx, r)
	for err == nil {
		r.mayBeHome = isHome && r.origin() == origin
		var a *answer
		if a, err = ask(ctx, r); err != nil {
			break
		}
		switch typ := pictureType(a.body); {
		case typ != "" && !a.fitsPicture(typ):
			err = errPictureSize
		case typ != "":
			return Picture{Type: typ, Bytes: a.body}, nil
		case a.status == http.StatusOK, a.status == http.StatusPartialContent:
			err = errNotPicture
		case !isRedirect(a.status):
			err = badStatus(a)
		default:
			if r, err = a.follow(); len(r.seen) > pictureHops {
				err = errManyHops
			}
		}
	}
	return Picture{}, noPicture(err)
}

// fitsPicture reports whether a picture can be displayed. The beginning of a picture may lack its size.
func (a *answer) fitsPicture(typ string) bool {
	w, h := pictureSize(typ, a.body)
	return fits(w, h) || a.shortened && w == 0 && h == 0
}

// isHomePicture reports whether a picture may be in an allowed network: a feed that was read there, at the same
// host and port, published it.
func (p *Poller) isHomePicture(ctx context.Context, r route) bool {
	if p.homePicture == nil || !p.leadsHome(ctx, r.host()) {
		return false
	}
	feeds, err := p.homePicture(ctx, r.host(), r.address)
	if err != nil {
		p.log.Warn("cannot look up the feed of a picture", "err", err)
	}
	return slices.ContainsFunc(feeds, func(address string) bool {
		of, err := routeTo(address)
		return err == nil && of.origin() == r.origin()
	})
}

// askPicture sends one request when the host's queue permits it.
func (p *Poller) askPicture(ctx context.Context, r route) (*answer, error) {
	a, resp, leave, err := p.askMedium(ctx, p.pictures, r,
		http.Header{"User-Agent": {p.agent + "pictures for readers)"}, "Accept": {acceptPictures}})
	if err != nil {
		return nil, err
	}
	defer leave()
	defer resp.Body.Close()
	switch {
	case a.status == http.StatusOK:
		body := &bodyReader{turn: func() (func(), error) { return p.decoder(ctx) }}
		if a.body, _, err = body.read(resp, maxPicture, errLargePicture); err != nil {
			return nil, err
		}
	case isRedirect(a.status):
		skipBody(resp)
	}
	return a, nil
}

// askMedium requests a picture or a sound. A host that limits requests gets a pause. After success, the caller must
// close the body and call leave.
func (p *Poller) askMedium(ctx context.Context, queues *pictureQueues, r route, h http.Header) (a *answer,
	resp *http.Response, leave func(), err error) {
	if err = p.blocked.check(ctx, r.host()); err != nil {
		return nil, nil, nil, err
	}
	host, leave, err := queues.enter(ctx, r.host())
	if err != nil {
		return nil, nil, nil, err
	}
	if resp, err = p.transportOf(r).RoundTrip(newRequest(ctx, http.MethodGet, r, h)); err != nil {
		leave()
		return nil, nil, nil, err
	}
	a = &answer{route: r, status: resp.StatusCode, header: resp.Header, received: p.now()}
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		wait, _ := retryAfter(a.header, a.received)
		host.rest(a.received.Add(min(max(wait, leastPause), mostPause)))
	}
	return a, resp, leave, nil
}

var (
	errLargePicture = fmt.Errorf("the picture is larger than %d MiB", maxPicture>>20)
	errPictureSize  = fmt.Errorf("the picture has no size, or more than %d megapixels or %d pixels a side",
		maxPixels/1_000_000, maxSide)
	errNotPicture = errors.New("the response is not a picture")
	errManyHops   = fmt.Errorf("redirected more than %d times", pictureHops)
)

// noPicture turns an error into one that tells whether it may pass.
func noPicture(err error) error {
	if errors.Is(err, ErrPicturesBusy) {
		return err
	}
	kind, text := mediumProblem(err, pictureTimeout, errLargePicture, errPictureSize, errNotPicture, errManyHops,
		errNotPublic, errPort, errCoding)
	return &digest.Error{Kind: kind, Message: text, Err: err}
}

// IsDeadPicture reports whether an error of Picture or BeginningOfPicture means that the picture does not load. It is
// false if no request was sent, or if the host limits requests.
func IsDeadPicture(err error) bool {
	if t, ok := asPollError(err); ok && t.throttled() {
		return false
	}
	for _, unsent := range []error{ErrPicturesBusy, errPaused, errPictureRobots, context.Canceled} {
		if errors.Is(err, unsent) {
			return false
		}
	}
	return err != nil
}

// mediumProblem returns the kind of an error and a text without resolved addresses. The final errors do not pass.
func mediumProblem(err error, timeout time.Duration, final ...error) (kind digest.Kind, text string) {
	kind, text = digest.Unavailable, describe(err, true, timeout)
	if t, ok := asPollError(err); ok {
		text = t.text
		if !t.throttled() && t.status < 500 && t.status != http.StatusRequestTimeout {
			kind = digest.NotFound
		}
	}
	if slices.ContainsFunc(final, func(f error) bool { return errors.Is(err, f) }) {
		kind = digest.NotFound
	}
	return kind, text
}

// pictureType returns the type of a picture by its first bytes, or "". It rejects SVG, a document that can
// contain anything.
func pictureType(b []byte) string {
	switch t := http.DetectContentType(b); {
	case t == "image/png", t == "image/jpeg", t == "image/gif", t == "image/webp":
		return t
	case isAVIF(b):
		return "image/avif"
	}
	return ""
}

// isAVIF looks for the AVIF brand in the first box (ISO/IEC 14496-12 §4.3).
func isAVIF(b []byte) bool {
	if len(b) < 16 || !bytes.Equal(b[4:8], []byte("ftyp")) {
		return false
	}
	const most = 256 // bytes of brands
	end := min(int(binary.BigEndian.Uint32(b)), len(b), most)
	for at := 8; at+4 <= end; at += 4 {
		if brand := string(b[at : at+4]); at != 12 && (brand == "avif" || brand == "avis") { // a version is at 12
			return true
		}
	}
	return false
}
