package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"digest"
)

// listedEvery is how often the posts that a document still lists are noted as
// such; Prune gives them a day more.
const listedEvery = 30 * 24 * time.Hour

// Record stores what polls found, in one transaction: new posts, a hidden
// row for each new post and each subscribed digest that gathers, and last
// the feeds' records, which ends their leases. A poll whose lease was taken
// over meanwhile stores nothing.
//
// A post under a new identity that replaces one the document no longer lists,
// with the same address and title, is the same post (I4). An edit is stored
// while the post is in no released edition, and ignored afterwards.
//
// Where the database refuses what a poll brought, the others are stored without
// it, and its feed is not asked for a day.
//
// Readers are told of a feed that has died, and of posts that it may have lost.
// What happened to a feed while it was in flight stays: a ping, a doubt, a
// reader who left. What its answer says of its domain's patience is noted.
//
// Storing excludes releasing (I8).
func (s *Store) Record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	if len(polls) == 0 {
		return RecordResult{}, nil
	}
	polls, err := s.pack(polls)
	if err != nil {
		return RecordResult{}, fmt.Errorf("storing polls: %w", err)
	}
	result, err := s.record(ctx, now, polls)
	if isRefused(err) {
		result, err = s.recordEach(ctx, now, polls)
	}
	if err != nil {
		return RecordResult{}, fmt.Errorf("storing polls: %w", err)
	}
	return result, nil
}

// record is one transaction of Record.
func (s *Store) record(ctx context.Context, now time.Time, polls []Polled) (RecordResult, error) {
	var result RecordResult
	err := s.write(ctx, func(c conn) error {
		r := recording{c: c, now: at(now)}
		if err := c.hold(ctx, s.d.lockShared); err != nil {
			return err
		}
		for _, step := range []func(context.Context) error{
			func(ctx context.Context) error { return r.lockFeeds(ctx, polls) },
			r.match,
			r.insert,
			r.edit,
			r.hide,
			r.dropMirrored,
			r.noteListed,
			r.tellGaps,
			r.tellDead,
			r.saveBodies,
			r.notePolls,
			r.pace,
			r.save,
			r.count,
		} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		result = RecordResult{Posts: r.posts, Hidden: r.hidden, Stale: len(polls) - len(r.polls)}
		return nil
	})
	return result, err
}

// A recording is one call of Record on its way through its steps.
type recording struct {
	c     conn
	now   instant
	polls []*polled // whose lease still holds, in the order of feeds

	fresh  []*incoming // posts to be added
	known  []*incoming // posts that are stored, and were edited or renamed
	posts  int
	hidden int

	mergedInto []digest.FeedID // feeds of which others have become part
}

// A polled is a poll and the state of its feed as it is stored.
type polled struct {
	Polled
	url      string
	host     string
	state    digest.FeedState
	first    bool
	listedAt instant

	movedSince instant
	readBefore instant // when the feed was read last; 0 if it never was

	overlaps bool // the document holds something that is stored
	again    bool // something came while the feed was in flight for which it is to be asked again
}

// An incoming is a post of a poll on its way to be stored.
type incoming struct {
	digest.Post
	poll        *polled
	fingerprint string
	id          digest.PostID // 0: not stored yet
	seenAt      instant       // as stored
	shownAt     instant       // now, of a new post that goes to readers
}

