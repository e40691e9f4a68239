package store_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

const (
	home  = "https://digest.example.org"
	after = 36 * time.Hour
	most  = 3
)

func (w world) beat(base string, now time.Time) store.Fence { return w.beatAsOf(base, now, false) }

func (w world) beatAsOf(base string, now time.Time, asOf bool) store.Fence {
	w.Helper()
	rules := store.FenceRules{After: after, Most: most, AsOf: asOf}
	looked := must(w.Operator.LookFence(w.ctx, base, now, rules))
	f := must(w.Operator.Beat(w.ctx, base, now, rules))
	want(w, "what looking says, and beating", looked.Reason, f.Reason)
	return f
}

// TestFenceBaseURL: a copy that starts under another address is fenced until the operator releases it. Then the
// original is fenced.
func TestFenceBaseURL(t *testing.T) {
	tests := []struct {
		base  string
		fence bool
	}{
		{"https://digest.example.org", false},
		{"http://digest.example.org", false},
		{"https://digest.example.org:443", false},
		{"http://digest.example.org:80", false},
		{"https://Digest.Example.org", false},
		{"https://digest.example.org:8443", true},
		{"http://digest.example.org:443", true},
		{"https://staging.example.org", true},
		{"http://localhost:8080", true},
	}
	for _, tt := range tests {
		each(t, func(w world) {
			w.reader("ann", "UTC")
			want(w, "the first", w.beat(home, noon).Reason, "")
			f := w.beat(tt.base, noon.Add(time.Minute))
			want(w, tt.base, f.Reason != "", tt.fence)
			if tt.fence && (!strings.Contains(f.Reason, home) || !strings.Contains(f.Reason, tt.base) ||
				!f.Beat.Equal(noon)) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestFenceStands: repeated checks do not remove a fence. A release fences the other instance.
func TestFenceStands(t *testing.T) {
	each(t, func(w world) {
		const other = "http://localhost:8080"
		w.reader("ann", "UTC")
		w.beat(home, noon)
		for i := range 3 {
			want(w, "still fenced", w.beat(other, noon.Add(time.Duration(i)*time.Hour)).Reason != "", true)
		}
		want(w, "the original", w.beat(home, noon.Add(4*time.Hour)).Reason, "")
		w.ok(w.Operator.Unfence(w.ctx, other, noon.Add(5*time.Hour)))
		want(w, "released", w.beat(other, noon.Add(5*time.Hour)).Reason, "")
		want(w, "the original now", w.beat(home, noon.Add(5*time.Hour)).Reason != "", true)
	})
}

// TestFenceAfterLong: an old database is fenced if many editions wait. A laptop that slept, with few readers, is not
// fenced, and neither is a busy instance after a day.
func TestFenceAfterLong(t *testing.T) {
	tests := []struct {
		name    string
		away    time.Duration
		readers int
		fence   bool
	}{
		{"a laptop that slept for a month", 30 * day, most, false},
		{"a long day with many readers", after, most + 1, false},
		{"a backup of last week", 7 * day, most + 1, true},
	}
	for _, tt := range tests {
		each(t, func(w world) {
			for i := range tt.readers {
				w.reader(fmt.Sprint("reader", i), "UTC")
			}
			w.beat(home, noon)
			f := w.beat(home, noon.Add(tt.away))
			want(w, tt.name, f.Reason != "", tt.fence)
			if tt.fence {
				want(w, "waiting", f.Waiting, tt.readers)
				w.ok(w.Operator.Unfence(w.ctx, home, noon.Add(tt.away)))
				want(w, "released", w.beat(home, noon.Add(tt.away)).Reason, "")
			}
		})
	}
}

// TestFenceCountsSealed: released editions that were not sent count too.
func TestFenceCountsSealed(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("example.org")
		for i := range most + 1 {
			w.subscribe(w.reader(fmt.Sprint("reader", i)), f)
		}
		w.posted(f, "a")
		w.beat(home, parisMidnight)
		want(w, "sealed", w.hour(parisMidnight), most+1)
		w.exec(`UPDATE digests SET next_due_at = next_due_at + 8640000`)
		got := w.beat(home, parisMidnight.Add(after+time.Second))
		want(w, "fenced", got.Reason != "", true)
		want(w, "waiting", got.Waiting, most+1)
	})
}

// TestFenceClockBack: if the clock goes back by more than an hour, the database is fenced until the clock has caught up,
// or the operator releases the fence. Commands with --now may use any order.
func TestFenceClockBack(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		want(w, "the first", w.beat(home, noon).Reason, "")
		for back, fence := range map[time.Duration]bool{
			time.Hour: false, time.Hour + time.Second: true, 365 * day: true,
		} {
			w.ok(w.Operator.Unfence(w.ctx, home, noon))
			f := w.beat(home, noon.Add(-back))
			want(w, back.String(), strings.Contains(f.Reason, "in the future; correct the clock"), fence)
			want(w, "when it has caught up", w.beat(home, noon).Reason, "")
		}
		w.ok(w.Operator.Unfence(w.ctx, home, noon.Add(-day)))
		want(w, "released", w.beat(home, noon.Add(-day)).Reason, "")
		w.ok(w.Operator.Unfence(w.ctx, home, noon))
		want(w, "--now before the clock", w.beatAsOf(home, noon.Add(-day), true).Reason, "")
		want(w, "--now after the clock", w.beatAsOf(home, noon.Add(day), true).Reason, "")
		want(w, "the clock after --now", w.beat(home, noon).Reason, "")
	})
}

