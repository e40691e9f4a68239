package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

const (
	// fewOld is how many posts of one poll may have dates before their feed's last read and still be news: an author
	// back-dates one post, or two.
	fewOld = 2
	// manyOld is how many of them show that a document of unknown posts is another archive.
	manyOld = 5
	// mostTraces bounds the stored posts, latest first, with which a document is compared: the posts of two
	// documents.
	mostTraces = 1000
	// leastText is the length of a summary, in bytes, from which it identifies a post.
	leastText = 40
)

// isAnother reports whether an incoming post is another one than the stored post that has its identity: title, text and
// date differ. Feeds number their entries by their places, name all of them alike, or list one post only, always at one
// address. If the address is the same too, the document must list several such posts that have no address of their own.
// The only post of a document without GUIDs is another one, too, if it differs and is dated after the stored one was
// first seen.
func (p *incoming) isAnother(s storedPost, several bool) bool {
	published, alone := at(p.PublishedAt), len(p.poll.Listed) == 1
	isAddress := p.Alias == "" && strings.Contains(p.Identity, "://")
	if alone && isAddress && p.ContentHash != s.ContentHash && published > s.SeenAt {
		return true
	}
	if p.Title == s.Title || p.Summary == s.Summary || published == s.PublishedAt && published != 0 {
		return false
	}
	return pathOf(p.URL) != pathOf(s.URL) || p.Alias == "" && several || alone
}

// renumber gives new identities to posts that share theirs with a stored post by accident: their addresses, or a hash
// of title and date. It reports whether it found such a post.
func (r *recording) renumber(known map[postKey]storedPost) bool {
	others := make(map[*polled]int)
	of := func(p *incoming) (storedPost, bool) {
		s, ok := known[postKey{p.FeedID, p.Identity}]
		return s, ok
	}
	for _, p := range r.fresh {
		if s, ok := of(p); ok && p.isAnother(s, true) {
			others[p.poll]++
		}
	}
	if len(others) == 0 {
		return false
	}
	renumbered := false
	for _, p := range r.fresh {
		if s, ok := of(p); ok && p.isAnother(s, others[p.poll] > 1) {
			p.rename(ownIdentity(p, s))
			renumbered = true
		}
	}
	return renumbered
}

// ownIdentity returns an identity that a post does not share with a stored one.
func ownIdentity(p *incoming, s storedPost) string {
	if alias := db.Clean(p.Alias); alias != "" && alias != p.Identity && pathOf(p.URL) != pathOf(s.URL) {
		return alias
	}
	return digest.HashedIdentity(p.Title + "\n" + p.PublishedAt.UTC().Format(time.RFC3339))
}

// rename gives a post another identity than its document names, unless another has it.
func (p *incoming) rename(identity string) {
	if p.poll.lists(identity) {
		return
	}
	listed := slices.Clone(p.poll.Listed)
	if i := slices.IndexFunc(listed, func(l string) bool { return db.Clean(l) == p.Identity }); i >= 0 {
		listed[i] = identity
	}
	p.poll.Listed, p.Identity, p.poll.listed = listed, identity, nil
}

// recognise finds posts whose publisher has changed GUID and address among the latest posts of their feed. Few
// documents require it.
func (r *recording) recognise(ctx context.Context) error {
	if err := r.findVanished(ctx); err != nil {
		return err
	}
	fresh := make(map[*polled][]*incoming)
	for _, p := range r.fresh {
		fresh[p.poll] = append(fresh[p.poll], p)
	}
	claimed, renamed := make(map[digest.PostID]bool, len(r.known)), make(map[*polled]int)
	for _, p := range r.known {
		claimed[p.id] = true
		if p.renamed {
			renamed[p.poll]++
		}
	}
	for _, poll := range r.polls {
		doubtful := len(poll.vanished) > 0 || slices.ContainsFunc(fresh[poll], (*incoming).isDoubtful)
		if poll.first || len(fresh[poll]) == 0 || !doubtful {
			continue
		}
		var stored []storedPost
		err := r.c.All(ctx, &stored, `SELECT `+
			storedColumns+` FROM posts p WHERE p.feed_id = ? ORDER BY p.seen_at DESC, p.id DESC LIMIT ?`, poll.Feed.ID,
			mostTraces)
		if err != nil {
			return err
		}
		m := newMatching(fresh[poll], stored, poll.vanished)
		m.stored = slices.DeleteFunc(m.stored, func(s storedPost) bool {
			return claimed[s.ID] ||
				poll.lists(s.Identity)
		})
		same := m.recognised(len(poll.Listed), renamed[poll])
		r.moveKnown(func(p *incoming) (storedPost, bool) {
			s, ok := same[p]
			return s, ok
		})
	}
	return nil
}

// findVanished finds the posts that documents no longer list, though they list older ones.
func (r *recording) findVanished(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		if p.isWhole() {
			v.Row(p.Feed.ID)
		}
	}
	var rows []recentPost
	err := r.c.AllRows(ctx, &rows, &v, `WITH v (feed_id) AS (VALUES {rows})
		SELECT p.id, p.feed_id, p.identity, p.published_at, p.seen_at FROM v CROSS JOIN posts p
		WHERE p.feed_id = v.feed_id AND p.seen_at >= ? AND p.withdrawn_at = 0 ORDER BY p.feed_id, p.id`,
		r.now.Plus(-withdrawnWithin))
	if err != nil {
		return err
	}
	byFeed := make(map[digest.FeedID][]recentPost)
	for _, p := range rows {
		byFeed[p.FeedID] = append(byFeed[p.FeedID], p)
	}
	for _, p := range r.polls {
		p.recent = byFeed[p.Feed.ID]
	}
	for _, p := range r.fresh { // documents without fresh posts need no search
		if p.poll.vanished == nil {
			p.poll.vanished = vanished(p.poll.recent, p.poll.Listed, p.poll.Dates)
		}
	}
	return nil
}

// isDoubtful reports whether an unknown post may be a stored one. Its date is not after the feed's last poll, its
// identity is a hash of what authors edit, its GUID has a fragment, or its document lists no known post.
func (p *incoming) isDoubtful() bool {
	published := at(p.PublishedAt)
	undated := p.PublishedAt.IsZero() || published >= at(p.SeenAt)
	return undated || published <= p.poll.readBefore || digest.IsHashed(p.Identity) ||
		strings.Contains(p.Identity, "#") || !p.poll.knows()
}

// isOld reports whether a post is dated more than a day before its feed was last read, so that it could have been in
// the document then.
func (p *incoming) isOld() bool {
	return !p.PublishedAt.IsZero() && at(p.PublishedAt) < p.poll.readBefore.Plus(-Recent)
}
