package newsletter

import "digest"

// A Day counts the events of a newsletter's emails and members on one day in its owner's time zone. It has no
// personal data.
type Day struct {
	Day     digest.Date
	Members int64 // at the end of the day, or now for today; 0 if the caller wants only the counters
	Joined  int64 // including returning members
	Left    int64 // unsubscribed, or deleted their account
	LetterCounts
}

// Quiet reports whether all counters are 0.
func (d Day) Quiet() bool {
	return d == Day{Day: d.Day, Members: d.Members}
}

// Plus returns the sums of d and the later o. The date and the members are those from o.
func (d Day) Plus(o Day) Day {
	return Day{
		o.Day, o.Members, d.Joined + o.Joined, d.Left + o.Left,
		LetterCounts{d.Sent + o.Sent, d.Bounced + o.Bounced, d.Complained + o.Complained},
	}
}

// Days returns one Day for each date from one date to today. It computes the members of each day
// backwards from the current number. Counts after today, which exist if the owner moved west, are added to today.
// Counts before the first date are dropped.
func Days(counted []Day, from, today digest.Date, members int64) []Day {
	var all []Day
	for day := from; !today.Before(day); day = day.Plus(1) {
		all = append(all, Day{Day: day})
	}
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1
	for _, c := range counted {
		if i := min(from.Until(c.Day), last); i >= 0 {
			c.Day = all[i].Day
			all[i] = all[i].Plus(c)
		}
	}
	for i := last; i >= 0; i-- {
		all[i].Members = members
		members = max(0, members-all[i].Joined+all[i].Left)
	}
	return all
}
