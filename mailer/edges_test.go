package mailer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestNoPromiseAfterALostMark: after a lost mark, no dot is committed, even if the queue works again.
func TestNoPromiseAfterALostMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemQueue(2, midnight)
		set := func(down bool) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.marksDown = down
		}
		s := &sink{answer: func(c string, n int) string {
			switch {
			case c == "DOT":
				set(true)
				time.AfterFunc(markPatience+30*time.Second, func() { set(false) })
			case n == 2 && (c == "MAIL" || c == "RCPT" || c == "DATA"): // the other message is slow
				time.Sleep(4*time.Minute + 20*time.Second)
			}
			return ""
		}}
		tr := s.dialed()
		l := testDeliverer(t, q, tr)
		l.Route.Connections = 2
		if _, err := l.Deliver(t.Context(), midnight); !errors.Is(err, errDown) {
			t.Errorf("got %v, want the queue's error", err)
		}
		if n := len(s.messages()); n != 1 {
			t.Errorf("%d messages were ended, want the one whose mark is lost", n)
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}

// TestNoMessageAfterItsLease: if leases cannot be renewed, the worker sends no message whose lease has ended.
func TestNoMessageAfterItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: slow("DOT", 4*time.Minute)}
		q := newMemQueue(4, time.Now())
		q.renewDown = true
		tr := s.dialed()
		l := testDeliverer(t, q, tr)
		l.Now, l.Route.Connections = time.Now, 1
		if got := once(t, l, time.Now()); got != (Stats{Sent: 2}) || s.seen("MAIL") != 2 {
			t.Errorf("%+v, %d messages begun", got, s.seen("MAIL"))
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}

// TestConnectionsThatAreOver: a connection is not used again after an unexpected reply or 421.
func TestConnectionsThatAreOver(t *testing.T) {
	for _, test := range []struct{ command, answer string }{
		{"MAIL", "354 go on"}, {"RCPT", "354 go on"}, {"DATA", "250 fine"}, {"DOT", "421 4.3.2 closing"},
		{"RCPT", "421 4.3.2 closing"},
	} {
		s := &sink{answer: func(c string, n int) string {
			if c == test.command && n == 1 {
				return test.answer
			}
			return ""
		}}
		tr := s.dialed()
		e := Envelope{From: "a@example.org", To: "b@example.org", MessageID: "m@example.org"}
		_, err := tr.Send(t.Context(), e, []byte("Subject: x\r\n\r\nx\r\n"), func(context.Context) error { return nil })
		if _, ok := errors.AsType[*NotAcceptedError](err); !ok || len(tr.idle) > 0 {
			t.Errorf("%s, %q: %v, %d connections kept", test.command, test.answer, err, len(tr.idle))
		}
		tr.Close()
	}
}
