package store

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"digest"
)

const (
	// keepPolls is how long the history of a feed is stored.
	keepPolls = 90 * 24 * time.Hour
	// keepRobots is how long the robots.txt of an origin is stored that has no polls any longer. Polls refresh it
	// much sooner.
	keepRobots = 90 * 24 * time.Hour
	// prunedFeeds and prunedPolls are how many feeds and how many rows one transaction prunes.
	prunedFeeds = 500
	prunedPolls = 5000
)

// Polls returns the polls of a feed since an instant, oldest first.
func (s Feeds) Polls(ctx context.Context, id digest.FeedID, since time.Time) ([]PollRecord, error) {
	type row struct {
		PollRecord
		Millis    int64
		Unchanged string
	}
	const reading = "reading the history of a feed"
	var gathered string // read first: if they become a row in between, they appear twice, and are not missed
	if _, err := s.read().Find(ctx, &gathered, `SELECT unchanged FROM feed_times WHERE feed_id = ?`, id); err != nil {
		return nil, failed(reading, err)
	}
	rows, err := readRows[row](ctx, s.read(), reading,
		`SELECT at, outcome, status, requests, bytes, millis, note, unchanged
		FROM polls WHERE feed_id = ? AND at >= ?`, id, from(since))
	polls := unpackPolls(gathered)
	for _, r := range rows {
		r.Took = time.Duration(r.Millis) * time.Millisecond
		if r.Unchanged == "" {
			polls = append(polls, r.PollRecord)
		} else {
			polls = append(polls, unpackPolls(r.Unchanged)...)
		}
	}
	polls = slices.DeleteFunc(polls, func(p PollRecord) bool { return at(p.At) < from(since) })
	slices.SortFunc(polls, func(a, b PollRecord) int { return a.At.Compare(b.At) })
	return slices.CompactFunc(polls, func(a, b PollRecord) bool { return a.At.Equal(b.At) }), err
}

// PrunePolls deletes polls older than 90 days from the histories of all feeds, in several transactions, and returns
// the number of rows. The counters keep them. Polls that share a row are deleted with the last of them.
func (s Feeds) PrunePolls(ctx context.Context, now time.Time) (int, error) {
	old, n, last := at(now).Plus(-keepPolls), 0, digest.FeedID(0)
	for {
		// The key begins with the feed. So this examines each feed once, and locks nothing if nothing is old.
		var ids []digest.FeedID
		err := s.read().All(ctx, &ids, `SELECT f.id FROM feeds f WHERE f.id > ?
			AND EXISTS (SELECT 1 FROM polls p WHERE p.feed_id = f.id AND p.at < ?) ORDER BY f.id LIMIT ?`, last, old,
			prunedFeeds)
		if err != nil {
			return n, fmt.Errorf("looking for old polls: %w", err)
		}
		if len(ids) == 0 {
			if err := s.sumOldCounters(ctx, now); err != nil {
				return n, err
			}
			return n, s.pruneRobots(ctx, now)
		}
		deleted, err := changed(ctx, s.database, "deleting old polls",
			func(c conn) (int, error) { return deletePolls(ctx, c, ids, old) })
		if err != nil {
			return n, err
		}
		n += deleted
		if deleted < prunedPolls {
			last = ids[len(ids)-1]
		}
	}
}

func deletePolls(ctx context.Context, c conn, ids []digest.FeedID, old instant) (int, error) {
	return c.Exec(ctx, `DELETE FROM polls WHERE (feed_id, at) IN (SELECT p.feed_id, p.at FROM polls p
		WHERE p.feed_id`+c.d.OneOf+` AND p.at < ? LIMIT ?)`, ids, old, prunedPolls)
}

func (s *database) pruneRobots(ctx context.Context, now time.Time) error {
	return s.run(ctx, "forgetting robots.txt of sites that are asked no more",
		`DELETE FROM robots WHERE fetched_at < ?`, at(now).Plus(-keepRobots))
}

// A PollRecord is one poll in the history of a feed.
type PollRecord struct {
	At       time.Time
	Outcome  string // unchanged, changed or failed, as package poller names it
	Status   int    // of the last response; 0 if there was none
	Requests int
	Bytes    int64         // of bodies, as transferred
	Took     time.Duration // in whole milliseconds, without the pauses between requests
	Note     string        // one line for people
}

// Kind returns the kind of outcome: unchanged, changed, limited, refused, broken or silent.
func (r PollRecord) Kind() string {
	switch {
	case r.Outcome == "changed", r.Outcome == "unchanged":
		return r.Outcome
	case r.Status == http.StatusTooManyRequests:
		return "limited"
	case r.Status >= http.StatusInternalServerError:
		return "broken"
	case r.Status >= http.StatusBadRequest:
		return "refused"
	}
	return "silent"
}

// notePolls adds the polls to the histories of their feeds. Polls that found nothing new share rows (see packPolls).
func (r *recording) notePolls(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		packed, full := p.pack()
		if n := len(full); n > 0 {
			addPoll(&v, p.Feed.ID, full[n-1], packPolls(full))
		}
		if !packed && !p.Poll.At.IsZero() {
			addPoll(&v, p.Feed.ID, p.Poll, "")
		}
	}
	// Two polls of one second are the same poll, recorded twice.
	return r.c.RunRows(ctx, &v,
		`INSERT INTO polls (feed_id, at, outcome, status, requests, bytes, millis, note, unchanged)
			VALUES {rows} ON CONFLICT (feed_id, at) DO NOTHING`)
}

func (r *recording) count(ctx context.Context) error {
	done := counters{CounterPost: {N: int64(r.posts)}}
	for _, p := range r.polls {
		if !p.Poll.At.IsZero() {
			done.poll(p.Poll)
		}
	}
	return count(ctx, r.c, r.now, done)
}
