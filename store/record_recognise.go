package store

import (
	"context"
	"slices"
	"time"

	"digest"
)

const (
	// fewOld is how many posts may come at once with dates from before their feed's last
	// read, and be news without question: an author back-dates one post, or two.
	fewOld = 2
	// manyOld is how many of them make a document of unknown posts another archive.
	manyOld = 5
	// mostTraces bounds the stored posts that a document is compared with, the latest
	// of their feed: two documents of as many posts as are stored of one.
	mostTraces = 1000
	// leastText is the length of a summary, in bytes, from which it tells a post apart.
	leastText = 40
)

// isAnother reports whether an incoming post is another one than the stored post
// that has its GUID: nothing else of it is the same. Feeds number their entries by
// their places, or name all of them alike. Of a post without an address of its own
// that is believed only if several of its document are others.
func (p *incoming) isAnother(s storedPost, several bool) bool {
	published := at(p.PublishedAt)
	if p.Title == s.Title || p.Summary == s.Summary || published == s.PublishedAt && published != 0 {
		return false
	}
	return pathOf(p.URL) != pathOf(s.URL) || p.Alias == "" && several
}

// renumber gives new identities to posts that only share a GUID with a stored one:
// their own addresses, else title and date. It reports whether there was any.
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
			p.rename(ownIdentity(p))
			renumbered = true
		}
	}
	return renumbered
}

// ownIdentity is an identity that is not made of a post's GUID.
func ownIdentity(p *incoming) string {
	if alias := clean(p.Alias); alias != "" && alias != p.Identity {
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
	if i := slices.IndexFunc(listed, func(l string) bool { return clean(l) == p.Identity }); i >= 0 {
		listed[i] = identity
	}
	p.poll.Listed, p.Identity = listed, identity
}

// recognise finds posts of which the publisher has changed GUID and address among the
// latest posts of their feed. Few documents give reason to look.
func (r *recording) recognise(ctx context.Context) error {
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
		if poll.first || !slices.ContainsFunc(fresh[poll], (*incoming).isDoubtful) {
			continue
		}
		var stored []storedPost
		err := r.c.all(ctx, &stored, `SELECT `+storedColumns+` FROM posts p WHERE p.feed_id = ? ORDER BY p.seen_at DESC, p.id DESC LIMIT ?`, poll.Feed.ID, mostTraces)
		if err != nil {
			return err
		}
		stored = slices.DeleteFunc(stored, func(s storedPost) bool { return claimed[s.ID] || poll.lists(s.Identity) })
		same := recognised(fresh[poll], stored, len(poll.Listed), renamed[poll])
		r.moveKnown(func(p *incoming) (storedPost, bool) {
			s, ok := same[p]
			return s, ok
		})
	}
	return nil
}

// isDoubtful reports whether an unknown post may be one that is stored: it is not dated
// after its feed's last read, its identity is made of what authors edit, or nothing
// in its document is known.
func (p *incoming) isDoubtful() bool {
	return p.PublishedAt.IsZero() || p.isOld() || digest.IsHashed(p.Identity) || !p.poll.knows()
}

// isOld reports whether a post is dated before its feed was last read: it could have
// been in the document then.
func (p *incoming) isOld() bool {
	return !p.PublishedAt.IsZero() && at(p.PublishedAt) < p.poll.readBefore.plus(-Recent)
}

// A trait is what two posts have in common that may be the same. Of a delivered post
// hash is that of its last edit, title and text are what readers had.
type trait struct {
	title, text, hash string
	published         instant
}

// recognised pairs unknown posts of a document of so many entries with stored ones that
// it no longer lists; so many others of it (renamed) have no GUID and were found edited
// already. Two posts of one date are the same by a text of some length. By date and
// title, by title and such a text, by the hash of all their content, or by title and
// text without dates they are only where half of the document is found again so: one
// post may well repeat another. What fits two posts fits none.
func recognised(fresh []*incoming, stored []storedPost, entries, renamed int) map[*incoming]storedPost {
	m := matching{fresh: fresh, stored: stored, sure: make(map[*incoming]storedPost), maybe: make(map[*incoming]storedPost), used: make(map[digest.PostID]bool)}
	m.pair(m.sure, func(t trait) (trait, bool) {
		return trait{text: t.text, published: t.published}, t.published != 0 && len(t.text) >= leastText
	})
	m.pair(m.maybe, func(t trait) (trait, bool) { return trait{title: t.title, published: t.published}, t.published != 0 })
	m.pair(m.maybe, func(t trait) (trait, bool) {
		return trait{title: t.title, text: t.text}, len(t.text) >= leastText
	})
	m.pair(m.maybe, func(t trait) (trait, bool) { return trait{hash: t.hash}, len(t.text) >= leastText })
	m.pair(m.maybe, func(t trait) (trait, bool) {
		return trait{title: t.title, text: t.text}, t.published == 0
	})
	if found := len(m.sure) + len(m.maybe) + renamed; found < 2 || 2*found < entries {
		return m.sure
	}
	for p, s := range m.maybe {
		m.sure[p] = s
	}
	return m.sure
}

type matching struct {
	fresh       []*incoming
	stored      []storedPost
	sure, maybe map[*incoming]storedPost
	used        map[digest.PostID]bool
}

// pair adds those pairs to found that have the same of what part gives of their
// traits, and are the only two.
func (m *matching) pair(found map[*incoming]storedPost, part func(trait) (trait, bool)) {
	ones, others := make(map[trait][]*incoming), make(map[trait][]storedPost)
	for _, p := range m.fresh {
		if t, ok := part(trait{p.Title, p.Summary, p.ContentHash, at(p.PublishedAt)}); ok && !m.isPaired(p) {
			ones[t] = append(ones[t], p)
		}
	}
	for _, s := range m.stored {
		if t, ok := part(trait{s.Title, s.Summary, s.ContentHash, s.PublishedAt}); ok && !m.used[s.ID] {
			others[t] = append(others[t], s)
		}
	}
	for t, one := range ones {
		if len(one) == 1 && len(others[t]) == 1 {
			found[one[0]] = others[t][0]
			m.used[others[t][0].ID] = true
		}
	}
}

func (m *matching) isPaired(p *incoming) bool {
	_, sure := m.sure[p]
	_, maybe := m.maybe[p]
	return sure || maybe
}

// archive finds the posts of a poll that are no news: many at once, dated before the
// feed was last read, where most are older than all that is stored of it (begins), or
// nothing that the document holds is known. Of one that is longer than what is read of it
// (Windowed) each that lies before all that is stored has slid in.
func archive(fresh []*incoming, poll *polled, begins instant) map[*incoming]bool {
	no := make(map[*incoming]bool)
	var old []*incoming
	before := 0
	for _, p := range fresh {
		isBefore := !p.PublishedAt.IsZero() && at(p.PublishedAt) < begins
		if isBefore && poll.Windowed {
			no[p] = true
		}
		if p.isOld() {
			old = append(old, p)
			if isBefore {
				before++
			}
		}
	}
	if len(old) > fewOld && 2*before >= len(old) || len(old) >= manyOld && !poll.knows() {
		for _, p := range old {
			no[p] = true
		}
	}
	return no
}
