package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Worker is a process that is at work on the database.
type Worker struct {
	ID   string    `json:"id"`
	Host string    `json:"host"` // the name of its machine
	PID  int       `json:"pid"`
	At   time.Time `json:"at"`              // when it last said so, by a clock that is true
	AsOf bool      `json:"as_of,omitempty"` // it works by another clock (--now)
}

// workerKey begins the keys of settings under which workers say that they are at work.
const workerKey = "worker "

// forgotten is how long a worker is remembered that did not say that it leaves.
const forgotten = time.Hour

// AtWork notes that a worker is at work, in place of what it said last, and forgets
// those of whom nothing was heard for long. How long that is the database's clock says,
// where it has one, as it does of leases: by their own, workers whose clocks are apart
// would have each other forgotten. At is of the same clock; see Clock.
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

// LeaveWork forgets a worker that ends.
func (s *Store) LeaveWork(ctx context.Context, id string) error {
	return s.change(ctx, "noting who leaves", func(c conn) error { return leaveWork(ctx, c, id) })
}

func leaveWork(ctx context.Context, c conn, id string) error {
	return c.run(ctx, `DELETE FROM settings WHERE key = ?`, workerKey+id)
}

// Workers gives who said to be at work, and did not say to leave.
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
