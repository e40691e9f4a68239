package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// month makes a reader with thirty days of editions of one post each, and returns the last instant. The feed's
// document lists only the newest post.
func (w world) month() (now time.Time, f digest.Feed) {
	ada, f := w.reader("ada", "UTC"), w.feed("f.example")
	w.subscribe(ada, f)
	for d := range 30 {
		now = noon.Add(time.Duration(d) * day)
		w.record(now, f, posts(now, fmt.Sprint("day", d)))
		midnight := time.Date(2026, 11, 20+d, 0, 0, 0, 0, time.UTC)
		w.hour(midnight)
		w.send(midnight)
	}
	return now.Add(day), f
}

// admit requests a prune, and returns its count if it waits.
func (w world) admit(now time.Time, keep time.Duration) *digest.Prune {
	w.t.Helper()
	would, err := w.Operator.WouldWait(w.ctx(), now, keep)
	w.ok(err)
	before, waits, err := w.Operator.AdmitPrune(w.ctx(), now, keep)
	w.ok(err)
	noted, err := w.Operator.PruneWaits(w.ctx())
	w.ok(err)
	if waits == nil && (!before.Equal(now.Add(-keep).Truncate(time.Second)) || noted != nil || would != nil) {
		w.t.Errorf("admitted before %v, noted %v, would wait %v", before, noted, would)
	}
	if waits != nil && (noted == nil || would == nil || *noted != *waits || *would != *waits ||
		before.After(now.Add(-keep))) {
		w.t.Errorf("waits %v, noted %v, would wait %v, admitted before %v", waits, noted, would, before)
	}
	return waits
}

func (w world) admitted(what string, now time.Time, keep time.Duration) {
	w.t.Helper()
	if waits := w.admit(now, keep); waits != nil {
		w.t.Errorf("%s waits: %+v", what, *waits)
	}
}

// TestLargePruneWaits: a prune that would delete most editions waits until it is confirmed, or until DIGEST_KEEP is
// longer.
func TestLargePruneWaits(t *testing.T) {
	for name, admitted := range map[string]bool{
		"a database that was pruned before": true, "one of an older version": false,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				now, _ := w.month()
				if admitted {
					w.admitted("the usual prune", now, keep)
				}
				short := 7 * day
				waits := w.admit(now, short)
				if waits == nil || waits.Editions != 23 || waits.AllEditions != 30 || waits.AllPosts != 30 ||
					!waits.Before.Equal(now.Add(-short)) {
					w.t.Fatalf("waits %+v", waits)
				}
				counted, err := w.Operator.CountPrune(w.ctx(), now, short)
				w.ok(err)
				want(w.t, "counted", counted, *waits)
				want(w.t, "an hour later", *w.admit(now.Add(time.Hour), short), *waits)
				w.admitted("longer", now.Add(2*time.Hour), keep)
				if w.admit(now.Add(3*time.Hour), short) == nil {
					w.t.Fatal("a short time is admitted since a longer one was")
				}
				w.ok(w.Operator.ConfirmPrune(w.ctx(), now.Add(3*time.Hour-short)))
				w.admitted("confirmed", now.Add(3*time.Hour), short)
				n, err := w.Operator.Prune(w.ctx(), now.Add(3*time.Hour), short, 100)
				w.ok(err)
				want(w.t, "editions deleted", n, 23)
				for hour := range 24 * 9 { // the tenth day deletes the last of them
					w.admitted("from then on", now.Add(time.Duration(4+hour)*time.Hour), short)
				}
			})
		})
	}
}

// TestSmallPruneIsAdmitted: a prune on a small instance, or of a smaller part, does not wait.
func TestSmallPruneIsAdmitted(t *testing.T) {
	each(t, func(w world) {
		w.admitted("nothing", noon, 7*day)
		now, _ := w.month()
		w.admitted("half", now, 15*day)
		w.ok(w.Exec(w.ctx(), `DELETE FROM editions WHERE id > (SELECT MIN(id) + 8 FROM editions)`))
		w.admitted("all nine", now.Add(300*day), 7*day)
	})
}

// TestPruneCountsWhatItDeletes: the count matches the deletion, also of feeds without subscribers.
func TestPruneCountsWhatItDeletes(t *testing.T) {
	each(t, func(w world) {
		now, f := w.month()
		now = now.Add(200 * day)
		w.record(now, f, posts(now, "new"))
		_, err := w.Operator.PruneTime(w.ctx(), now.Add(-time.Hour)) // no leap of a clock
		w.ok(err)
		bob, left := w.reader("bob", "UTC"), w.feed("left.example")
		w.subscribe(bob, left)
		w.record(noon, left, posts(noon, "of", "nobody"))
		w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET last_attempt_at = ? WHERE feed_id = ?`, noon.Unix(), left.ID))
		w.ok(w.Subscriptions.Unsubscribe(w.ctx(), bob.ID, left.ID))
		w.hour(now)
		w.send(now)
		counted, err := w.Operator.CountPrune(w.ctx(), now, 30*day)
		w.ok(err)
		before, made := w.count(`SELECT count(*) FROM posts`), w.count(`SELECT count(*) FROM editions`)
		for {
			n, err := w.Operator.Prune(w.ctx(), now, 30*day, 7)
			w.ok(err)
			if n == 0 {
				break
			}
		}
		want(w.t, "editions", counted.Editions, made-w.count(`SELECT count(*) FROM editions`))
		want(w.t, "posts", counted.Posts, before-w.count(`SELECT count(*) FROM posts`))
		if counted.Posts < 20 {
			w.t.Errorf("only %d posts were deleted", counted.Posts)
		}
	})
}

// TestWouldWaitAfterALeap: a clock that leaps ahead shows no prune that the hourly job would not try.
func TestWouldWaitAfterALeap(t *testing.T) {
	each(t, func(w world) {
		now, _ := w.month()
		_, err := w.Operator.PruneTime(w.ctx(), now)
		w.ok(err)
		would, err := w.Operator.WouldWait(w.ctx(), now.AddDate(1, 0, 0), 40*day)
		w.ok(err)
		want(w.t, "a prune waits", would != nil, false)
	})
}
