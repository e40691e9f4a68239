package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"digest"
	"digest/store/db"
)

// fingerprint returns a hash that stays the same when a post's GUID changes, or its site moves to another host. It
// hashes path and query of the address without a final slash, and the title, or the content's hash without either.
func fingerprint(p digest.Post) string {
	text := pathOf(p.URL) + "\n" + p.Title
	if text == "\n" {
		text = p.ContentHash
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// pathOf returns path and query of an address, without a final slash.
func pathOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = strings.TrimLeftFunc(rest, func(r rune) bool { return !strings.ContainsRune("/?#", r) })
	}
	return strings.TrimSuffix(address, "/")
}

type storedPost struct {
	postKey
	ID          digest.PostID
	Fingerprint string
	URL         string
	Title       string
	Summary     string
	PublishedAt instant
	SeenAt      instant
	ContentHash string
	ShownAt     instant // when it was last added for readers; 0 if never
}

const storedColumns = `p.id, p.feed_id, p.identity, p.fingerprint, p.url, p.title, p.summary, p.published_at,
	p.seen_at, p.content_hash, p.shown_at`

// match finds which posts are stored already, under their identity or under one that the document no longer lists.
// The posts that remain in fresh are new.
func (r *recording) match(ctx context.Context) error {
	known, err := r.byIdentity(ctx)
	if err == nil && r.renumber(known) {
		known, err = r.byIdentity(ctx)
	}
	if err != nil {
		return err
	}
	r.moveKnown(func(p *incoming) (storedPost, bool) {
		s, ok := known[postKey{p.FeedID, p.Identity}]
		return s, ok
	})
	stored, err := r.find(ctx, "fingerprint", func(p *incoming) string { return p.fingerprint })
	if err != nil {
		return err
	}
	r.moveKnown(renamed(stored))
	stored, err = r.find(ctx, "identity", func(p *incoming) string { return p.Former })
	if err != nil {
		return err
	}
	r.moveKnown(former(stored))
	stored, err = r.find(ctx, "identity", func(p *incoming) string { return p.Alias })
	if err != nil {
		return err
	}
	r.moveKnown(r.aliased(stored))
	return r.recognise(ctx)
}

func (r *recording) byIdentity(ctx context.Context) (map[postKey]storedPost, error) {
	stored, err := r.find(ctx, "identity", func(p *incoming) string { return p.Identity })
	known := make(map[postKey]storedPost, len(stored))
	for _, s := range stored {
		known[s.postKey] = s
	}
	return known, err
}

// former finds the stored post that an earlier version of digest stored under another identity.
func former(stored []storedPost) func(*incoming) (storedPost, bool) {
	byIdentity := make(map[postKey]storedPost, len(stored))
	for _, s := range stored {
		byIdentity[s.postKey] = s
	}
	return func(p *incoming) (storedPost, bool) {
		key := postKey{p.FeedID, db.Clean(p.Former)}
		s, ok := byIdentity[key]
		delete(byIdentity, key)
		return s, ok
	}
}

// aliased finds the stored post whose identity is the alias of an unknown post: a GUID that posts begin or cease to
// share. They must have the same address, or otherwise the same date. If two posts match, it finds neither.
func (r *recording) aliased(stored []storedPost) func(*incoming) (storedPost, bool) {
	renamed := make(map[digest.PostID]bool)
	for _, p := range r.known {
		renamed[p.id] = true
	}
	byAlias := make(map[postKey][]*incoming)
	for _, p := range r.fresh {
		key := postKey{p.FeedID, db.Clean(p.Alias)}
		byAlias[key] = append(byAlias[key], p)
	}
	heirs := make(map[*incoming]storedPost)
	for _, s := range stored {
		those := byAlias[s.postKey]
		if renamed[s.ID] || len(those) == 0 || those[0].poll.lists(s.Identity) {
			continue
		}
		heir := only(those, func(p *incoming) bool { return p.URL != "" && p.URL == s.URL })
		if heir == nil {
			heir = only(those, func(p *incoming) bool {
				return s.PublishedAt != 0 &&
					s.PublishedAt == at(p.PublishedAt)
			})
		}
		if heir != nil {
			heirs[heir] = s
		}
	}
	return func(p *incoming) (storedPost, bool) {
		s, ok := heirs[p]
		return s, ok
	}
}

