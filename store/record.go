package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// Record stores the results of polls in one transaction: new posts, a hidden row for each new post in each digest that
// gathers, and finally the feeds' records. This ends their leases. It stores nothing of a poll whose lease another
// worker has taken over.
//
// A post with a new identity is a stored post if it replaces one that the document no longer lists, with the same
// address and title (I4). An edit is stored as long as no released edition contains the post, and as a version of it
// afterwards.
//
// If the database rejects a poll, Record stores the others without it, and the feed is not polled for a day.
//
// Record also stores notices for the readers of feeds that are sick or dead, or may have lost posts. It keeps what
// happened to a feed during its poll: a ping, a doubt, a reader who unsubscribed. It adjusts the pace of domains to
// their answers.
//
// Record excludes Release (I8).
func (s Feeds) Record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	if len(polls) == 0 {
		return RecordResult{}, nil
	}
	if err := s.Policy.check(); err != nil {
		return RecordResult{}, fmt.Errorf("storing polls: %w", err)
	}
	polls, err := s.pack(polls)
	if err != nil {
		return RecordResult{}, fmt.Errorf("storing polls: %w", err)
	}
	result, err := s.record(ctx, now, polls)
	if db.IsRefused(err) {
		result, err = s.recordEach(ctx, now, polls)
	}
	return result, failed("storing polls", err)
}

func (s *database) record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	var result RecordResult
	err := s.changeUnder(ctx, s.d.LockShared, "", func(c conn) error {
		r := recording{c: c, now: at(now)}
		if err := r.lockFeeds(ctx, polls); err != nil {
			return err
		}
		err := steps(ctx, r.match, r.judge, r.compareDelivered, r.admit, r.insert, r.noteMisses, r.edit, r.keepVersions,
			r.hide, r.restore, r.withdraw, r.dropMirrored,
			r.noteListed, r.tellGaps, r.tellOverQuota, r.tellSick, r.saveBodies, r.notePolls, r.pace, r.save, r.tell,
			r.count)
		result = RecordResult{Posts: r.posts, Hidden: r.hidden, Stale: len(polls) - len(r.polls), Told: r.told,
			Waiting: r.waiting}
		return err
	})
	if err != nil { // the transaction was rolled back, and so are the counts
		return RecordResult{}, err
	}
	return result, nil
}

