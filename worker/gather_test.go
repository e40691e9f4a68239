package worker

import (
	"testing"

	"digest/store"
)

// TestGather holds that the number and the size of its polls end a commit.
func TestGather(t *testing.T) {
	const mb = 1 << 20
	for name, test := range map[string]struct {
		polls, bytes int64
		want         int
	}{
		"all that there are":        {40, 1, 40},
		"two hundred":               {300, 1, commitPolls},
		"eight of one megabyte":     {40, mb, 8},
		"one of ten megabytes":      {40, 10 * mb, 1},
		"two of six megabytes":      {40, 6 * mb, 2},
		"unchanged ones have none":  {300, 0, commitPolls},
		"as many as are left of it": {3, 2 * mb, 3},
	} {
		r := &round{done: make(chan polled, test.polls)}
		freed := 0
		for range test.polls {
			r.done <- polled{store.Polled{}, test.bytes, func() { freed++ }}
		}
		batch, release := r.gather(<-r.done)
		release()
		if len(batch) != test.want || freed != test.want {
			t.Errorf("%s: %d in a commit, %d freed", name, len(batch), freed)
		}
	}
}
