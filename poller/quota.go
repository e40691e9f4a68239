package poller

import (
	"cmp"
	"math"
	"slices"

	"digest"
)

// A Quota bounds what is stored of feeds in a day, in UTC, in bytes of texts; 0: it
// does not. What is stored of a feed counts on account of its readers, each their
// share, except for the first freeBytes of each feed and day. A feed is held up by
// accounts only if those of all its readers are used up: nobody who subscribes to a
// feed can keep it from the others, and whoever has a feed that brings too much
// gets the first of each of their other feeds.
type Quota struct {
	Feed    int64
	Account int64
}

// The defaults are some twenty times what an honest feed was seen to bring in a
// day, and twice the largest honest document.
const (
	FeedQuota    = 4 << 20
	AccountQuota = 64 << 20
	freeBytes    = 64 << 10
)

// UnseenBytes is how many bytes of the contents of posts that are shown to nobody are handed on to
// be stored: of a feed that is read for the first time Admit has no room for more.
const UnseenBytes = freeBytes

// Admit decides what is stored of what a poll has brought. First come new posts
// for readers, then edits, and of each the newest: where not all fit, the oldest
// and the largest wait. Posts that are shown to nobody, such as the older ones of
// a feed that is new here, are stored only that they are known again; their content
// is too, as long as it counts for nobody. Of a document there is one, so that it
// counts on accounts alone.
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

// roomOnAccount is how many more bytes the readers of a feed may have on account.
func (q Quota) roomOnAccount(in digest.Intake) int64 {
	if q.Account == 0 || len(in.Accounts) == 0 {
		return math.MaxInt64
	}
	left := max(q.Account-slices.Min(in.Accounts), 0)
	return max(freeBytes-in.Used, 0) + left*int64(len(in.Accounts))
}

// byWeight gives the places of posts in the order in which they are stored.
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

// Full reports whether a reader has had so much stored on their account that nothing
// more is found for them today.
func (q Quota) Full(account int64) bool { return q.Account > 0 && account >= q.Account }
