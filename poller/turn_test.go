package poller

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"digest"
)

// queueOf returns a queue of proven feeds on their own domains: n for each reader, one reader after the
// other.
func queueOf(n int, readers ...digest.DigestID) (queue []digest.QueuedFeed) {
	for _, reader := range readers {
		for range n {
			id := digest.FeedID(len(queue) + 1)
			queue = append(queue, digest.QueuedFeed{ID: id, First: reader, Last: reader,
				Domain: fmt.Sprintf("site%d.example", id), Reliability: digest.Proven})
		}
	}
	return queue
}

func with(queue []digest.QueuedFeed, change func(f *digest.QueuedFeed)) []digest.QueuedFeed {
	for i := range queue {
		change(&queue[i])
	}
	return queue
}

func last(id digest.DigestID) func(f *digest.QueuedFeed) {
	return func(f *digest.QueuedFeed) { f.Last = id }
}

func stand(s digest.Reliability) func(f *digest.QueuedFeed) {
	return func(f *digest.QueuedFeed) { f.Reliability = s }
}

func loaded(polls ...digest.QueuedFeed) *Load {
	l := &Load{}
	for _, f := range polls {
		l.Begin(f)
	}
	return l
}

// others changes the keys of feeds, so that they differ from those in an earlier queue.
func others(queue []digest.QueuedFeed) []digest.QueuedFeed {
	return with(queue, func(f *digest.QueuedFeed) {
		f.ID += 1000
		f.Domain = "other-" + f.Domain
	})
}

// TestTurns holds that a reader with many feeds in the queue delays no other.
func TestTurns(t *testing.T) {
	tests := []struct {
		why   string
		load  *Load
		queue []digest.QueuedFeed
		n     int
		want  map[digest.DigestID]int // by the first reader
	}{
		{"all that are wanted", loaded(), queueOf(3, 1, 2), 9, map[digest.DigestID]int{1: 3, 2: 3}},
		{"one after the other", loaded(), queueOf(100, 1, 2), 20, map[digest.DigestID]int{1: 10, 2: 10}},
		{"those in flight count", loaded(queueOf(10, 1)...), queueOf(100, 1, 2), 20,
			map[digest.DigestID]int{1: 5, 2: 15}},
		{"few first", loaded(), append(queueOf(100, 1), digest.QueuedFeed{ID: 200, First: 2, Last: 2}), 20,
			map[digest.DigestID]int{1: 19, 2: 1}},
		{"feeds of nobody have no turn", loaded(queueOf(10, 1)...), queueOf(100, 1, 0), 20,
			map[digest.DigestID]int{1: 0, 0: 20}},
		{"no more than three for each four places that are free", loaded(), queueOf(MostPolls, 1), MostPolls,
			map[digest.DigestID]int{1: 82}},
		{"of several no more together", loaded(), queueOf(100, 1, 2, 3, 4, 5, 6, 7, 8), MostPolls,
			map[digest.DigestID]int{1: 21, 8: 20}},
		{"shared feeds are on the account of two", loaded(with(queueOf(10, 1), last(3))...), queueOf(100, 1, 2, 3), 20,
			map[digest.DigestID]int{1: 5, 2: 10, 3: 5}},
		{"whoever has fewer", loaded(queueOf(90, 1)...), append(queueOf(9, 2), others(with(queueOf(9, 1), last(3)))...),
			6, map[digest.DigestID]int{1: 3, 2: 3}},
		{"the proven beside the troubled", loaded(with(queueOf(192, 1, 2), stand(digest.Troubled))[:192]...),
			append(with(queueOf(9, 1), stand(digest.Troubled)), others(queueOf(9, 2))...), 18,
			map[digest.DigestID]int{1: 0, 2: 9}},
		{"the proven beside the unproven", loaded(), append(with(queueOf(100, 1, 2), stand(digest.Unproven)),
			others(queueOf(9, 3))...), 256, map[digest.DigestID]int{1: 32, 2: 32, 3: 9}},
	}
	for _, test := range tests {
		ids := test.load.Next(test.queue, test.n)
		got := map[digest.DigestID]int{}
		for _, f := range test.queue {
			if slices.Contains(ids, f.ID) {
				got[f.First]++
			}
		}
		for reader, n := range test.want {
			if got[reader] != n {
				t.Errorf("%s: %v, want %v", test.why, got, test.want)
				break
			}
		}
	}
}

