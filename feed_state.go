package digest

// FeedState is the lasting condition of a feed. Waiting and penalties are not
// states: they follow from times in the record and end by themselves.
type FeedState string

// The states of a feed.
const (
	FeedActive FeedState = "active"
	FeedDead   FeedState = "dead" // failed for too long; asked no more until someone vouches for it
	FeedGone   FeedState = "gone" // said 410

	// FeedTrial is a dead or gone feed that somebody vouches for: it is asked
	// once more, and a good answer makes it active.
	FeedTrial FeedState = "trial"

	FeedBlocked  FeedState = "blocked"  // the operator has blocked its host
	FeedDeclined FeedState = "declined" // the owner of its host has asked that nothing is read there
)

// Asked reports whether feeds of the state are asked at all; so is one that has no state yet.
func (s FeedState) Asked() bool {
	switch s {
	case FeedDead, FeedGone, FeedBlocked, FeedDeclined:
		return false
	}
	return true
}
