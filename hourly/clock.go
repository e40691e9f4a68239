package hourly

import (
	"time"

	"digest"
)

// putRightEvery is the interval between corrections of stored times that a wrong clock caused.
const putRightEvery = time.Hour

// A clockWatch remembers earlier readings of the clock. Only plan uses it.
type clockWatch struct {
	latest  time.Time // the latest reading
	putNext time.Time // the time of the next call of PutRight
}

// watchClock corrects stored times that are too far ahead because a clock was wrong. It does so at the
// start, every hour, and when the clock goes back, since a midnight may be less than an hour away. It logs
// errors and retries at the next plan.
func (j *Job) watchClock(now time.Time) {
	w := &j.watch
	back := w.latest.Sub(now)
	if back > digest.ClockSlack {
		j.Log.Warn("the clock went back", "by", back.Round(time.Second).String())
	} else if now.Before(w.putNext) {
		w.latest = later(w.latest, now)
		return
	}
	note, err := j.Store.PutRight(j.Hard, now)
	w.latest, w.putNext = now, now.Add(putRightEvery)
	if err != nil {
		w.putNext = now
		j.Log.Error("cannot correct times after a wrong clock; retrying", "err", err)
	}
	if note.Any() {
		j.Log.Warn("a clock was wrong; corrected times that were too far ahead", "what", note.String())
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