// only returns the one post for which holds is true, or nil if there are several or none.
func only(posts []*incoming, holds func(*incoming) bool) (one *incoming) {
	for _, p := range posts {
		switch {
		case !holds(p):
		case one != nil:
			return nil
		default:
			one = p
		}
	}
	return one
}

// moveKnown moves the fresh posts that found finds among the stored ones to known. It drops unchanged posts.
func (r *recording) moveKnown(found func(*incoming) (storedPost, bool)) {
	r.fresh = slices.DeleteFunc(r.fresh, func(p *incoming) bool {
		s, ok := found(p)
		p.poll.overlaps = p.poll.overlaps || ok
		if ok && (s.ContentHash != p.ContentHash || s.Identity != p.Identity) {
			p.id, p.seenAt, p.was, p.wasShown, p.renamed = s.ID, s.SeenAt, s.ContentHash, s.ShownAt != 0,
				s.Identity != p.Identity && digest.IsHashed(s.Identity)
			r.known = append(r.known, p)
		}
		return ok
	})
}

// renamed finds the stored post that an unknown identity replaces. Its fingerprint and date are the same, and the
// document no longer lists its identity. If either post has no date, or several stored posts share the date, the
// content must be the same instead. Each stored post is replaced once.
func renamed(stored []storedPost) func(*incoming) (storedPost, bool) {
	type trace struct {
		feed        digest.FeedID
		fingerprint string
		published   instant
	}
	traces, dates := make(map[trace][]storedPost), make(map[trace]int)
	for _, s := range stored {
		t := trace{s.FeedID, s.Fingerprint, 0}
		traces[t] = append(traces[t], s)
		dates[trace{s.FeedID, s.Fingerprint, s.PublishedAt}]++
	}
	return func(p *incoming) (storedPost, bool) {
		t := trace{p.FeedID, p.fingerprint, 0}
		i := slices.IndexFunc(traces[t], func(s storedPost) bool {
			same := s.PublishedAt == at(p.PublishedAt)
			if s.PublishedAt == 0 || p.PublishedAt.IsZero() ||
				dates[trace{s.FeedID, s.Fingerprint, s.PublishedAt}] > 1 {
				same = s.ContentHash == p.ContentHash
			}
			return same && !p.poll.lists(s.Identity)
		})
		if i < 0 {
			return storedPost{}, false
		}
		s := traces[t][i]
		traces[t] = slices.Delete(traces[t], i, i+1)
		return s, true
	}
}

func (p *polled) lists(identity string) bool {
	if p.listed == nil {
		p.listed = make(map[string]bool, len(p.Listed))
		for _, listed := range p.Listed {
			p.listed[db.Clean(listed)] = true
		}
	}
	return p.listed[identity]
}

// find returns the stored posts that share a column with a fresh post of their feed.
func (r *recording) find(ctx context.Context, column string, key func(*incoming) string) ([]storedPost, error) {
	var v values
	for _, p := range r.fresh {
		if wanted := key(p); wanted != "" { // few have an alias
			v.Row(p.FeedID, wanted)
		}
	}
	var stored []storedPost
	return stored, r.c.AllRows(ctx, &stored, &v, `WITH v (feed_id, wanted) AS (VALUES {rows})
		SELECT DISTINCT `+storedColumns+` FROM v CROSS JOIN posts p
		WHERE p.feed_id = v.feed_id AND p.`+column+` = v.wanted ORDER BY p.id`)
}

