package poller

import (
	"context"

	"digest"
	"digest/feed"
)

// A list may name accounts of the fediverse. The import stores each under its WebFinger
// address. The first poll finds the feed of the account, as a search does, and moves the record
// to its address before the feed has any post.

// isListedAccount reports whether a feed is an account that a list named and no poll has found yet.
func isListedAccount(f digest.Feed) bool {
	return f.Kind == "" && f.Sealed == "" && feed.WebFingerAccount(f.URL) != ""
}

func (s *session) findAccount(ctx context.Context, f digest.Feed) Result {
	search := &search{session: s, known: noneKnown}
	found, err := search.webFinger(ctx, f.URL)
	if err != nil {
		return s.accountFailed(ctx, f, found, err)
	}
	was, now := f, found.Feed
	f.URL, f.Host, f.Domain = now.URL, now.Host, now.Domain
	f.Kind, f.Title, f.SiteURL, f.Me, f.Language, f.NewestAt, f.Parser = now.Kind, now.Title, now.SiteURL, now.Me,
		now.Language, now.NewestAt, now.Parser
	f.Validators, f.Learned, f.Push, f.Failures = now.Validators, now.Learned, now.Push, now.Failures
	every := f.HostInterval
	f.Schedule = now.Schedule
	f.HostInterval, f.LastAttemptAt = every, latest(was.LastAttemptAt, now.LastAttemptAt)
	f.MovedFrom, f.MovedAt = was.URL, s.poller.now()
	found.Feed = f
	return found
}

// accountFailed returns the result of a poll that did not find its account.
func (s *session) accountFailed(ctx context.Context, f digest.Feed, found Result, err error) Result {
	p := &poll{session: s, feed: f}
	if ctx.Err() != nil {
		p.failed(ctx.Err())
		return p.finish(f)
	}
	t := badAnswer(found.Feed.LastStatus, messageOf(err))
	if until := found.Feed.NotBefore; !until.IsZero() {
		t.wait, t.waitSaid = until.Sub(s.poller.now()), true
	}
	p.failed(t)
	return p.finish(f)
}
