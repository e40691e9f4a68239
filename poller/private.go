package poller

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"digest"
	"digest/feed"
)

// A poll of a private feed sends its credential only to the origin for which the reader entered it (scheme,
// host and port, RFC 6454). It does not send it after a redirect to another origin, or for a robots.txt.
// The record of the poll contains only the address under which the feed is stored. A private feed does not
// move.

// A private holds the credential of a private feed for a session.
type private struct {
	origin  string
	header  string // the value of the Authorization field, or ""
	address string // the real address of the feed
	shown   string // the address under which it is stored
	hidden  bool   // the real address is a secret

	sent bool // the last request had the header
}

// enter makes a session use the credential of a private feed, and returns the route to the feed.
func (s *session) enter(c digest.Credential, shown string) (route, error) {
	r, err := typed(c.Address)
	if err != nil {
		return r, err
	}
	s.private = &private{origin: r.origin(), address: c.Address, shown: shown, hidden: c.Hidden}
	switch {
	case c.Token != "":
		s.private.header = "Bearer " + c.Token
	case c.User != "" || c.Password != "":
		s.private.header = "Basic " + base64.StdEncoding.EncodeToString([]byte(c.User+":"+c.Password))
	}
	url := "" // validators of another credential do not apply (S12)
	if s.validators.url == shown {
		url = c.Address
	}
	s.validators.url = url
	return r, nil
}

// authorize adds the credential to a request to its origin.
func (s *session) authorize(h http.Header, r *route) {
	if s.private == nil {
		return
	}
	s.private.sent = s.private.header != "" && !s.forRobots && r.origin() == s.private.origin
	if s.private.sent {
		h["Authorization"] = []string{s.private.header}
	}
}

// shown returns the address of a request for the log.
func (s *session) shown(r route) string {
	if s.private != nil && (s.private.hidden || r.address == s.private.address) {
		return digest.Site(r.address) + "/…"
	}
	return digest.AddressWithoutCredentials(r.address)
}

func (s *session) named(address string) string {
	if s.private != nil && s.private.hidden {
		return digest.PublicAddress(s.private.shown)
	}
	return address
}

// base returns the base address for links of a document. A relative link must not contain a secret address.
func (s *session) base(a *answer) string {
	if s.private != nil && s.private.hidden {
		return digest.Site(a.address) + "/"
	}
	return a.address
}

// document returns the body of an answer. It removes the feed's secret address, which sites write into their
// documents.
func (s *session) document(a *answer) []byte {
	if s.private == nil || !s.private.hidden {
		return a.body
	}
	return withoutSecret(a.body, s.private.address)
}

// credentialOf returns the credential of a feed with its real address. found is false for most feeds.
func (p *Poller) credentialOf(f digest.Feed) (c digest.Credential, found bool, err error) {
	if !digest.IsPrivate(f.URL) {
		bare, c := digest.SplitCredential(f.URL) // stored before the instance had a key
		c.Address = bare
		return c, !c.IsEmpty(), nil
	}
	if p.open == nil {
		return c, true, words(digest.Words("the encryption key for its password is missing"))
	}
	if c, err = p.open(f.Sealed); err != nil {
		return c, true, &pollError{text: messageOf(err)}
	}
	if feed.Host(c.Address) != f.Host {
		return c, true, words(digest.Words("the stored password is for another host; enter the password again"))
	}
	return c, true, nil
}

// begins returns the route of a poll's first request.
func (p *poll) begins() (route, error) {
	c, found, err := p.poller.credentialOf(p.feed)
	switch {
	case err != nil:
		return route{}, err
	case !found:
		return typed(p.feed.URL)
	}
	return p.enter(c, p.feed.URL)
}

// keeps returns the body and address to store of a document. It returns no body of a private feed, since
// the body may contain the secret address.
func (s *session) keeps(a *answer) (body []byte, address string) {
	if s.private != nil {
		return nil, s.private.shown
	}
	return a.body, a.address
}

// leave puts the stored address of a private feed back into its record. If the document had another
// address, leave drops the validators, because that address may be a secret too.
func (s *session) leave(f *digest.Feed, was digest.Feed) {
	if s.private == nil || was.ID == 0 && was.URL != s.private.shown { // of a search: see Conceal
		return
	}
	if f.ValidatorURL == s.private.address {
		f.ValidatorURL = s.private.shown
	} else if f.ValidatorURL != s.private.shown {
		f.ValidatorURL = ""
	}
	f.URL, f.Host, f.Move = was.URL, was.Host, was.Move
	f.MovedTo = ""
	f.LastError = s.conceal(f.LastError)
	if s.private.hidden && strings.Contains(f.SiteURL,
		strings.TrimPrefix(s.private.address, digest.Site(s.private.address))) {
		f.SiteURL = digest.Site(f.SiteURL) + "/"
	}
}

func (s *session) conceal(text string) string {
	if s.private == nil {
		return text
	}
	return strings.ReplaceAll(text, s.private.address, digest.PublicAddress(s.private.shown))
}

// refusedTo returns the error for an answer without a document, with advice for readers of private feeds.
func (s *session) refusedTo(a *answer) *pollError {
	t := badStatus(a)
	unsigned := s.unsignedHint(a)
	t.text += unsigned
	t.needsPassword = a.status == http.StatusUnauthorized && unsigned == "" &&
		(s.private == nil || s.private.header == "")
	if s.private == nil || a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		return t
	}
	switch {
	case s.private.header == "":
	case !s.private.sent:
		t.text = fmt.Sprintf("it leads to %s, where the password is not sent (%d); give it for an address there",
			digest.Site(a.address), a.status)
	default:
		t.text = fmt.Sprintf("the password is not accepted (%d); give it anew", a.status)
	}
	return t
}

// FindPrivate returns the first working feed at or behind an address, as Find does, with a credential. It
// sets c.Address to the feed's address. The returned record has that address unencrypted; the caller must
// call Conceal. It does not stop at stored feeds.
//
// The error is a *SearchError, also if the feed is at another origin.
func (p *Poller) FindPrivate(ctx context.Context, c *digest.Credential) (Result, error) {
	s := &search{session: p.newSession(digest.Feed{}, 1), known: noneKnown}
	if _, err := s.enter(*c, c.PrivateAddress("")); err != nil {
		return Result{}, asSearchError(err)
	}
	found, err := s.find(ctx, c.Address)
	if err != nil {
		return found, err
	}
	if r, err := typed(found.Feed.URL); err != nil || r.origin() != s.private.origin {
		found.Release()
		return Result{}, searchError(nil,
			digest.Refuse(digest.Invalid,
				"the feed is at %s, but your password is for %s; enter the feed’s own address",
				digest.Site(found.Feed.URL), digest.Site(c.Address)))
	}
	c.Address = found.Feed.URL
	return found, nil
}

// noneKnown is a Known without feeds.
func noneKnown(context.Context, string) (digest.Feed, bool) { return digest.Feed{}, false }

// Conceal turns a result of FindPrivate into one to store under address.
func (r *Result) Conceal(address, sealed string, c digest.Credential) {
	s := &session{private: &private{address: c.Address, shown: address, hidden: c.Hidden}}
	named := r.Feed
	named.URL, named.Host, named.Move = address, feed.Host(c.Address), digest.Move{}
	s.leave(&r.Feed, named)
	r.Feed.Sealed, r.Body, r.Address = sealed, nil, address
	r.Feed.OwnInterval = OwnInterval(r.Feed, r.Feed.LastOKAt)
}
