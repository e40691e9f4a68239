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
	w.Helper()
	would := must(w.Operator.WouldWait(w.ctx, now, keep))
	before, waits := must2(w.Operator.AdmitPrune(w.ctx, now, keep))
	noted := must(w.Operator.PruneWaits(w.ctx))
	if waits == nil && (!before.Equal(now.Add(-keep).Truncate(time.Second)) || noted != nil || would != nil) {
		w.Errorf("admitted before %v, noted %v, would wait %v", before, noted, would)
	}
	if waits != nil && (noted == nil || would == nil || *noted != *waits || *would != *waits ||
		before.After(now.Add(-keep))) {
		w.Errorf("waits %v, noted %v, would wait %v, admitted before %v", waits, noted, would, before)
	}
	return waits
}

func (w world) admitted(what string, now time.Time, keep time.Duration) {
	w.Helper()
	if waits := w.admit(now, keep); waits != nil {
		w.Errorf("%s waits: %+v", what, *waits)
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
					w.Fatalf("waits %+v", waits)
				}
				counted := must(w.Operator.CountPrune(w.ctx, now, short))
				want(w, "counted", counted, *waits)
				want(w, "an hour later", *w.admit(now.Add(time.Hour), short), *waits)
				w.admitted("longer", now.Add(2*time.Hour), keep)
				if w.admit(now.Add(3*time.Hour), short) == nil {
					w.Fatal("a short time is admitted since a longer one was")
				}
				w.ok(w.Operator.ConfirmPrune(w.ctx, now.Add(3*time.Hour-short)))
				w.admitted("confirmed", now.Add(3*time.Hour), short)
				n := w.pruneOnce(now.Add(3*time.Hour), short, 100)
				want(w, "editions deleted", n, 23)
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
		w.exec(`DELETE FROM editions WHERE id > (SELECT MIN(id) + 8 FROM editions)`)
		w.admitted("all nine", now.Add(300*day), 7*day)
	})
}

// TestPruneCountsWhatItDeletes: the count matches the deletion, also of feeds without subscribers.
func TestPruneCountsWhatItDeletes(t *testing.T) {
	each(t, func(w world) {
		now, f := w.month()
		now = now.Add(200 * day)
		w.record(now, f, posts(now, "new"))
		must(w.Operator.PruneTime(w.ctx, now.Add(-time.Hour)))
		bob, left := w.reader("bob", "UTC"), w.feed("left.example")
		w.subscribe(bob, left)
		w.posted(left, "of", "nobody")
		w.exec(`UPDATE feed_times SET last_attempt_at = ? WHERE feed_id = ?`, noon.Unix(), left.ID)
		w.unsubscribe(bob, left)
		w.hour(now)
		w.send(now)
		counted := must(w.Operator.CountPrune(w.ctx, now, 30*day))
		before, made := w.count(`SELECT count(*) FROM posts`), w.count(`SELECT count(*) FROM editions`)
		for {
			n := w.pruneOnce(now, 30*day, 7)
			if n == 0 {
				break
			}
		}
		want(w, "editions", counted.Editions, made-w.count(`SELECT count(*) FROM editions`))
		want(w, "posts", counted.Posts, before-w.count(`SELECT count(*) FROM posts`))
		if counted.Posts < 20 {
			w.Errorf("only %d posts were deleted", counted.Posts)
		}
	})
}

// TestWouldWaitAfterALeap: a clock that leaps ahead shows no prune that the hourly job would not try.
func TestWouldWaitAfterALeap(t *testing.T) {
	each(t, func(w world) {
		now, _ := w.month()
		must(w.Operator.PruneTime(w.ctx, now))
		want(w, "a prune waits", must(w.Operator.WouldWait(w.ctx, now.AddDate(1, 0, 0), 40*day)) != nil, false)
	})
}
