package poller

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"digest"
)

// The places of polls in flight in a process. The limits reserve places for other readers, whatever number
// of unresponsive feeds one reader has.
const (
	// MostPolls is the maximum number of polls in flight. QuickPolls is the part of them that are expected
	// to be quick and are not slow yet. Claims and commits grow with it: 64 quick polls cost the database
	// half as much again for each poll.
	MostPolls  = 512
	QuickPolls = MostPolls / 2

	// SlowPoll is the time after which a poll counts as slow.
	SlowPoll = 10 * time.Second
)

// shareOf returns the maximum number of polls in flight for a reliability. Half of the places are only for
// proven feeds. The others are enough for honest feeds: 192 places poll 2,000 feeds of 25 seconds each in
// less than five minutes.
func shareOf(s digest.Reliability) int {
	switch s {
	case digest.Proven:
		return MostPolls
	case digest.Troubled:
		return 192
	}
	return 64
}

// standing returns the reliability of a feed after a poll whose requests took that time.
func standing(f digest.Feed, took time.Duration) digest.Reliability {
	switch {
	case f.Errors > 0 || took > SlowPoll:
		return digest.Troubled
	case f.LastOKAt.IsZero():
		return digest.Unproven
	}
	return digest.Proven
}

// A Load counts the polls in flight by digest, domain and reliability. The zero value has none.
type Load struct {
	all, quick int
	digests    map[digest.DigestID]int
	domains    map[string]int // and IP addresses
	standings  map[digest.Reliability]int

	earned map[string]int // good answers of a domain or address while others of it were in flight
}

// A Place is the place of one poll in flight.
type Place struct {
	digest   digest.DigestID // on whose account the poll is
	domain   string
	address  string
	standing digest.Reliability
	quick    bool // expected to be quick, and not slow yet
}

// Begin counts a poll that begins. It counts for the feed's first or last reader, whichever has fewer polls
// in flight. So a feed does not wait for other feeds of one reader when it is another reader's turn. A feed
// of a hundred readers counts for these two.
func (l *Load) Begin(f digest.QueuedFeed) *Place {
	p := &Place{f.First, f.Domain, f.Address, f.Reliability, f.Reliability != digest.Troubled}
	if l.digests[f.Last] < l.digests[f.First] {
		p.digest = f.Last
	}
	l.add(p, 1)
	return p
}

// Slow removes a poll from the quick ones. It returns false if it was not one.
func (l *Load) Slow(p *Place) bool {
	if !p.quick {
		return false
	}
	p.quick = false
	l.quick--
	return true
}

// End counts a poll that has ended. well reports a good answer. A domain may have firstPolls in flight, and
// one more for each good answer. So a platform that rejects all polls gets only a few until the rejections
// are stored and slow it down. When nothing is in flight, Load forgets the good answers.
func (l *Load) End(p *Place, well bool) {
	l.add(p, -1)
	if l.all == 0 {
		clear(l.earned)
		return
	}
	for _, name := range []string{p.domain, p.address} {
		if !well || l.domains[name] == 0 {
			continue
		}
		if l.earned == nil {
			l.earned = make(map[string]int)
		}
		l.earned[name]++
	}
}

func (l *Load) add(p *Place, n int) {
	if l.digests == nil {
		l.digests, l.domains, l.standings = make(map[digest.DigestID]int), make(map[string]int),
			make(map[digest.Reliability]int)
	}
	l.all += n
	if p.quick {
		l.quick += n
	}
	count(l.digests, p.digest, n)
	count(l.domains, p.domain, n)
	count(l.domains, p.address, n)
	if l.standings[p.standing] += n; l.standings[p.standing] == 0 {
		delete(l.standings, p.standing)
	}
}

// count adds n to the number of a key, unless the key is zero.
func count[K comparable](m map[K]int, key K, n int) {
	var nobody K
	if key == nobody {
		return
	}
	if m[key] += n; m[key] == 0 {
		delete(m, key)
	}
}

// Free returns the number of polls that may begin.
func (l *Load) Free() int { return min(QuickPolls-l.quick, MostPolls-l.all) }

// reserve is the number of places for those who have almost no poll in flight.
const reserve = 64

// share returns the maximum number of polls in flight of one reader, and of one domain: three for each four
// free places, and at least two. So some places stay free when many have their maximum (the dynamic
// thresholds of Choudhury and Hahne).
func (l *Load) share() int { return max(2, (l.Free()-reserve)*3/4) }

const (
	// firstPolls is the maximum number of polls in flight of one domain before the first answer.
	firstPolls = 4
	// firstOfAddress is the same for an IP address, whose hosts may be unrelated.
	firstOfAddress = 16
)

// hasRoom reports whether another poll of a feed is within the shares of its domain and its address.
func (l *Load) hasRoom(f digest.QueuedFeed) bool {
	return (f.Domain == "" || l.domains[f.Domain] < l.domainShare(f.Domain)) &&
		(f.Address == "" || l.domains[f.Address] < l.domainShare(f.Address))
}

// domainShare returns the maximum number of polls in flight of a domain or an address.
func (l *Load) domainShare(name string) int {
	first := firstPolls
	if _, err := netip.ParseAddr(name); err == nil {
		first = firstOfAddress
	}
	return min(l.share(), first+l.earned[name])
}

// Full returns the shares that are used up.
func (l *Load) Full() digest.FullShares {
	full := digest.FullShares{
		Digests: full(l.digests, func(digest.DigestID) int { return l.share() }),
		Domains: full(l.domains, l.domainShare),
	}
	for s, n := range l.standings {
		if n >= shareOf(s) {
			full.Reliabilities = append(full.Reliabilities, s)
		}
	}
	slices.Sort(full.Reliabilities)
	return full
}

func full[K cmp.Ordered](m map[K]int, share func(K) int) (keys []K) {
	for key, n := range m {
		if n >= share(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// turn returns the larger of two numbers of polls in flight: of the feed's reader and of its domain.
func (l *Load) turn(f digest.QueuedFeed) int {
	return max(min(l.digests[f.First], l.digests[f.Last]), l.domains[f.Domain])
}

func (l *Load) clone() *Load {
	return &Load{l.all, l.quick, maps.Clone(l.digests), maps.Clone(l.domains), maps.Clone(l.standings), l.earned}
}

// Next chooses up to n feeds from a queue, whose order is by deadline. Each reader and each domain gets a
// first poll before any gets a second one, including polls in flight. Next exceeds no share.
func (l *Load) Next(queue []digest.QueuedFeed, n int) []digest.FeedID {
	type turn struct {
		feed   digest.QueuedFeed
		number int
	}
	turns := make([]turn, len(queue))
	all := l.clone()
	for i, f := range queue {
		turns[i] = turn{f, all.turn(f)}
		all.Begin(f)
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.number, b.number) })
	var chosen []digest.FeedID
	then := l.clone()
	for _, t := range turns {
		if len(chosen) < n && then.turn(t.feed) < then.share() && then.hasRoom(t.feed) &&
			then.standings[t.feed.Reliability] < shareOf(t.feed.Reliability) {
			then.Begin(t.feed)
			chosen = append(chosen, t.feed.ID)
		}
	}
	return chosen
}
