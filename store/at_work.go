package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"digest/store/db"
)

// A Worker is a process that runs the hourly job on this database.
type Worker = db.Worker

// workerKey is the prefix of the settings keys that workers write.
const workerKey = "worker "

// forgotten is how long the row of a worker that ended without LeaveWork remains.
const forgotten = time.Hour

// AtWork stores the report of a worker and deletes workers that have not reported for an hour. It uses the time of
// Store.Clock, because workers whose own clocks differ would delete each other. w.At is of the same clock.
func (s *Store) AtWork(ctx context.Context, w Worker) error {
	now, err := s.Clock(ctx)
	if err != nil {
		return err
	}
	value, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("writing who is at work: %w", err)
	}
	others, err := s.Workers(ctx)
	if err != nil {
		return err
	}
	return s.change(ctx, "noting who is at work", func(c conn) error {
		for _, o := range others {
			if o.ID != w.ID && now.Sub(o.At).Abs() > forgotten {
				if err := leaveWork(ctx, c, o.ID); err != nil {
					return err
				}
			}
		}
		return c.setSetting(ctx, workerKey+w.ID, value)
	})
}

// LeaveWork deletes a worker that ends.
func (s *Store) LeaveWork(ctx context.Context, id string) error {
	return s.change(ctx, "noting who leaves", func(c conn) error { return leaveWork(ctx, c, id) })
}

func leaveWork(ctx context.Context, c conn, id string) error {
	return c.Run(ctx, `DELETE FROM settings WHERE key = ?`, workerKey+id)
}

// Workers returns the workers that have reported and have not ended.
func (s *Store) Workers(ctx context.Context) ([]Worker, error) {
	rows, err := readRows[[]byte](ctx, s.read(), "reading who is at work",
		`SELECT value FROM settings WHERE key LIKE ? ORDER BY key`, workerKey+"%")
	if err != nil {
		return nil, err
	}
	workers := make([]Worker, len(rows))
	for i, value := range rows {
		if err := json.Unmarshal(value, &workers[i]); err != nil {
			return nil, fmt.Errorf("who is at work cannot be read: %w", err)
		}
	}
	return workers, nil
}

// SettleRestored prepares a restored database for work. It deletes the records of the old database's processes, queues
// all posts for the search index, and sets the fence, which shows reason until the operator releases it.
func (s Operator) SettleRestored(ctx context.Context, now time.Time, reason string) error {
	if err := s.MakePartitions(ctx, now); err != nil {
		return err
	}
	return s.change(ctx, "", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM settings WHERE key LIKE ?`, workerKey+"%"); err != nil {
			return err
		}
		if err := c.Run(ctx, `INSERT INTO index_queue (post_id) SELECT id FROM posts WHERE shown_at > 0
			ON CONFLICT DO NOTHING`); err != nil {
			return err
		}
		last, _, err := lastBeat(ctx, c)
		if err != nil {
			return err
		}
		last.Brought = reason
		return last.leave(ctx, c)
	})
}
