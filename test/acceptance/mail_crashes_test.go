package acceptance

import (
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestMailCrashesCountNothing checks that a run that crashes before it tries an edition counts as no attempt. However
// many crash, a greylisting afterwards is the first failure of the edition, and the retry is on the same day.
func TestMailCrashesCountNothing(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), 5)
	o.enrol(3, firstMidnight())
	o.set(firstMidnight())
	o.server.follow(only(atBanner, fault{trick: bye}))
	o.once(o.now) // the editions exist, and wait
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
