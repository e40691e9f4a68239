package store

import (
	"context"
	"slices"
	"strings"

	"digest"
	"digest/internal/words"
)

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
	keys, err := parseKeys(list)
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
