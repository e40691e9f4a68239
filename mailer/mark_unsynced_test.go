package mailer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

func TestNeedsNoDisk(t *testing.T) {
	sent := digest.Mark{State: digest.EditionSent}
	for _, c := range []struct {
		name            string
		window          int
		marks, unsynced []digest.Mark
		want            bool
	}{
		{"the first dot", 2, nil, nil, true},
		{"one accepted", 2, []digest.Mark{sent}, nil, true},
		{"the window is full", 2, []digest.Mark{sent}, []digest.Mark{sent}, false},
		{"it was full", 2, nil, []digest.Mark{sent, sent}, false},
		{"a retry, whose edition may be claimed again", 9, []digest.Mark{sent, {State: digest.EditionReady}}, nil,
			false},
		{"refused", 9, []digest.Mark{{State: digest.EditionFailed}}, nil, false},
		{"in doubt", 9, []digest.Mark{{State: digest.EditionInDoubt}}, nil, false},
		{"a bounce", 9, []digest.Mark{{State: digest.EditionSent, Bounce: &digest.Bounce{}}}, nil, false},
		{"without a window", 0, nil, nil, false},
	} {
		if got := needsNoDisk(c.window, c.marks, c.unsynced); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// powerless delivers editions while each commit takes a millisecond. At each final dot it calls onDot with the number
// of dots so far. It returns the number of messages at the server.
func powerless(t *testing.T, q *memQueue, connections int, onDot func(dots int)) (messages int) {
	t.Helper()
	q.cost = time.Millisecond
	var dots atomic.Int64
	s := &sink{answer: func(command string, _ int) string {
		if command == "DOT" {
			onDot(int(dots.Add(1)))
		}
		return ""
	}}
	tr := s.dialed()
	d := testDeliverer(t, q, tr)
	d.Route.Connections = connections
	got, err := d.Deliver(t.Context(), midnight)
	if err != nil || got.Sent != len(q.rows) {
		t.Errorf("%+v, %v", got, err)
	}
	tr.Close()
	return len(s.messages())
}

// TestPowerLossUndoesNoMoreThanTheWindow: at no instant does a loss of power of all machines undo more marks than the
// window, plus one for each connection.
func TestPowerLossUndoesNoMoreThanTheWindow(t *testing.T) {
	for _, connections := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			q := newMemQueue(200, midnight)
			var most atomic.Int64
			powerless(t, q, connections, func(dots int) { most.Store(max(most.Load(), int64(dots-q.lasting()))) })
			bound := int64((unsyncedWindow + 1) * connections)
			if most.Load() > bound || most.Load() <= int64(connections) {
				t.Errorf("%d connections: %d messages were out at once, want more than one each, and %d at most",
					connections, most.Load(), bound)
			}
			if n := q.lasting(); n != 200 {
				t.Errorf("%d are on the disk as sent when the run has ended", n)
			}
			time.Sleep(time.Hour)
		})
	}
}

// TestPowerLossOfTheDatabaseAlone: if only the database loses power, the worker writes the lost marks again. No edition
// is sent twice after a known acceptance (I6).
func TestPowerLossOfTheDatabaseAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemQueue(100, midnight)
		n := powerless(t, q, 3, func(dots int) {
			if dots%20 == 7 {
				q.losePower()
			}
		})
		q.losePower()
		wantStates(t, q, states{digest.EditionSent: 100})
		if n != 100 {
			t.Errorf("the server got %d messages", n)
		}
		time.Sleep(time.Hour)
	})
}
