package store

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// withdrawnWithin is how long after a post was first seen its feed may withdraw it from waiting readers. A post waits
// that long for a monthly digest.
const withdrawnWithin = 37 * 24 * time.Hour

// withdraw removes posts that their publishers have deleted from the midnights for which they wait. They stay stored
// without a content hash, so that a post that is listed again is restored, and not withdrawn again.
func (r *recording) withdraw(ctx context.Context) error {
	inserted := make(map[digest.FeedID][]recentPost)
	for _, p := range r.fresh {
		inserted[p.FeedID] = append(inserted[p.FeedID], recentPost{postKey{p.FeedID, p.Identity}, p.id,
			at(p.PublishedAt), at(p.SeenAt)})
	}
	renamed := make(map[digest.PostID]string, len(r.known))
	for _, p := range r.known {
		renamed[p.id] = p.Identity
	}
	var gone []digest.PostID
	for _, p := range r.polls {
		if p.tellsDeleted() {
			for i := range p.recent {
				p.recent[i].Identity = cmp.Or(renamed[p.recent[i].ID], p.recent[i].Identity)
			}
			gone = append(gone, deleted(append(p.recent, inserted[p.Feed.ID]...), p.Listed, p.Dates, p.isLater())...)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	var ids []digest.PostID
	err := r.c.All(ctx, &ids, `DELETE FROM digest_posts WHERE (digest_id, visible_at, post_id) IN (
		SELECT s.digest_id, d.next_due_at, p.id FROM posts p JOIN subscriptions s ON s.feed_id = p.feed_id
		JOIN digests d ON d.id = s.digest_id
		WHERE p.id IN (`+list(gone)+`)) RETURNING post_id`)
	if err != nil || len(ids) == 0 {
		return err
	}
	slices.Sort(ids)
	return r.c.Run(ctx, `UPDATE posts SET content_hash = '', withdrawn_at = ? WHERE id`+r.c.d.OneOf, r.now,
		slices.Compact(ids))
}

// tellsDeleted reports whether posts that a poll does not list may have been deleted. Its document must list a known
// post.
func (p *polled) tellsDeleted() bool { return p.isWhole() && p.knows() }

// isWhole reports whether a poll read the whole document, at the feed's own address.
func (p *polled) isWhole() bool {
	own := p.ReadAt == p.stored.URL && p.Feed.URL == p.stored.URL && p.Feed.MovedTo == ""
	return own && !p.first && len(p.Listed) > 0 && !p.Windowed && p.Feed.PostsWaiting == 0
}

// isLater reports whether a document is later than the one before it, according to its server (Last-Modified, RFC
// 9110 section 8.8.2).
func (p *polled) isLater() bool {
	was, err := http.ParseTime(p.Was.LastModified)
	if err != nil || p.Was.ValidatorURL != p.Feed.ValidatorURL {
		return false
	}
	is, err := http.ParseTime(p.Feed.LastModified)
	return err == nil && is.After(was)
}

type recentPost struct {
	postKey
	ID          digest.PostID
	PublishedAt instant
	SeenAt      instant
}

// deleted returns the recent posts of a feed that its publisher deleted. The document no longer lists them, lists older
// posts, and lists at least as many older posts as newer ones. If there are more newer ones, the post slid out of a
// short document with an old pinned post. If there is no newer one, the document may be an earlier version from a cache
// or a slow mirror, unless it is later than the one before. dates holds the dates of the listed posts in Unix seconds,
// 0 for none: undated posts are compared by the time at which the feed first listed them.
func deleted(recent []recentPost, listed []string, dates []int64, later bool) (gone []digest.PostID) {
	all := unlisted(recent, listed, dates, func(older, newer int) bool {
		return older > 0 && older >= newer && (newer > 0 || later)
	})
	return slices.Sorted(maps.Keys(all))
}

// unlisted finds the recent posts that a document does not list, and for which holds is true with the numbers of
// older and newer posts that it lists.
func unlisted(recent []recentPost, listed []string, dates []int64,
	holds func(older, newer int) bool) map[digest.PostID]bool {
	seen := make(map[string]instant, len(recent))
	for _, p := range recent {
		seen[p.Identity] = p.SeenAt
	}
	lists := make(map[string]bool, len(listed))
	// Dates of the listed posts, first sightings of those without a date, and first sightings of all.
	var stated, undated, all []instant
	for i := range listed {
		identity := db.Clean(listed[i])
		lists[identity] = true
		all = append(all, seen[identity])
		if i < len(dates) && dates[i] != 0 {
			stated = append(stated, instant(dates[i]))
		} else {
			undated = append(undated, seen[identity])
		}
	}
	for _, times := range [][]instant{stated, undated, all} {
		slices.Sort(times)
	}
	found := make(map[digest.PostID]bool)
	for _, p := range recent {
		if lists[p.Identity] {
			continue
		}
		older, newer := around(all, p.SeenAt)
		if p.PublishedAt != 0 {
			older, newer = around(undated, p.SeenAt)
			before, after := around(stated, p.PublishedAt)
			older, newer = older+before, newer+after
		}
		if holds(older, newer) {
			found[p.ID] = true
		}
	}
	return found
}

// around returns how many of some sorted times are before an instant, and how many after it.
func around(times []instant, t instant) (before, after int) {
	before, _ = slices.BinarySearch(times, t)
	after, _ = slices.BinarySearch(times, t+1)
	return before, len(times) - after
}

// restore adds posts that were withdrawn and are listed again, for readers who have not had them. A post from the
// poll for a midnight belongs to that midnight, which is before its first sighting.
func (r *recording) restore(ctx context.Context) error {
	var ids []digest.PostID
	for _, p := range r.known {
		if p.was == "" {
			ids = append(ids, p.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	n, err := r.c.Exec(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id) SELECT s.digest_id,
		d.next_due_at, p.id
		FROM posts p JOIN subscriptions s ON s.feed_id = p.feed_id JOIN digests d ON d.id = s.digest_id
		WHERE p.id IN (`+list(ids)+`) AND s.paused = 0 AND (p.extra = 0 OR (p.extra & s.extras) <> 0) AND `+gathers+`
		AND NOT EXISTS (SELECT 1 FROM digest_posts h WHERE h.digest_id = s.digest_id AND h.visible_at >= p.seen_at - ?
		AND h.post_id = p.id)
		ORDER BY s.digest_id, p.id`, withdrawnWithin)
	r.hidden += n
	if err != nil {
		return err
	}
	return showNow(ctx, r.c, ids, r.now)
}
