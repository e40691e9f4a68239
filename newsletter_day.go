package digest

import "time"

// A NewsletterDay is what became of the letters and the members of a newsletter on one day by
// its owner's clock. It knows numbers only, and names nobody.
type NewsletterDay struct {
	Day     Date
	Members int64 // at its end, of today until now; 0 where only what was counted is asked for
	Joined  int64 // for the first time, or again
	Left    int64 // by themselves, or with their account
	LetterCounts
}

// Quiet reports whether nothing happened.
func (d NewsletterDay) Quiet() bool {
	return d == NewsletterDay{Day: d.Day, Members: d.Members}
}

// Plus sums up two days, or more that were summed up: its date and its members are those of
// the later, which is o.
func (d NewsletterDay) Plus(o NewsletterDay) NewsletterDay {
	return NewsletterDay{
		o.Day, o.Members, d.Joined + o.Joined, d.Left + o.Left,
		LetterCounts{d.Sent + o.Sent, d.Bounced + o.Bounced, d.Complained + o.Complained},
	}
}

// NewsletterDays puts what was counted into a row of days without gaps from one date to
// another, today, and works out how many members there were from how many there are. What was
// counted after today, as before the newsletter's owner moved west, is today's; what was before
// the first date is left out.
func NewsletterDays(counted []NewsletterDay, from, today Date, members int64) []NewsletterDay {
	var all []NewsletterDay
	for day := from; !today.Before(day); day = day.Plus(1) {
		all = append(all, NewsletterDay{Day: day})
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

// Until is how many days later another date is; less than 0: it comes before.
func (d Date) Until(o Date) int {
	return int(o.noon().Sub(d.noon()) / (24 * time.Hour))
}
