package poller

import (
	"fmt"
	"slices"
	"testing"

	"digest"
)

// queueOf makes a queue: n feeds of each account, one account after the other.
func queueOf(n int, accounts ...digest.DigestID) (queue []digest.QueuedFeed) {
	for _, account := range accounts {
		for range n {
			id := digest.FeedID(len(queue) + 1)
			queue = append(queue, digest.QueuedFeed{ID: id, Account: account, Domain: fmt.Sprintf("site%d.example", id)})
		}
	}
	return queue
}

// chosen counts the feeds of each account that are chosen.
func chosen(queue []digest.QueuedFeed, ids []digest.FeedID) map[digest.DigestID]int {
	got := map[digest.DigestID]int{}
	for _, f := range queue {
		if slices.Contains(ids, f.ID) {
			got[f.Account]++
		}
	}
	return got
}

// TestTurns: whoever has many feeds in the queue holds up nobody.
func TestTurns(t *testing.T) {
	busy := Load{}
	for _, f := range queueOf(10, 1) {
		busy.Begin(f)
	}
	tests := []struct {
		why   string
		load  Load
		queue []digest.QueuedFeed
		n     int
		want  map[digest.DigestID]int
	}{
		{"all that are wanted", Load{}, queueOf(3, 1, 2), 9, map[digest.DigestID]int{1: 3, 2: 3}},
		{"one after the other", Load{}, queueOf(100, 1, 2), 20, map[digest.DigestID]int{1: 10, 2: 10}},
		{"those in flight count", busy, queueOf(100, 1, 2), 20, map[digest.DigestID]int{1: 5, 2: 15}},
		{"few first", Load{}, append(queueOf(100, 1), digest.QueuedFeed{ID: 200, Account: 2}), 20, map[digest.DigestID]int{1: 19, 2: 1}},
		{"feeds of many have no turn", busy, queueOf(100, 1, 0), 20, map[digest.DigestID]int{1: 0, 0: 20}},
		{"no more than the share", Load{}, queueOf(MostPolls, 1), MostPolls, map[digest.DigestID]int{1: accountShare}},
	}
	for _, test := range tests {
		got := chosen(test.queue, test.load.Next(test.queue, test.n))
		for account, n := range test.want {
			if got[account] != n {
				t.Errorf("%s: account %d has %d feeds, want %d", test.why, account, got[account], n)
			}
		}
	}
}

// TestTurnsOfDomains: a domain with a host for each feed has no more turns than another.
func TestTurnsOfDomains(t *testing.T) {
	queue := queueOf(100, 0)
	for i := range queue[:90] {
		queue[i].Domain = "tarpits.example"
	}
	ids := (&Load{}).Next(queue, 11)
	if n := len(slices.DeleteFunc(ids, func(id digest.FeedID) bool { return id <= 90 })); n != 10 {
		t.Errorf("%d of the other domains", n)
	}
}

// TestShares: who has their share is left out, until some of it is over.
func TestShares(t *testing.T) {
	var l Load
	queue := queueOf(accountShare, 1)
	for i := range queue {
		queue[i].Domain, queue[i].Failing = "one.example", i < failingShare
		l.Begin(queue[i])
	}
	if got := l.Full(); !slices.Equal(got.Accounts, []digest.DigestID{1}) || !slices.Equal(got.Domains, []string{"one.example"}) || !got.Failing {
		t.Errorf("%+v", got)
	}
	for _, f := range []digest.QueuedFeed{{ID: 1, Account: 1}, {ID: 2, Domain: "one.example"}, {ID: 3, Failing: true}} {
		if got := l.Next([]digest.QueuedFeed{f}, 1); len(got) > 0 {
			t.Errorf("chosen: %+v", f)
		}
	}
	l.End(queue[0])
	if got := l.Full(); len(got.Accounts)+len(got.Domains) > 0 || got.Failing {
		t.Errorf("%+v", got)
	}
	for _, f := range queue[1:] {
		l.End(f)
	}
	if len(l.accounts)+len(l.domains)+l.failing > 0 {
		t.Errorf("%+v is left", l)
	}
}
