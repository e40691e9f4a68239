package digest

import (
	"fmt"
	"strconv"
)

// LetterCounts is what became of the letters of a newsletter over some days.
type LetterCounts struct {
	Sent       int64 // accepted by their members' servers
	Bounced    int64 // came back for good
	Complained int64 // were called spam
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

// HoldReason says why a newsletter with these counts is held, in one line; "" where it is not.
func (c LetterCounts) HoldReason() string {
	switch {
	case c.Complained >= fewestComplaint && c.Complained*1000 > c.Sent*mostComplaints:
		return fmt.Sprintf("%s of %s were called spam, which is more than 0.3 %%", Counted(int(c.Complained), "letter"), strconv.FormatInt(c.Sent, 10))
	case c.Bounced >= fewestBounces && c.Bounced*100 > c.Sent*mostBounces:
		return fmt.Sprintf("%s of %s came back, which is more than 5 %%", Counted(int(c.Bounced), "letter"), strconv.FormatInt(c.Sent, 10))
	}
	return ""
}
