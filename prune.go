package digest

import "time"

// A Prune counts the editions and posts that a prune would delete, and all in the database.
type Prune struct {
	Before      time.Time `json:"before"` // everything older is deleted
	Editions    int       `json:"editions"`
	AllEditions int       `json:"editions_of"`
	Posts       int       `json:"posts"`
	AllPosts    int       `json:"posts_of"`
}

// A prune that deletes fewer editions and fewer posts than these never waits for the operator.
const (
	fewEditions = 10
	fewPosts    = 100
)

// IsLarge reports whether a prune would delete more than half of the editions or of the posts, and more than a few. A
// mistake in DIGEST_KEEP does that; the hourly prune does not.
func (p Prune) IsLarge() bool {
	return p.Editions >= fewEditions && 2*p.Editions > p.AllEditions || p.Posts >= fewPosts && 2*p.Posts > p.AllPosts
}
