package poller

import (
	"context"
	"strings"

	"digest"
	"digest/feed"
)

// account finds the feed of a Bluesky account. A feed found by its handle is stored under its DID, which
// stays when the handle changes (atproto.com/specs/handle).
func (s *search) account(ctx context.Context, asked string) (Result, error) {
	handle := feed.ATProtoActor(asked)
	url := asked
	if !feed.IsDID(handle) {
		did, err := s.did(ctx, handle)
		if err != nil {
			return s.refused(asked, err), notFound("@"+handle, err)
		}
		url = feed.ATProtoURL(did)
	}
	found, doc, err := s.try(ctx, url)
	switch {
	case err != nil:
		return s.refused(asked, err), notFound("@"+handle, err)
	case doc != nil:
		return Result{}, searchError(nil, digest.Refuse(digest.Invalid,
			"couldn’t read the account @%s: Bluesky’s response contains no list of posts",
			handle))
	case found.Document == nil: // a known feed
		return found, nil
	case !feed.IsDID(handle) && found.Document.Description != "" && found.Document.Description != "@"+handle:
		found.Release()
		return Result{}, searchError(nil, digest.Refuse(digest.Invalid,
			"no account @%s: the account there is called %s", handle, shortLine(found.Document.Description)))
	}
	if found.Feed.Title == "" {
		found.Feed.Title = "@" + handle
	}
	return found, nil
}

// mostDID is the number of bytes of an answer in which did expects a DID.
const mostDID = 300

// did returns the DID of a handle from DNS, or from the handle's host if DNS has none.
func (s *search) did(ctx context.Context, handle string) (string, error) {
	if did := s.poller.didOf(ctx, handle); did != "" {
		return did, nil
	}
	a, err := s.look(ctx, "https://"+handle+"/.well-known/atproto-did")
	if err != nil {
		return "", err
	}
	s.hold.settle(0)
	did := strings.TrimSpace(string(a.body[:min(len(a.body), mostDID)]))
	if !feed.IsDID(did) {
		return "", badAnswer(a.status, "no account has this name: its host names none")
	}
	return did, nil
}

// didOf returns the DID of a handle from DNS, or "" if DNS has none or several.
func (p *Poller) didOf(ctx context.Context, handle string) (did string) {
	if handle == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	texts, err := p.guard.lookupTXT(ctx, "_atproto."+handle)
	if err != nil {
		return ""
	}
	for _, text := range texts {
		if named, ok := strings.CutPrefix(text, "did="); ok && feed.IsDID(named) {
			if did != "" && did != named {
				return ""
			}
			did = named
		}
	}
	return did
}
