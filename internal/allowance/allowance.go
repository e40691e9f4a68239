// Package allowance decides when an address may get another of the emails that anyone can request (pure).
//
// It limits two harms: the emails that strangers cause for a reader, and the time for which they delay a reader's
// email. The more emails an address got within a day, the longer it waits for the next one. The link in each email
// works longer than that wait, so a waiting reader has a link that works. Using the link ends the wait.
//
// Three rules count the emails whose link was not used. Each limits different emails:
//
//	Next     emails of one kind to one address
//	ForBox   emails of all kinds to one mailbox, under any spelling
//	Crowded  emails to one domain, and all emails of the instance
package allowance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the purpose of an email. Each kind is counted separately.
type Kind string

const (
	SignUp      Kind = "sign-up"       // confirms the address of a new reader
	SignIn      Kind = "sign-in"       // a sign-in link for an unknown browser
	KnownSignIn Kind = "sign-in-known" // a sign-in link for a browser that signed in with this address before
	Join        Kind = "join"          // confirms joining the newsletter whose key follows
	Address     Kind = "address"       // confirms a reader's new address
	// a confirmation request to an imported address for the newsletter whose key follows
	Ask      Kind = "ask"
	Member   Kind = "member"   // not an email: a publisher adds a member to the newsletter whose key follows
	Passkeys Kind = "passkeys" // reports a change of the reader's passkeys
)

// ToJoin returns the kind of emails that confirm joining a newsletter.
func ToJoin(newsletter int64) Kind { return Kind(fmt.Sprint(Join, " ", newsletter)) }

// ToAsk returns the kind of confirmation requests to imported addresses for a newsletter.
func ToAsk(newsletter int64) Kind { return Kind(fmt.Sprint(Ask, " ", newsletter)) }

// ToAdd returns the kind of additions to a newsletter by a publisher.
func ToAdd(newsletter int64) Kind { return Kind(fmt.Sprint(Member, " ", newsletter)) }

func (k Kind) isAdded() bool { return strings.HasPrefix(string(k), string(Member)+" ") }

// IsJoin reports whether ToJoin returned k.
func (k Kind) IsJoin() bool { return strings.HasPrefix(string(k), string(Join)+" ") }

// IsStrangers reports whether a stranger can cause emails of the kind.
func (k Kind) IsStrangers() bool { return k != KnownSignIn && k != Passkeys }

// A Letter is an email to an address that was sent or is being sent.
type Letter struct {
	Kind     Kind
	At       time.Time
	Asker    string // the network or browser that requested it
	Answered bool   // its link was used or is void, so it does not help a waiting reader
}

const (
	// Day is how long an email counts.
	Day = 24 * time.Hour

	// ahead is the maximum difference between the clocks of two processes. A later email is from a wrong clock and
	// delays nothing.
	ahead = 5 * time.Minute

	mostInHour = 3  // unanswered emails to one mailbox
	mostInDay  = 12 // of these, without sign-in links

	// spare is the minimum time for which a link works after the wait for the next one.
	spare = 45 * time.Minute

	// mostOfOne is the maximum number of emails of one asker that count against the other askers.
	mostOfOne = 4
)

// A step is the wait from a number of emails within a day on.
type step struct {
	letters int
	wait    time.Duration
}

// A pace is a list of steps in ascending order of letters.
type pace []step

func (p pace) after(letters int) (wait time.Duration) {
	for _, s := range p {
		if letters >= s.letters {
			wait = s.wait
		}
	}
	return wait
}

// ofAddress returns the pace of emails of a kind to one address, for all askers together.
func (k Kind) ofAddress() pace {
	switch k {
	case SignIn:
		return pace{{1, 2 * time.Minute}, {3, 15 * time.Minute}, {12, time.Hour}}
	case KnownSignIn:
		return nil // each browser has its own pace
	case Passkeys:
		return pace{{8, 15 * time.Minute}}
	}
	return pace{{1, 15 * time.Minute}, {3, 8 * time.Hour}}
}

