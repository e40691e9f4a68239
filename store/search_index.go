package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/textsearch"
	"digest/store/db"
)

// The search index is filled outside the hot path. Storing a post, or an edit of a post that no edition contains yet,
// adds the post to index_queue. The hourly job indexes it in separate transactions.

// IndexPosts adds up to limit queued posts to the search index, and returns how many. The newest are first, so that
// searches find new posts before those that an upgrade has queued.
func (s Posts) IndexPosts(ctx context.Context, limit int) (int, error) {
	var ids []digest.PostID
	err := s.read().All(ctx, &ids, `SELECT post_id FROM index_queue ORDER BY post_id DESC LIMIT ?`, limit)
	if err == nil && len(ids) == 0 {
		return 0, s.tidyIndex(ctx)
	}
	var posts []digest.Post
	if err == nil {
		posts, err = Editions(s).Posts(ctx, ids)
	}
	if err != nil {
		return 0, fmt.Errorf("looking for posts to index: %w", err)
	}
	return s.index(ctx, posts)
}

// index indexes posts as they were read. It skips posts that were edited, indexed or deleted since.
func (s *database) index(ctx context.Context, posts []digest.Post) (n int, err error) {
	hashes := make(map[digest.PostID]string, len(posts))
	documents := make(map[digest.PostID][]string, len(posts)) // one per table
	for _, p := range posts {
		hashes[p.ID] = p.ContentHash
		document := documentOf(p)
		documents[p.ID] = each(s.d.wordTables, func(t wordTable) string { return t.document(p.FeedID, document) })
	}
	return changed(ctx, s, "indexing posts", func(c conn) (int, error) {
		ready, err := unchanged(ctx, c, hashes)
		if err != nil {
			return 0, err
		}
		var indexed []digest.PostID
		if err := c.All(ctx, &indexed, `DELETE FROM index_queue WHERE post_id IN (`+
			list(ready)+`) RETURNING post_id`); err != nil {
			return 0, err
		}
		if err := forgetWords(ctx, c, indexed); err != nil {
			return 0, err
		}
		slices.Sort(indexed)
		for i, t := range c.d.wordTables {
			var v values
			for _, id := range indexed {
				v.Row(id, documents[id][i])
			}
			if err := c.RunRows(ctx, &v, t.put); err != nil {
				return 0, err
			}
		}
		s.untidy.Store(true)
		return len(indexed), nil
	})
}

type wordTable struct {
	name     string
	document func(digest.FeedID, []string) string // encodes the words of a feed's post
	put      string                               // inserts a key and a document
}

// tidyIndex merges the unsorted part of the search index, if this process has added to it, because each search reads
// all of that part.
func (s *database) tidyIndex(ctx context.Context) error {
	if s.d.tidyWords == "" || !s.untidy.Swap(false) {
		return nil
	}
	_, err := s.read().Number(ctx, s.d.tidyWords)
	return failed("tidying the index of words", err)
}

// soon is how long a post may wait for the index before searches report that some are missing.
const soon = time.Hour

// behind reports whether the oldest post in the queue has waited longer than soon.
func (s *database) behind(ctx context.Context, now time.Time) (bool, error) {
	var seen instant
	err := s.read().Get(ctx, &seen,
		`SELECT COALESCE(MIN(p.seen_at), 0) FROM posts p WHERE p.id = (SELECT MIN(post_id) FROM index_queue)`)
	return seen > 0 && seen < at(now.Add(-soon)), err
}

// documentOf returns the words by which a search finds a post.
func documentOf(p digest.Post) []string {
	text := textsearch.Text(p.Content)
	if strings.TrimSpace(text) == "" {
		text = p.Summary
	}
	return textsearch.Document(p.Title, p.Author, text)
}

// unchanged locks posts and returns those that still have the given hashes.
func unchanged(ctx context.Context, c conn, hashes map[digest.PostID]string) ([]digest.PostID, error) {
	var ids, same []digest.PostID
	for id := range hashes {
		ids = append(ids, id)
	}
	var rows []struct {
		ID   digest.PostID
		Hash string `db:"content_hash"`
	}
	err := c.All(ctx, &rows, `SELECT id, content_hash FROM posts WHERE id IN (`+list(ids)+`) ORDER BY id`+
		c.d.ForUpdate)
	for _, r := range rows {
		if r.Hash == db.Clean(hashes[r.ID]) {
			same = append(same, r.ID)
		}
	}
	return same, err
}

// queueWords queues posts for the index, also if they are in it.
func queueWords(ctx context.Context, c conn, ids []digest.PostID) error {
	var v values
	for _, id := range ids {
		v.Row(id)
	}
	return c.RunRows(ctx, &v, `INSERT INTO index_queue (post_id) VALUES {rows} ON CONFLICT DO NOTHING`)
}

func forgetWords(ctx context.Context, c conn, ids []digest.PostID) error {
	for _, t := range c.d.wordTables {
		if err := c.Run(ctx, `DELETE FROM `+t.name+` WHERE rowid IN (`+list(ids)+`)`); err != nil {
			return err
		}
	}
	return nil
}

// unindex removes deleted posts from the index and its queue.
func unindex(ctx context.Context, c conn, ids []digest.PostID) error {
	if err := c.Run(ctx, `DELETE FROM index_queue WHERE post_id IN (`+list(ids)+`)`); err != nil {
		return err
	}
	return forgetWords(ctx, c, ids)
}
