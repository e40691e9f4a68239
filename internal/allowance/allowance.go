// Package allowance decides when an address may get another of the letters that anyone can request (pure).
//
// It bounds two harms: the letters that strangers cause for a reader, and the time for which they delay a reader's
// letter. The more letters an address got within a day, the longer it waits for the next one. The link in each
// letter works longer than that wait, so a reader who waits has a link that works. Using the link ends the wait.
//
// Three rules count the letters whose link nobody has used. Each bounds different letters:
//
//	Next     letters of one kind to one address
//	ForBox   letters of all kinds to one mailbox, under any spelling
//	Crowded  letters to one domain, and all letters of the instance
package allowance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is what a letter is for; the letters of each kind are counted by themselves.
type Kind string

// The kinds.
const (
	SignUp      Kind = "sign-up"       // confirms the address of somebody new
	SignIn      Kind = "sign-in"       // whoever asks
	KnownSignIn Kind = "sign-in-known" // asked for by a browser that was signed in with this address before
	Join        Kind = "join"          // joins a newsletter, whose key follows
	Address     Kind = "address"       // confirms the address that a reader would rather have
	Ask         Kind = "ask"           // asks somebody of an imported list about a newsletter, whose key follows
	Member      Kind = "member"        // no letter: a publisher adds somebody to a newsletter, whose key follows
	Passkeys    Kind = "passkeys"      // says that the reader's passkeys have changed
)

// ToJoin is the kind of letters by which people join the newsletter of a key.
func ToJoin(newsletter int64) Kind { return Kind(fmt.Sprint(Join, " ", newsletter)) }

// ToAsk is the kind of letters that ask people of a list about the newsletter of a key.
func ToAsk(newsletter int64) Kind { return Kind(fmt.Sprint(Ask, " ", newsletter)) }

// ToAdd is the kind of additions by a publisher to the newsletter of a key.
func ToAdd(newsletter int64) Kind { return Kind(fmt.Sprint(Member, " ", newsletter)) }

func (k Kind) isAdded() bool { return strings.HasPrefix(string(k), string(Member)+" ") }

// IsJoin reports whether ToJoin has made it.
func (k Kind) IsJoin() bool { return strings.HasPrefix(string(k), string(Join)+" ") }

// IsStrangers reports whether a stranger can cause letters of the kind.
func (k Kind) IsStrangers() bool { return k != KnownSignIn && k != Passkeys }

// A Letter is one that an address was sent, or that is on its way to it.
type Letter struct {
	Kind     Kind
	At       time.Time
	Asker    string // whose network or browser asked for it
	Answered bool   // its link was used, or is void: it helps nobody who waits
}

const (
	// Day is for how long a letter counts.
	Day = 24 * time.Hour

	// ahead is how far the clocks of two processes may differ. A letter of a later
	// time is one of a clock that was wrong, and keeps nobody waiting.
	ahead = 5 * time.Minute

	mostInHour = 3  // unanswered letters to one mailbox
	mostInDay  = 12 // of these, those that are no sign-in links

	// spare is the least for which a link works after the wait for the next one.
	spare = 45 * time.Minute

	// mostOfOne is how many letters of one asker count against all the others.
	mostOfOne = 4
)

// A step is the wait after so many letters within a day, and after more of them.
type step struct {
	letters int
	wait    time.Duration
}

// A pace is steps, the later ones for more letters.
type pace []step

// after is the wait after so many letters.
func (p pace) after(letters int) (wait time.Duration) {
	for _, s := range p {
		if letters >= s.letters {
			wait = s.wait
		}
	}
	return wait
}

// ofAddress is how letters of a kind to one address follow each other, whoever asks.
func (k Kind) ofAddress() pace {
	switch k {
	case SignIn:
		return pace{{1, 2 * time.Minute}, {3, 15 * time.Minute}, {12, time.Hour}}
	case KnownSignIn:
		return nil // each browser for itself
	case Passkeys:
		return pace{{8, 15 * time.Minute}}
	}
	return pace{{1, 15 * time.Minute}, {3, 8 * time.Hour}}
}

// ofAsker is the same for what one asker has them sent.
func (k Kind) ofAsker() pace {
	switch k {
	case SignIn:
		return pace{{1, 2 * time.Minute}, {3, 15 * time.Minute}, {4, time.Hour}, {8, 4 * time.Hour}}
	case KnownSignIn:
		return pace{{1, 2 * time.Minute}, {4, 15 * time.Minute}, {8, 2 * time.Hour}}
	}
	return nil
}

// Next is when an asker may have another letter of a kind sent, after those that
// its address had; a time that is not after now: at once.
func Next(k Kind, had []Letter, asker string, now time.Time) time.Time {
	all, each := k.counted(had, now)
	return latest(all.next(k.ofAddress()), each[asker].next(k.ofAsker()))
}

// ForBox returns when a mailbox may get another letter of a kind that strangers can cause. A time that is not after
// now means that it may now. had are the letters of all such kinds that it got. A mailbox gets mostInHour unanswered
// letters in an hour and, without sign-in links, mostInDay in a day. One sign-in link an hour may always follow, so
// that other letters keep no reader out. People whom publishers add count apart. Sign-in links do not count for a
// change of address: another reader sees its answer, which must not depend on whether the address has an account.
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

// after returns when fewer than most of some instants lie within a span.
func after(all []time.Time, most int, span time.Duration) time.Time {
	if len(all) < most {
		return time.Time{}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all[len(all)-most].Add(span)
}

// Life is for how long the link in a letter works that is sent now, after those
// that its address had: usual, or longer, so that it works when anybody who has
// asked has to wait no more.
func Life(k Kind, had []Letter, asker string, now time.Time, usual time.Duration) time.Duration {
	all, each := k.counted(append(had[:len(had):len(had)], Letter{At: now, Asker: asker}), now)
	free := all.next(k.ofAddress())
	if k == SignIn {
		free = latest(free, now.Add(time.Hour)) // ForBox
	}
	for _, own := range each {
		free = latest(free, own.next(k.ofAsker()))
	}
	hours := (free.Sub(now) + spare + time.Hour - 1) / time.Hour
	return max(usual, hours*time.Hour)
}

// A count is letters that count, and the last of them that is not answered.
type count struct {
	letters int
	last    time.Time
}

// counts reports whether a letter still counts.
func (l Letter) counts(now time.Time) bool {
	return l.At.After(now.Add(-Day)) && !l.At.After(now.Add(ahead))
}

// with counts one more letter, if it counts.
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

// next is when the wait ends. Nobody waits for answered letters.
func (c count) next(p pace) time.Time {
	if c.last.IsZero() {
		return c.last
	}
	return c.last.Add(p.after(c.letters))
}

// counted counts the letters of all askers and of each. Where each has a pace of
// their own, no more than mostOfOne of one count against the others.
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