func steps(ctx context.Context, of ...func(context.Context) error) error {
	for _, step := range of {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A recording is the state of one transaction of Record.
type recording struct {
	c     conn
	now   instant
	polls []*polled // whose leases are valid, ordered by feed

	fresh  []*incoming            // posts to add
	known  []*incoming            // stored posts that were edited or renamed
	frozen map[digest.PostID]bool // the known posts that are in a released edition

	posts   int
	hidden  int
	waiting int
	told    int

	accounts map[digest.DigestID]accountUse // those read so far

	heirs      []*polled       // the records of feeds that were created for feeds that moved
	mergedInto []digest.FeedID // feeds into which others were merged
}

// A polled is a poll with the stored state of its feed.
type polled struct {
	Polled
	stored   lockedFeed
	listedAt instant

	first      bool
	readBefore instant // when the feed was last read; 0 if never

	unchanged string // the collected polls of its feed, with this one

	// away is the address at which the document was read, if the feed is moving there permanently; otherwise "".
	away     string
	overlaps bool                   // the document contains a stored post
	listed   map[string]bool        // Listed as it is stored; set by lists
	recent   []recentPost           // the posts of its feed that were first seen recently
	vanished map[digest.PostID]bool // the recent posts that its document omits although it lists older ones
	again    bool                   // a ping or a doubt reached the feed during the poll, so it needs another

	storedFor    digest.FeedID // the feed on whose readers' accounts it counts; 0 for its own
	tellsWaiting bool          // posts wait that would have gone to readers
}

// An incoming is a post of a poll that is being stored.
type incoming struct {
	digest.Post
	poll        *polled
	fingerprint string
	id          digest.PostID // 0 if not stored yet
	seenAt      instant       // as stored
	was         string        // the stored hash of the content
	wasShown    bool          // it was added for readers before
	renamed     bool          // it was stored under another identity, a hash of what authors edit
	shownAt     instant       // now, if a new post goes to readers

	waits, rewritten bool // the quota has no room for it today; readers have it, and it has changed
}

// lockFeeds locks the feeds and their times, in the order of their keys, and drops the polls whose lease another
// worker has taken over.
func (r *recording) lockFeeds(ctx context.Context, polls []Polled) error {
	byID := make(map[digest.FeedID]Polled, len(polls))
	for _, p := range polls {
		byID[p.Feed.ID] = p
	}
	ids := slices.Sorted(maps.Keys(byID))
	if r.c.d.ForUpdate != "" {
		if err := r.lockRecords(ctx, byID, ids); err != nil {
			return err
		}
	}
	if err := lockTimes(ctx, r.c, ids); err != nil {
		return err
	}
	var rows []lockedFeed
	err := r.c.All(ctx, &rows,
		`SELECT f.id, f.url, f.host, f.state, t.lease_token, f.parsed_at, f.listed_at, f.moved_since,
		t.last_ok_at, f.pinged_at, f.validators_doubted, f.own_interval, f.host_interval, t.last_attempt_at,
		t.unchanged FROM `+timedFeeds+` WHERE f.id`+r.c.d.OneOf+` ORDER BY f.id`, ids)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if p := byID[row.ID]; p.Token == row.Token {
			r.addPoll(r.c.polled(row, p, r.now))
		}
	}
	return r.dropUnwanted(ctx)
}

// lockRecords locks the records of feeds that a poll has changed, or for which it has posts. Of the others Record
// writes only the times, so that transactions that change their records do not wait. What concerns a poll (a ping, a
// doubt) changes under a lock on the times.
func (r *recording) lockRecords(ctx context.Context, polls map[digest.FeedID]Polled, ids []digest.FeedID) error {
	changed := slices.DeleteFunc(slices.Clone(ids), func(id digest.FeedID) bool { return polls[id].leavesRecord() })
	if len(changed) == 0 {
		return nil
	}
	return r.c.Run(ctx, `SELECT 1 FROM feeds WHERE id`+r.c.d.OneOf+` ORDER BY id`+r.c.d.ForUpdate, changed)
}

// leavesRecord reports whether a poll found no change.
func (p Polled) leavesRecord() bool {
	return p.Token != "" && sameRecord(p.Was, p.Feed) && len(p.Posts)+len(p.Listed) == 0 && p.Body == nil &&
		p.Gap == nil && !p.Missing
}

// A lockedFeed holds what Record needs of a feed's stored state.
type lockedFeed struct {
	ID                digest.FeedID
	URL               string
	Host              string
	State             digest.FeedState
	Token             string `db:"lease_token"`
	ParsedAt          instant
	ListedAt          instant
	MovedSince        instant
	LastOKAt          instant
	PingedAt          instant
	ValidatorsDoubted bool

	OwnInterval   time.Duration
	HostInterval  time.Duration
	LastAttemptAt instant
	Unchanged     string
}

// polled combines a poll with the stored state of its feed. After a ping or a doubt during the poll, the feed gets
// another poll. A new rule for its host applies now.
func (c conn) polled(row lockedFeed, p Polled, now instant) *polled {
	p = p.staysPrivate(row)
	p.Feed.HostInterval, p.Feed.LeaseUntil = row.HostInterval, time.Time{}
	if row.State == digest.FeedBlocked || row.State == digest.FeedDeclined {
		p.Feed.State, p.Feed.PollAt = row.State, time.Time{}
	}
	if from(p.Feed.LastAttemptAt) < row.LastAttemptAt { // another attempt was later
		p.Feed.LastAttemptAt = row.LastAttemptAt.Time()
	}
	if p.Token != "" && p.Feed.OwnInterval == p.Was.OwnInterval { // news may have shortened it during the poll
		p.Feed.OwnInterval = row.OwnInterval
	}
	own := &polled{Polled: p, stored: row, first: p.FirstRead || row.ParsedAt == 0, listedAt: row.ListedAt}
	if !own.first {
		own.readBefore = row.LastOKAt
	}
	pinged, doubted := row.PingedAt > at(p.Was.PingedAt), row.ValidatorsDoubted && !p.Was.ValidatorsDoubted
	if p.Token == "" || !pinged && !doubted {
		return own
	}
	own.again = true
	f := &own.Feed
	if pinged {
		f.PingedAt = row.PingedAt.Time()
	}
	f.ValidatorsDoubted = f.ValidatorsDoubted || doubted
	f.PollAt = first(from(f.PollAt).Time(), c.askable(*f, now).Time())
	return own
}

func (r *recording) addPoll(p *polled) {
	r.polls = append(r.polls, p)
	if p.ReadAt != p.stored.URL && !p.Arrival.Rename && (p.Feed.MovedTo != "" || p.Feed.URL != p.stored.URL) {
		p.away = p.ReadAt
	}
	seen := make(map[string]bool, len(p.Posts))
	for _, post := range p.Posts {
		post.Identity = db.Clean(post.Identity)
		if seen[post.Identity] {
			continue
		}
		seen[post.Identity] = true
		post.FeedID = p.Feed.ID
		r.fresh = append(r.fresh, &incoming{Post: post, poll: p, fingerprint: fingerprint(post)})
	}
	if p.Gap != nil {
		p.overlaps = slices.ContainsFunc(p.Listed, func(identity string) bool { return !seen[db.Clean(identity)] })
	}
}

// dropUnwanted removes feeds from the queue for which no digest gathers any longer. A feed without a lease stays,
// because it was just added for a new reader.
func (r *recording) dropUnwanted(ctx context.Context) error {
	queued := make(map[digest.FeedID]*polled)
	for _, p := range r.polls {
		if p.Token != "" && !p.Feed.PollAt.IsZero() {
			queued[p.Feed.ID] = p
		}
	}
	if len(queued) == 0 {
		return nil
	}
	var idle []digest.FeedID
	err := r.c.All(ctx, &idle, `SELECT f.id FROM feeds f WHERE f.id`+r.c.d.OneOf+` AND NOT `+
		wanted, slices.Sorted(maps.Keys(queued)))
	for _, id := range idle {
		queued[id].Feed.PollAt = time.Time{}
	}
	return err
}

// save writes the feeds' records and ends the leases of their hosts.
func (r *recording) save(ctx context.Context) error {
	if err := r.move(ctx); err != nil {
		return err
	}
	if err := saveFeeds(ctx, r.c, append(r.polls, r.heirs...)); err != nil {
		return err
	}
	if err := followRules(ctx, r.c, r.moved()); err != nil {
		return err
	}
	if len(r.mergedInto) > 0 { // after saveFeeds, which may have written them
		if err := refreshAskable(ctx, r.c, `f.id`+r.c.d.OneOf, r.mergedInto); err != nil {
			return err
		}
	}
	return r.freeHosts(ctx)
}

// tell updates the digests that wait for these feeds.
func (r *recording) tell(ctx context.Context) (err error) {
	feeds := each(r.polls, func(p *polled) digest.FeedID { return p.stored.ID })
	r.told, err = tellWaiting(ctx, r.c, append(feeds, r.mergedInto...))
	return err
}

// freeHosts ends the leases of the polls' hosts.
func (r *recording) freeHosts(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		if p.Token != "" {
			v.Row(p.stored.Host, from(p.HostFreeAt), p.Token) // the claimed host, because the feed may have moved
		}
	}
	return freeHosts(ctx, r.c, &v)
}

