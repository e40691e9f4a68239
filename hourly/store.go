package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
)

// PrepareRecord turns what a poll brought into what is stored of it; was is the
// record before the poll, zero for a feed that was just found. Only entries
// that are new, or changed since they were stored, are sanitised: that is most
// of what reading a feed costs.
func PrepareRecord(ctx context.Context, st *store.Store, was digest.Feed, res poller.Result, now time.Time) (store.Polled, error) {
	in, err := prepare(ctx, st, was, res, now)
	return in.Polled, err
}

// An prepared is what is stored of a poll, and how much of the document was new.
type prepared struct {
	store.Polled
	turnover poller.Turnover
}

func prepare(ctx context.Context, st *store.Store, was digest.Feed, res poller.Result, now time.Time) (in prepared, err error) {
	in = prepared{Polled: store.Polled{Feed: res.Feed, Was: was, FirstRead: was.ParsedAt.IsZero(), HostFreeAt: res.HostFreeAt, Poll: history(res)}}
	if !was.LastOKAt.IsZero() {
		in.turnover.Elapsed = now.Sub(was.LastOKAt)
	}
	if res.Document == nil {
		return in, nil
	}
	if res.Body != nil {
		in.Body = &store.Body{ContentType: res.ContentType, URL: res.Address, Bytes: res.Body}
	}
	if res.Address != "" {
		if in.ReadAt, err = feed.NormalURL(res.Address); err != nil {
			in.ReadAt = "" // no address that a feed could have
		}
	}
	entries := res.Document.Newest(feed.MaxPosts)
	in.Listed = identities(entries)
	in.Windowed = len(res.Document.Posts) >= feed.MaxPosts
	known, err := st.KnownPosts(ctx, res.Feed.ID, in.Listed)
	if err != nil {
		return in, fmt.Errorf("comparing %s with what is stored: %w", res.Feed.URL, err)
	}
	in.Posts = fresh(entries, known, now)
	had := len(known) > 0
	if !had && !in.FirstRead {
		if had, err = st.HasPosts(ctx, res.Feed.ID); err != nil {
			return in, fmt.Errorf("comparing %s with what is stored: %w", res.Feed.URL, err)
		}
	}
	in.weigh(entries, len(known), had, now)
	return in, nil
}

// weigh compares a document with what is stored of the feed. One of several
// entries, none of which is known, does not reach back to the last poll: what
// was published in between may be missing. had says that the feed had posts.
func (in *prepared) weigh(entries []feed.Post, known int, had bool, now time.Time) {
	oldest, newest := dates(entries, now)
	if len(entries) > known && (newest.IsZero() || had) { // what was not there before is news, whatever its date
		in.Feed.NewestAt = now
		in.Feed.OwnInterval = poller.OwnInterval(in.Feed, now)
	}
	elsewhere := in.Feed.ValidatorURL != in.Was.ValidatorURL // another document altogether
	if !had || elsewhere || len(entries) == 0 {
		return
	}
	in.turnover.Listed, in.turnover.New = len(entries), len(entries)-known
	if !oldest.IsZero() {
		in.turnover.Span = newest.Sub(oldest)
	}
	if known == 0 && len(entries) >= leastToMiss && !in.Was.LastOKAt.IsZero() {
		in.Gap = &store.Gap{From: in.Was.LastOKAt, To: now}
		if oldest.After(in.Was.LastOKAt) {
			in.Gap.To = oldest
		}
	}
}

// leastToMiss is the number of entries from which a document without a known
// one says anything: the one entry of a feed that only ever holds the latest is
// new whenever it changes.
const leastToMiss = 2

// dates gives the first and last date in a document, none of them in the
// future; both zero if one of the entries has none.
func dates(entries []feed.Post, now time.Time) (oldest, newest time.Time) {
	for i := range entries {
		at := entries[i].Published
		switch {
		case at.IsZero():
			return time.Time{}, time.Time{}
		case at.After(now):
			at = now
		}
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
		if at.After(newest) {
			newest = at
		}
	}
	return oldest, newest
}

// history is the line that a poll leaves in the history of its feed.
func history(res poller.Result) store.PollRecord {
	return store.PollRecord{
		At:       res.Feed.LastAttemptAt,
		Outcome:  string(res.Outcome),
		Status:   res.Status,
		Requests: res.Requests,
		Bytes:    res.Bytes,
		Took:     res.Took,
		Note:     res.Message,
	}
}

func identities(entries []feed.Post) []string {
	all := make([]string, len(entries))
	for i := range entries {
		all[i] = entries[i].Identity
	}
	return all
}

func fresh(entries []feed.Post, known map[string]string, now time.Time) []digest.Post {
	var posts []digest.Post
	for i := range entries {
		if e := &entries[i]; known[e.Identity] != e.Hash {
			posts = append(posts, e.Sanitise(now))
		}
	}
	return posts
}
