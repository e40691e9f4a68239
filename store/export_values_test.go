package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"digest"
)

type ListedRow struct {
	ID     int64
	Number sql.NullInt64
	Words  sql.NullString
}

func Clean(s string) string { return clean(s) }

func Stored(value any) any { return stored(value) }

// Cells returns the columns and the cells of a host rule, and whether another one is stored as the same.
func Cells(r, other digest.HostRule) (names string, cells []any, same bool) {
	c := columnsOf[digest.HostRule]("host, by_owner,\n\tinterval, created_at")
	return c.each("h.$ = ?"), c.cells(&r), c.same(&r, &other)
}

func (s *Store) IsPostgres() bool { return s.d.forUpdate != "" }

func listOf(rows [][]any) (v values) {
	for _, r := range rows {
		v.row(r...)
	}
	return v
}

// TextArray formats texts as a PostgreSQL array.
func TextArray(texts ...string) string {
	var v values
	for _, text := range texts {
		v.row(text)
	}
	_, args := arrayRows(&v)
	return args[0].(string)
}

// ExecRows is execRows in its own transaction.
func (s *Store) ExecRows(ctx context.Context, rows [][]any, query string, args ...any) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		v := listOf(rows)
		n, err = c.execRows(ctx, &v, query, args...)
		return err
	})
	return n, err
}

// Listed is allRows for rows of ListedRow.
func (s *Store) Listed(ctx context.Context, rows [][]any, query string, args ...any) (found []ListedRow, err error) {
	v := listOf(rows)
	return found, s.read().allRows(ctx, &found, &v, query, args...)
}

// Bytes reads a column of bytes.
func (s *Store) Bytes(ctx context.Context, query string) (found [][]byte, err error) {
	return found, s.read().all(ctx, &found, query)
}

// CountKeys reads a number by a query that ends with the column to compare with ids.
func (s *Store) CountKeys(ctx context.Context, query string, ids []int64) (int, error) {
	return s.Count(ctx, query+s.d.oneOf, keys(s.d, ids))
}

// Cached returns how many statements with a text the reading connection has cached; empty: all statements.
func (s *Store) Cached(t *testing.T, text string) (n int) {
	t.Helper()
	c, err := s.r.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Raw(func(c any) error {
		cache := c.(*reusing).cache
		if n = len(cache); text != "" {
			n = 0
			if _, ok := cache[text]; ok {
				n = 1
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Nested runs a query again for each of its rows, on the same connection.
func (s *Store) Nested(ctx context.Context, query string, args ...any) (string, error) {
	var b strings.Builder
	err := s.write(ctx, func(c conn) error {
		rows, err := c.db.QueryxContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var n int
			var all []int
			if err := rows.Scan(&n); err != nil {
				return err
			}
			if err := c.all(ctx, &all, query, args...); err != nil {
				return err
			}
			fmt.Fprintf(&b, "%d%v ", n, all)
		}
		return rows.Err()
	})
	return b.String(), err
}

// Texts returns the statements that SQLite's connections have cached.
func (s *Store) Texts(t *testing.T) map[string]bool {
	t.Helper()
	texts := make(map[string]bool)
	for _, db := range []*sqlx.DB{s.w, s.r} {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = c.Raw(func(c any) error {
			for text := range c.(*reusing).cache {
				texts[text] = true
			}
			return nil
		})
		_ = c.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// SearchPlans returns the query plans of a search.
func (s *Store) SearchPlans(ctx context.Context) (map[string]string, error) {
	c, plans := s.read(), map[string]string{}
	for name, q := range map[string]struct {
		query string
		args  []any
	}{
		"editions": {editionsSearched, []any{1, "2026-01-01", "2027-01-01", 1 << 40, 1 << 40, 1 << 40, 16}},
		"feeds":    {postsOfFeeds, []any{keys(s.d, []digest.PostID{1, 2}), keys(s.d, []digest.FeedID{1})}},
		"links":    {postsWithLinks, []any{keys(s.d, []digest.PostID{1, 2}), 1}},
	} {
		plan, err := c.explain(ctx, strings.ReplaceAll(q.query, "{one of}", s.d.oneOf), q.args)
		if err != nil {
			return nil, err
		}
		plans[name] = plan
	}
	return plans, nil
}

// DefaultPlan returns the query plan that finds the oldest row of the default partition.
func (s *Store) DefaultPlan(ctx context.Context) (string, error) {
	return s.read().explain(ctx, oldestInDefault, []any{1 << 40})
}

// PartitionPlans returns the query plans of PostgreSQL that read the posts of an edition, and whether a post is in a
// released one.
func (s *Store) PartitionPlans(ctx context.Context, edition digest.Edition, post digest.PostID) (map[string]string,
	error) {
	parts := partRows([]part{{EditionID: edition.ID, DigestID: edition.DigestID, DueAt: at(edition.DueAt)}})
	var posts values
	posts.row(post, "2026-01-01", "2026-01-01")
	plans := make(map[string]string)
	for query, of := range map[string]struct {
		v    *values
		args []any
	}{postsOfParts: {&parts, nil}, releasedPosts: {&posts, []any{1 << 30, digest.Daily, 1 << 30}}} {
		err := s.read().eachPart(of.v, query, of.args, func(query string, args []any) (err error) {
			plans[query], err = s.read().explain(ctx, `(ANALYZE) `+query, args)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return plans, nil
}