// freeHosts ends the leases of hosts, in the order in which leaseHosts takes them.
func freeHosts(ctx context.Context, c conn, v *values) error {
	return c.RunRows(ctx, v, `WITH v (host, free_at, token) AS (VALUES {rows})
		UPDATE hosts SET lease_until = v.free_at, token = ''
		FROM v WHERE hosts.host = v.host AND hosts.token = v.token`)
}

// A Polled is the result of one poll of one feed.
type Polled struct {
	Feed  digest.Feed // the record to store, with PollAt
	Was   digest.Feed // the record as claimed: only what differs from it is written; zero means everything
	Token string      // of the claim; empty for a feed that EnsureFeed has just added

	// FirstRead says that the feed was never parsed before. Only its posts of the last 24 hours, or the newest one,
	// go to readers.
	FirstRead bool

	Posts  []digest.Post // new or changed posts in document order; their keys are ignored
	Listed []string      // all identities in the document, in its order; empty if none was read
	Dates  []int64       // of Listed, in Unix seconds, 0 for a post without a date; nil if unknown

	// Windowed says that the document has at least as many posts as digest reads. A post older than all stored ones
	// has then slid in, and is not news.
	Windowed bool

	HostFreeAt time.Time // when the feed's host may be polled again

	// ReadAt is the address of the document, in normal form. If another feed has this address, readers who subscribe
	// to both do not get the posts of this one.
	ReadAt string

	// FoundFor is the digest for which a feed without readers was found. The feed counts on its reader's account; 0
	// means on no account.
	FoundFor digest.DigestID

	Poll PollRecord // for the history, unless its time is zero
	Body *Body      // the document, if it was read; nil keeps the stored one

	Missing bool    // the feed has disappeared, so a move to it is undone for its readers
	Arrival Arrival // of a feed that has moved permanently

	// Gap is the time of which posts may be lost, if none of the listed posts is known. Readers get a notice only if
	// none is known under another identity either.
	Gap     *digest.Gap
	Illness digest.Illness // the present illness; readers get one notice
	WasSick bool           // before this poll
}

// A RecordResult counts what Record stored.
type RecordResult struct {
	Posts  int // new posts
	Hidden int // hidden rows for readers
	Stale  int // polls not stored, because another worker has their lease
	Told   int // digests that wait for one feed less; Release examines them

	Waiting int // posts that the quota leaves for another day

	Refused int // polls that the database rejected
}

const (
	// refusedFor is how long a feed is not polled after its response could not be stored.
	refusedFor = 24 * time.Hour
	// reasonLength bounds the error text in a feed's record, in bytes.
	reasonLength = 300
)
