package poller

import (
	"cmp"
	"math"
	"slices"

	"digest"
)

// A Quota limits the bytes of text that are stored of feeds in a UTC day; 0 means no limit. A feed's bytes
// are divided among the accounts of its readers, except for the first freeBytes of each feed and day.
// Accounts stop a feed only if the quotas of all its readers are used up. So no reader can block a feed for
// the others, and the reader of a huge feed still gets the first part of each other feed.
type Quota struct {
	Feed    int64
	Account int64
}

// The defaults are about twenty times the daily text of an honest feed, and twice the largest honest
// document.
const (
	FeedQuota    = 4 << 20
	AccountQuota = 64 << 20
	freeBytes    = 64 << 10
)

// UnseenBytes is the limit of contents to store of posts that no reader will see. Admit would not store
// more for a new feed.
const UnseenBytes = freeBytes

// Admit decides which posts of a poll are stored. The order is: new posts for readers, then edits, each
// newest first. If not all fit, the oldest and the largest wait. Posts that no reader will see, such as the
// older ones of a new feed, are stored so that they are recognised later. Their content is stored too, as
// long as it is free. The document replaces the previous one, so it counts for accounts only.
func (q Quota) Admit(in digest.Intake) digest.Admission {
	onAccount := q.roomOnAccount(in)
	room, free := onAccount, freeBytes-in.Used
	if q.Feed > 0 {
		room = min(room, q.Feed-in.Used)
	}
	if q.Account == 0 {
		free = room
	}
	a := digest.Admission{Posts: make([]digest.Fate, len(in.Posts))}
	for _, i := range byWeight(in.Posts) {
		bytes, fate := in.Posts[i].Bytes, digest.PostStored
		if bare := in.Posts[i].Bare; bare > 0 && a.Bytes+bytes > free {
			bytes, fate = bare, digest.PostBare
		}
		if a.Bytes+bytes <= room {
			a.Posts[i] = fate
			a.Bytes += bytes
		}
	}
	counted := a.Bytes
	if a.Body = in.Body == 0 || counted+in.Body <= onAccount; a.Body {
		counted += in.Body
	}
	if q.Account > 0 {
		a.Share = max(counted-max(free, 0), 0) / int64(max(len(in.Accounts), 1))
	}
	return a
}

// roomOnAccount returns how many more bytes the accounts of a feed's readers allow.
func (q Quota) roomOnAccount(in digest.Intake) int64 {
	if q.Account == 0 || len(in.Accounts) == 0 {
		return math.MaxInt64
	}
	left := max(q.Account-slices.Min(in.Accounts), 0)
	return max(freeBytes-in.Used, 0) + left*int64(len(in.Accounts))
}

// byWeight returns the indexes of posts in the order in which they are stored.
func byWeight(posts []digest.IntakePost) []int {
	order := make([]int, len(posts))
	for i := range order {
		order[i] = i
	}
	rank := func(p digest.IntakePost) int {
		switch {
		case p.Bare > 0:
			return 2
		case p.Edit:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(posts[a]), rank(posts[b])), posts[b].Published.Compare(posts[a].Published))
	})
	return order
}

// Full reports whether a reader's quota of the day is used up, so that no search may begin.
func (q Quota) Full(account int64) bool { return q.Account > 0 && account >= q.Account }
