package poller

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"

	"digest"
)

// Polls in flight in a process have places. These bounds leave some to everybody,
// whoever has how many feeds that never answer.
const (
	// MostPolls is how many polls are in flight at most, QuickPolls how many of them
	// that are expected to be quick and are not slow yet. Claims and commits grow with
	// them: with 64 quick ones each poll cost the database half as much again.
	MostPolls  = 512
	QuickPolls = MostPolls / 2

	// SlowPoll is how long a poll may take before it counts as slow.
	SlowPoll = 10 * time.Second
)

// shareOf is how many polls of a standing may be in flight. Half of the places are for
// proven feeds alone; the others are more than anybody honest needs: 192 polls ask
// 2,000 feeds of 25 seconds each in less than five minutes.
func shareOf(s digest.Reliability) int {
	switch s {
	case digest.Proven:
		return MostPolls
	case digest.Troubled:
		return 192
	}
	return 64
}

// standing says what a poll that had so much time on the wire makes of the standing
// of its feed.
func standing(f digest.Feed, took time.Duration) digest.Reliability {
	switch {
	case f.Errors > 0 || took > SlowPoll:
		return digest.Troubled
	case f.LastOKAt.IsZero():
		return digest.Unproven
	}
	return digest.Proven
}

// A Load counts the polls in flight by whom they are made for. The zero value is
// of none.
type Load struct {
	all, quick int
	digests    map[digest.DigestID]int
	domains    map[string]int // and addresses
	standings  map[digest.Reliability]int

	earned map[string]int // polls of a domain, or an address, answered well while others of it were in flight
}

// A Place is that of one poll in flight.
type Place struct {
	digest   digest.DigestID // on whose account it is
	domain   string
	address  string
	standing digest.Reliability
	quick    bool // or not yet slow
}

// Begin counts a poll that begins. It is on the account of one of its readers: the
// first or the last, whoever has fewer polls in flight. So no feed waits for what else
// a reader of it has queued while another reader's turn has come, and the feeds that a
// hundred accounts share count for two.
func (l *Load) Begin(f digest.QueuedFeed) *Place {
	p := &Place{f.First, f.Domain, f.Address, f.Reliability, f.Reliability != digest.Troubled}
	if l.digests[f.Last] < l.digests[f.First] {
		p.digest = f.Last
	}
	l.add(p, 1)
	return p
}

// Slow counts a poll among the quick ones no more. False: it was not.
func (l *Load) Slow(p *Place) bool {
	if !p.quick {
		return false
	}
	p.quick = false
	l.quick--
	return true
}

// End counts a poll that is over, and whether it was answered well. A domain may have firstPolls in flight, and one
// more for each good answer. So a platform that refuses all of its feeds has refused few when its refusals are
// stored and slow it down. When nothing is in flight, Load forgets the good answers.
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

// count adds to what a key has, but not to that of nobody.
func count[K comparable](m map[K]int, key K, n int) {
	var nobody K
	if key == nobody {
		return
	}
	if m[key] += n; m[key] == 0 {
		delete(m, key)
	}
}

// Free is how many polls may begin.
func (l *Load) Free() int { return min(QuickPolls-l.quick, MostPolls-l.all) }

// reserve is how many of the places are for those who have next to no poll in flight.
const reserve = 64

// share is how many polls one reader may have in flight, and one domain: three for each
// four places that are free, so that some are left when many have all they may (the
// dynamic thresholds of Choudhury and Hahne), and a pair in any case.
func (l *Load) share() int { return max(2, (l.Free()-reserve)*3/4) }

const (
	// firstPolls is how many polls of one domain may be in flight before any was answered.
	firstPolls = 4
	// firstOfAddress is the same of one IP address, whose hosts may have nothing else in common.
	firstOfAddress = 16
)

// hasRoom reports whether another poll of a feed keeps within the shares of its domain and its address.
func (l *Load) hasRoom(f digest.QueuedFeed) bool {
	return (f.Domain == "" || l.domains[f.Domain] < l.domainShare(f.Domain)) &&
		(f.Address == "" || l.domains[f.Address] < l.domainShare(f.Address))
}

// domainShare is how many polls of a domain, or of an address, may be in flight.
func (l *Load) domainShare(name string) int {
	first := firstPolls
	if _, err := netip.ParseAddr(name); err == nil {
		first = firstOfAddress
	}
	return min(l.share(), first+l.earned[name])
}

// Full gives whose shares are used up.
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

// turn is how many polls those have in flight for whom a feed would be polled.
func (l *Load) turn(f digest.QueuedFeed) int {
	return max(min(l.digests[f.First], l.digests[f.Last]), l.domains[f.Domain])
}

func (l *Load) clone() *Load {
	return &Load{l.all, l.quick, maps.Clone(l.digests), maps.Clone(l.domains), maps.Clone(l.standings), l.earned}
}

// Next chooses whose turn it is, n at most, of feeds in the order of their queue: the
// one that is due first is the one that is nearest to its deadline, which comes as long
// after its reader's midnight as every other. Each reader and each domain has
// its first poll before any has its second, those in flight counted. No share
// becomes more than full.
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
