package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/words"
)

// The index of words is filled beside the hot path: storing a post, or an edit
// of one that no edition holds yet, puts it into index_queue, and the hourly
// job takes it out in transactions of its own.

// IndexPosts puts the words of some posts, limit at most, into the index of what
// can be searched for, and gives how many it did: the newest first, so that what
// has just come is found before what an upgrade left to do.
func (s *Store) IndexPosts(ctx context.Context, limit int) (int, error) {
	var ids []digest.PostID
	err := s.read().all(ctx, &ids, `SELECT post_id FROM index_queue ORDER BY post_id DESC LIMIT ?`, limit)
	if err == nil && len(ids) == 0 {
		return 0, nil
	}
	var posts []digest.Post
	if err == nil {
		posts, err = s.Posts(ctx, ids)
	}
	if err != nil {
		return 0, fmt.Errorf("looking for posts to index: %w", err)
	}
	return s.index(ctx, posts)
}

// index indexes posts as they were read; one that was edited, indexed or deleted
// meanwhile is left out.
func (s *Store) index(ctx context.Context, posts []digest.Post) (n int, err error) {
	hashes := make(map[digest.PostID]string, len(posts))
	documents := make(map[digest.PostID]string, len(posts))
	for _, p := range posts {
		hashes[p.ID] = p.ContentHash
		documents[p.ID] = s.d.document(documentOf(p))
	}
	return changed(ctx, s, "indexing posts", func(c conn) (int, error) {
		ready, err := unchanged(ctx, c, hashes)
		if err != nil {
			return 0, err
		}
		var indexed []digest.PostID
		if err := c.all(ctx, &indexed, `DELETE FROM index_queue WHERE post_id IN (`+list(ready)+`) RETURNING post_id`); err != nil {
			return 0, err
		}
		if err := forgetWords(ctx, c, indexed); err != nil {
			return 0, err
		}
		for _, id := range slices.Sorted(slices.Values(indexed)) {
			if _, err := c.exec(ctx, c.d.putWords, id, documents[id]); err != nil {
				return 0, err
			}
		}
		return len(indexed), nil
	})
}

// soon is how long a post may take into the index before somebody who searches
// is told that some are missing.
const soon = time.Hour

// behind reports whether the oldest post that is not indexed yet has waited for long.
func (s *Store) behind(ctx context.Context, now time.Time) (bool, error) {
	var seen instant
	err := s.read().get(ctx, &seen, `SELECT COALESCE(MIN(p.seen_at), 0) FROM posts p WHERE p.id = (SELECT MIN(post_id) FROM index_queue)`)
	return seen > 0 && seen < at(now.Add(-soon)), err
}

// documentOf is what of a post can be found.
func documentOf(p digest.Post) []string {
	text := words.Text(p.Content)
	if strings.TrimSpace(text) == "" {
		text = p.Summary
	}
	return words.Document(p.Title, p.Author, text)
}

// unchanged locks posts and gives those that still have the given hashes.
func unchanged(ctx context.Context, c conn, hashes map[digest.PostID]string) ([]digest.PostID, error) {
	var ids, same []digest.PostID
	for id := range hashes {
		ids = append(ids, id)
	}
	var rows []struct {
		ID   digest.PostID
		Hash string `db:"content_hash"`
	}
	err := c.all(ctx, &rows, `SELECT id, content_hash FROM posts WHERE id IN (`+list(ids)+`) ORDER BY id`+c.d.forUpdate)
	for _, r := range rows {
		if r.Hash == clean(hashes[r.ID]) {
			same = append(same, r.ID)
		}
	}
	return same, err
}

// queueWords has posts put into the index, anew if they are in it.
func queueWords(ctx context.Context, c conn, ids []digest.PostID) error {
	var v values
	for _, id := range ids {
		v.row(id)
	}
	return c.runRows(ctx, &v, `INSERT INTO index_queue (post_id) VALUES {rows} ON CONFLICT DO NOTHING`)
}

// forgetWords takes posts out of the index.
func forgetWords(ctx context.Context, c conn, ids []digest.PostID) error {
	return c.run(ctx, `DELETE FROM post_words WHERE rowid IN (`+list(ids)+`)`)
}

// unindex takes posts that are deleted out of the index and its queue.
func unindex(ctx context.Context, c conn, ids []digest.PostID) error {
	if _, err := c.exec(ctx, `DELETE FROM index_queue WHERE post_id IN (`+list(ids)+`)`); err != nil {
		return err
	}
	return forgetWords(ctx, c, ids)
}

// plainDocument writes words for FTS5.
func plainDocument(words []string) string { return strings.Join(words, " ") }

// vectorDocument writes words as PostgreSQL's tsvector: each with where it stands.
func vectorDocument(document []string) string {
	places := make(map[string][]byte, len(document))
	var order []string
	for i, word := range document {
		if word == words.Filler {
			continue
		}
		if _, ok := places[word]; !ok {
			order = append(order, word)
		}
		places[word] = strconv.AppendInt(append(places[word], ','), int64(i+1), 10)
	}
	var b strings.Builder
	for _, word := range order {
		b.WriteString(lexeme(word))
		b.WriteByte(':')
		b.Write(places[word][1:])
		b.WriteByte(' ')
	}
	return b.String()
}

// lexeme writes a word for PostgreSQL. No word holds what this doubles; if one
// ever did, it would still be no more than a word.
func lexeme(word string) string {
	return `'` + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word) + `'`
}

