package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/internal/textsearch"
)

const (
	// mostVersions is how many later versions of a post are stored, the latest ones.
	mostVersions = 5
	// versionBytes bounds the content of a version. A longer one is not stored.
	versionBytes = 64 << 10
	// leastChanged is how many words of a text must be added or removed to change what it says. A corrected spelling
	// or a counter of comments changes fewer.
	leastChanged = 5
	// comparedAtOnce is how many posts are in memory for comparison.
	comparedAtOnce = 20
	// mostCompared bounds the content that is compared for one poll, in bytes, because other writers wait for the
	// lock.
	mostCompared = 1 << 20
)

// compareDelivered finds the edits of delivered posts that change what they say. Readers keep the text that they got;
// the new text becomes a version.
func (r *recording) compareDelivered(ctx context.Context) error {
	edited := make(map[digest.PostID]*incoming)
	var ids []digest.PostID
	compared := make(map[*polled]int)
	for _, p := range r.known {
		if r.frozen[p.id] && p.poll.away == "" && p.was != "" && p.was != p.ContentHash &&
			len(p.Content) <= versionBytes {
			if compared[p.poll] += len(p.Content); compared[p.poll] > mostCompared {
				continue
			}
			edited[p.id], ids = p, append(ids, p.id)
		}
	}
	for part := range slices.Chunk(ids, comparedAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var latest []struct {
			ID             digest.PostID
			Title, Content string
		}
		err := r.c.All(ctx, &latest,
			`SELECT p.id, COALESCE(v.title, p.title) AS title, COALESCE(v.content, p.content) AS content
			FROM posts p LEFT JOIN post_versions v ON v.post_id = p.id
			AND v.seen_at = (SELECT MAX(x.seen_at) FROM post_versions x WHERE x.post_id = p.id) WHERE p.id IN (`+
				list(part)+`)`)
		if err != nil {
			return err
		}
		for _, l := range latest {
			p := edited[l.ID]
			p.rewritten = changes(textsearch.Document(l.Title), textsearch.Document(p.Title)) > 0 ||
				changes(textsearch.Document(textsearch.Text(l.Content)),
					textsearch.Document(textsearch.Text(p.Content))) >= leastChanged
		}
	}
	return nil
}

// changes counts the words that either text has more often than the other.
func changes(was, is []string) (n int) {
	count := make(map[string]int, len(was))
	for _, word := range was {
		count[word]++
	}
	for _, word := range is {
		count[word]--
	}
	for _, surplus := range count {
		n += max(surplus, -surplus)
	}
	return n
}

// keepVersions stores the versions that compareDelivered found, and deletes the oldest of a post beyond mostVersions.
func (r *recording) keepVersions(ctx context.Context) error {
	var v values
	var ids []digest.PostID
	for _, p := range r.known {
		if p.rewritten {
			v.Row(p.id, r.now, p.Title, p.Content)
			ids = append(ids, p.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := r.c.RunRows(ctx, &v,
		`INSERT INTO post_versions (post_id, seen_at, title, content) VALUES {rows} ON CONFLICT DO NOTHING`)
	if err != nil {
		return err
	}
	return r.c.Run(ctx, `DELETE FROM post_versions WHERE post_id IN (`+list(ids)+`) AND seen_at < (SELECT x.seen_at
		FROM post_versions x
		WHERE x.post_id = post_versions.post_id ORDER BY x.seen_at DESC LIMIT 1 OFFSET ?)`, mostVersions-1)
}

// A PostVersion is a later version of a delivered post.
type PostVersion struct {
	SeenAt  time.Time // when it was read
	Title   string
	Content string // sanitised HTML
}

// versionsOf selects the versions of a post that a user may see. Nothing changes between midnights, so newer versions
// than the user's last midnight wait.
const versionsOf = ` FROM post_versions v WHERE v.post_id = ? AND v.seen_at <= (SELECT MAX(d.last_due_at)
	FROM digests d WHERE d.user_id = ?)`

// PostVersions returns when the versions of a post were read, earliest first. The user must be allowed to see the
// post.
func (s Posts) PostVersions(ctx context.Context, user digest.UserID, post digest.PostID) ([]time.Time, error) {
	return readRows[time.Time](ctx, s.read(), "reading the versions of a post", `SELECT v.seen_at`+
		versionsOf+` ORDER BY v.seen_at`, post, user)
}

// PostVersion returns one version of a post, or digest.NotFound.
func (s Posts) PostVersion(ctx context.Context, user digest.UserID, post digest.PostID, seen time.Time) (PostVersion,
	error) {
	return readOne[PostVersion](ctx, s.read(), "reading a version of a post", notFound("there is no such version"),
		`SELECT v.seen_at, v.title, v.content`+versionsOf+` AND v.seen_at = ?`, post, user, seen)
}

func dropVersions(ctx context.Context, c conn, ids []digest.PostID) error {
	return c.Run(ctx, `DELETE FROM post_versions WHERE post_id IN (`+list(ids)+`)`)
}
