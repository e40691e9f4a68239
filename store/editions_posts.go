package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"digest"
)

// EditionPosts gives the posts of editions by the edition's key, in the order
// in which they were stored: one range of keys for each edition, and one for
// each that it carries. A post that is in several of them comes once.
func (s *Store) EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef,
	error) {
	posts := make(map[digest.EditionID][]digest.PostRef, len(editions))
	for some := range slices.Chunk(editions, statementRows) {
		for _, e := range some {
			posts[e.ID] = []digest.PostRef{}
		}
		parts, err := s.partsOf(ctx, some)
		for some := range slices.Chunk(parts, statementRows) {
			if err == nil {
				err = s.readParts(ctx, some, posts)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("reading the editions' posts: %w", err)
		}
	}
	for id, refs := range posts {
		posts[id] = uniqueRefs(refs)
	}
	return posts, nil
}

// postsOfParts gives one row a part, its posts' keys written together: rows are
// what reading costs. The inner SELECT is one range of the primary key.
const postsOfParts = `WITH v (edition_id, digest_id, due_at, carried) AS (VALUES {rows})
		SELECT v.edition_id, v.carried, COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
			WHERE dp.digest_id = v.digest_id AND dp.visible_at = v.due_at), '') AS posts FROM v`

// readParts reads the posts of parts.
func (s *Store) readParts(ctx context.Context, parts []part, posts map[digest.EditionID][]digest.PostRef) error {
	v := partRows(parts)
	var rows []struct {
		EditionID digest.EditionID
		Carried   carriage
		Posts     string
	}
	err := s.read().allRows(ctx, &rows, &v, postsOfParts)
	if err != nil {
		return err
	}
	lists, ids := make([][]digest.PostID, len(rows)), []digest.PostID(nil)
	for i, r := range rows {
		if lists[i], err = parseKeys[digest.PostID](r.Posts); err != nil {
			return err
		}
		ids = append(ids, lists[i]...)
	}
	feeds, err := s.feedsOf(ctx, ids)
	if err != nil {
		return err
	}
	for i, r := range rows {
		refs := slices.Grow(posts[r.EditionID], len(lists[i]))
		for _, id := range lists[i] {
			if feed := feeds[id]; feed != 0 {
				refs = append(refs, digest.PostRef{PostID: id, FeedID: feed, Carried: r.Carried != partOwn,
					Listed: r.Carried == partListed})
			}
		}
		posts[r.EditionID] = refs
	}
	return nil
}

// uniqueRefs sorts posts by key and leaves each once, as the edition's own if it is.
func uniqueRefs(refs []digest.PostRef) []digest.PostRef {
	slices.SortFunc(refs, func(a, b digest.PostRef) int {
		return cmp.Or(cmp.Compare(a.PostID, b.PostID), bit(a.Carried)-bit(b.Carried), bit(a.Listed)-bit(b.Listed))
	})
	return slices.CompactFunc(refs, func(a, b digest.PostRef) bool { return a.PostID == b.PostID })
}

// WaitingPosts gives what the digest's next midnight would bring as things
// stand, without what its filters would hold back, or its publisher has pulled.
func (s *Store) WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error) {
	parts, err := s.waitingParts(ctx, id)
	posts := make(map[digest.EditionID][]digest.PostRef, 1)
	if err == nil && len(parts) > 0 {
		err = s.readParts(ctx, parts, posts)
	}
	refs := uniqueRefs(posts[0])
	if err == nil {
		refs, err = withoutHeld(ctx, s.read(), id, refs)
	}
	if err == nil {
		refs, err = withoutPulled(ctx, s.read(), id, refs)
	}
	return refs, failed("reading the waiting posts", err)
}

// A part is a range of posts and notices that an edition shows: its own, or
// those of an edition that it carries.
type part struct {
	EditionID digest.EditionID
	DigestID  digest.DigestID
	DueAt     instant
	Carried   carriage

	// The edition that is carried.
	FromID    digest.EditionID
	LocalDate digest.Date
	State     digest.EditionState
}

// A carriage is how an edition shows a part.
type carriage int

const (
	partOwn     carriage = iota
	partCarried          // as late posts
	partListed           // as headlines
)

// carriedParts selects the part of each edition y.edition_id that is the undelivered edition e.
const carriedParts = `e.digest_id, e.due_at, CASE WHEN e.state = 'expired' THEN 1 ELSE 2 END AS carried, e.id AS from_id, e.local_date, e.state`

// partsOf gives the parts of editions, their own first.
func (s *Store) partsOf(ctx context.Context, editions []digest.Delivery) ([]part, error) {
	parts := make([]part, len(editions))
	for i, e := range editions {
		parts[i] = part{EditionID: e.ID, DigestID: e.DigestID, DueAt: at(e.DueAt)}
	}
	ids := each(editions, func(e digest.Delivery) digest.EditionID { return e.ID })
	var others []part
	err := s.read().all(ctx, &others, `SELECT y.edition_id, `+carriedParts+`
		FROM carried_posts y JOIN editions e ON e.id = y.from_id WHERE y.edition_id`+s.d.oneOf, keys(s.d, ids))
	return append(parts, others...), err
}

// waitingParts gives the parts of the edition that a digest's next midnight
// would bring as things stand.
func (s *Store) waitingParts(ctx context.Context, id digest.DigestID) ([]part, error) {
	var parts, others []part
	err := s.read().all(ctx, &parts,
		`SELECT 0 AS edition_id, d.id AS digest_id, d.next_due_at AS due_at FROM digests d WHERE d.id = ?`, id)
	if err == nil {
		err = s.read().all(ctx, &others,
			`WITH l (id) AS (SELECT e.id FROM editions e WHERE e.digest_id = ? AND `+toCarry+`)
			SELECT 0 AS edition_id, `+carriedParts+` FROM l JOIN editions e ON e.id = l.id
			UNION SELECT 0, `+carriedParts+` FROM l JOIN editions b ON b.id = l.id AND b.state = 'expired'
				JOIN carried_posts y ON y.edition_id = l.id JOIN editions e ON e.id = y.from_id`, id)
	}
	return append(parts, others...), err
}

// partRows writes parts as (edition_id, digest_id, due_at, carried).
func partRows(parts []part) values {
	var v values
	for _, p := range parts {
		v.row(p.EditionID, p.DigestID, p.DueAt, int(p.Carried))
	}
	return v
}