// ofAsker returns the pace of emails that one asker requests.
func (k Kind) ofAsker() pace {
	switch k {
	case SignIn:
		return pace{{1, 2 * time.Minute}, {3, 15 * time.Minute}, {4, time.Hour}, {8, 4 * time.Hour}}
	case KnownSignIn:
		return pace{{1, 2 * time.Minute}, {4, 15 * time.Minute}, {8, 2 * time.Hour}}
	}
	return nil
}

// Next returns when an asker may request another email of a kind, after those that its address had. A time that is not
// after now means immediately.
func Next(k Kind, had []Letter, asker string, now time.Time) time.Time {
	all, each := k.counted(had, now)
	return latest(all.next(k.ofAddress()), each[asker].next(k.ofAsker()))
}

// ForBox returns when a mailbox may get another email of a kind that strangers can cause. A time that is not after now
// means immediately. had are all emails of such kinds that it got.
//
// A mailbox gets mostInHour unanswered emails in an hour and, without sign-in links, mostInDay in a day. One sign-in
// link an hour is always allowed, so that other emails do not lock out a reader. People whom publishers add count
// separately. Sign-in links do not count for a change of address. Another reader sees its result, which must not reveal
// whether the address has an account.
func ForBox(k Kind, had []Letter, now time.Time) time.Time {
	var all, others, signIns []time.Time
	for _, l := range had {
		switch {
		case l.Answered || !l.counts(now) || k == Address && l.Kind == SignIn || k.isAdded() != l.Kind.isAdded():
			continue
		case l.Kind == SignIn:
			signIns = append(signIns, l.At)
		default:
			others = append(others, l.At)
		}
		all = append(all, l.At)
	}
	next := after(all, mostInHour, time.Hour)
	if k == SignIn {
		return earliest(next, after(signIns, 1, time.Hour))
	}
	return latest(next, after(others, mostInDay, Day))
}

// after returns when fewer than most of the instants are within a span.
func after(all []time.Time, most int, span time.Duration) time.Time {
	if len(all) < most {
		return time.Time{}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all[len(all)-most].Add(span)
}

// Life returns how long the link in an email that is sent now works, after those that its address had. It is usual, or
// longer, so that the link still works when a waiting asker may request the next one.
func Life(k Kind, had []Letter, asker string, now time.Time, usual time.Duration) time.Duration {
	all, each := k.counted(append(had[:len(had):len(had)], Letter{At: now, Asker: asker}), now)
	free := all.next(k.ofAddress())
	if k == SignIn {
		free = latest(free, now.Add(time.Hour)) // as in ForBox
	}
	for _, own := range each {
		free = latest(free, own.next(k.ofAsker()))
	}
	hours := (free.Sub(now) + spare + time.Hour - 1) / time.Hour
	return max(usual, hours*time.Hour)
}

// A count is the number of emails that count, and the time of the last unanswered one.
type count struct {
	letters int
	last    time.Time
}

func (l Letter) counts(now time.Time) bool {
	return l.At.After(now.Add(-Day)) && !l.At.After(now.Add(ahead))
}

// with returns the count with one more email, if that counts.
func (c count) with(l Letter, now time.Time) count {
	if !l.counts(now) {
		return c
	}
	c.letters++
	if !l.Answered {
		c.last = latest(c.last, l.At)
	}
	return c
}

// next returns the end of the wait. Answered emails cause no wait.
func (c count) next(p pace) time.Time {
	if c.last.IsZero() {
		return c.last
	}
	return c.last.Add(p.after(c.letters))
}

// counted returns the counts of all askers together and of each asker. If the kind has a pace for each asker, at most
// mostOfOne of one asker count in all.
func (k Kind) counted(had []Letter, now time.Time) (all count, each map[string]count) {
	each = make(map[string]count)
	for _, l := range had {
		each[l.Asker] = each[l.Asker].with(l, now)
	}
	for _, own := range each {
		n := own.letters
		if k.ofAsker() != nil {
			n = min(n, mostOfOne)
		}
		all = count{all.letters + n, latest(all.last, own.last)}
	}
	return all, each
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
