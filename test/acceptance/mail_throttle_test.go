package acceptance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// densest returns the maximum number of messages to a domain in any hour of the simulated clock.
func densest(journal []accepted, domain string) (most int) {
	var times []time.Time
	for _, a := range journal {
		if domainOf(a.to) == domain {
			times = append(times, a.now)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i, from := range times {
		n := 0
		for _, at := range times[i:] {
			if at.Sub(from) < time.Hour {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestMailRates checks that the rates of a domain and of the route apply across workers and restarts, because each
// tick is a new process. Other domains do not wait.
func TestMailRates(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		o := newOffice(t, database, 5)
		for i := range 16 {
			o.readers = append(o.readers, fmt.Sprintf("reader%d@example.org", i))
		}
		o.add(firstMidnight(), "UTC", append(o.readers, "a@example.net", "b@example.net", "c@example.com",
			"d@example.com")...)
		o.at(o.now, "limits", "set", "example.org", "--rate", "12/h")
		o.house.Set("DIGEST_MAIL_RATE=150/h")
		for since := time.Duration(0); since < 2*time.Hour; since += 6 * time.Minute {
			// one message per 5.5 minutes: a tick at a fixed time does not wait for the next
			o.set(firstMidnight().Add(since))
			o.together(o.now, 2, false)
		}
		j := o.hold()
		kept := o.server.kept()
		if n := densest(kept, "example.org"); n > 12 || n < 8 {
			t.Errorf("%d messages in an hour to example.org, whose rate is 12/h", n)
		}
		if j.messages != 20 {
			t.Errorf("%d messages in two hours", j.messages)
		}
		elsewhere := slices.DeleteFunc(kept, func(a accepted) bool { return domainOf(a.to) == "example.org" })
		if last := elsewhere[len(elsewhere)-1].now; last.After(firstMidnight().Add(20 * time.Minute)) {
			t.Errorf("the last reader elsewhere had to wait until %s", instant(last))
		}
		all := slices.Clone(kept)
		for i := range all {
			all[i].to = "everybody@all"
		}
		if n := densest(all, "all"); n > 150 {
			t.Errorf("%d messages in an hour", n)
		}
	})
}

// TestMailConnections checks that the limit of concurrent messages applies to a domain, for any number of workers,
// but not to others.
func TestMailConnections(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		o := newOffice(t, database, 5)
		o.house.Set("DIGEST_MAIL_CONNECTIONS=6", "DIGEST_DOMAIN_CONNECTIONS=4", "DIGEST_MAIL_PER_CONNECTION=5")
		o.enrol(36, firstMidnight())
		o.at(o.now, "limits", "set", "example.org", "--connections", "1")
		o.server.follow(only(atDotStored, fault{trick: delay, wait: 30 * time.Millisecond}))
		for since := time.Duration(0); since < 30*time.Minute; since += 5 * time.Minute {
			o.set(firstMidnight().Add(since))
			o.together(o.now, 2, false)
		}
		if j := o.hold(); j.messages != 36 || j.twice != 0 {
			t.Errorf("%d messages, %d came twice", j.messages, j.twice)
		}
		one, net, com := o.server.atOnce("example.org"), o.server.atOnce("example.net"), o.server.atOnce("example.com")
		if one != 1 || net > 4 || com > 4 || max(net, com) < 2 {
			t.Errorf("at once: %d to example.org (limit 1), %d to example.net and %d to example.com (limit 4)", one,
				net, com)
		}
		perConn := map[int]int{}
		for _, a := range o.server.kept() {
			if perConn[a.conn]++; perConn[a.conn] > 5 {
				t.Fatalf("connection %d had %d messages; 5 are the most", a.conn, perConn[a.conn])
			}
		}
	})
}
