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

// A cache keeps rendered posts from one reader to the next, in two halves:
// when the younger is full the older is dropped, so what is in use stays and
// all of it is never more than its limit. Beside them it keeps the headings of feeds.
type cache struct {
	mu            sync.Mutex
	limit         int // bytes of one half
	size          int // bytes of young
	young, older  map[postKey]cachedPost
	due           time.Time // the latest midnight seen
	headings      map[feedKey]heading
	headingsLimit int // bytes
	headingsSize  int
}

// sizeWithin is how many bytes of rendered posts are kept in a process that may take
// so many bytes of memory in all (GOMEMLIMIT): a quarter of them, since the collector
// needs room beside what is kept, and no more than the posts of a few hundred
// thousand feeds.
func sizeWithin(memory int64) int {
	const unlimited, most = 64 << 20, 512 << 20
	if memory == math.MaxInt64 {
		return unlimited
	}
	return int(min(memory/4, most))
}

// A postKey is what a post is kept by: it is rendered for each variant.
type postKey struct {
	unique.Handle[render.Variant]
	digest.PostID
}

// A feedKey is the same of a feed's heading.
type feedKey struct {
	unique.Handle[render.Variant]
	digest.FeedID
}

// A cachedPost is counted as what it was when last asked for: a post grows when
// a reader is the first to want it whole.
type cachedPost struct {
	*post
	size int
}

// missing is what has to be read from the store.
type missing struct {
	posts map[digest.PostID]bool // true: some reader wants it whole
	feeds map[digest.FeedID]bool
}

func newMissing() missing { return missing{map[digest.PostID]bool{}, map[digest.FeedID]bool{}} }

func newCache(bytes int) *cache {
	return &cache{
		limit: bytes * 7 / 16, headingsLimit: bytes / 8,
		young: map[postKey]cachedPost{}, older: map[postKey]cachedPost{},
		headings: map[feedKey]heading{},
	}
}

// get adds what is known of the posts of editions to s, and returns what is not. whole
// says which of them are to be shown in all their length. A midnight later than any
// before makes it forget the feeds' titles, which may have changed since.
func (c *cache) get(s shared, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef,
	whole func(*digest.Delivery, digest.FeedID) bool) missing {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := slices.MaxFunc(ds, func(x, y digest.Delivery) int { return x.DueAt.Compare(y.DueAt) })
	if due := last.DueAt; due.After(c.due) || c.headingsSize > c.headingsLimit {
		c.due, c.headings, c.headingsSize = due, map[feedKey]heading{}, 0
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

// put remembers what had to be loaded.
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

// entryBytes is what a post takes beside itself: its key, its place and date, and by what copies of it are found.
const entryBytes = 192

func (c *cache) putPost(id postKey, p *post) {
	n := p.Size() + entryBytes + 8*len(p.keys.names)
	if c.size-c.young[id].size+n > c.limit {
		c.older, c.young, c.size = c.young, map[postKey]cachedPost{}, 0
	}
	c.size += n - c.young[id].size
	c.young[id] = cachedPost{p, n}
}
