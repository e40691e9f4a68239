package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"
)

// On PostgreSQL digest_posts is partitioned by the month (UTC) of its midnights. Inserts then use a small index. Old
// rows are dropped with their partition at no cost, whereas deleting them would cost as much as inserting them. Rows
// of a month without a partition are in digest_posts_default until it has one.

// monthsAhead is how many months after the present one have a partition. A digest's next midnight is at most five
// weeks ahead, the end of a pause up to 400 days.
const monthsAhead = 3

// partitionName is the name of a partition, as a layout for time.Format.
const partitionName = "digest_posts_2006_01"

// A month is its first instant in UTC.
type month time.Time

func monthOf(t time.Time) month {
	t = t.UTC()
	return month(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC))
}

func (m month) next() month     { return month(time.Time(m).AddDate(0, 1, 0)) }
func (m month) starts() Instant { return At(time.Time(m)) }
func (m month) ends() Instant   { return m.next().starts() }
func (m month) table() string   { return time.Time(m).Format(partitionName) }

type partition struct {
	month
	open bool // the first partition, which also holds all months before
}

// MakePartitions creates a partition for now's month, for each of the next monthsAhead, and for each month that has
// rows in the default partition. It does nothing if they exist, or on SQLite. If the table is busy, it leaves the
// rest to the next call.
func MakePartitions(ctx context.Context, d *DB, now time.Time) error {
	if d.d.Partitions == "" {
		return nil
	}
	have, err := d.partitions(ctx)
	if err != nil {
		return Failed("looking at the partitions", err)
	}
	m := monthOf(now)
	for range monthsAhead + 1 {
		if !covered(have, m) {
			if made, err := d.makePartition(ctx, m); err != nil || !made {
				return err
			}
		}
		m = m.next()
	}
	return d.emptyDefault(ctx, m.starts())
}

func covered(have []partition, m month) bool {
	return slices.ContainsFunc(have, func(p partition) bool {
		return p.month == m || p.open &&
			m.starts() < p.starts()
	})
}

// OldestInDefault reads the oldest midnight in the default partition.
const OldestInDefault = `SELECT visible_at FROM digest_posts_default WHERE visible_at < ? ORDER BY visible_at LIMIT 1`

// emptyDefault creates a partition for each month before end that has rows in the default partition.
func (d *DB) emptyDefault(ctx context.Context, end Instant) error {
	for {
		var oldest []int64
		err := Read(d).All(ctx, &oldest, OldestInDefault, end)
		if err != nil || len(oldest) == 0 {
			return Failed("looking at the posts of other months", err)
		}
		if made, err := d.makePartition(ctx, monthOf(time.Unix(oldest[0], 0))); err != nil || !made {
			return err
		}
	}
}

// DropPartitions drops the partitions that end at old or before.
func DropPartitions(ctx context.Context, d *DB, old Instant) error {
	have, err := d.partitions(ctx)
	for _, p := range have {
		if p.ends() > old {
			continue
		}
		gone, err := d.alterPosts(ctx, "dropping "+
			p.table(), func(c Tx) error { return c.Run(ctx, `DROP TABLE IF EXISTS `+p.table()) })
		if err != nil || !gone {
			return err
		}
	}
	return err
}

// partitions returns all partitions except the default one.
func (d *DB) partitions(ctx context.Context) ([]partition, error) {
	if d.d.Partitions == "" {
		return nil, nil
	}
	var rows []partitionRow
	err := Read(d).All(ctx, &rows, d.d.Partitions)
	return partitionsOf(rows), err
}

type partitionRow struct {
	Name string
	Open bool
}

func partitionsOf(rows []partitionRow) []partition {
	var have []partition
	for _, r := range rows {
		if t, err := time.Parse(partitionName, r.Name); err == nil { // the default partition has no month
			have = append(have, partition{month(t), r.Open})
		}
	}
	return have
}

// makePartition creates the partition of a month and moves its rows there from the default partition, usually few. It
// locks out writers, because PostgreSQL rejects a row that was on its way to the default partition when its month got
// another.
func (d *DB) makePartition(ctx context.Context, m month) (bool, error) {
	return d.alterPosts(ctx, "making "+m.table(), func(c Tx) error {
		var rows []partitionRow
		if err := c.All(ctx, &rows, d.d.Partitions); err != nil || covered(partitionsOf(rows), m) {
			return err // another worker has created it
		}
		var there int
		if err := c.Get(ctx, &there, d.d.Tables, m.table()); err != nil {
			return err
		}
		if there > 0 {
			return Conflict("the table %s is not a partition of digest_posts; attach it (ALTER TABLE digest_posts ATTACH PARTITION), or rename it", m.table())
		}
		within := fmt.Sprintf(`visible_at >= %d AND visible_at < %d`, m.starts(), m.ends())
		return c.ExecEach(ctx, []string{
			`LOCK TABLE digest_posts IN EXCLUSIVE MODE`,
			`CREATE TABLE ` + m.table() + ` (LIKE digest_posts INCLUDING INDEXES)`,
			`WITH moved AS (DELETE FROM digest_posts_default WHERE ` + within + ` RETURNING *)
				INSERT INTO ` + m.table() + ` SELECT * FROM moved`,
			fmt.Sprintf(`ALTER TABLE digest_posts ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, m.table(),
				m.starts(), m.ends()),
		})
	})
}

// alterPosts runs f, which alters digest_posts, under a lock. It waits for other locks for at most 2 seconds, because
// other statements wait behind it. It returns false if f must be retried later.
func (d *DB) alterPosts(ctx context.Context, doing string, f func(Tx) error) (bool, error) {
	err := Failed(doing, Write(ctx, d, func(c Tx) error {
		if err := c.ExecEach(ctx, []string{d.d.LockPlan, `SET LOCAL lock_timeout = '2s'`}); err != nil {
			return err
		}
		return f(c)
	}))
	// Lock timeout, or deadlock.
	if e, ok := errors.AsType[*pq.Error](err); ok && (e.Code == "55P03" || e.Code == "40P01") {
		return false, nil
	}
	return err == nil, err
}
