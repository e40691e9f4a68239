package store_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

// crowd adds readers in Paris who subscribe to some of the feeds. All feeds have been polled.
func (w world) crowd(readers, feeds, each int) {
	w.Helper()
	const count = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `
	w.exec(fmt.Sprintf(`INSERT INTO users (email, email_key, time_zone, created_at) `+count+
		`SELECT 'r' || i, 'r' || i, 'Europe/Paris', 0 FROM n`, readers))
	w.exec(fmt.Sprintf(
		`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', %d FROM users ORDER BY id`,
		parisMidnight.Unix()))
	w.exec(fmt.Sprintf(`INSERT INTO feeds (url, host, parsed_at) `+
		count+`SELECT 'u' || i, 'h' || i, 1 FROM n`, feeds))
	w.exec(fmt.Sprintf(`INSERT INTO subscriptions (digest_id, feed_id, created_at)
		SELECT d.id, 1 + (d.id * 7 + k.i * 97) %% %d, 0 FROM digests d CROSS JOIN (`+
		count+`SELECT i FROM n) k ORDER BY 1, 2`, feeds, each))
}

// TestReleasePlan: a release finds users and feeds by their keys, whatever the statistics of the database say.
func TestReleasePlan(t *testing.T) {
	each(t, func(w world) {
		w.crowd(2000, 1000, 10)
		look := func(when string) {
			w.Helper()
			plan := must(w.ReleasePlan(w.ctx, parisMidnight))
			for _, line := range strings.Split(plan, "\n") {
				for _, whole := range []string{"Seq Scan on users", "Seq Scan on feeds", "Seq Scan on subscriptions",
					"Hash", "Merge", "SCAN u", "SCAN f", "SCAN s"} {
					if strings.Contains(line, whole) {
						w.Errorf("%s: %q in\n%s", when, whole, plan)
					}
				}
			}
		}
		look("never analysed")
		w.exec(`ANALYZE`)
		look("analysed before Plan")
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		look("planned")
		w.exec(`ANALYZE`)
		look("analysed when planned")
	})
}

// TestLookPlan: the feed that a digest waits for is found by keys, not by reading the queue.
func TestLookPlan(t *testing.T) {
	each(t, func(w world) {
		w.crowd(2000, 1000, 10)
		w.exec(fmt.Sprintf(`UPDATE feed_times SET poll_at = %d + feed_id`, parisMidnight.Unix()))
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		for _, when := range []string{"never analysed", "analysed"} {
			plan := must(w.LookPlan(w.ctx))
			for _, wrong := range []string{"feed_times_queue", "poll_at<", "Seq Scan on feeds",
				"Seq Scan on subscriptions", "SCAN s", "SCAN f", "Join", "Nested"} {
				if strings.Contains(plan, wrong) {
					w.Errorf("%s: %q in\n%s", when, wrong, plan)
				}
			}
			w.exec(`ANALYZE`)
		}
	})
}

// TestLockPlan: a claim finds its chosen feeds by their keys, even if the statistics say that the queue is empty.
func TestLockPlan(t *testing.T) {
	each(t, func(w world) {
		w.crowd(20, 3000, 5)
		w.exec(`ANALYZE`)
		w.exec(fmt.Sprintf(`UPDATE feed_times SET poll_at = %d`, parisMidnight.Unix()))
		for _, when := range []string{"analysed before", "analysed"} {
			plan := must(w.LockPlan(w.ctx, []digest.FeedID{1, 5, 9, 700}, parisMidnight))
			if strings.Contains(plan, "feed_times_queue") || strings.Contains(plan, "Seq Scan") ||
				strings.Contains(plan, "SCAN t") || strings.Contains(plan, "SCAN f") {
				w.Errorf("%s:\n%s", when, plan)
			}
			w.exec(`ANALYZE`)
		}
	})
}

// TestHidePlan: the readers of a new post are found with one index, without paused subscriptions, and their digests by
// key.
func TestHidePlan(t *testing.T) {
	each(t, func(w world) {
		w.crowd(2000, 1000, 10)
		w.exec(`UPDATE subscriptions SET paused = 1 WHERE digest_id % 7 = 0`)
		for _, when := range []string{"never analysed", "analysed"} {
			plan := must(w.HidePlan(w.ctx, 5))
			if !strings.Contains(plan, "subscriptions_feed") || strings.Contains(plan, "SCAN s") ||
				strings.Contains(plan, "SCAN d") || strings.Contains(plan, "Seq Scan") {
				w.Errorf("%s:\n%s", when, plan)
			}
			w.exec(`ANALYZE`)
		}
	})
}

// TestClaimPlan: a claim reads the queue in order and finds users by their keys, whatever the statistics say, even if
// it skips most of the queue.
func TestClaimPlan(t *testing.T) {
	each(t, func(w world) {
		w.waits("big.example", 100_000)
		w.waits("small.example", 200)
		w.exec(`INSERT INTO suppressions (email_key, email, reason, created_at)
			SELECT 's' || email_key, '', 'manual', 0 FROM users WHERE id <= 5000`)
		look := func(when string) {
			w.Helper()
			for _, closed := range []string{"", "big.example"} {
				plan := must(w.ClaimPlan(w.ctx, noon, closed))
				if !strings.Contains(plan, "editions_lanes") {
					w.Errorf("%s: not by the queue's index:\n%s", when, plan)
				}
				for _, whole := range []string{"Seq Scan", "Sort", "SCAN d", "SCAN u", "SCAN s", "TEMP B-TREE"} {
					if strings.Contains(plan, whole) {
						w.Errorf("%s: %q in\n%s", when, whole, plan)
					}
				}
			}
		}
		look("never analysed")
		w.exec(`ANALYZE`)
		look("analysed")
	})
}
