package poller

import (
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// A month plays the hour for one feed: at each midnight of a reader the policy
// is asked, and when the time comes the feed. It gives the instants of the
// requests.
func month(t *testing.T, answer func(request) string, midnights time.Duration) (log []request, results []Result) {
	n := newNetwork(t)
	defer n.close()
	s := n.site("a.example:80", answer)
	r := n.reader(t, "http://a.example/feed")
	spread := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute, Jitter: RandomJitter}
	end := time.Now().Add(30 * day1)
	for due := time.Now(); due.Before(end); due = due.Add(midnights) {
		time.Sleep(time.Until(due))
		at, ok := Schedule(r.feed, due, time.Now(), spread)
		if !ok {
			continue
		}
		time.Sleep(time.Until(at))
		result := r.p.Poll(t.Context(), r.feed, 1)
		r.feed = result.Feed
		results = append(results, result)
	}
	return s.log(), results
}

// TestS14_TwentyFourZones: with a midnight every hour no two polls are less
// than an hour apart, and none is left out.
func TestS14_TwentyFourZones(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, _ := month(t, conditional(atom(1), `"1"`, monday), time.Hour)
		for i := 1; i < len(log); i++ {
			if gap := log[i].at.Sub(log[i-1].at); gap < time.Hour || gap > time.Hour+4*time.Minute {
				t.Fatalf("polls %v apart", gap)
			}
			if m := log[i].at.Minute(); m == 59 || m < 2 {
				t.Fatalf("a poll in a hot minute: %v", log[i].at)
			}
		}
		if len(log) != 30*24 {
			t.Errorf("%d requests", len(log))
		}
	})
}

// TestS15_FreshForADay: a feed that is fresh for exactly a day is asked every
// day all the same, and never while it is fresh.
func TestS15_FreshForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, _ := month(t, conditional(atom(1), `"1"`, monday, "Cache-Control: max-age=86400"), day1)
		for i := 1; i < len(log); i++ {
			if gap := log[i].at.Sub(log[i-1].at); gap < day1 {
				t.Fatalf("asked after %v", gap)
			}
		}
		if len(log) != 30 {
			t.Errorf("%d requests in 30 days", len(log))
		}
	})
}

// TestS20_MonthOfErrors: four hours at first, a day once it has gone on for three.
func TestS20_MonthOfErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, results := month(t, func(r request) string { return reply(r, 500, "") }, time.Hour)
		if len(log) > 3*6+28 || len(log) < 3*5+26 {
			t.Errorf("%d requests", len(log))
		}
		if last := results[len(results)-1].Feed; last.State == digest.FeedDead || last.Errors != len(log) {
			t.Errorf("%+v", last)
		}
	})
}
