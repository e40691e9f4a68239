package acceptance

import (
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestMailExpired uses a server that accepts no mail for a day. The edition of that day expires before the next one,
// which includes its posts, each once.
func TestMailExpired(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for name, p := range map[string]plan{
		"route":  only(atBanner, fault{trick: refuse, reply: "554 5.3.2 no"}),
		"domain": only(atRCPT, fault{trick: refuse, reply: "451 4.3.0 not now"}),
		"sender": only(atMAIL, fault{trick: refuse, reply: "550 5.7.1 not from you"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachAddress(t, func(t *testing.T, database string) {
				o := newOffice(t, database, 5)
				o.enrol(3, firstMidnight().Add(oneDay))
				o.server.follow(p)
				o.every(2*time.Hour, 0, oneDay)
				if n := len(o.server.kept()); n != 0 {
					t.Fatalf("%d messages on the bad day", n)
				}
				o.server.follow(noFaults)
				o.every(time.Hour, oneDay, oneDay+4*time.Hour)
				if j := o.hold(); j.messages != 3 || j.failed+j.doubted != 0 {
					t.Errorf(
						"%d messages, %d failed, %d doubted; want one for each reader, with the posts of both days",
						j.messages, j.failed, j.doubted)
				}
			})
		})
	}
}

// TestMailUnconfirmed uses a server that drops every connection after the dot, whether it stores the message or not.
// The program sends no message a third time, and shows the operator the unconfirmed ones.
func TestMailUnconfirmed(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for _, at := range []point{atDotStored, atDotLost} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			storetest.EachAddress(t, func(t *testing.T, database string) {
				o := newOffice(t, database, 5)
				o.enrol(4, firstMidnight())
				o.server.follow(only(at, fault{trick: drop}))
				o.day(firstMidnight(), 0, oneDay)
				if tries := len(o.server.tries()); tries != 8 {
					t.Errorf("%d tries of 4 editions, want 2 of each", tries)
				}
				if j := o.hold(); at == atDotLost && j.doubted != 4 || at == atDotStored && j.twice != 4 {
					t.Errorf("%+v", j)
				}
				var queue struct{ Unconfirmed []struct{ Email string } }
				if o.read(o.now, &queue, "queue"); len(queue.Unconfirmed) != 4 {
					t.Errorf("the operator sees %v", queue)
				}
			})
		})
	}
}
