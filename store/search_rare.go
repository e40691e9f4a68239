package store

import (
	"context"
	"slices"
	"strings"

	"digest"
	"digest/internal/textsearch"
)

// On SQLite a second index has all words without their feeds. If few posts of the whole instance have a word, one
// query of this index finds them, instead of a query for each feed.

// bareDocument encodes words for the index without feeds and positions.
func bareDocument(_ digest.FeedID, document []string) string {
	seen := make(map[string]bool, len(document))
	var b strings.Builder
	for _, word := range document {
		if word != textsearch.Filler && !seen[word] {
			seen[word] = true
			b.WriteString(word)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// rarePosts are the posts that may match a query, because they have its rare words.
type rarePosts struct {
	all bool // no word is rare, so any post may match
	ids []digest.PostID
}

func (r *rarePosts) among(ids []digest.PostID) []digest.PostID {
	if r.all {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id digest.PostID) bool {
		_, ok := slices.BinarySearch(r.ids, id)
		return !ok
	})
}

// findRare finds the posts that have the rare words of a query. It reads the queue first, because a queued post may
// be in only one of the indexes.
func findRare(ctx context.Context, c conn, q textsearch.Query) (*rarePosts, error) {
	queued, all, err := few(ctx, c, `SELECT post_id AS id FROM index_queue LIMIT ?`)
	rare := &rarePosts{all: true}
	if err != nil || all {
		return rare, err
	}
	for _, t := range q.Terms {
		if t.Exclude {
			continue
		}
		for i, word := range t.Words {
			last := word
			if t.Prefix && i == len(t.Words)-1 {
				last += "\U0010FFFF"
			}
			ids, many, err := few(ctx, c,
				`SELECT doc AS id FROM bare_words_places WHERE term >= ? AND term <= ? LIMIT ?`, word, last)
			if err != nil {
				return nil, err
			}
			if many {
				continue
			}
			ids = append(ids, queued...)
			slices.Sort(ids)
			rare = &rarePosts{ids: rare.among(ids)}
		}
	}
	return rare, nil
}

// few reads keys of posts. many is true if there are more than a rare word has.
func few(ctx context.Context, c conn, query string, args ...any) (ids []digest.PostID, many bool, err error) {
	ids, err = keysIn(ctx, c, `SELECT COALESCE(group_concat(x.id), '') FROM (`+query+`) x`,
		append(args, c.d.rareIn+1)...)
	return ids, len(ids) > c.d.rareIn, err
}
