package poller

import (
	"cmp"
	"maps"
	"slices"

	"digest"
)

// Shares of the polls that may be in flight in a process. They bound what one
// account, one domain, or all feeds that failed last can hold up: the others find
// places free. Nobody honest needs more: 192 polls in flight ask 2,000 feeds of 25
// seconds each in less than five minutes.
const (
	// MostPolls is how many polls are in flight at most, QuickPolls how many that
	// are not slow. Claims and commits grow with them: with 64 quick ones each poll
	// cost the database half as much again.
	MostPolls  = 512
	QuickPolls = MostPolls / 2

	accountShare = QuickPolls * 3 / 4
	domainShare  = QuickPolls * 3 / 4
	failingShare = QuickPolls / 2
)

// A Load counts the polls in flight by whom they are made for. The zero value is
// of none.
type Load struct {
	accounts map[digest.DigestID]int
	domains  map[string]int
	failing  int
}

// Begin counts a poll that begins, End one that is over.
func (l *Load) Begin(f digest.QueuedFeed) { l.add(f, 1) }

// End undoes Begin.
func (l *Load) End(f digest.QueuedFeed) { l.add(f, -1) }

func (l *Load) add(f digest.QueuedFeed, n int) {
	if l.accounts == nil {
		l.accounts, l.domains = make(map[digest.DigestID]int), make(map[string]int)
	}
	count(l.accounts, f.Account, n)
	count(l.domains, f.Domain, n)
	if f.Failing {
		l.failing += n
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

// Full gives whose shares are used up.
func (l *Load) Full() digest.FullShares {
	return digest.FullShares{
		Accounts: full(l.accounts, accountShare),
		Domains:  full(l.domains, domainShare),
		Failing:  l.failing >= failingShare,
	}
}

func full[K cmp.Ordered](m map[K]int, share int) (keys []K) {
	for key, n := range m {
		if n >= share {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Next chooses whose turn it is, n at most, of feeds in the order of their queue.
// Each account and each domain has its first poll before any has its second, those
// in flight counted. Feeds of many readers are on nobody's account. No share
// becomes more than full.
func (l *Load) Next(queue []digest.QueuedFeed, n int) []digest.FeedID {
	type turn struct {
		id     digest.FeedID
		number int
	}
	then := Load{maps.Clone(l.accounts), maps.Clone(l.domains), l.failing}
	turns := make([]turn, 0, len(queue))
	for _, f := range queue {
		account, domain := then.accounts[f.Account], then.domains[f.Domain]
		if account >= accountShare || domain >= domainShare || f.Failing && then.failing >= failingShare {
			continue
		}
		then.Begin(f)
		turns = append(turns, turn{f.ID, max(account, domain)})
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.number, b.number) })
	chosen := make([]digest.FeedID, min(n, len(turns)))
	for i := range chosen {
		chosen[i] = turns[i].id
	}
	return chosen
}