// lockFeeds locks the feeds, in the order of their keys, and leaves out the polls
// whose lease another worker has taken over.
func (r *recording) lockFeeds(ctx context.Context, polls []Polled) error {
	byID := make(map[digest.FeedID]Polled, len(polls))
	for _, p := range polls {
		byID[p.Feed.ID] = p
	}
	ids := slices.Sorted(maps.Keys(byID))
	var rows []lockedFeed
	err := r.c.all(ctx, &rows, `SELECT id, url, host, state, lease_token, parsed_at, listed_at, moved_since,
		last_ok_at, pinged_at, doubted, host_interval FROM feeds WHERE id IN (`+list(ids)+`) ORDER BY id`+r.c.d.forUpdate)
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

// A lockedFeed is what storing a poll needs to know of its feed.
type lockedFeed struct {
	ID         digest.FeedID    `db:"id"`
	URL        string           `db:"url"`
	Host       string           `db:"host"`
	State      digest.FeedState `db:"state"`
	Token      string           `db:"lease_token"`
	ParsedAt   instant          `db:"parsed_at"`
	ListedAt   instant          `db:"listed_at"`
	MovedSince instant          `db:"moved_since"`
	LastOKAt   instant          `db:"last_ok_at"`
	PingedAt   instant          `db:"pinged_at"`
	Doubted    bool             `db:"doubted"`
	HostRule   int64            `db:"host_interval"`
}

// polled joins a poll with the state of its feed. A ping or a doubt that came
// while the feed was in flight is answered by the next poll, not by this one;
// a rule for its host holds from now on.
func (c conn) polled(row lockedFeed, p Polled, now instant) *polled {
	p.Feed.HostInterval, p.Feed.LeaseUntil = span(row.HostRule), time.Time{}
	own := &polled{
		Polled: p, url: row.URL, host: row.Host, state: row.State,
		first: p.FirstRead || row.ParsedAt == 0, listedAt: row.ListedAt, movedSince: row.MovedSince,
	}
	if !own.first {
		own.readBefore = row.LastOKAt
	}
	pinged, doubted := row.PingedAt > at(p.Was.PingedAt), row.Doubted && !p.Was.Doubted
	if p.Token == "" || !pinged && !doubted {
		return own
	}
	own.again = true
	f := &own.Feed
	if pinged {
		f.PingedAt = row.PingedAt.time()
	}
	f.Doubted = f.Doubted || doubted
	f.PollAt = earlier(from(f.PollAt), c.askable(*f, now)).time()
	return own
}

// addPoll takes in a poll and its posts.
func (r *recording) addPoll(p *polled) {
	r.polls = append(r.polls, p)
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
	err := r.c.all(ctx, &idle, `SELECT f.id FROM feeds f WHERE f.id IN (`+list(slices.Sorted(maps.Keys(queued)))+`) AND NOT `+wanted)
	for _, id := range idle {
		queued[id].Feed.PollAt = time.Time{}
	}
	return err
}

// insert stores the new posts, in document order.
func (r *recording) insert(ctx context.Context) error {
	begins, err := r.begins(ctx)
	if err != nil {
		return err
	}
	for _, p := range r.shown() {
		if p.PublishedAt.IsZero() || at(p.PublishedAt) >= begins[p.FeedID] {
			p.shownAt = r.now
		}
	}
	var added []*incoming
	for part := range slices.Chunk(r.fresh, statementRows) {
		n, err := r.insertPart(ctx, part)
		if err != nil {
			return err
		}
		added = append(added, n...)
	}
	r.fresh = added
	r.posts = len(added)
	var shown []digest.PostID
	for _, p := range added {
		if p.shownAt != 0 {
			shown = append(shown, p.id)
		}
	}
	return queueWords(ctx, r.c, shown)
}

// begins gives the date of the oldest stored post of each feed whose document
// is longer than what is read of it. When a post is taken down there, one
// that was never read slides in at the old end.
func (r *recording) begins(ctx context.Context) (map[digest.FeedID]instant, error) {
	begins := make(map[digest.FeedID]instant)
	var ids []digest.FeedID
	for _, p := range r.fresh {
		if p.poll.Windowed && !p.poll.first && !slices.Contains(ids, p.FeedID) {
			ids = append(ids, p.FeedID)
		}
	}
	if len(ids) == 0 {
		return begins, nil
	}
	var rows []struct {
		FeedID digest.FeedID `db:"feed_id"`
		Begins instant       `db:"begins"`
	}
	err := r.c.all(ctx, &rows, `SELECT feed_id, MIN(published_at) AS begins FROM posts
		WHERE feed_id IN (`+list(ids)+`) AND published_at > 0 GROUP BY feed_id`)
	for _, row := range rows {
		begins[row.FeedID] = row.Begins
	}
	return begins, err
}

type postKey struct {
	FeedID   digest.FeedID `db:"feed_id"`
	Identity string        `db:"identity"`
}

func (r *recording) insertPart(ctx context.Context, part []*incoming) ([]*incoming, error) {
	var v values
	for _, p := range part {
		v.row(p.FeedID, p.Identity, p.fingerprint, at(p.PublishedAt), at(p.SeenAt), p.poll.readBefore, r.now, p.shownAt,
			p.ContentHash, p.URL, p.Title, p.Author, p.Language, p.ImageURL, p.Summary, p.Content, enclosuresText(p.Enclosures))
	}
	var rows []struct {
		postKey
		ID digest.PostID `db:"id"`
	}
	err := r.c.all(ctx, &rows, `INSERT INTO posts (feed_id, identity, fingerprint, published_at, seen_at, read_before, listed_at, shown_at,
		content_hash, url, title, author, language, image_url, summary, content, enclosures) VALUES `+v.String()+`
		ON CONFLICT (feed_id, identity) DO NOTHING RETURNING id, feed_id, identity`, v.args...)
	if err != nil {
		return nil, err
	}
	ids := make(map[postKey]digest.PostID, len(rows))
	for _, row := range rows {
		ids[row.postKey] = row.ID
	}
	var added []*incoming
	for _, p := range part {
		key := postKey{p.FeedID, p.Identity}
		if id := ids[key]; id != 0 {
			p.id = id
			added = append(added, p)
			delete(ids, key)
		} else {
			p.poll.overlaps = true
		}
	}
	return added, nil
}

// hide makes the hidden rows of the new posts, of all feeds in one statement,
// for all digests that gather.
// There is no ON CONFLICT: that the post is new proves that the rows are.
func (r *recording) hide(ctx context.Context) error {
	var v values
	for _, p := range r.fresh {
		if p.shownAt != 0 {
			v.row(p.id, p.FeedID)
		}
	}
	return v.chunks(func(part *values) error {
		n, err := r.c.exec(ctx, insertHidden(part))
		r.hidden += n
		return err
	})
}

// insertHidden makes the hidden rows of posts (post_id, feed_id).
func insertHidden(posts *values) string {
	return `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		WITH v (post_id, feed_id) AS (VALUES ` + posts.String() + `)
		SELECT s.digest_id, d.next_due_at, v.post_id
		FROM v CROSS JOIN subscriptions s CROSS JOIN digests d
		WHERE s.feed_id = v.feed_id AND s.rests = 0 AND d.id = s.digest_id AND ` + gathers + ` ORDER BY s.digest_id, v.post_id`
}

// shown is the new posts that go to readers, unless they have slid in: all but
// the old ones of a feed that is read for the first time.
func (r *recording) shown() []*incoming {
	var shown []*incoming
	first := make(map[*polled][]*incoming)
	for _, p := range r.fresh {
		if p.poll.first {
			first[p.poll] = append(first[p.poll], p)
		} else {
			shown = append(shown, p)
		}
	}
	for _, p := range r.polls {
		shown = append(shown, firstShown(first[p], r.now)...)
	}
	return shown
}

// firstShown is what of a feed read for the first time goes to readers: posts
// of the last 24 hours, or the newest one, or the first of those without dates.
func firstShown(posts []*incoming, now instant) []*incoming {
	if len(posts) == 0 {
		return nil
	}
	var shown []*incoming
	newest := posts[0]
	for _, p := range posts {
		if at(p.PublishedAt) > now.plus(-recent) {
			shown = append(shown, p)
		}
		if p.PublishedAt.After(newest.PublishedAt) {
			newest = p
		}
	}
	if len(shown) == 0 {
		return []*incoming{newest}
	}
	return shown
}

// noteListed brings listed_at of the posts in a document up to date, for feeds
// where that was last done listedEvery ago. New posts bring it with them.
func (r *recording) noteListed(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		if len(p.Listed) == 0 || p.listedAt > r.now.plus(-listedEvery) {
			continue
		}
		p.listedAt = r.now
		for _, identity := range p.Listed {
			v.row(p.Feed.ID, identity)
		}
	}
	return v.chunks(func(part *values) error {
		_, err := r.c.exec(ctx, `WITH v (feed_id, identity) AS (VALUES `+part.String()+`)
			UPDATE posts SET listed_at = `+fmt.Sprint(r.now)+` FROM v
			WHERE posts.feed_id = v.feed_id AND posts.identity = v.identity AND posts.listed_at < `+fmt.Sprint(r.now), part.args...)
		return err
	})
}

// save writes the feeds' records, last of all, and frees their hosts.
func (r *recording) save(ctx context.Context) error {
	if err := r.move(ctx); err != nil {
		return err
	}
	if err := saveFeeds(ctx, r.c, r.polls); err != nil {
		return err
	}
	if err := followRules(ctx, r.c, append(r.moved(), r.mergedInto...)); err != nil {
		return err
	}
	var hosts values
	for _, p := range r.polls {
		if p.Token != "" {
			hosts.row(p.host, from(p.HostFreeAt), p.Token) // as it was claimed: the feed may have moved
		}
	}
	return hosts.chunks(func(part *values) error { return freeHosts(ctx, r.c, part) })
}

// freeHosts ends the leases of hosts, in their order as leaseHosts takes them.
func freeHosts(ctx context.Context, c conn, v *values) error {
	_, err := c.exec(ctx, `WITH v (host, free_at, token) AS (VALUES `+v.String()+`)
		UPDATE hosts SET lease_until = v.free_at, token = ''
		FROM v WHERE hosts.host = v.host AND hosts.token = v.token`, v.args...)
	return err
}
