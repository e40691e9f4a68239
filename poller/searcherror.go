package poller

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/weburl"
)

// A SearchError tells the person who typed an address why the search found no feed, or did not begin.
type SearchError struct {
	Cause *digest.Error

	NeedsPassword bool // the address needs a password, and the person gave none
}

// Error returns the message and its cause.
func (e *SearchError) Error() string { return e.Cause.Error() }

// Unwrap returns the *digest.Error.
func (e *SearchError) Unwrap() error { return e.Cause }

func messageOf(err error) string {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// notFound returns the failure of a search as an error for the person.
func notFound(address string, err error) error {
	shown := shortLine(digest.AddressWithoutCredentials(address))
	t, ok := asPollError(err)
	switch {
	case errors.Is(err, errNoRoom), errors.Is(err, errNoPlace):
		return searchError(err, digest.Refuse(digest.Unavailable,
			"%s couldn’t be read: %s; try again in a few minutes",
			shown, err))
	case !ok:
		return searchError(err, digest.Refuse(digest.Unavailable,
			"the search for a feed at %s was interrupted; try again", shown))
	case usable(t.status):
		return searchError(nil, digest.Refuse(digest.Invalid, "no feed at %s: %s", shown, digest.Words(t.text)))
	}
	if t.needsPassword {
		asks := digest.Refuse(digest.Unavailable, "could not read %s: %s", shown,
			digest.Words("it needs a password (401)"))
		return &SearchError{Cause: asks, NeedsPassword: true}
	}
	return searchError(nil, digest.Refuse(digest.Unavailable, "could not read %s: %s", shown, digest.Words(t.text)))
}

// searchError returns an error for the person, with its cause if known.
func searchError(cause error, e *digest.Error) error {
	e.Err = cause
	return &SearchError{Cause: e}
}

// asSearchError returns an error as a SearchError of kind Invalid.
func asSearchError(err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		said := *e
		said.Kind, said.Err = digest.Invalid, nil
		return &SearchError{Cause: &said}
	}
	return &SearchError{Cause: &digest.Error{Kind: digest.Invalid, Message: err.Error()}}
}

// refusedSearch is the pause before the next search at an address after an error without Retry-After.
const refusedSearch = time.Hour

// refused returns the refusal of a site, to be stored. An error that a person can correct, such as a wrong
// path, has no pause.
func (s *search) refused(address string, err error) Result {
	t, ok := asPollError(err)
	r := Result{Outcome: Failed, Requests: s.requests, Bytes: s.bytes, HostFreeAt: s.freeAt}
	if !ok {
		return r
	}
	wait := t.wait
	switch {
	case t.throttled():
		wait = penalty(t.failure, 1, 0)
	case t.status == http.StatusForbidden, t.status >= 500:
		wait = max(wait, refusedSearch)
	}
	r.Feed.URL, r.Feed.NotBefore = address, after(s.poller.now(), wait)
	r.Feed.LastStatus, r.Feed.LastError = t.status, shortLine(t.text)
	return r
}

// withoutTLS returns the http address to try if the person typed no scheme and https failed.
func withoutTLS(address string, err error) (string, bool) {
	t, ok := asPollError(err)
	if !ok || t.status != 0 || t.unanswered || strings.Contains(weburl.WithSlashes(address), ":/") {
		return "", false
	}
	return "http://" + strings.TrimPrefix(strings.TrimSpace(address), "//"), true
}

// worthGoingOn reports false after a refusal, an answer that did not arrive, or an interruption.
func worthGoingOn(err error) bool {
	t, ok := asPollError(err)
	if !ok || t.unanswered {
		return false
	}
	switch t.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return false
	}
	return true
}

func asPollError(err error) (*pollError, bool) { return errors.AsType[*pollError](err) }

// noneWorks returns the error for a page that offers no feed, or only feeds that fail.
func noneWorks(address string, offered []rejected) error {
	if len(offered) == 0 {
		return searchError(nil, digest.Refuse(digest.Invalid,
			"no feed at %s: the page offers none; try the address of the feed itself", address))
	}
	first := shortLine(digest.AddressWithoutCredentials(offered[0].url))
	var why any = digest.Words("a web page")
	if t, ok := asPollError(offered[0].err); ok {
		why = digest.Words(t.text)
	}
	if len(offered) > 1 {
		return searchError(nil, digest.Refuse(digest.Invalid,
			"no working feed at %s: none of its %d feeds can be read. The first one, %s, failed: %s", address,
			len(offered),
			first, why))
	}
	return searchError(nil, digest.Refuse(digest.Invalid,
		"no working feed at %s: its only feed, %s, cannot be read: %s",
		address, first, why))
}