// TestFenceNobody: a database without readers is not fenced.
func TestFenceNobody(t *testing.T) {
	each(t, func(w world) {
		w.beat(home, noon)
		want(w, "elsewhere", w.beat("http://localhost:8080", noon).Reason, "")
		w.reader("ann", "UTC")
		want(w, "taken over", w.beat(home, noon).Reason != "", true)
	})
}

// TestBeatMoves: frequent beats update the heartbeat.
func TestBeatMoves(t *testing.T) {
	each(t, func(w world) {
		for i := range most + 1 {
			w.reader(fmt.Sprint("reader", i), "UTC")
		}
		for now := noon; now.Before(noon.Add(4 * day)); now = now.Add(7 * time.Minute) {
			if f := w.beat(home, now); f.Reason != "" {
				t.Fatalf("%v: %s", now, f.Reason)
			}
		}
	})
}

// TestWaiting checks the data for the operator of a fenced database.
func TestWaiting(t *testing.T) {
	each(t, func(w world) {
		f, slow, waits := w.feed("due.example"), w.feed("slow.example"), w.feed("waits.example")
		due, early := w.reader("due"), w.reader("early", "UTC")
		w.subscribe(due, f, slow, waits)
		w.subscribe(early, w.feed("early.example"))
		w.posted(f, "a", "b")
		w.exec(`UPDATE feed_times SET last_attempt_at = ? WHERE feed_id = ?`, noon.Unix(), slow.ID)
		w.exec(`UPDATE feeds SET own_interval = 86400 WHERE id = ?`, slow.ID)
		w.exec(`UPDATE feed_times SET not_before = ? WHERE feed_id = ?`, parisMidnight.Unix()+1,
			waits.ID)
		view := must(w.Operator.Waiting(w.ctx, parisMidnight))
		if want := []string{f.URL}; !reflect.DeepEqual(view.Feeds, want) {
			t.Errorf("feeds: %v, want %v", view.Feeds, want)
		}
		if want := []store.FenceReader{{Email: "due@example.org", DueAt: parisMidnight, Posts: 2}}; !reflect.DeepEqual(
			view.Readers, want) {
			t.Errorf("readers: %v, want %v", view.Readers, want)
		}
		w.hour(parisMidnight)
		view = must(w.Operator.Waiting(w.ctx, parisMidnight))
		if want := []store.FenceReader{{Email: "due@example.org", Sealed: 1}}; !reflect.DeepEqual(view.Readers, want) {
			t.Errorf("readers: %v, want %v", view.Readers, want)
		}
	})
}

// TestBeatTogether: processes may call Beat at the same time.
func TestBeatTogether(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		done := make(chan error)
		for range 8 {
			go func() {
				f, err := w.Operator.Beat(context.Background(), home, noon, store.FenceRules{After: after, Most: most})
				if err == nil && f.Reason != "" {
					err = &digest.Error{Message: f.Reason}
				}
				done <- err
			}()
		}
		for range 8 {
			w.ok(<-done)
		}
	})
}
