package hourly

import (
	"time"

	"digest"
)

// putRightEvery is how often it is looked for what a wrong clock has left.
const putRightEvery = time.Hour

// A clockWatch is what was seen of the clock. Only plan looks at it.
type clockWatch struct {
	latest  time.Time // the latest time that was seen
	putNext time.Time // when PutRight is called again
}

// watchClock puts right what a clock that was wrong has left in the database: at
// the start, every hour, and as soon as the clock has been put back, for a midnight
// may come within the hour. Where that fails the hour goes on.
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
