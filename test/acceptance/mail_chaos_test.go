package acceptance

import (
	"strings"
	"sync"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

func firstMidnight() time.Time { return begin().Add(18 * time.Hour) }

// TestMailChaos uses a mail server with faults at every point and two workers, which are killed at random and at the
// worst times. Every edition arrives complete. Only messages in doubt arrive twice, as the same message.
func TestMailChaos(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		readers, days := 75, 2
		if full() {
			readers, days = 300, 4
		}
		o := newOffice(t, database, 20260328)
		if !strings.HasPrefix(database, "postgres") {
			o.encrypt()
		}
		o.seal()
		o.enrol(readers, firstMidnight().Add(time.Duration(days-1)*oneDay))
		c := newChance(o.random.Uint64(), 0.05)
		for day := range days {
			for i, now := range agenda(firstMidnight().Add(time.Duration(day) * oneDay)) {
				o.set(now)
				o.server.follow(noFaults)
				since := now.Sub(firstMidnight().Add(time.Duration(day) * oneDay))
				if since < 8*time.Hour {
					o.server.follow(c.plan)
				}
				o.server.offer(i%3 != 1)
				o.together(now, map[bool]int{true: 2, false: 1}[since < 4*time.Hour], since < 4*time.Hour)
			}
		}
		o.server.follow(noFaults)
		o.day(firstMidnight().Add(time.Duration(days)*oneDay), 0, 40*time.Minute) // a killed poll may have delayed it
		j := o.hold()
		o.tellChaos(j, readers*days)
	})
}

// together runs concurrent ticks. If deadly, it kills most of them and starts others, like a supervisor.
func (o *office) together(now time.Time, workers int, deadly bool) {
	o.t.Helper()
	var all sync.WaitGroup
	for range workers {
		fates := []fate{}
		for deadly && o.random.IntN(3) > 0 && len(fates) < 4 {
			fates = append(fates, o.draw())
		}
		all.Go(func() {
			for _, f := range fates {
				o.doom(f, "--now", instant(now), "tick")
			}
			if len(fates) == 0 {
				o.once(now)
			}
		})
	}
	all.Wait()
}

// TestMailWork uses workers with their own clock, killed and restarted continuously, two at a time on PostgreSQL.
func TestMailWork(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		readers, workers, most := 50, 1, 350*time.Millisecond
		if strings.HasPrefix(database, "postgres") {
			workers = 2
		}
		if full() {
			readers, most = 400, 2*time.Second
		}
		o := newOffice(t, database, 20260329)
		o.seal()
		o.enrol(readers, firstMidnight())
		c := newChance(o.random.Uint64(), 0.03)
		o.server.follow(only(atBanner, fault{trick: bye}))
		o.set(firstMidnight())
		o.once(o.now) // the editions exist, and wait
		o.server.follow(c.plan)
		for since := 3 * time.Minute; since < 3*time.Hour; since += 6 * time.Minute {
			o.set(firstMidnight().Add(since))
			var all sync.WaitGroup
			for i := range workers {
				f := o.draw()
				f.after = 60*time.Millisecond + time.Duration(o.random.Int64N(int64(most)))
				command := "work"
				if i == 0 && o.random.IntN(2) == 0 {
					command = "serve"
				}
				all.Go(func() { o.doom(f, "--now", instant(o.now), "--listen", "127.0.0.1:0", command) })
			}
			all.Wait()
		}
		o.server.follow(noFaults)
		o.day(firstMidnight(), 3*time.Hour, oneDay)
		j := o.hold()
		if j.messages < readers*9/10 || o.deaths < 20 {
			t.Errorf("%d messages of %d, %d deaths: that was no test", j.messages, readers, o.deaths)
		}
		t.Logf("%d messages, %d came twice, %d refused, %d doubted twice; %d deaths", j.messages, j.twice, j.failed,
			j.doubted, o.deaths)
	})
}

// tellChaos checks that the test had enough faults and deaths.
func (o *office) tellChaos(j judgement, editions int) {
	o.t.Helper()
	faults := o.server.faults()
	if j.messages < editions*8/10 || o.deaths < 10 || j.twice == 0 || len(faults) < 30 {
		o.t.Errorf("%d messages of %d, %d deaths, %d came twice, %d kinds of faults: that was no test", j.messages,
			editions, o.deaths, j.twice, len(faults))
	}
	o.t.Logf("%d messages, %d came twice, %d refused, %d doubted twice; %d deaths of %d runs; faults: %v", j.messages,
		j.twice, j.failed, j.doubted, o.deaths, o.runs, faults)
}
