package edition

import (
	"sync"
	"time"

	"digest"
)

// maxOutlets bounds the feeds whose headings are kept, about 2 KB each.
const maxOutlets = 10_000

// A cache keeps rendered posts from one reader to the next, in two halves:
// when the younger is full the older is dropped, so what is in use stays and
// all of it is never more than its limit.
type cache struct {
	mu           sync.Mutex
	limit        int // bytes of one half
	size         int // bytes of young
	young, older map[digest.PostID]kept
	due          time.Time // the latest midnight seen
	outlets      map[digest.FeedID]outlet
}

// A kept article is counted as what it was when last asked for: a block grows
// when a reader is the first to want it whole.
type kept struct {
	*article
	size int
}

// missing is what has to be read from the store.
type missing struct {
	posts map[digest.PostID]bool
	feeds map[digest.FeedID]bool
}

func newCache(bytes int) *cache {
	return &cache{
		limit: bytes / 2,
		young: map[digest.PostID]kept{}, older: map[digest.PostID]kept{},
		outlets: map[digest.FeedID]outlet{},
	}
}

// take puts what is known of refs into s, and returns what is not. A midnight
// later than any before makes it forget the feeds' titles, which may have
// changed since.
func (c *cache) take(s stock, due time.Time, refs map[digest.EditionID][]digest.PostRef) missing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if due.After(c.due) || len(c.outlets) > maxOutlets {
		c.due, c.outlets = due, map[digest.FeedID]outlet{}
	}
	want := missing{map[digest.PostID]bool{}, map[digest.FeedID]bool{}}
	for _, edition := range refs {
		for _, r := range edition {
			if _, ok := s.articles[r.PostID]; !ok {
				if a, known := c.get(r.PostID); known {
					s.articles[r.PostID] = a
				} else {
					want.posts[r.PostID] = true
				}
			}
			if _, ok := s.outlets[r.FeedID]; !ok {
				if o, known := c.outlets[r.FeedID]; known {
					s.outlets[r.FeedID] = o
				} else {
					want.feeds[r.FeedID] = true
				}
			}
		}
	}
	return want
}

func (c *cache) get(id digest.PostID) (*article, bool) {
	k, ok := c.young[id]
	if !ok {
		k, ok = c.older[id]
	}
	if ok {
		c.put(id, k.article)
	}
	return k.article, ok
}

// keep remembers what had to be loaded.
func (c *cache) keep(s stock, loaded missing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range loaded.posts {
		if a, ok := s.articles[id]; ok {
			c.put(id, a)
		}
	}
	for id := range loaded.feeds {
		if o, ok := s.outlets[id]; ok {
			c.outlets[id] = o
		}
	}
}

func (c *cache) put(id digest.PostID, a *article) {
	n := a.block.Size()
	if c.size-c.young[id].size+n > c.limit {
		c.older, c.young, c.size = c.young, map[digest.PostID]kept{}, 0
	}
	c.size += n - c.young[id].size
	c.young[id] = kept{a, n}
}
