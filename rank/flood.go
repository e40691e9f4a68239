package rank

import (
	"time"

	"digest"
)

const (
	floodFactor  = 3
	fewestFlood  = 10 // posts; fewer are no flood
	fewestBefore = 5  // posts of a site whose usual number is known
	shortestPast = 14 * day
)

// Floods reports whether a site has far more posts than usual in an edition of some days. A flood has more than three
// times the posts of the site's busiest day in the month before, for each day. A site with a short history never
// floods.
func Floods(before digest.FeedHistory, n, days int, now time.Time) bool {
	return n >= fewestFlood && n > floodFactor*before.Most*max(1, days) && before.Recent >= fewestBefore &&
		!before.Since.IsZero() && now.Sub(before.Since) >= shortestPast
}