// edit stores edits and new identities. For a post in a released edition it changes only what identifies the post,
// not what readers see.
func (r *recording) edit(ctx context.Context) error {
	if len(r.known) == 0 {
		return nil
	}
	var bare, whole values
	var edited []digest.PostID
	var rewritten []*incoming
	for _, p := range r.known {
		if r.frozen[p.id] {
			hash := p.ContentHash
			if p.poll.away != "" { // readers have not got this document's version
				hash = p.was
			}
			bare.Row(p.id, p.Identity, p.fingerprint, hash)
			continue
		}
		published := at(p.PublishedAt)
		whole.Row(p.id, p.Identity, p.fingerprint, p.ContentHash, min(published, p.seenAt),
			p.URL, p.Title, p.Author, p.Language, p.ImageURL, p.Summary, p.Content, enclosuresText(p.Enclosures),
			p.Syndication, p.poll.away, p.Untitled, p.LeadsTo, p.Comments)
		edited, rewritten = append(edited, p.id), append(rewritten, p)
	}
	err := r.c.RunRows(ctx, &bare, `WITH v (id, identity, fingerprint, content_hash) AS (VALUES {rows})
			UPDATE posts SET identity = v.identity, fingerprint = v.fingerprint, content_hash = v.content_hash,
			frozen = 1, listed_at = ? FROM v WHERE posts.id = v.id`, r.now)
	if err != nil {
		return err
	}
	if err := queueWords(ctx, r.c, edited); err != nil {
		return err
	}
	if err := replaceLinks(ctx, r.c, rewritten); err != nil {
		return err
	}
	return r.c.RunRows(ctx, &whole, `WITH v (id, identity, fingerprint, content_hash, published_at, url, title, author,
			language, image_url, summary, content, enclosures, syndication, read_address, untitled,
			leads_to, comments) AS (VALUES {rows})
			UPDATE posts SET identity = v.identity, fingerprint = v.fingerprint, content_hash = v.content_hash,
			published_at = v.published_at, url = v.url, title = v.title, author = v.author, language = v.language,
			image_url = v.image_url, summary = v.summary, content = v.content, enclosures = v.enclosures,
			syndication = v.syndication, read_address = v.read_address, untitled = v.untitled, leads_to = v.leads_to,
			comments = v.comments, listed_at = ? FROM v WHERE posts.id = v.id`, r.now)
}

// The date of an edition may be before the first sighting of a post in it, if its release was late by almost the
// whole time to the next midnight. These are the days of that time in a weekly and a monthly digest, with the date
// line.
const (
	frozenDays        = 9
	frozenDaysMonthly = 38
)

// releasedPosts selects the posts (id, since, any_since) that are in a released edition. The scalar subquery keeps
// planners from starting with digest_posts, because they would search all its partitions for each reader.
const releasedPosts = `WITH v (id, since, any_since) AS (VALUES {rows})
		SELECT p.id FROM v CROSS JOIN posts p WHERE p.id = v.id AND (p.frozen = 1 OR p.shown_at > 0 AND EXISTS (
		SELECT 1 FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		JOIN editions e ON e.digest_id = s.digest_id
		WHERE s.feed_id = p.feed_id AND s.paused = 0 AND d.released_at >= p.seen_at
		AND e.local_date >= v.any_since AND e.due_at <= p.shown_at + ?
		AND (d.cadence > ? OR e.local_date >= v.since AND e.due_at <= p.shown_at + ?)
		AND (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = e.digest_id AND dp.visible_at = e.due_at
		AND dp.post_id = p.id) = 1))`

// released returns which of the known posts are in a released edition. No index connects a post to its editions,
// because it would double the cost of the hottest insert. So the query examines the editions of the feed's readers,
// from the post's first sighting to the last midnight for which it can have waited. It stops at the first that
// contains the post. A post that was never added for readers is in no edition. withdraw marks the posts of a reader
// who unsubscribes as frozen.
func (r *recording) released(ctx context.Context) (map[digest.PostID]bool, error) {
	var v values
	for _, p := range r.known {
		seen := digest.DateOf(p.seenAt.Time())
		v.Row(p.id, seen.Plus(-frozenDays), seen.Plus(-frozenDaysMonthly))
	}
	var found []digest.PostID
	err := r.c.AllRows(ctx, &found, &v, releasedPosts, longestWait, digest.Daily,
		shownGrace)
	frozen := make(map[digest.PostID]bool, len(found))
	for _, id := range found {
		frozen[id] = true
	}
	return frozen, err
}
