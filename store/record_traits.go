package store

import (
	"strings"
	"time"

	"digest"
)

// A trait holds what identifies a post besides its identity. The title and text of a delivered post are the delivered
// ones; the hash is the hash of its last edit.
type trait struct {
	title, text, hash string
	path              string // of an address that only one post has
	guid              string // before its fragment; "" if it has none
	published         instant

	gone   bool // it vanished from the document; true for each fresh post
	hashed bool // its identity is a hash of what authors edit
}

// isLong reports whether a text tells posts apart.
func (t trait) isLong() bool { return len(t.text) >= leastText }

// A rule returns the part of a trait by which two posts are the same, and whether the trait has that part.
type rule func(trait) (trait, bool)

// sureRules hold for a single post. A post that vanished from the midst of a document needs less in common with a
// fresh one, because no other explanation is as likely; one without GUID and link needs least.
func sureRules() []rule {
	return []rule{
		func(t trait) (trait, bool) {
			return trait{text: t.text, published: t.published}, t.published != 0 && t.isLong()
		},
		func(t trait) (trait, bool) {
			return trait{path: t.path, published: t.published}, t.published != 0 && t.path != ""
		},
		func(t trait) (trait, bool) {
			return trait{guid: t.guid, path: t.path, title: t.title}, t.guid != "" && t.path != ""
		},
		func(t trait) (trait, bool) {
			return trait{guid: t.guid, path: t.path, text: t.text}, t.guid != "" && t.path != "" && t.isLong()
		},
		func(t trait) (trait, bool) {
			return trait{guid: t.guid, path: t.path}, t.gone && t.guid != "" && t.path != ""
		},
		func(t trait) (trait, bool) {
			return trait{title: t.title, published: t.published}, t.gone && t.published != 0 && t.title != ""
		},
		func(t trait) (trait, bool) { return trait{title: t.title, text: t.text}, t.gone && t.isLong() },
		func(t trait) (trait, bool) { return trait{path: t.path, title: t.title}, t.gone && t.path != "" },
		func(t trait) (trait, bool) {
			return trait{path: t.path, text: t.text}, t.gone && t.path != "" && t.isLong()
		},
		func(t trait) (trait, bool) { return trait{text: t.text}, t.gone && t.hashed && t.isLong() },
		func(t trait) (trait, bool) { return trait{title: t.title}, t.gone && t.hashed && t.title != "" },
		func(t trait) (trait, bool) {
			return trait{published: t.published}, t.gone && t.hashed && t.published%3600 != 0
		},
	}
}

// maybeRules hold if they find half of a document again. They do not hold for a single post, which may repeat another.
func maybeRules() []rule {
	return []rule{
		func(t trait) (trait, bool) { return trait{title: t.title, published: t.published}, t.published != 0 },
		func(t trait) (trait, bool) { return trait{title: t.title, text: t.text}, t.isLong() },
		func(t trait) (trait, bool) { return trait{hash: t.hash}, t.isLong() },
		func(t trait) (trait, bool) { return trait{title: t.title, text: t.text}, t.published == 0 },
		func(t trait) (trait, bool) { return trait{path: t.path}, t.published == 0 && t.path != "" },
	}
}

// A matching pairs the unknown posts of one document with stored ones that it no longer lists.
type matching struct {
	fresh       []*incoming
	stored      []storedPost
	crowd       map[string]int // how many stored posts have a path
	vanished    map[digest.PostID]bool
	sure, maybe map[*incoming]storedPost
	used        map[digest.PostID]bool
}

func newMatching(fresh []*incoming, stored []storedPost, vanished map[digest.PostID]bool) *matching {
	m := &matching{fresh: fresh, stored: stored, crowd: make(map[string]int), vanished: vanished,
		sure: make(map[*incoming]storedPost), maybe: make(map[*incoming]storedPost), used: make(map[digest.PostID]bool)}
	for _, s := range stored {
		m.crowd[pathOf(s.URL)]++
	}
	return m
}

