package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// judge decides which new posts go to readers, and which known posts are in a released edition.
func (r *recording) judge(ctx context.Context) error {
	ranges, err := r.dateRanges(ctx)
	if err != nil {
		return err
	}
	fresh := make(map[*polled][]*incoming)
	for _, p := range r.fresh {
		fresh[p.poll] = append(fresh[p.poll], p)
	}
	for _, poll := range r.polls {
		shown, no := fresh[poll], map[*incoming]bool(nil)
		if poll.first {
			shown = firstShown(shown, r.now)
		} else {
			no = archive(shown, poll, ranges[poll.Feed.ID], r.now)
		}
		for _, p := range shown {
			if !no[p] {
				p.shownAt = r.now
			}
		}
	}
	if len(r.known) > 0 {
		r.frozen, err = r.released(ctx)
	}
	r.leaveParts()
	return err
}

// leaveParts keeps new parts of threads from readers, if the first post of the thread goes to them or waits for them,
// because its text includes the parts. A part that joins a thread later goes to readers as a post. Parts that a first
// read does not show do not go to later subscribers either.
func (r *recording) leaveParts() {
	whole := make(map[postKey]bool)
	for _, p := range r.fresh {
		whole[postKey{p.FeedID, p.Identity}] = p.shownAt != 0
	}
	for _, p := range r.known {
		whole[postKey{p.FeedID, p.Identity}] = p.wasShown && !r.frozen[p.id]
	}
	for _, p := range r.fresh {
		if p.PartOf != "" && (whole[postKey{p.FeedID, db.Clean(p.PartOf)}] || p.poll.first && p.shownAt == 0) {
			p.shownAt, p.Extra = 0, digest.Part
		}
	}
}

// insert stores the new posts, in document order.
func (r *recording) insert(ctx context.Context) error {
	var added []*incoming
	for part := range slices.Chunk(r.fresh, db.StatementRows) {
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
	if err := saveLinks(ctx, r.c, added); err != nil {
		return err
	}
	if err := queuePictures(ctx, r.c, added, r.now); err != nil {
		return err
	}
	return queueWords(ctx, r.c, shown)
}

// dateRanges returns the first and last date of the stored posts of each feed that may list older ones. Such a feed
// lists posts from before its last poll, or more posts than digest reads: if its publisher deletes one there, an
// unread post slides in at the old end.
func (r *recording) dateRanges(ctx context.Context) (map[digest.FeedID]dateRange, error) {
	ranges := make(map[digest.FeedID]dateRange)
	old := make(map[*polled]int)
	var ids []digest.FeedID
	for _, p := range r.fresh {
		if p.isOld() {
			old[p.poll]++
		}
		if (p.poll.Windowed || old[p.poll] > fewOld) && !p.poll.first && !slices.Contains(ids, p.FeedID) {
			ids = append(ids, p.FeedID)
		}
	}
	if len(ids) == 0 {
		return ranges, nil
	}
	var rows []struct {
		FeedID digest.FeedID
		dateRange
	}
	err := r.c.All(ctx, &rows, `SELECT feed_id, MIN(published_at) AS begins, MAX(published_at) AS ends FROM posts
		WHERE feed_id`+r.c.d.OneOf+` AND published_at > 0 GROUP BY feed_id`, ids)
	for _, row := range rows {
		ranges[row.FeedID] = row.dateRange
	}
	return ranges, err
}

type postKey struct {
	FeedID   digest.FeedID
	Identity string
}

func (r *recording) insertPart(ctx context.Context, part []*incoming) ([]*incoming, error) {
	var v values
	for _, p := range part {
		v.Row(p.FeedID, p.Identity, p.fingerprint, p.PublishedAt, p.SeenAt, p.poll.readBefore, r.now, p.shownAt,
			p.ContentHash, p.URL, p.Title, p.Author, p.Language, p.ImageURL, p.Summary, p.Content,
			enclosuresText(p.Enclosures), p.Syndication, p.poll.away, p.Extra, p.Untitled, p.LeadsTo, p.Comments)
	}
	var rows []struct {
		postKey
		ID digest.PostID
	}
	err := r.c.AllRows(ctx, &rows, &v,
		`INSERT INTO posts (feed_id, identity, fingerprint, published_at, seen_at, read_before, listed_at, shown_at,
		content_hash, url, title, author, language, image_url, summary, content, enclosures, syndication, read_address,
		extra, untitled, leads_to, comments) VALUES {rows}
		ON CONFLICT (feed_id, identity) DO NOTHING RETURNING id, feed_id, identity`)
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

// hide inserts the hidden rows of the new posts, of all feeds in one statement, for all digests that gather. There is
// no ON CONFLICT, because a new post has no rows yet.
func (r *recording) hide(ctx context.Context) error {
	var v values
	for _, p := range r.fresh {
		if p.shownAt != 0 {
			v.Row(p.id, p.FeedID, p.Extra)
		}
	}
	n, err := r.c.ExecRows(ctx, &v, insertHidden)
	r.hidden += n
	return err
}

// insertHidden inserts the hidden rows of posts (post_id, feed_id, extra).
const insertHidden = `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		WITH v (post_id, feed_id, extra) AS (VALUES {rows})
		SELECT s.digest_id, d.next_due_at, v.post_id
		FROM v CROSS JOIN subscriptions s CROSS JOIN digests d
		WHERE s.feed_id = v.feed_id AND s.paused = 0 AND (v.extra = 0 OR (v.extra & s.extras) <> 0)
		AND d.id = s.digest_id AND ` + gathers + ` ORDER BY s.digest_id, v.post_id`

// firstShown returns the posts that go to readers after the first read of a feed. They are its posts of the last 24
// hours, or the newest one, or the first one if none has a date.
func firstShown(posts []*incoming, now instant) []*incoming {
	if len(posts) == 0 {
		return nil
	}
	var shown []*incoming
	var newest *incoming // without extras and parts
	enough := false
	for _, p := range posts {
		recent := at(p.PublishedAt) > now.Plus(-Recent)
		if recent {
			shown = append(shown, p)
		}
		if p.Extra != 0 || p.PartOf != "" {
			continue
		}
		enough = enough || recent
		if newest == nil || p.PublishedAt.After(newest.PublishedAt) {
			newest = p
		}
	}
	if !enough && newest != nil && !newest.poll.knows() {
		shown = append(shown, newest)
	}
	return shown
}

// knows reports whether the document of a poll contains a stored post.
func (p *polled) knows() bool { return p.overlaps || len(p.Listed) > len(p.Posts) }

// listedEvery is how often listed_at of the posts in a document is updated. Prune allows a day more.
const listedEvery = 30 * 24 * time.Hour

// noteListed updates listed_at of the posts in a document, for feeds where it is listedEvery old. New posts are
// stored with it.
func (r *recording) noteListed(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		if len(p.Listed) == 0 || p.listedAt > r.now.Plus(-listedEvery) {
			continue
		}
		p.listedAt = r.now
		for _, identity := range p.Listed {
			v.Row(p.Feed.ID, identity)
		}
	}
	return r.c.RunRows(ctx, &v, `WITH v (feed_id, identity) AS (VALUES {rows})
			UPDATE posts SET listed_at = ? FROM v
			WHERE posts.feed_id = v.feed_id AND posts.identity = v.identity AND posts.listed_at < ?`, r.now, r.now)
}

// Recent is how old the posts of a feed may be that go to its new readers.
const Recent = 24 * time.Hour