// The words of a post are compared by the database's own index. What it gives
// is a list of keys in one row, for rows are what reading costs, and the
// reader's own are picked out of it here.

// A matcher gives those of some posts that a query matches, or the first of them
// if those are enough. It is asked several times in one search, and may remember
// what it has read.
type matcher func(ctx context.Context, c conn, ids []digest.PostID, enough int) (map[digest.PostID]bool, error)

// among gives those of some posts that are in a list of keys, which is in order.
func among(ids, list []digest.PostID) map[digest.PostID]bool {
	these := make(map[digest.PostID]bool)
	for _, id := range ids {
		if _, ok := slices.BinarySearch(list, id); ok {
			these[id] = true
		}
	}
	return these
}

// inOrder reads a list of keys.
func inOrder(list string) ([]digest.PostID, error) {
	keys, err := parseKeys[digest.PostID](list)
	slices.Sort(keys)
	return keys, err
}

// matchSQLite reads the range of some posts, for FTS5 keeps keys in their order.
func matchSQLite(q words.Query) matcher {
	query := plainQuery(q)
	return func(ctx context.Context, c conn, ids []digest.PostID, _ int) (map[digest.PostID]bool, error) {
		if len(ids) == 0 {
			return nil, nil
		}
		var list string
		err := c.get(ctx, &list, `SELECT COALESCE(group_concat(rowid), '') FROM post_words
			WHERE post_words MATCH ? AND rowid BETWEEN ? AND ?`, query, slices.Min(ids), slices.Max(ids))
		if err != nil {
			return nil, err
		}
		found, err := inOrder(list)
		return among(ids, found), err
	}
}

// plainQuery writes a query for FTS5.
func plainQuery(q words.Query) string {
	var wanted, not []string
	for _, t := range q.Terms {
		phrase := `"` + strings.ReplaceAll(strings.Join(t.Words, " "), `"`, `""`) + `"`
		if t.Prefix {
			phrase += "*"
		}
		if t.Exclude {
			not = append(not, phrase)
		} else {
			wanted = append(wanted, phrase)
		}
	}
	query := "(" + strings.Join(wanted, " AND ") + ")"
	if len(not) > 0 {
		query += " NOT (" + strings.Join(not, " OR ") + ")"
	}
	return query
}

// fewPosts is how many posts PostgreSQL compares one by one: to read the words
// of more costs more than to ask the index for all that have them.
const fewPosts = 500

// matchPostgres asks the index for all posts at once, which it gives in no order.
// The index does not know where in a post a word stands: of a phrase it finds the
// words, and the posts that have them and are wanted are compared one by one.
func matchPostgres(q words.Query) matcher {
	loose, exact := loosely(q)
	var all []digest.PostID
	read := false
	return func(ctx context.Context, c conn, ids []digest.PostID, enough int) (map[digest.PostID]bool, error) {
		if len(ids) <= fewPosts && !read {
			return compare(ctx, c, q, ids, enough)
		}
		if !read {
			var list string
			err := c.get(ctx, &list, `SELECT COALESCE(string_agg(CAST(rowid AS TEXT), ','), '') FROM post_words WHERE words @@ CAST(? AS tsquery)`, vectorQuery(loose))
			if err == nil {
				all, err = inOrder(list)
			}
			if err != nil {
				return nil, err
			}
			read = true
		}
		found := among(ids, all)
		if exact {
			return found, nil
		}
		return compare(ctx, c, q, slices.DeleteFunc(slices.Clone(ids), func(id digest.PostID) bool { return !found[id] }), enough)
	}
}

// compare compares posts one by one, some at a time until enough are found. No
// planner can begin with the index.
func compare(ctx context.Context, c conn, q words.Query, ids []digest.PostID, enough int) (map[digest.PostID]bool, error) {
	matching := make(map[digest.PostID]bool)
	for part := range slices.Chunk(ids, fewPosts) {
		var found []digest.PostID
		err := c.all(ctx, &found, `WITH these AS MATERIALIZED (SELECT rowid, words FROM post_words WHERE rowid IN (`+list(part)+`))
			SELECT rowid FROM these WHERE words @@ CAST(? AS tsquery)`, vectorQuery(q))
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			matching[id] = true
		}
		if len(matching) >= enough {
			break
		}
	}
	return matching, nil
}

// loosely takes phrases apart: all that a query matches is matched by the loose
// one; exact says that it matches nothing else.
func loosely(q words.Query) (loose words.Query, exact bool) {
	exact = true
	for _, t := range q.Terms {
		if len(t.Words) == 1 {
			loose.Terms = append(loose.Terms, t)
			continue
		}
		exact = false
		if t.Exclude {
			continue
		}
		for i, word := range t.Words {
			loose.Terms = append(loose.Terms, words.Term{Words: []string{word}, Prefix: t.Prefix && i == len(t.Words)-1})
		}
	}
	return loose, exact
}

// vectorQuery writes a query for PostgreSQL's tsquery.
func vectorQuery(q words.Query) string {
	terms := make([]string, len(q.Terms))
	for i, t := range q.Terms {
		words := make([]string, len(t.Words))
		for k, word := range t.Words {
			words[k] = lexeme(word)
		}
		terms[i] = strings.Join(words, " <-> ")
		if t.Prefix {
			terms[i] += ":*"
		}
		terms[i] = "(" + terms[i] + ")"
		if t.Exclude {
			terms[i] = "!" + terms[i]
		}
	}
	return strings.Join(terms, " & ")
}
