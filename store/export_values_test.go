package store

import (
	"context"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"digest"
	"digest/store/db"
)

// Texts returns the statements that SQLite's connections have cached.
func (s *Store) Texts(t *testing.T) map[string]bool {
	t.Helper()
	texts := make(map[string]bool)
	w, r := db.Pools(s.DB)
	for _, pool := range []*sqlx.DB{w, r} {
		c, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = c.Raw(func(c any) error {
			for _, text := range c.(interface{ Texts() []string }).Texts() {
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
		"feeds":    {postsOfFeeds, []any{[]digest.PostID{1, 2}, []digest.FeedID{1}}},
		"links":    {postsWithLinks, []any{[]digest.PostID{1, 2}, 1}},
	} {
		plan, err := c.explain(ctx, strings.ReplaceAll(q.query, "{one of}", s.d.OneOf), q.args)
		if err != nil {
			return nil, err
		}
		plans[name] = plan
	}
	return plans, nil
}

// DefaultPlan returns the query plan that finds the oldest row of the default partition.
func (s *Store) DefaultPlan(ctx context.Context) (string, error) {
	return s.read().explain(ctx, db.OldestInDefault, []any{1 << 40})
}

// PartitionPlans returns the query plans of PostgreSQL that read the posts of an edition, and whether a post is in a
// released one.
func (s *Store) PartitionPlans(ctx context.Context, edition digest.Edition, post digest.PostID) (map[string]string,
	error) {
	parts := partRows([]part{{EditionID: edition.ID, DigestID: edition.DigestID, DueAt: at(edition.DueAt)}})
	var posts values
	posts.Row(post, "2026-01-01", "2026-01-01")
	plans := make(map[string]string)
	for query, of := range map[string]struct {
		v    *values
		args []any
	}{postsOfParts: {&parts, nil}, releasedPosts: {&posts, []any{1 << 30, digest.Daily, 1 << 30}}} {
		err := s.read().EachPart(of.v, query, of.args, func(query string, args []any) (err error) {
			plans[query], err = s.read().explain(ctx, `(ANALYZE) `+query, args)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return plans, nil
}
