package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
)

// ides is in a month of its own, long after the clock by which the first table was created.
var ides = time.Date(2040, 3, 15, 12, 0, 0, 0, time.UTC)

// hideAt inserts a hidden row that belongs to no digest.
func (w world) hideAt(t time.Time) {
	w.Helper()
	w.exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (1, ?, 1)`, t.Unix())
}

// eachPartitioned is each for databases in which digest_posts has partitions.
func eachPartitioned(t *testing.T, f func(world)) {
	t.Helper()
	each(t, func(w world) {
		if !w.Partitioned() {
			w.ok(w.Operator.MakePartitions(w.ctx, ides)) // changes nothing
			w.Skip("SQLite has one table")
		}
		f(w)
	})
}

// made returns the partitions since 2038, without their prefix.
func (w world) made() string {
	w.Helper()
	names := must(w.Partitions(w.ctx))
	var made []string
	for _, name := range names {
		if name = strings.TrimPrefix(name, "digest_posts_"); name >= "2038" {
			made = append(made, name)
		}
	}
	return strings.Join(made, " ")
}

func TestPartitionsAreMade(t *testing.T) {
	eachPartitioned(t, func(w world) {
		for _, at := range []time.Time{
			time.Date(2038, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2039, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2040, 3, 1, 0, 0, 0, 0, time.UTC), ides,
			time.Date(2040, 6, 30, 23, 59, 59, 0, time.UTC), time.Date(2040, 7, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC),
		} {
			w.hideAt(at)
		}
		w.holds("rows without a table of their month", 7, `SELECT count(*) FROM digest_posts_default`)
		for range 2 {
			w.ok(w.Operator.MakePartitions(w.ctx, ides))
			want(w, "months", w.made(), "2038_12 2039_01 2040_03 2040_04 2040_05 2040_06")
			w.holds("rows", 7, `SELECT count(*) FROM digest_posts`)
			w.holds("rows of later months", 2, `SELECT count(*) FROM digest_posts_default`)
			w.holds("of the last second of a year", 1, `SELECT count(*) FROM digest_posts_2038_12`)
			w.holds("of the first of the next", 1, `SELECT count(*) FROM digest_posts_2039_01`)
			w.holds("of March", 2, `SELECT count(*) FROM digest_posts_2040_03`)
			w.holds("of June", 1, `SELECT count(*) FROM digest_posts_2040_06`)
		}
		w.ok(w.Operator.MakePartitions(w.ctx, ides.AddDate(0, 1, 0)))
		want(w, "months of April", w.made(), "2038_12 2039_01 2040_03 2040_04 2040_05 2040_06 2040_07")
		w.holds("rows, once July has a table", 7, `SELECT count(*) FROM digest_posts`)
		w.ok(w.Operator.MakePartitions(w.ctx, time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC))) // a wrong clock
		w.holds("and its rows", 1, `SELECT count(*) FROM digest_posts_2040_07`)
	})
}

// Each worker looks every hour for the oldest row of the default partition, which has the rows of all long pauses.
func TestDefaultPartitionIsNotScanned(t *testing.T) {
	eachPartitioned(t, func(w world) {
		w.exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT i, ?, 1 FROM n`, ides.Unix())
		for _, statement := range []string{``, `ANALYZE digest_posts_default`} {
			if statement != "" {
				w.exec(statement)
			}
			plan := must(w.DefaultPlan(w.ctx))
			if !strings.Contains(plan, "digest_posts_default_months") || strings.Contains(plan, "Sort") {
				w.Errorf("the default partition is scanned:\n%s", plan)
			}
		}
	})
}

