package edition

import (
	"sync"
	"time"

	"digest"
)

// maxHeadings bounds the feeds whose headings are kept, about 2 KB each.
const maxHeadings = 10_000

// A cache keeps rendered posts from one reader to the next, in two halves:
// when the younger is full the older is dropped, so what is in use stays and
// all of it is never more than its limit.
type cache struct {
	mu           sync.Mutex
	limit        int // bytes of one half
	size         int // bytes of young
	young, older map[digest.PostID]cachedPost
	due          time.Time // the latest midnight seen
	headings     map[digest.FeedID]heading
}

// A cachedPost is counted as what it was when last asked for: a post grows when
// a reader is the first to want it whole.
type cachedPost struct {
	*post
	size int
}

// missing is what has to be read from the store.
type missing struct {
	posts map[digest.PostID]bool
	feeds map[digest.FeedID]bool
}

func newMissing() missing { return missing{map[digest.PostID]bool{}, map[digest.FeedID]bool{}} }

func newCache(bytes int) *cache {
	return &cache{
		limit: bytes / 2,
		young: map[digest.PostID]cachedPost{}, older: map[digest.PostID]cachedPost{},
		headings: map[digest.FeedID]heading{},
	}
}

// get adds what is known of refs to s, and returns what is not. A midnight later
// than any before makes it forget the feeds' titles, which may have changed since.
func (c *cache) get(s shared, due time.Time, refs map[digest.EditionID][]digest.PostRef) missing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if due.After(c.due) || len(c.headings) > maxHeadings {
		c.due, c.headings = due, map[digest.FeedID]heading{}
	}
	want := newMissing()
	for _, edition := range refs {
		for _, r := range edition {
			if _, ok := s.posts[r.PostID]; !ok {
				if p, known := c.getPost(r.PostID); known {
					s.posts[r.PostID] = p
				} else {
					want.posts[r.PostID] = true
				}
			}
			if _, ok := s.headings[r.FeedID]; !ok {
				if h, known := c.headings[r.FeedID]; known {
					s.headings[r.FeedID] = h
				} else {
					want.feeds[r.FeedID] = true
				}
			}
		}
	}
	return want
}

func (c *cache) getPost(id digest.PostID) (*post, bool) {
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
			c.putPost(id, p)
		}
	}
	for id := range loaded.feeds {
		if h, ok := s.headings[id]; ok {
			c.headings[id] = h
		}
	}
}

func (c *cache) putPost(id digest.PostID, p *post) {
	n := p.Size()
	if c.size-c.young[id].size+n > c.limit {
		c.older, c.young, c.size = c.young, map[digest.PostID]cachedPost{}, 0
	}
	c.size += n - c.young[id].size
	c.young[id] = cachedPost{p, n}
}
