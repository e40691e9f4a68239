package newsletter

import "fmt"

// LetterCounts counts the outcomes of a newsletter's emails over some days.
type LetterCounts struct {
	Sent       int64 // accepted by their members' servers
	Bounced    int64 // bounced permanently
	Complained int64 // were reported as spam
}

// The complaints and bounces in CountedDays that hold a newsletter. Mailbox providers judge all mail of an instance
// together, so one bad list harms the mail of everybody.
const (
	mostComplaints  = 3 // per 1,000 emails
	mostBounces     = 5 // per 100 emails
	fewestComplaint = 2 // tolerates one person
	fewestBounces   = 5 // tolerates a few old addresses in a short list
)

// CountedDays is the number of days that LetterCounts covers.
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
