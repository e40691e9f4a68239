package poller

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"digest"
	"digest/feed"
)

// A Form is a POST request to a hub.
type Form struct {
	Address     string
	Values      url.Values
	MayBeHome   bool // it may reach the allowed networks, because a person typed the address that named it
	Subscribers int  // of the feed
}

// A FormAnswer is the answer of a hub.
type FormAnswer struct {
	Status int    // of the last answer; 0: none came
	Why    string // why the request failed, in one line; "" for a status below 300
}

const maxFormAnswer = 512 // bytes of an answer that are read

// ReachedFrom reports whether a hub can reach this instance: any hub if the instance has a public address,
// otherwise a hub in an allowed network.
func (p *Poller) ReachedFrom(address string) bool {
	if p.signers.public {
		return true
	}
	a, err := netip.ParseAddr(feed.Host(address))
	return err == nil && p.guard.isHome(a)
}

// PostForm posts a form, with the pauses and checks of all requests. It follows 307 and 308 with the same
// form (RFC 9110 section 15.4.8), but only on the same site, because HubHost counts requests by site. Any
// other redirect is an error.
func (p *Poller) PostForm(ctx context.Context, f Form) FormAnswer {
	s := p.newSession(digest.Feed{Host: feed.Host(f.Address)}, f.Subscribers)
	s.avoidsHotMinutes = !p.pace.noWait && !isHot(p.now())
	r, err := routeTo(f.Address)
	r.mayBeHome = f.MayBeHome
	for err == nil {
		var a *answer
		var text string
		a, text, err = s.post(ctx, r, f.Values.Encode())
		if err != nil {
			break
		}
		if a.status == http.StatusTemporaryRedirect || a.status == http.StatusPermanentRedirect {
			if r, err = a.follow(); err == nil && !feed.SameSite(r.address, f.Address) {
				err = fmt.Errorf("redirected to another site, %s, which is sent nothing", digest.HostShown(r.address))
			}
			continue
		}
		if a.status/100 == 2 {
			return FormAnswer{Status: a.status}
		}
		return FormAnswer{Status: a.status, Why: strings.TrimSuffix(fmt.Sprintf("answered %d: %s", a.status, text),
			": ")}
	}
	return FormAnswer{Why: shortLine(err.Error())}
}

// post sends one request when its host is free, and reads the beginning of the answer.
func (s *session) post(ctx context.Context, r route, body string) (*answer, string, error) {
	if err := s.poller.blocked.check(ctx, r.host()); err != nil {
		return nil, "", err
	}
	leave, err := s.acquire(ctx, r.host())
	if err != nil {
		return nil, "", err
	}
	defer leave()
	limit := newLimit(ctx, s.poller.timeout)
	defer limit.cancel()
	sends, isHome := 0, false
	req, err := http.NewRequestWithContext(s.pins.in(s.countSends(limit.ctx, &sends, &isHome)), http.MethodPost, "",
		strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.URL, req.Host = r.url, r.url.Host
	req.Header = http.Header{"User-Agent": {s.agent}, "Accept": {"*/*"},
		"Content-Type": {"application/x-www-form-urlencoded"}}
	resp, err := s.poller.transportOf(r).RoundTrip(req)
	if err != nil {
		return nil, "", noAnswer(limit.blame(err), sends > 0, s.poller.timeout)
	}
	defer resp.Body.Close()
	a := &answer{route: r, status: resp.StatusCode, header: resp.Header, received: s.poller.now(), isHome: isHome}
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxFormAnswer)) // the part before an error is enough
	s.logRequest(ctx, http.MethodPost, r, a, nil)
	if !utf8.Valid(said) {
		return a, "", nil
	}
	return a, shortLine(string(said)), nil
}

// ReadPushed reads the body of a push as a poll reads the feed's document. The body may be a part of the
// document, and may have any content type.
func (p *Poller) ReadPushed(ctx context.Context, f digest.Feed, body []byte, contentType string) (Result, error) {
	doc, err := p.Read(ctx, body, contentType, f.URL)
	if err != nil {
		return Result{}, err
	}
	if doc = pageAsFeed(doc, f.Kind); !doc.IsFeed() {
		return Result{}, fmt.Errorf("%s%s", notFeed, kindName(doc.Kind))
	}
	return Result{Feed: f, Outcome: Changed, Document: doc, Address: f.URL, parsers: p.parsers}, nil
}
