package poller

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"

	"digest"
)

// A Picture is an image that a post shows, as its site sent it.
type Picture struct {
	Type  string // by its first bytes, whatever the site calls it
	Bytes []byte
}

const (
	maxPicture     = 5 << 20 // bytes, both as they travel and decoded
	pictureTimeout = 15 * time.Second
	pictureHops    = 3

	// acceptPictures names what every mail program shows: those who can send
	// others as well would otherwise do so.
	acceptPictures = "image/png, image/jpeg, image/gif, image/*;q=0.5"
)

// ErrPicturesBusy says that so many pictures are being fetched already that
// this one was not asked for.
var ErrPicturesBusy = errors.New("too many pictures are being fetched")

// Picture fetches a picture by one plain GET, from public addresses only (I7):
// nobody typed its address. No cookies, no Referer, no credentials, nothing but PNG, JPEG, GIF, WebP
// and AVIF of a size that can be shown. It takes 15 seconds at most, its waiting for a turn and its
// redirects included.
//
// Pictures are not spaced as feeds are, for a person waits for them: of one host
// a few are fetched at once, one after the other, as a browser does, and none
// while it asks to be left alone. They do not take places on the feeds' wire.
//
// The error is a *digest.Error: NotFound if there is no such picture there,
// Unavailable if there may be one later; or else ErrPicturesBusy.
func (p *Poller) Picture(ctx context.Context, address string) (Picture, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	r, err := routeTo(address)
	for err == nil {
		var a *answer
		if a, err = p.askPicture(ctx, r); err != nil {
			break
		}
		switch typ := pictureType(a.body); {
		case typ != "" && !fits(pictureSize(typ, a.body)):
			err = errPictureSize
		case typ != "":
			return Picture{Type: typ, Bytes: a.body}, nil
		case a.status == http.StatusOK:
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

// askPicture sends one request when it is its turn at the host.
func (p *Poller) askPicture(ctx context.Context, r route) (*answer, error) {
	if err := p.blocked.check(ctx, r.host()); err != nil {
		return nil, err
	}
	host, leave, err := p.pictures.enter(ctx, r.host())
	if err != nil {
		return nil, err
	}
	defer leave()
	req := (&http.Request{
		Method: http.MethodGet, URL: r.url, Host: r.url.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"User-Agent": {p.agent + "pictures for readers)"}, "Accept": {acceptPictures}},
	}).WithContext(ctx)
	resp, err := p.public.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{route: r, status: resp.StatusCode, header: resp.Header, received: p.now()}
	switch {
	case a.status == http.StatusOK:
		body := &bodyReader{turn: func() (func(), error) { return p.decoder(ctx) }}
		if a.body, _, err = body.read(resp, maxPicture, errLargePicture); err != nil {
			return nil, err
		}
	case isRedirect(a.status):
		skipBody(resp)
	case a.status == http.StatusTooManyRequests, a.status == http.StatusServiceUnavailable:
		wait, _ := retryAfter(a.header, a.received)
		host.rest(a.received.Add(min(max(wait, leastPause), mostPause)))
	}
	return a, nil
}

var (
	errLargePicture = fmt.Errorf("the picture is larger than %d MiB", maxPicture>>20)
	errPictureSize  = fmt.Errorf("the picture has no size, or more than %d megapixels or %d pixels a side",
		maxPixels/1_000_000, maxSide)
	errNotPicture = errors.New("the response is not a picture")
	errManyHops   = fmt.Errorf("redirected more than %d times", pictureHops)
)

// noPicture makes what went wrong an error that says whether it may pass.
func noPicture(err error) error {
	if errors.Is(err, ErrPicturesBusy) {
		return err
	}
	text := describe(err, true, pictureTimeout) // which names no address behind a name
	for _, final := range []error{errLargePicture, errPictureSize, errNotPicture, errManyHops, errNotPublic, errPort,
		errCoding} {
		if errors.Is(err, final) {
			return &digest.Error{Kind: digest.NotFound, Message: text}
		}
	}
	kind := digest.Unavailable
	if t, ok := errors.AsType[*pollError](err); ok {
		text = t.text
		if !t.throttled() && t.status < 500 && t.status != http.StatusRequestTimeout {
			kind = digest.NotFound
		}
	}
	return &digest.Error{Kind: kind, Message: text}
}

// pictureType tells by the first bytes what kind of picture it is; "" for all
// else. SVG is a document that can hold anything, and no picture here.
func pictureType(b []byte) string {
	switch t := http.DetectContentType(b); {
	case t == "image/png", t == "image/jpeg", t == "image/gif", t == "image/webp":
		return t
	case isAVIF(b):
		return "image/avif"
	}
	return ""
}

// isAVIF looks for AVIF's brand in the first box (ISO/IEC 14496-12 §4.3).
func isAVIF(b []byte) bool {
	if len(b) < 16 || !bytes.Equal(b[4:8], []byte("ftyp")) {
		return false
	}
	const most = 256 // bytes of brands
	end := min(int(binary.BigEndian.Uint32(b)), len(b), most)
	for at := 8; at+4 <= end; at += 4 {
		if brand := string(b[at : at+4]); at != 12 && (brand == "avif" || brand == "avis") { // at 12 is a version
			return true
		}
	}
	return false
}
