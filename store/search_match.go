package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/textsearch"
)

// The database's own index compares the words of posts, and knows the feed of each post. So a search on an instance
// with millions of posts reads only the posts of a reader's feeds. In FTS5 each word includes its feed, so that a
// prefix search stays in these feeds too. PostgreSQL stores a common word as one list of posts, which is small and
// can be skipped through, and has the feed as a separate word. No word that a reader types contains feedSign.

// feedSign follows the number of a feed in the index. No word contains it.
const feedSign = "·"

func feedWord(feed digest.FeedID) string { return strconv.FormatInt(int64(feed), 10) + feedSign }

// plainDocument encodes words for FTS5: 12·fox.
func plainDocument(feed digest.FeedID, words []string) string {
	var b strings.Builder
	sign := feedWord(feed)
	for _, word := range words {
		b.WriteString(sign)
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

// vectorDocument encodes words as PostgreSQL's tsvector: each with its positions, and the feed without any.
func vectorDocument(feed digest.FeedID, document []string) string {
	places := make(map[string][]byte, len(document))
	var order []string
	for i, word := range document {
		if word == textsearch.Filler {
			continue
		}
		if _, ok := places[word]; !ok {
			order = append(order, word)
		}
		places[word] = strconv.AppendInt(append(places[word], ','), int64(i+1), 10)
	}
	var b strings.Builder
	b.WriteString(lexeme(feedWord(feed)) + " ")
	for _, word := range order {
		b.WriteString(lexeme(word))
		b.WriteByte(':')
		b.Write(places[word][1:])
		b.WriteByte(' ')
	}
	return b.String()
}

// lexeme quotes a word for PostgreSQL. No word contains a character that needs an escape; if one did, it would still
// be a single word.
func lexeme(word string) string {
	if strings.ContainsAny(word, `'\`) {
		word = strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word)
	}
	return `'` + word + `'`
}

// A matcher returns which of some posts match a query, or the first of them if these are enough. A search calls it
// several times, so it may cache the rows that it has read.
type matcher func(ctx context.Context, l *searching, ids []digest.PostID, enough int) (map[digest.PostID]bool, error)

// among returns the posts that are in a sorted list of keys.
func among(ids, list []digest.PostID) map[digest.PostID]bool {
	these := make(map[digest.PostID]bool)
	for _, id := range ids {
		if _, ok := slices.BinarySearch(list, id); ok {
			these[id] = true
		}
	}
	return these
}

// feedsPerQuery is how many feeds one query of the index names, because it compares each candidate with all of them.
const feedsPerQuery = 20

// keysIn reads the result of a query of the index: a list of keys in one row, because reading rows is the main cost.
func keysIn(ctx context.Context, c conn, statement string, args ...any) ([]digest.PostID, error) {
	var list string
	if err := c.Get(ctx, &list, statement, args...); err != nil {
		return nil, err
	}
	return parseKeys[digest.PostID](list)
}

// matchSQLite reads the range of some posts, because FTS5 keeps keys in order. For a rare word it reads only the
// posts that have it.
func matchSQLite(q textsearch.Query) matcher {
	var rare *rarePosts
	return func(ctx context.Context, l *searching, ids []digest.PostID, _ int) (map[digest.PostID]bool, error) {
		c := l.store.read()
		if rare == nil {
			var err error
			if rare, err = findRare(ctx, c, q); err != nil {
				return nil, err
			}
		}
		if ids = rare.among(ids); len(ids) == 0 {
			return nil, nil
		}
		feeds, err := l.feedsOf(ctx, ids)
		if err != nil {
			return nil, err
		}
		var found []digest.PostID
		for part := range slices.Chunk(feeds, feedsPerQuery) {
			query := strings.Join(each(part, func(f digest.FeedID) string { return plainQuery(q, f) }), " OR ")
			some, err := keysIn(ctx, c, `SELECT COALESCE(group_concat(rowid), '') FROM post_words
				WHERE post_words MATCH ? AND rowid BETWEEN ? AND ?`, query, slices.Min(ids), slices.Max(ids))
			if err != nil {
				return nil, err
			}
			found = append(found, some...)
		}
		slices.Sort(found)
		return among(ids, found), nil
	}
}

// plainQuery encodes a query for FTS5, in one feed.
func plainQuery(q textsearch.Query, feed digest.FeedID) string {
	var wanted, not []string
	sign := feedWord(feed)
	for _, t := range q.Terms {
		phrase := `"` + sign + strings.ReplaceAll(strings.Join(t.Words, " "+sign), `"`, `""`) + `"`
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
		query = "(" + query + " NOT (" + strings.Join(not, " OR ") + "))"
	}
	return query
}

// fewPosts is how many posts PostgreSQL compares one by one. For more it is cheaper to query the index for all posts
// with the words.
const fewPosts = 500

// matchPostgres queries the index for posts of feeds, each feed once, in no order. The index has no positions, so for
// a phrase it finds posts with all the words, and matchPostgres compares these one by one. It also compares one by
// one if the index would have to gather many times as many posts.
func matchPostgres(q textsearch.Query) matcher {
	loose, exact := loosely(q)
	asked := make(map[digest.FeedID]bool)
	var all []digest.PostID
	return func(ctx context.Context, l *searching, ids []digest.PostID, enough int) (map[digest.PostID]bool, error) {
		c := l.store.read()
		if len(ids) <= fewPosts {
			return compare(ctx, c, q, ids, enough)
		}
		if everywhere, err := isEverywhere(ctx, c, loose, len(ids)); everywhere || err != nil {
			if err != nil {
				return nil, err
			}
			return compare(ctx, c, q, ids, enough)
		}
		feeds, err := l.feedsOf(ctx, ids)
		if err != nil {
			return nil, err
		}
		feeds = slices.DeleteFunc(feeds, func(f digest.FeedID) bool { return asked[f] })
		some, err := inFeeds(ctx, c, loose, feeds)
		if err != nil {
			return nil, err
		}
		for _, f := range feeds {
			asked[f] = true
		}
		all = append(all, some...)
		slices.Sort(all)
		found := among(ids, all)
		if exact {
			return found, nil
		}
		return compare(ctx, c, q,
			slices.DeleteFunc(slices.Clone(ids), func(id digest.PostID) bool { return !found[id] }), enough)
	}
}

// sample is how many posts of the instance are examined to see how common a prefix is.
const sample = 300

// isEverywhere reports whether a prefix in a query matches too many posts of the instance, according to a sample. The
// index would gather them all before it considers feeds, at a higher cost than comparing some posts one by one.
func isEverywhere(ctx context.Context, c conn, q textsearch.Query, posts int) (bool, error) {
	var beginnings []string
	for _, t := range q.Terms {
		if t.Prefix {
			beginnings = append(beginnings, lexeme(t.Words[0])+":*")
		}
	}
	if len(beginnings) == 0 {
		return false, nil
	}
	total, err := c.Number(ctx,
		`SELECT CAST(reltuples AS BIGINT) FROM pg_catalog.pg_class WHERE oid = to_regclass('post_words')`)
	if err != nil || total <= posts*c.d.gathered {
		return false, err
	}
	var found struct{ Have, Looked int }
	err = c.Get(ctx, &found, `SELECT count(*) FILTER (WHERE words @@ CAST(? AS tsquery)) AS have, count(*) AS looked
		FROM post_words TABLESAMPLE SYSTEM (CAST(? AS REAL))`, strings.Join(beginnings, " | "),
		min(100, 100*sample/float64(total)))
	return found.Have*total > posts*c.d.gathered*found.Looked, err
}

// inFeeds returns the posts of feeds that match a query. Each part of the feeds is a separate query of the index, and
// the planner cannot merge them.
func inFeeds(ctx context.Context, c conn, q textsearch.Query, feeds []digest.FeedID) ([]digest.PostID, error) {
	if len(feeds) == 0 {
		return nil, nil
	}
	most := feedsPerQuery
	if slices.ContainsFunc(q.Terms, func(t textsearch.Term) bool { return t.Prefix }) {
		most = len(feeds) // each query gathers all posts with a word of this prefix
	}
	query := vectorQuery(q)
	var queries []string
	for part := range slices.Chunk(feeds, most) {
		signs := each(part, func(f digest.FeedID) string { return lexeme(feedWord(f)) })
		queries = append(queries, "("+strings.Join(signs, " | ")+") & "+query)
	}
	return keysIn(ctx, c, `SELECT COALESCE(string_agg(CAST(found.rowid AS TEXT), ','), '')
		FROM (`+c.d.Names+`) asked (query)
		CROSS JOIN LATERAL (SELECT w.rowid FROM post_words w
		WHERE w.words @@ CAST(asked.query AS tsquery) OFFSET 0) found`, queries)
}

// compare compares posts one by one, in parts, until enough match. MATERIALIZED keeps planners from starting with the
// index.
func compare(ctx context.Context, c conn, q textsearch.Query, ids []digest.PostID, enough int) (map[digest.PostID]bool,
	error) {
	matching := make(map[digest.PostID]bool)
	for part := range slices.Chunk(ids, fewPosts) {
		var found []digest.PostID
		err := c.All(ctx, &found,
			`WITH these AS MATERIALIZED (SELECT rowid, words FROM post_words WHERE rowid`+c.d.OneOf+`)
			SELECT rowid FROM these WHERE words @@ CAST(? AS tsquery)`, part, vectorQuery(q))
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

// loosely splits phrases into words. The loose query matches everything that q matches; exact says that it matches
// nothing more.
func loosely(q textsearch.Query) (loose textsearch.Query, exact bool) {
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
			loose.Terms = append(loose.Terms, textsearch.Term{Words: []string{word}, Prefix: t.Prefix &&
				i == len(t.Words)-1})
		}
	}
	return loose, exact
}

func vectorQuery(q textsearch.Query) string {
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
