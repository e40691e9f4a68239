package poller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	lookRange = 32 << 10 // bytes that a look requests
	lookBytes = 64 << 10 // bytes that it reads if the site sends more
)

var errPictureRobots = errors.New(byRobots)

// BeginningOfPicture requests the first bytes of a picture, to learn whether it loads and how large it is. It obeys a
// robots.txt that polls have read, but does not request one. Otherwise it does the same as Picture.
func (p *Poller) BeginningOfPicture(ctx context.Context, address string) (Picture, error) {
	return p.fetchPicture(ctx, address, p.askBeginning)
}

func (p *Poller) askBeginning(ctx context.Context, r route) (*answer, error) {
	if p.isKnownToForbid(ctx, r) {
		return nil, errPictureRobots
	}
	a, resp, leave, err := p.askMedium(ctx, p.pictures, r,
		http.Header{"User-Agent": {p.agent + "pictures for readers)"},
			"Accept": {acceptPictures}, "Accept-Encoding": {"identity"},
			"Range": {fmt.Sprintf("bytes=0-%d", lookRange-1)}})
	if err != nil {
		return nil, err
	}
	defer leave()
	defer resp.Body.Close()
	switch {
	case wholeLength(resp) > maxPicture:
		return nil, errLargePicture
	case a.status == http.StatusOK, a.status == http.StatusPartialContent:
		body := &bodyReader{cut: true, turn: func() (func(), error) { return p.decoder(ctx) }}
		if a.body, _, err = body.read(resp, lookBytes, errLargePicture); err != nil {
			return nil, err
		}
		a.shortened = a.status == http.StatusPartialContent || len(a.body) == lookBytes
	case isRedirect(a.status):
		skipBody(resp)
	}
	return a, nil
}

// wholeLength returns the length of the whole file in bytes, as the site states it; 0 or less if unknown.
func wholeLength(resp *http.Response) int64 {
	if resp.StatusCode != http.StatusPartialContent {
		return resp.ContentLength
	}
	_, whole, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	n, _ := strconv.ParseInt(whole, 10, 64)
	return n
}

// isKnownToForbid reports whether the stored robots.txt of a site forbids a request.
func (p *Poller) isKnownToForbid(ctx context.Context, r route) bool {
	if p.robots == nil {
		return false
	}
	rules, known := p.robots.remembered(r.origin(), p.now())
	if !known {
		rules, known, _ = p.robots.cache.Robots(ctx, r.origin())
	}
	return known && rules.Rules != "" && !allows(rules.Rules, r.url.RequestURI())
}
