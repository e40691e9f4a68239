package digest

import "fmt"

// LetterCounts counts the outcomes of a newsletter's emails over some days.
type LetterCounts struct {
	Sent       int64 // accepted by their members' servers
	Bounced    int64 // bounced permanently
	Complained int64 // were marked as spam
}

// What a newsletter may have of each before it is held, beside CountedDays. Mailbox providers treat
// all mail of an instance alike, so that one list that nobody asked for harms everybody's.
const (
	mostComplaints  = 3 // of 1,000 letters
	mostBounces     = 5 // of 100 letters
	fewestComplaint = 2 // one person is no crowd
	fewestBounces   = 5 // a short list always has an old address or two
)

// CountedDays is over how many days it is counted.
const CountedDays = 30

// HoldReason returns why these counts hold a newsletter, as one line; "" if they do not.
func (c LetterCounts) HoldReason() string {
	switch {
	case c.Complained >= fewestComplaint && c.Complained*1000 > c.Sent*mostComplaints:
		return fmt.Sprintf("%d of %d emails were marked as spam, which is more than 0.3 %%", c.Complained, c.Sent)
	case c.Bounced >= fewestBounces && c.Bounced*100 > c.Sent*mostBounces:
		return fmt.Sprintf("%d of %d emails bounced, which is more than 5 %%", c.Bounced, c.Sent)
	}
	return ""
}
