package edition

import (
	"math"
	"slices"
	"sync"
	"time"
	"unique"

	"digest"
	"digest/render"
)

// A cache stores rendered posts between editions in two generations. When the young one is full, the cache drops the
// older one. Posts in use therefore stay, and the total size never exceeds the limit. The cache also stores the
// headings of feeds.
type cache struct {
	mu            sync.Mutex
	limit         int
	size          int // bytes of young
	young, older  map[postKey]cachedPost
	due           time.Time // the latest midnight seen
	headings      map[feedKey]heading
	headingsLimit int
	headingsSize  int // with the histories
	histories     map[historyKey]history
}

// sizeWithin returns the size of the cache in bytes for a memory limit (GOMEMLIMIT). It is a quarter of the limit,
// because the garbage collector needs room, and at most the posts of a few hundred thousand feeds.
func sizeWithin(memory int64) int {
	const unlimited, most = 64 << 20, 512 << 20
	if memory == math.MaxInt64 {
		return unlimited
	}
	return int(min(memory/4, most))
}

type postKey struct {
	unique.Handle[render.Variant]
	digest.PostID
}

type feedKey struct {
	unique.Handle[render.Variant]
	digest.FeedID
}

// A cachedPost stores a post with its size at the last access. A post grows when the first reader wants its full text.
type cachedPost struct {
	*post
	size int
}

// missing lists posts and feeds to load from the store.
type missing struct {
	posts map[digest.PostID]bool // true if a reader wants the full text
	feeds map[digest.FeedID]bool
}

func newMissing() missing { return missing{map[digest.PostID]bool{}, map[digest.FeedID]bool{}} }

func newCache(bytes int) *cache {
	return &cache{
		limit: bytes * 7 / 16, headingsLimit: bytes / 8,
		young: map[postKey]cachedPost{}, older: map[postKey]cachedPost{},
		headings: map[feedKey]heading{}, histories: map[historyKey]history{},
	}
}

// get adds the cached posts of editions to s and returns the missing ones. whole reports whether an edition shows the
// full text of a feed's posts. A new latest midnight clears the headings, because feed titles may have changed.
func (c *cache) get(s shared, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef,
	whole func(*digest.Delivery, digest.FeedID) bool) missing {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := slices.MaxFunc(ds, func(x, y digest.Delivery) int { return x.DueAt.Compare(y.DueAt) })
	if due := last.DueAt; due.After(c.due) || c.headingsSize > c.headingsLimit {
		c.due, c.headings, c.headingsSize = due, map[feedKey]heading{}, 0
		clear(c.histories)
	}
	want := newMissing()
	for i := range ds {
		for _, r := range refs[ds[i].ID] {
			whole := whole(&ds[i], r.FeedID)
			if p, ok := s.posts[r.PostID]; !ok || whole && !p.IsWhole() {
				if p, known := c.getPost(postKey{s.render.Variant(), r.PostID}); known && (!whole || p.IsWhole()) {
					s.posts[r.PostID] = p
				} else {
					want.posts[r.PostID] = want.posts[r.PostID] || whole
				}
			}
			if _, ok := s.headings[r.FeedID]; !ok {
				if h, known := c.headings[feedKey{s.render.Variant(), r.FeedID}]; known {
					s.headings[r.FeedID] = h
				} else {
					want.feeds[r.FeedID] = true
				}
			}
		}
	}
	return want
}

func (c *cache) getPost(id postKey) (*post, bool) {
	known, ok := c.young[id]
	if !ok {
		known, ok = c.older[id]
	}
	if ok {
		c.putPost(id, known.post)
	}
	return known.post, ok
}

func (c *cache) put(s shared, loaded missing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range loaded.posts {
		if p, ok := s.posts[id]; ok {
			c.putPost(postKey{s.render.Variant(), id}, p)
		}
	}
	for id := range loaded.feeds {
		if h, ok := s.headings[id]; ok {
			c.headingsSize += h.section.Size()
			c.headings[feedKey{s.render.Variant(), id}] = h
		}
	}
}

func (c *cache) history(key historyKey) (history, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.histories[key]
	return h, ok
}

func (c *cache) putHistory(key historyKey, h history) {
	const bytes = 160 // with the entry of the map
	c.mu.Lock()
	defer c.mu.Unlock()
	c.histories[key] = h
	c.headingsSize += bytes
}

// entryBytes estimates the overhead of a cached post: its key, position, date and copy keys.
const entryBytes = 272

func (c *cache) putPost(id postKey, p *post) {
	n := p.Size() + entryBytes + 8*len(p.keys.names) + 4*(len(p.story.words)+len(p.story.figures))
	if c.size-c.young[id].size+n > c.limit {
		c.older, c.young, c.size = c.young, map[postKey]cachedPost{}, 0
	}
	c.size += n - c.young[id].size
	c.young[id] = cachedPost{p, n}
}
