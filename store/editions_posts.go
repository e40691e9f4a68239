package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"digest"
	"digest/store/db"
)

// EditionPosts returns the posts of editions, by the edition's key and in the order in which they were stored. It
// includes the posts of carried editions. A post in several of them appears once.
func (s Editions) EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef,
	error) {
	posts := make(map[digest.EditionID][]digest.PostRef, len(editions))
	for some := range slices.Chunk(editions, db.StatementRows) {
		for _, e := range some {
			posts[e.ID] = []digest.PostRef{}
		}
		parts, err := s.partsOf(ctx, some)
		for some := range slices.Chunk(parts, db.StatementRows) {
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

// postsOfParts returns one row for each part, with the keys of its posts joined, because reading rows is expensive.
// The inner SELECT reads one range of the primary key.
const postsOfParts = `WITH v (edition_id, digest_id, due_at, carried) AS (VALUES {rows})
		SELECT v.edition_id, v.carried, COALESCE((SELECT string_agg(CAST(dp.post_id AS TEXT), ',') FROM digest_posts dp
			WHERE dp.digest_id = v.digest_id AND dp.visible_at = v.due_at), '') AS posts FROM v`

func (s *database) readParts(ctx context.Context, parts []part, posts map[digest.EditionID][]digest.PostRef) error {
	v := partRows(parts)
	var rows []struct {
		EditionID digest.EditionID
		Carried   carriage
		Posts     string
	}
	err := s.read().AllRows(ctx, &rows, &v, postsOfParts)
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

// uniqueRefs sorts posts by key and removes duplicates. It prefers the edition's own posts to carried ones.
func uniqueRefs(refs []digest.PostRef) []digest.PostRef {
	slices.SortFunc(refs, func(a, b digest.PostRef) int {
		return cmp.Or(cmp.Compare(a.PostID, b.PostID), db.Bit(a.Carried)-db.Bit(b.Carried),
			db.Bit(a.Listed)-db.Bit(b.Listed))
	})
	return slices.CompactFunc(refs, func(a, b digest.PostRef) bool { return a.PostID == b.PostID })
}

// WaitingPosts returns the posts that the digest's next edition would contain now, without posts that its filters
// match or its publisher has withdrawn.
func (s Editions) WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error) {
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

// A part is a range of posts and notices that an edition shows: its own, or a carried edition's.
type part struct {
	EditionID digest.EditionID
	DigestID  digest.DigestID
	DueAt     instant
	Carried   carriage

	// The carried edition.
	FromID    digest.EditionID
	LocalDate digest.Date
	State     digest.EditionState
}

type carriage int

const (
	partOwn     carriage = iota
	partCarried          // as late posts
	partListed           // as headlines
)

// carriedParts selects the undelivered editions e as parts of the editions y.edition_id.
const carriedParts = `e.digest_id, e.due_at, CASE WHEN e.state = 'expired' THEN 1
	ELSE 2 END AS carried, e.id AS from_id, e.local_date, e.state`

func (s *database) partsOf(ctx context.Context, editions []digest.Delivery) ([]part, error) {
	parts := make([]part, len(editions))
	for i, e := range editions {
		parts[i] = part{EditionID: e.ID, DigestID: e.DigestID, DueAt: at(e.DueAt)}
	}
	ids := each(editions, func(e digest.Delivery) digest.EditionID { return e.ID })
	var others []part
	err := s.read().All(ctx, &others, `SELECT y.edition_id, `+carriedParts+`
		FROM carried_posts y JOIN editions e ON e.id = y.from_id WHERE y.edition_id`+s.d.OneOf, ids)
	return append(parts, others...), err
}

// waitingParts returns the parts of the digest's next edition as of now.
func (s *database) waitingParts(ctx context.Context, id digest.DigestID) ([]part, error) {
	var parts, others []part
	err := s.read().All(ctx, &parts,
		`SELECT 0 AS edition_id, d.id AS digest_id, d.next_due_at AS due_at FROM digests d WHERE d.id = ?`, id)
	if err == nil {
		err = s.read().All(ctx, &others,
			`WITH l (id) AS (SELECT e.id FROM editions e WHERE e.digest_id = ? AND `+toCarry+`)
			SELECT 0 AS edition_id, `+carriedParts+` FROM l JOIN editions e ON e.id = l.id
			UNION SELECT 0, `+carriedParts+` FROM l JOIN editions b ON b.id = l.id AND b.state = 'expired'
				JOIN carried_posts y ON y.edition_id = l.id JOIN editions e ON e.id = y.from_id`, id)
	}
	return append(parts, others...), err
}

// partRows returns parts as rows of (edition_id, digest_id, due_at, carried).
func partRows(parts []part) values {
	var v values
	for _, p := range parts {
		v.Row(p.EditionID, p.DigestID, p.DueAt, p.Carried)
	}
	return v
}
