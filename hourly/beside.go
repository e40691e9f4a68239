package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
)

// queueExtraPoll queues a feed that has to be asked queueExtraPoll the midnights of its
// readers: one that asked to wait or failed, one that outruns them, one that
// may not be asked at midnight. Most feeds are none of these, and cost no query.
func (j *Job) queueExtraPoll(ctx context.Context, in *prepared, now time.Time) error {
	f := &in.Feed
	if f.Errors == 0 && in.Gap == nil && f.BusyInterval == 0 && f.SkipHours == 0 && f.SkipDays == 0 {
		return nil
	}
	var from time.Time
	if f.Errors > 0 { // a midnight before that asks nothing
		from = f.NotBefore.Add(-j.Spread.Deadline)
	}
	due, err := j.Store.FeedDue(ctx, f.ID, from)
	if err != nil {
		return fmt.Errorf("finding the next reader of %s: %w", f.URL, err)
	}
	if f.Errors == 0 {
		if !due.IsZero() {
			in.turnover.UntilDue = max(due.Sub(now), 0)
		}
		f.BusyInterval = poller.BusyInterval(*f, in.turnover)
	}
	f.PollAt = poller.ExtraPoll(*f, due, now, j.Spread)
	return nil
}

// reread reads the kept document of a feed again if a newer parser may see
// more in it than the one that read it, so that nobody has to be asked for it
// (S11). The poll stays what it was.
func (j *Job) reread(ctx context.Context, was digest.Feed, res *poller.Result) error {
	if res.Outcome != poller.Unchanged || was.Parser == feed.Version || was.ParsedAt.IsZero() {
		return nil
	}
	body, kept, err := j.Store.Body(ctx, was.ID)
	if err != nil {
		return fmt.Errorf("reading the kept document of %s: %w", was.URL, err)
	}
	res.Feed.Parser = feed.Version // whatever comes of it: once is enough
	if !kept {
		return nil
	}
	doc, err := j.Poller.Read(ctx, body.Bytes, body.ContentType, body.URL)
	if err != nil || !doc.IsFeed() {
		j.Log.Warn("a kept document can no longer be read", "feed", was.URL, "err", err)
		return nil
	}
	res.Document = doc
	res.Feed.DocInterval = doc.Interval()
	res.Feed.SkipHours, res.Feed.SkipDays = doc.SkipHours, doc.SkipDays
	return nil
}

// retire ends the feeds that are gone for good: their readers are unsubscribed
// and told in their next edition. A whole host that says so is only broken.
func (j *Job) retire() error {
	cases, err := j.Store.SaidGone(j.Hard, j.Now())
	if err != nil {
		return fmt.Errorf("looking for feeds that are gone: %w", err)
	}
	var gone []digest.FeedID
	for _, c := range cases {
		if poller.Gone(c.Feed, c.Siblings, j.Now()) {
			gone = append(gone, c.Feed.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	told, err := j.Store.Retire(j.Hard, j.Now(), gone)
	if err != nil {
		return fmt.Errorf("ending feeds that are gone: %w", err)
	}
	j.Log.Info("gone", "feeds", len(gone), "readers", told)
	return nil
}
