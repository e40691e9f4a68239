package mailer

import (
	"sync/atomic"
	"testing"
	"time"

	"digest"
)

// A mail server that is down leaves everything as it was.
func TestServerIsDown(t *testing.T) {
	for name, answer := range map[string]func(string, int) string{
		"banner":   always("BANNER", "554 closed"),
		"hang up":  always("BANNER", hangUp),
		"sender":   always("MAIL", "550 5.7.1 you may not send"),
		"too many": always("MAIL", "421 4.7.0 try later"),
	} {
		var up atomic.Bool
		s := &sink{answer: func(c string, n int) string {
			if up.Load() {
				return ""
			}
			return answer(c, n)
		}}
		q := newMemQueue(100, midnight)
		l := testLoop(t, q, openTest(t, s.listen(t), Options{}))
		got := once(t, l, midnight)
		if got != (Stats{RouteRetryAt: midnight.Add(time.Minute), RouteTrouble: got.RouteTrouble}) || got.RouteTrouble == "" {
			t.Errorf("%s: %+v", name, got)
		}
		wantStates(t, q, map[digest.EditionState]int{digest.EditionReady: 100})
		for _, row := range q.rows {
			if row.Attempt != 0 || row.MessageID != "" {
				t.Fatalf("%s: an attempt was counted: %+v", name, row)
			}
		}
		if tries := max(s.seen("EHLO"), s.seen("BANNER")); tries > 8 {
			t.Errorf("%s: %d connections", name, tries)
		}
		before := s.seen("BANNER")
		if got := once(t, l, midnight.Add(59*time.Second)); got.RouteRetryAt.IsZero() || s.seen("BANNER") != before {
			t.Errorf("%s: it was not left alone: %+v", name, got)
		}
		up.Store(true)
		if got := once(t, l, midnight.Add(time.Minute)); got != (Stats{Sent: 100}) {
			t.Errorf("%s: afterwards %+v", name, got)
		}
	}
}

// A server that wants fewer connections gets fewer, and everything.
func TestFewerConnections(t *testing.T) {
	var open atomic.Int64
	s := &sink{answer: func(c string, _ int) string {
		switch {
		case c == "BANNER" && !open.CompareAndSwap(0, 1):
			return "421 4.7.0 too many connections"
		case c == "QUIT":
			open.Store(0)
		}
		return ""
	}}
	q := newMemQueue(100, midnight)
	l := testLoop(t, q, openTest(t, s.listen(t), Options{PerConn: 10}))
	if got := once(t, l, midnight); got != (Stats{Sent: 100}) {
		t.Errorf("%+v", got)
	}
}