// recognised returns the pairs. The document has a number of entries, of which earlier steps found some (renamed) that
// have no GUID and were edited. If a rule fits two posts, it pairs none.
func (m *matching) recognised(entries, renamed int) map[*incoming]storedPost {
	for _, rule := range sureRules() {
		m.pair(m.sure, rule)
	}
	for _, rule := range maybeRules() {
		m.pair(m.maybe, rule)
	}
	if found := len(m.sure) + len(m.maybe) + renamed; found < 2 || 2*found < entries {
		return m.sure
	}
	for p, s := range m.maybe {
		m.sure[p] = s
	}
	return m.sure
}

// pair adds to found the pairs of posts that share a part of their traits with no third post.
func (m *matching) pair(found map[*incoming]storedPost, part rule) {
	ones, others := make(map[trait][]*incoming), make(map[trait][]storedPost)
	for _, p := range m.fresh {
		if t, ok := part(m.freshTrait(p)); ok && !m.isPaired(p) {
			ones[t] = append(ones[t], p)
		}
	}
	for _, s := range m.stored {
		if t, ok := part(m.storedTrait(s)); ok && !m.used[s.ID] {
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

func (m *matching) freshTrait(p *incoming) trait {
	return trait{
		title: p.Title, text: p.Summary, hash: p.ContentHash, path: m.ownPath(p.URL), guid: withoutFragment(p.Identity),
		published: dateBefore(at(p.PublishedAt), at(p.SeenAt)), gone: true, hashed: digest.IsHashed(p.Identity),
	}
}

func (m *matching) storedTrait(s storedPost) trait {
	return trait{
		title: s.Title, text: s.Summary, hash: s.ContentHash, path: m.ownPath(s.URL), guid: withoutFragment(s.Identity),
		published: dateBefore(s.PublishedAt, s.SeenAt), gone: m.vanished[s.ID], hashed: digest.IsHashed(s.Identity),
	}
}

// ownPath returns the path of an address, or "" for a front page and for an address of several stored posts.
func (m *matching) ownPath(address string) string {
	path := pathOf(address)
	if m.crowd[path] > 1 {
		return ""
	}
	return path
}

// withoutFragment returns a GUID without its fragment, or "" if it has none.
func withoutFragment(identity string) string {
	before, _, ok := strings.Cut(identity, "#")
	if !ok {
		return ""
	}
	return before
}

// dateBefore returns the date of a post, or 0 if it was in the future when the post was seen, and was stored as that
// instant.
func dateBefore(published, seen instant) instant {
	if published >= seen {
		return 0
	}
	return published
}

// vanished finds the recent posts that a document no longer lists, though it lists older ones: at least two, and a
// quarter of its entries. A post that slid out of a document has at most a few pinned ones below it. Dates are as in
// deleted.
func vanished(recent []recentPost, listed []string, dates []int64) map[digest.PostID]bool {
	return unlisted(recent, listed, dates, func(older, _ int) bool { return older >= 2 && 4*older >= len(listed) })
}

// young is how old a post may be that no document listed before, to be news in a document of unknown posts.
const young = 60 * 24 * time.Hour

// A dateRange holds the dates of the first and the last stored post of a feed.
type dateRange struct{ Begins, Ends instant }

// archive returns the posts of a poll that are not news. They appear together, with dates before the feed's last poll,
// and most are older than all stored posts; or the document lists no known post, and they are not young. A post with a
// date after all stored posts is news. In a document longer than the part that digest reads (Windowed), a post older
// than all stored ones has slid in.
func archive(fresh []*incoming, poll *polled, stored dateRange, now instant) map[*incoming]bool {
	no := make(map[*incoming]bool)
	var old []*incoming
	before := 0
	for _, p := range fresh {
		isBefore := !p.PublishedAt.IsZero() && at(p.PublishedAt) < stored.Begins
		if isBefore && poll.Windowed {
			no[p] = true
		}
		if p.isOld() && at(p.PublishedAt) < max(stored.Ends, 1) {
			old = append(old, p)
			if isBefore {
				before++
			}
		}
	}
	mostBefore, unknown := len(old) > fewOld && 2*before >= len(old), len(old) >= manyOld && !poll.knows()
	for _, p := range old {
		no[p] = no[p] || mostBefore || unknown && at(p.PublishedAt) < now.Plus(-young)
	}
	return no
}