// Several workers create partitions, and store posts, at the same time.
func TestPartitionsAreMadeAtOnce(t *testing.T) {
	eachPartitioned(t, func(w world) {
		var wg sync.WaitGroup
		for worker := range 3 {
			wg.Go(func() {
				if err := w.Operator.MakePartitions(w.ctx, ides); err != nil {
					w.Error(err)
				}
			})
			wg.Go(func() {
				for n := range 50 {
					err := w.Exec(w.ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (?, ?, 1)`,
						1000+worker*100+n, ides.AddDate(0, n%5, 0).Unix())
					if err != nil {
						w.Error(err)
					}
				}
			})
		}
		wg.Wait()
		w.ok(w.Operator.MakePartitions(w.ctx, ides))
		want(w, "months", w.made(), "2040_03 2040_04 2040_05 2040_06")
		w.holds("rows", 150, `SELECT count(*) FROM digest_posts`)
		w.holds("rows of later months", 30, `SELECT count(*) FROM digest_posts_default`)
	})
}

func TestPartitionsAreDropped(t *testing.T) {
	eachPartitioned(t, func(w world) {
		for month := range 6 {
			w.hideAt(ides.AddDate(0, month, 0))
		}
		w.ok(w.Operator.MakePartitions(w.ctx, ides.AddDate(0, 5, 0)))
		const all = "2040_03 2040_04 2040_05 2040_06 2040_07 2040_08 2040_09 2040_10 2040_11"
		want(w, "months", w.made(), all)
		w.prune(time.Date(2040, 3, 31, 23, 59, 59, 0, time.UTC).Add(keep))
		want(w, "a second too early", w.made(), all)
		w.prune(time.Date(2040, 4, 30, 0, 0, 0, 0, time.UTC).Add(keep))
		want(w, "March is over", w.made(), strings.TrimPrefix(all, "2040_03 "))
		w.holds("rows", 5, `SELECT count(*) FROM digest_posts`)
		w.hideAt(ides) // by a wrong clock: the first table was dropped before
		w.ok(w.Operator.MakePartitions(w.ctx, ides.AddDate(0, 5, 0)))
		w.holds("rows again", 6, `SELECT count(*) FROM digest_posts`)

		w.reader("ada") // her next midnight is in 2026
		w.prune(ides.AddDate(5, 0, 0))
		want(w, "an edition may still be made", w.made(), all)
	})
}

// A table that an operator has detached or created is reported, and not used as a partition.
func TestTableInTheWayOfAPartition(t *testing.T) {
	eachPartitioned(t, func(w world) {
		w.hideAt(ides)
		w.exec(`CREATE TABLE digest_posts_2040_03 (LIKE digest_posts)`)
		err := w.Operator.MakePartitions(w.ctx, ides)
		if err == nil || !strings.Contains(err.Error(), "digest_posts_2040_03 is not a partition") {
			w.Error(err)
		}
		w.holds("rows", 1, `SELECT count(*) FROM digest_posts`)
		w.exec(`DROP TABLE digest_posts_2040_03`)
		w.ok(w.Operator.MakePartitions(w.ctx, ides))
		w.holds("rows of March", 1, `SELECT count(*) FROM digest_posts_2040_03`)
	})
}

// A long read does not fail, and delays no one: the partition is dropped later.
func TestPartitionIsDroppedLater(t *testing.T) {
	eachPartitioned(t, func(w world) {
		w.hideAt(ides)
		w.ok(w.Operator.MakePartitions(w.ctx, ides))
		late := ides.AddDate(2, 0, 0)
		err := w.Together(w.ctx, func() { w.prune(late) }, `UPDATE digest_posts SET post_id = 2`)
		w.ok(err)
		if made := w.made(); !strings.HasPrefix(made, "2040_03") {
			w.Errorf("dropped under a reader: %s", made)
		}
		w.prune(late)
		want(w, "months", w.made(), "")
	})
}

// Posts of a lost edition wait for the digest's next edition, even if DIGEST_KEEP is short.
func TestPartitionOfLostEditionStays(t *testing.T) {
	eachPartitioned(t, func(w world) {
		ada := w.reader("ada")
		lost, next := ides.AddDate(0, 0, 16), ides.AddDate(0, 0, 23)
		w.exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (?, ?, 1)`, ada.ID,
			lost.Unix())
		w.ok(w.Operator.MakePartitions(w.ctx, ides))
		w.exec(`UPDATE digests SET next_due_at = ?`, next.Unix())
		w.exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, undelivered,
			date, next_at, expires_at)
			VALUES (?, '2040-03-31', ?, 0, 1, 'expired', 1, 0, 0, 0)`, ada.ID, lost.Unix())
		w.pruneOnce(next.AddDate(0, 0, -1), day, 100)
		w.holds("editions that wait to be carried", 1, `SELECT count(*) FROM editions`)
		w.holds("posts of them", 1, `SELECT count(*) FROM digest_posts WHERE digest_id = ?`, ada.ID)
		w.exec(`UPDATE editions SET state = 'sent', undelivered = 0`)
		w.prune(next.AddDate(0, 0, -1).Add(keep))
		w.holds("editions, once it is over", 0, `SELECT count(*) FROM editions`)
	})
}

// The most frequent queries read only the month of one edition, whatever statistics PostgreSQL has of its tables.
// (Record reads none.)
func TestPartitionsAreLeftOut(t *testing.T) {
	eachPartitioned(t, func(w world) {
		w.crowd(300, 1, 1)
		ada, f := w.reader("ada"), w.feedAgain(digest.Feed{URL: "u1"})
		w.subscribe(ada, f)
		w.posted(f, "in", "out")
		out := w.count(`SELECT id FROM posts WHERE identity = 'out'`)
		w.exec(`DELETE FROM digest_posts WHERE post_id = ?`, out)
		w.exec(`UPDATE digest_posts SET visible_at = ? + digest_id % 7 * 2592000 WHERE digest_id <> ?`,
			ides.Unix(), ada.ID)
		w.exec(`UPDATE digests SET next_due_at = ? + id % 7 * 2592000 WHERE id <> ?`, ides.Unix(),
			ada.ID)
		w.ok(w.Operator.MakePartitions(w.ctx, ides))
		w.hour(parisMidnight)
		editions := w.latest(ada)
		for _, statement := range []string{`ANALYZE digest_posts`, `ANALYZE`} {
			plans := must(w.PartitionPlans(w.ctx, editions, digest.PostID(out)))
			for query, plan := range plans {
				var read []string
				for line := range strings.Lines(plan) {
					if strings.Contains(line, " on digest_posts_") && !strings.Contains(line, "never executed") {
						read = append(read, line)
					}
				}
				if len(read) != 1 {
					w.Errorf("before %s %d partitions are read by\n%s\n%s", statement, len(read), query, plan)
				}
			}
			w.exec(statement)
		}
	})
}
