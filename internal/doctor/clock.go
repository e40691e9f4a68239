package doctor

import (
	"context"
	"fmt"
	"time"
)

// How far clocks may be apart.
const (
	apart   = 10 * time.Second
	tooFar  = 2 * time.Minute // leases and midnights go by it
	unfixed = "let this machine keep its clock by the network: install chrony, or turn on systemd-timesyncd"
)

// clock compares the clocks that have to be one.
func (x *exam) clock(ctx context.Context) finding {
	if x.Frozen {
		return skip("the clock stands at --now")
	}
	now := x.Now()
	f := one(OK, "it is "+now.UTC().Format("2006-01-02 15:04:05 MST"), "")
	if synced, known := x.Machine.Synced(); known && !synced {
		f.note(Warn, "the kernel knows of nothing that keeps this machine's clock right", unfixed)
	} else if known {
		f.note(OK, "and kept right", "")
	}
	if ahead := x.Database.Ahead; ahead.Abs() > apart {
		f.note(howFar(ahead), fmt.Sprintf("the clock of the database is %s", distance(ahead)), "put both machines' clocks right; "+unfixed)
	}
	if beat := x.Database.Beat; beat.Sub(now) > apart {
		f.note(howFar(beat.Sub(now)), fmt.Sprintf("somebody worked on this database at %s, which is yet to come", beat.UTC().Format("2006-01-02 15:04:05 MST")),
			"put the clock right: of this machine, or of the other that works on the database; "+unfixed)
	}
	if x.Offline || reachOf(hostOf(x.BaseURL)) == everywhere && x.noDNS(ctx) != "" {
		return f
	}
	a, err := x.fetch(ctx, "/healthz")
	if err != nil || a.date.IsZero() {
		return f
	}
	if ahead := a.date.Sub(x.Now()); ahead.Abs() > apart {
		f.note(howFar(ahead), fmt.Sprintf("the clock of %s is %s", hostOf(x.BaseURL), distance(ahead)), "put the clock right: of this machine, or of the web server; "+unfixed)
	}
	return f
}

func howFar(d time.Duration) Status {
	if d.Abs() > tooFar {
		return Wrong
	}
	return Warn
}

func distance(ahead time.Duration) string {
	if ahead < 0 {
		return ahead.Abs().Round(time.Second).String() + " behind ours"
	}
	return ahead.Round(time.Second).String() + " ahead of ours"
}
