package acceptance

import (
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestMailCrashesCountNothing: a run that dies before it has tried an edition
// has not tried it. However many do, one greylisting afterwards is the first
// trouble of this edition, and is tried again the same day.
func TestMailCrashesCountNothing(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), 5)
	o.enrol(3, firstMidnight())
	o.set(firstMidnight())
	o.server.follow(only(atBanner, fault{trick: bye}))
	o.once(o.now) // the editions are made, and wait
	o.server.follow(noFaults)
	for crash := range 10 {
		o.set(firstMidnight().Add(time.Duration(1+crash) * 6 * time.Minute))
		o.doom(fate{at: atMAIL, n: 1, after: 5 * time.Second}, "--now", instant(o.now), "tick")
	}
	o.server.follow(greylist(5 * time.Minute))
	o.every(10*time.Minute, 70*time.Minute, 2*time.Hour)
	if j := o.hold(); j.messages != 3 || o.deaths != 10 {
		t.Errorf("%d messages in two hours, after %d crashes", j.messages, o.deaths)
	}
}
