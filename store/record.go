package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"digest"
)

// Record stores what polls found, in one transaction: new posts, a hidden row for each new post
// and each subscribed digest that gathers, and last the feeds' records, which ends their
// leases. A poll whose lease was taken over meanwhile stores nothing.
//
// A post under a new identity that replaces one the document no longer lists,
// with the same address and title, is the same post (I4). An edit is stored
// while the post is in no released edition, and as a version of it afterwards.
//
// Where the database refuses what a poll brought, the others are stored without it, and its feed is not asked for a day.
//
// Readers are told of a feed that is sick or has died, and of posts that it may have lost.
// What happened to a feed while it was in flight stays: a ping, a doubt, a
// reader who left. What its answer says of its domain's patience is noted.
//
// Storing excludes releasing (I8).
func (s *Store) Record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
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
	if isRefused(err) {
		result, err = s.recordEach(ctx, now, polls)
	}
	return result, failed("storing polls", err)
}

// record is one transaction of Record.
func (s *Store) record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	var result RecordResult
	err := s.changeUnder(ctx, s.d.lockShared, "", func(c conn) error {
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
	if err != nil { // what was counted is not stored
		return RecordResult{}, err
	}
	return result, nil
}

// steps takes steps one after the other, until one fails.
func steps(ctx context.Context, of ...func(context.Context) error) error {
	for _, step := range of {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A recording is one call of Record on its way through its steps.
type recording struct {
	c     conn
	now   instant
	polls []*polled // whose lease still holds, in the order of feeds

	fresh  []*incoming            // posts to be added
	known  []*incoming            // posts that are stored, and were edited or renamed
	frozen map[digest.PostID]bool // of these, the ones in a released edition

	posts   int
	hidden  int
	waiting int
	told    int

	accounts map[digest.DigestID]accountUse // those that were looked at

	heirs      []*polled       // the records of feeds that were made for those that moved
	mergedInto []digest.FeedID // feeds of which others have become part
}

// A polled is a poll and the state of its feed as it is stored.
type polled struct {
	Polled
	stored   lockedFeed
	listedAt instant

	first      bool
	readBefore instant // when the feed was read last; 0 if it never was

	unchanged string // the polls of its feed that gather, with this one

	// the address of another at which the document was read, if the redirect is permanent; or empty
	away     string
	overlaps bool                   // the document holds something that is stored
	listed   map[string]bool        // Listed as it is stored, once lists has made it
	recent   []recentPost           // the posts of its feed that were first seen not long ago
	vanished map[digest.PostID]bool // of these, the ones that its document lost from its midst
	again    bool                   // a ping or a doubt reached the feed during the poll: it needs another poll

	storedFor    digest.FeedID // whose readers have it on their account; 0: its own
	tellsWaiting bool          // posts wait that readers would have had
}

// An incoming is a post of a poll on its way to be stored.
type incoming struct {
	digest.Post
	poll        *polled
	fingerprint string
	id          digest.PostID // 0: not stored yet
	seenAt      instant       // as stored
	was         string        // the content's hash as stored
	wasShown    bool          // it was put before readers
	renamed     bool          // it was stored under another identity that is made of what authors edit
	shownAt     instant       // now, of a new post that goes to readers

	waits, rewritten bool // there is no room for it today; it was delivered, and says something else by now
}

// lockFeeds locks the feeds and their times, in the order of their keys, and leaves out the polls
// whose lease another worker has taken over.
func (r *recording) lockFeeds(ctx context.Context, polls []Polled) error {
	byID := make(map[digest.FeedID]Polled, len(polls))
	for _, p := range polls {
		byID[p.Feed.ID] = p
	}
	ids := slices.Sorted(maps.Keys(byID))
	if r.c.d.forUpdate != "" {
		if err := r.lockRecords(ctx, byID, ids); err != nil {
			return err
		}
	}
	if err := lockTimes(ctx, r.c, ids); err != nil {
		return err
	}
	var rows []lockedFeed
	err := r.c.all(ctx, &rows,
		`SELECT f.id, f.url, f.host, f.state, t.lease_token, f.parsed_at, f.listed_at, f.moved_since,
		t.last_ok_at, f.pinged_at, f.validators_doubted, f.own_interval, f.host_interval, t.last_attempt_at, t.unchanged FROM `+timedFeeds+` WHERE f.id`+r.c.d.oneOf+` ORDER BY f.id`, keys(r.c.d, ids))
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

// lockRecords locks the records of feeds that polls have changed, or brought something for.
// Of the others only the times are written: whoever changes their records does not
// wait for us, and changes what concerns a poll (a ping, a doubt) under a lock on the times.
func (r *recording) lockRecords(ctx context.Context, polls map[digest.FeedID]Polled, ids []digest.FeedID) error {
	changed := slices.DeleteFunc(slices.Clone(ids), func(id digest.FeedID) bool { return polls[id].leavesRecord() })
	if len(changed) == 0 {
		return nil
	}
	return r.c.run(ctx, `SELECT 1 FROM feeds WHERE id`+r.c.d.oneOf+` ORDER BY id`+r.c.d.forUpdate, keys(r.c.d, changed))
}

// leavesRecord reports whether a poll found nothing but that nothing has changed.
func (p Polled) leavesRecord() bool {
	return p.Token != "" && sameRecord(p.Was, p.Feed) && len(p.Posts)+len(p.Listed) == 0 && p.Body == nil &&
		p.Gap == nil && !p.Missing
}

// A lockedFeed is what storing a poll needs to know of its feed.
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

// polled joins a poll with the state of its feed. A ping or a doubt that came
// while the feed was in flight is answered by the next poll, not by this one;
// a rule for its host holds from now on.
func (c conn) polled(row lockedFeed, p Polled, now instant) *polled {
	p = p.staysPrivate(row)
	p.Feed.HostInterval, p.Feed.LeaseUntil = row.HostInterval, time.Time{}
	if row.State == digest.FeedBlocked || row.State == digest.FeedDeclined {
		p.Feed.State, p.Feed.PollAt = row.State, time.Time{}
	}
	if from(p.Feed.LastAttemptAt) < row.LastAttemptAt { // no attempt is forgotten
		p.Feed.LastAttemptAt = row.LastAttemptAt.time()
	}
	if p.Token != "" && p.Feed.OwnInterval == p.Was.OwnInterval { // word of news has cut it meanwhile, or nothing has
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
		f.PingedAt = row.PingedAt.time()
	}
	f.ValidatorsDoubted = f.ValidatorsDoubted || doubted
	f.PollAt = first(from(f.PollAt).time(), c.askable(*f, now).time())
	return own
}

// addPoll takes in a poll and its posts.
func (r *recording) addPoll(p *polled) {
	r.polls = append(r.polls, p)
	if p.ReadAt != p.stored.URL && !p.Arrival.Rename && (p.Feed.MovedTo != "" || p.Feed.URL != p.stored.URL) {
		p.away = p.ReadAt
	}
	seen := make(map[string]bool, len(p.Posts))
	for _, post := range p.Posts {
		post.Identity = clean(post.Identity)
		if seen[post.Identity] {
			continue
		}
		seen[post.Identity] = true
		post.FeedID = p.Feed.ID
		r.fresh = append(r.fresh, &incoming{Post: post, poll: p, fingerprint: fingerprint(post)})
	}
	if p.Gap != nil {
		p.overlaps = slices.ContainsFunc(p.Listed, func(identity string) bool { return !seen[clean(identity)] })
	}
}

// dropUnwanted leaves feeds for which no digest gathers any more out of the
// queue. One that was not claimed has just been added for a reader to come.
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
	err := r.c.all(ctx, &idle, `SELECT f.id FROM feeds f WHERE f.id`+r.c.d.oneOf+` AND NOT `+
		wanted, keys(r.c.d, slices.Sorted(maps.Keys(queued))))
	for _, id := range idle {
		queued[id].Feed.PollAt = time.Time{}
	}
	return err
}

// save writes the feeds' records, last of all, and frees their hosts.
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
	if len(r.mergedInto) > 0 { // last: they may be among those that were just saved
		if err := refreshAskable(ctx, r.c, `f.id`+r.c.d.oneOf, keys(r.c.d, r.mergedInto)); err != nil {
			return err
		}
	}
	return r.freeHosts(ctx)
}

// tell tells the digests that wait for these feeds.
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
			v.row(p.stored.Host, from(p.HostFreeAt), p.Token) // as it was claimed: the feed may have moved
		}
	}
	return freeHosts(ctx, r.c, &v)
}

