package mailer

import (
	"sync/atomic"
	"testing"
	"time"

	"digest"
)

// TestServerIsDown: while a mail server is down, editions do not change.
func TestServerIsDown(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(string, int) string
		pause  time.Duration
		alarm  bool
	}{
		"banner":     {always("BANNER", "554 closed"), time.Minute, false},
		"unsigned":   {always("DOT", "550 5.7.26 not authenticated"), time.Hour, true},
		"not secure": {always("RCPT", "530 5.7.0 STARTTLS first"), time.Hour, true},
	} {
		var up atomic.Bool
		s := &sink{answer: func(c string, n int) string {
			if up.Load() {
				return ""
			}
			return test.answer(c, n)
		}}
		q := newMemQueue(100, midnight)
		l := s.deliverer(t, q)
		got := once(t, l, midnight)
		until := midnight.Add(test.pause)
		if got != (Stats{RouteRetryAt: until, RouteTrouble: got.RouteTrouble}) || got.RouteTrouble == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if lane := q.lanes[""]; lane.Alarm != test.alarm || !lane.Until.Equal(until) {
			t.Errorf("%s: %+v", name, lane)
		}
		wantStates(t, q, states{digest.EditionReady: 100})
		for _, row := range q.rows {
			if row.Attempt != 0 {
				t.Fatalf("%s: an attempt was counted: %+v", name, row)
			}
		}
		if tries := max(s.seen("EHLO"), s.seen("BANNER")); tries > 8 {
			t.Errorf("%s: %d connections", name, tries)
		}
		up.Store(true)
		if got := once(t, l, until); got != (Stats{Sent: 100}) || len(q.lanes) > 0 {
			t.Errorf("%s: afterwards %+v, %+v", name, got, q.lanes)
		}
	}
}

// TestRefusedForWhatWeAre: if one recipient's server rejects our setup, the mailer stops before other servers do so
// too. No edition fails.
func TestRefusedForWhatWeAre(t *testing.T) {
	s := &sink{answer: func(c string, n int) string {
		if c == "DOT" && n > 10 {
			return "550 5.7.515 the domain is not authenticated"
		}
		return ""
	}}
	q := newMemQueue(200, midnight)
	got := once(t, s.deliverer(t, q), midnight)
	if got.Sent != 10 || got.Failed != 0 || got.RouteRetryAt.IsZero() || s.seen("DOT") > 14 {
		t.Errorf("%+v after %d messages", got, s.seen("DOT"))
	}
	wantStates(t, q, states{digest.EditionSent: 10, digest.EditionReady: 190})
}

// TestFewerConnections: a server that limits connections gets fewer of them, and all mail.
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
	l := testDeliverer(t, q, openTest(t, s.listen(t), Options{PerConn: 10}))
	if got := once(t, l, midnight); got != (Stats{Sent: 100}) || len(q.lanes) > 0 {
		t.Errorf("%+v, %+v", got, q.lanes)
	}
}
