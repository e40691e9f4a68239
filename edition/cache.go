package edition

import (
	"sync"
	"time"

	"digest"
)

// maxSources bounds the feeds' titles that are kept.
const maxSources = 100_000

// A cache keeps rendered posts from one reader to the next, in two halves:
// when the younger is full the older is dropped, so what is in use stays and
// all of it is never more than its limit.
type cache struct {
	mu           sync.Mutex
	limit        int // bytes of one half
	size         int // bytes of young
	young, older map[digest.PostID]article
	due          time.Time // the latest midnight seen
	sources      map[digest.FeedID]digest.Source
}

func newCache(bytes int) *cache {
	return &cache{
		limit: bytes / 2,
		young: map[digest.PostID]article{}, older: map[digest.PostID]article{},
		sources: map[digest.FeedID]digest.Source{},
	}
}

// take puts what is known of refs into s, and returns what is not, each once.
// A midnight later than any before makes it forget the feeds' titles, which
// may have changed since.
func (c *cache) take(s stock, due time.Time, refs map[digest.EditionID][]digest.PostRef) ([]digest.PostID, []digest.FeedID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if due.After(c.due) || len(c.sources) > maxSources {
		c.due, c.sources = due, map[digest.FeedID]digest.Source{}
	}
	var posts []digest.PostID
	var feeds []digest.FeedID
	for _, edition := range refs {
		for _, r := range edition {
			if _, ok := s.articles[r.PostID]; !ok {
				a, known := c.get(r.PostID)
				s.articles[r.PostID] = a
				if !known {
					posts = append(posts, r.PostID)
				}
			}
			if _, ok := s.sources[r.FeedID]; !ok {
				src, known := c.sources[r.FeedID]
				s.sources[r.FeedID] = src
				if !known {
					feeds = append(feeds, r.FeedID)
				}
			}
		}
	}
	return posts, feeds
}

func (c *cache) get(id digest.PostID) (article, bool) {
	if a, ok := c.young[id]; ok {
		return a, true
	}
	a, ok := c.older[id]
	if ok {
		c.put(id, a)
	}
	return a, ok
}

// keep remembers what had to be loaded.
func (c *cache) keep(s stock, posts []digest.PostID, feeds []digest.FeedID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range posts {
		if a, ok := s.articles[id]; ok && a.block != nil {
			c.put(id, a)
		}
	}
	for _, id := range feeds {
		if src, ok := s.sources[id]; ok && src.FeedID != 0 {
			c.sources[id] = src
		}
	}
}

func (c *cache) put(id digest.PostID, a article) {
	n := a.block.Size()
	if c.size+n > c.limit {
		c.older, c.young, c.size = c.young, map[digest.PostID]article{}, 0
	}
	c.young[id] = a
	c.size += n
}