// freeHosts ends the leases of hosts, in their order as leaseHosts takes them.
func freeHosts(ctx context.Context, c conn, v *values) error {
	return c.runRows(ctx, v, `WITH v (host, free_at, token) AS (VALUES {rows})
		UPDATE hosts SET lease_until = v.free_at, token = ''
		FROM v WHERE hosts.host = v.host AND hosts.token = v.token`)
}

// A Polled is what one poll of one feed found.
type Polled struct {
	Feed  digest.Feed // the record as it must be stored, PollAt and all
	Was   digest.Feed // as it was claimed; what did not change since is not written. Zero: all is
	Token string      // as claimed; empty for a feed that EnsureFeed has just made

	// FirstRead says that the feed was never parsed before: of its posts only
	// those of the last 24 hours, or the newest, go to readers.
	FirstRead bool

	Posts  []digest.Post // new or changed ones, in document order; keys are not read
	Listed []string      // every identity in the document, in its order; empty if none was read
	Dates  []int64       // when each of them was published, in Unix seconds, 0: it has no date; nil: not known

	// Windowed says that the document holds as much as is read of one, or more:
	// what lies before all that is stored has slid in, and is no news.
	Windowed bool

	HostFreeAt time.Time // when the feed's host may be asked again

	// ReadAt is where the document was found, in normal form. If that is the
	// address of another feed, the posts are not shown to readers who subscribe to both.
	ReadAt string

	// FoundFor is who looked for a feed that has no reader yet: it is stored on their
	// account. 0: it is on nobody's.
	FoundFor digest.DigestID

	Poll PollRecord // for the history; one without a time is not kept
	Body *Body      // the document, if it was read; nil: the stored one stays

	Missing bool    // the feed is not there any more: readers who came from elsewhere go back
	Arrival Arrival // of a feed that has moved for good

	// Gap is when posts may have been lost, if nothing is known of what the
	// document lists. It is believed, and told to the feed's readers, only if
	// nothing of it is known under another identity either.
	Gap     *digest.Gap
	Illness digest.Illness // what the feed is sick of by now: readers are told once
	WasSick bool           // before this poll
}

// A RecordResult counts what Record did.
type RecordResult struct {
	Posts  int // new ones
	Hidden int // rows made for readers
	Stale  int // polls whose lease was no longer theirs: nothing of them was stored
	Told   int // digests that wait for one feed fewer: Release looks at them

	Waiting int // posts that were left for another day

	Refused int // polls that the database refused: nothing of them was stored but that
}

const (
	// refusedFor is how long a feed is not asked whose answer could not be stored.
	refusedFor = 24 * time.Hour
	// reasonLength bounds what a feed's record says of it, in bytes.
	reasonLength = 300
)
