package mailer

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func stored(t *testing.T, st *store.Store, name string) digest.Lane {
	t.Helper()
	l, err := st.Editions.Lane(t.Context(), name)
	must(t, err)
	return l
}

// TestStoreKeepsPauses: the trouble of the route and of a domain survives a restart, and ends when they recover.
func TestStoreKeepsPauses(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		st := storetest.Open(t, database)
		sealEditions(t, st, 12)
		var phase atomic.Int64
		s := &sink{answer: func(c string, _ int) string {
			switch {
			case c == "MAIL" && phase.Load() == 0:
				return "550 5.7.1 you may not send"
			case c == "RCPT" && phase.Load() == 1:
				return "451 4.7.0 slow down"
			}
			return ""
		}}
		setting := s.listen(t)
		restarted := func(now time.Time) Stats {
			t.Helper()
			return once(t, testDeliverer(t, storetest.Open(t, database).Editions, openTest(t, setting, Options{})), now)
		}
		hour := released.Add(time.Hour)
		if got := restarted(released); !got.RouteRetryAt.Equal(hour) || got.RouteTrouble == "" {
			t.Errorf("%+v", got)
		}
		before := s.seen("BANNER")
		if got := restarted(hour.Add(-time.Second)); !got.RouteRetryAt.Equal(hour) || s.seen("BANNER") != before {
			t.Errorf("a restart forgot the pause: %+v", got)
		}
		if l := stored(t, st, ""); !l.Alarm || !l.Until.Equal(hour) || !strings.Contains(l.Reason, "you may not send") {
			t.Errorf("%+v", l)
		}
		phase.Store(1)
		restarted(hour)
		if l := stored(t, st, ""); hasTrouble(l) {
			t.Errorf("the route answers: %+v", l)
		}
		if l := stored(t, st, "example.org"); l.Width == 0 || !l.Until.Equal(hour.Add(time.Minute)) {
			t.Errorf("%+v", l)
		}
		before = s.seen("RCPT")
		if got := restarted(hour.Add(59 * time.Second)); got != (Stats{}) || s.seen("RCPT") != before {
			t.Errorf("a restart forgot the domain's pause: %+v", got)
		}
		phase.Store(2)
		for now := hour.Add(time.Minute); now.Before(hour.Add(30 * time.Minute)); now = now.Add(time.Minute) {
			restarted(now)
		}
		if got := storedStates(t, st); got[digest.EditionSent] != 12 {
			t.Errorf("%v", got)
		}
		if lanes, err := st.Editions.Lanes(t.Context()); err != nil || len(lanes) > 0 {
			t.Errorf("%+v, %v", lanes, err)
		}
	})
}

// TestRefusedReaders: the domain refuses four of 28 readers for their own sake. It pauses once. After the pause the
// probes go to the others, who all get their mail.
func TestRefusedReaders(t *testing.T) {
	refused := []string{"reader1@example.org", "reader10@example.org", "reader11@example.org", "reader12@example.org"}
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		sealEditions(t, st, 28)
		s := &sink{recipient: func(to string) string {
			if slices.Contains(refused, to) {
				return "550 5.7.1 policy"
			}
			return ""
		}}
		l := s.deliverer(t, st.Editions)
		for minute := 0; minute <= 75; minute += 5 {
			once(t, l, released.Add(time.Duration(minute)*time.Minute))
		}
		if got := storedStates(t, st); got[digest.EditionSent] != 24 {
			t.Errorf("%v, want 24 sent", got)
		}
	})
}

// TestStoreSuppresses: a mailbox that does not exist is suppressed, with the reply as evidence. A mailbox is not
// suppressed if its server refused the sender.
func TestStoreSuppresses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		sealEditions(t, st, 5)
		s := &sink{recipient: func(to string) string {
			switch to {
			case "reader1@example.org":
				return "550 5.1.1 no such user"
			case "reader2@example.org":
				return "550 5.7.1 listed by a blocklist"
			}
			return ""
		}}
		once(t, s.deliverer(t, st.Editions), released)
		got := storetest.All(t, st.Editions.Suppressions(t.Context()))
		if len(got) != 1 || got[0].Email != "reader1@example.org" || got[0].Reason != digest.ForHardBounce ||
			!strings.Contains(got[0].Evidence, "no such user") {
			t.Errorf("%+v", got)
		}
		if got := storedStates(t, st); got[digest.EditionSent] != 3 || got[digest.EditionFailed] != 2 {
			t.Errorf("%v", got)
		}
	})
}
