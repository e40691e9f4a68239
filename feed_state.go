package digest

// FeedState is the lasting condition of a feed. Waiting and penalties are not states, because they follow from times in
// the record and end on time.
type FeedState string

const (
	FeedActive FeedState = "active"
	FeedDead   FeedState = "dead" // failed for 90 days; not polled until a reader, the operator or a ping asks for it
	FeedGone   FeedState = "gone" // answered 410

	// FeedTrial is a dead or gone feed that gets one more poll. A good response makes it active.
	FeedTrial FeedState = "trial"

	FeedBlocked  FeedState = "blocked"  // the operator blocked its host
	FeedDeclined FeedState = "declined" // the owner of its host asked us not to read it
)

// Asked reports whether feeds in the state are polled. A feed without a state is.
func (s FeedState) Asked() bool {
	switch s {
	case FeedDead, FeedGone, FeedBlocked, FeedDeclined:
		return false
	}
	return true
}