// TestTurnsOfDomains holds that a domain with a host for each feed gets the same turns as another.
func TestTurnsOfDomains(t *testing.T) {
	queue := queueOf(100, 0)
	for i := range queue[:90] {
		queue[i].Domain = "tarpits.example"
	}
	ids := loaded().Next(queue, 11)
	if n := len(slices.DeleteFunc(ids, func(id digest.FeedID) bool { return id <= 90 })); n != 10 {
		t.Errorf("%d of the other domains", n)
	}
}

// TestPlacesAreLeft holds that a reader without a poll in flight gets a place, whatever number of readers
// have whatever number of unresponsive feeds.
func TestPlacesAreLeft(t *testing.T) {
	for _, readers := range []int{1, 4, 20} {
		var l Load
		for reader := range readers {
			queue := with(queueOf(MostPolls, digest.DigestID(reader+1)),
				func(f *digest.QueuedFeed) { f.Domain += fmt.Sprint(reader) })
			for range 3 {
				for _, id := range l.Next(queue, l.Free()) {
					l.Slow(l.Begin(queue[id-1]))
				}
			}
		}
		if got := l.Next(queueOf(1, 1000), 1); l.Free() < reserve/2 || len(got) != 1 {
			t.Errorf("%d readers leave %d of %d places", readers, l.Free(), MostPolls)
		}
	}
}

// TestShares holds that readers and domains with a full share wait until a poll ends.
func TestShares(t *testing.T) {
	l := &Load{}
	queue := with(queueOf(192, 1), func(f *digest.QueuedFeed) {
		f.Domain, f.Reliability = "one.example",
			digest.Troubled
	})
	var held []*Place
	for _, f := range queue {
		held = append(held, l.Begin(f))
	}
	l.Begin(queueOf(1, 2)[0])
	full := l.Full()
	if !slices.Equal(full.Digests, []digest.DigestID{1}) || !slices.Equal(full.Domains, []string{"one.example"}) ||
		!slices.Equal(full.Reliabilities, []digest.Reliability{digest.Troubled}) {
		t.Errorf("%+v", full)
	}
	for _, f := range []digest.QueuedFeed{{ID: 1, First: 1, Last: 1}, {ID: 2, Domain: "one.example"},
		{ID: 3, Reliability: digest.Troubled}} {
		if got := l.Next([]digest.QueuedFeed{f}, 1); len(got) > 0 {
			t.Errorf("chosen: %+v", f)
		}
	}
	for _, p := range held {
		l.End(p, true)
	}
	if full := l.Full(); len(full.Digests)+len(full.Domains)+len(full.Reliabilities) > 0 {
		t.Errorf("%+v", full)
	}
}

// TestLoadIsEmptied holds that ended polls leave no counts, slow or not.
func TestLoadIsEmptied(t *testing.T) {
	var l Load
	for i, f := range append(queueOf(9, 1, 2), digest.QueuedFeed{Reliability: digest.Troubled}) {
		p := l.Begin(f)
		if i%2 == 0 && l.Slow(p) != (f.Reliability != digest.Troubled) || i%2 == 0 && l.Slow(p) {
			t.Errorf("%d did not become slow once", i)
		}
		l.End(p, true)
	}
	if l.Free() != QuickPolls || len(l.digests)+len(l.domains)+len(l.standings) > 0 {
		t.Errorf("%+v is left", l)
	}
}

func TestStanding(t *testing.T) {
	well := digest.Feed{Schedule: digest.Schedule{LastOKAt: midnight()}}
	failing := well
	failing.Errors = 1
	for _, test := range []struct {
		why  string
		f    digest.Feed
		took time.Duration
		want digest.Reliability
	}{
		{"never read", digest.Feed{}, time.Second, digest.Unproven},
		{"never read, and slow", digest.Feed{}, time.Minute, digest.Troubled},
		{"quick", well, SlowPoll, digest.Proven},
		{"slow", well, SlowPoll + time.Second, digest.Troubled},
		{"failed at once", failing, 0, digest.Troubled},
	} {
		if got := standing(test.f, test.took); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}
