package acceptance

import (
	"testing"

	"digest/store/storetest"
	"digest/test/tier"
)

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
