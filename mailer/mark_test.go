package mailer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// TestMarksWaitForTheQueue: a database that fails for minutes between the dot and the mark leaves no edition in doubt.
func TestMarksWaitForTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemQueue(1, midnight)
		set := func(down bool) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.down = down
		}
		s := &sink{answer: func(command string, _ int) string {
			if command == "DOT" {
				set(true)
				time.AfterFunc(8*time.Minute, func() { set(false) })
			}
			return ""
		}}
		tr := s.dialed()
		got, err := testDeliverer(t, q, tr).Deliver(t.Context(), midnight)
		if got != (Stats{Sent: 1}) || err != nil && !errors.Is(err, errDown) { // the next claim may fail too
			t.Errorf("%+v, %v", got, err)
		}
		wantStates(t, q, states{digest.EditionSent: 1})
		tr.Close()
		time.Sleep(time.Hour)
	})
}

// TestNoDotWithoutTheLastMark: while a mark cannot be written, no dot is committed. So one connection leaves at most
// one edition in doubt.
func TestNoDotWithoutTheLastMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemQueue(3, midnight)
		s := &sink{answer: func(command string, _ int) string {
			if command == "DOT" {
				q.mu.Lock()
				q.marksDown = true
				q.mu.Unlock()
			}
			return ""
		}}
		tr := s.dialed()
		l := testDeliverer(t, q, tr)
		l.Route.Connections = 1
		if _, err := l.Deliver(t.Context(), midnight); !errors.Is(err, errDown) {
			t.Errorf("got %v, want the queue's error", err)
		}
		if n := len(s.messages()); n != 1 {
			t.Errorf("%d messages were ended, want the one before the queue went down", n)
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}
