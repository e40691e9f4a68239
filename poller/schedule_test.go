package poller

import (
	"testing"
	"time"

	"digest"
)

// midnight returns a midnight of a reader in London.
func midnight() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }

func TestSchedule(t *testing.T) {
	due := midnight()
	at := func(d time.Duration) time.Time { return due.Add(d) }
	spread := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true}
	read := func(d time.Duration) digest.Feed {
		return digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(d), LastOKAt: at(d)}}
	}
	tests := []struct {
		why  string
		f    digest.Feed
		now  time.Duration // after midnight
		want time.Duration // after midnight
		not  bool          // no poll for this midnight
	}{
		{why: "never asked: at once", want: 0},
		{why: "polled yesterday", f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour)}},
			want: 0},
		{why: "polled an hour ago, to the second",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-time.Hour)}}, want: 0},
		{why: "polled 40 minutes ago: when the gap has passed, before the deadline",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-40 * time.Minute)}}, want: 20 * time.Minute},
		{why: "polled 30 minutes ago: just at the deadline",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-30 * time.Minute)}}, want: 30 * time.Minute},
		{why: "polled 29 minutes ago: its posts are there already",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-29 * time.Minute)}}, not: true},
		{why: "read half an hour ago to the second, for another zone's midnight: its posts are there already",
			f: read(-30 * time.Minute), not: true},
		{why: "read half an hour and a second ago: waits", f: read(-30*time.Minute - time.Second),
			want: 30*time.Minute - time.Second},
		{why: "read 53 minutes ago, for the midnight before: waits", f: read(-53 * time.Minute), want: 7 * time.Minute},
		{why: "read an hour ago, to the second", f: read(-time.Hour), want: 0},
		{why: "answered half an hour ago, and that could not be used: waits",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-30 * time.Minute),
				LastOKAt: at(-40 * time.Minute)}}, want: 30 * time.Minute},
		{why: "failed half an hour ago: waits",
			f: digest.Feed{Failures: digest.Failures{Errors: 1},
				Schedule: digest.Schedule{LastAttemptAt: at(-30 * time.Minute), LastOKAt: at(-30 * time.Minute)}},
			want: 30 * time.Minute},
		{why: "fresh for hours", f: digest.Feed{Schedule: digest.Schedule{FreshUntil: at(5 * time.Hour)}}, not: true},
		{why: "max-age=86400 after yesterday's poll at 00:07: waits for it",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-23*time.Hour - 53*time.Minute),
				FreshUntil: at(7 * time.Minute)}}, want: 7 * time.Minute},
		{why: "no longer fresh", f: digest.Feed{Schedule: digest.Schedule{FreshUntil: at(-time.Second)}}, want: 0},
		{why: "Retry-After beyond the deadline", f: digest.Feed{Schedule: digest.Schedule{NotBefore: at(time.Hour)}},
			not: true},
		{why: "Retry-After within the deadline",
			f: digest.Feed{Schedule: digest.Schedule{NotBefore: at(10 * time.Minute)}}, want: 10 * time.Minute},
		{why: "S15: ttl is a freshness like any other",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour),
				FreshUntil: at(12 * time.Hour)}}, not: true},
		{why: "S33: no validators, asked 24 hours ago",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour),
				OwnInterval: 24 * time.Hour}},
			want: 0},
		{why: "S33: asked 23 hours and 40 minutes ago: waits",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-23*time.Hour - 40*time.Minute),
				OwnInterval: 24 * time.Hour}}, want: 20 * time.Minute},
		{why: "S33: asked 23 hours ago, on a day of 23 hours",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-23 * time.Hour),
				OwnInterval: 24 * time.Hour}},
			not: true},
		{why: "silent for three years: 36 hours",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour),
				OwnInterval: 36 * time.Hour}},
			not: true},
		{why: "silent for three years, on the second day",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-48 * time.Hour),
				OwnInterval: 36 * time.Hour}},
			want: 0},
		{why: "credentialed, asked 11 hours ago",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-11 * time.Hour),
				OwnInterval: 12 * time.Hour}},
			not: true},
		{why: "a rule of 48 hours, on the first day",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour),
				HostInterval: 48 * time.Hour}},
			not: true},
		{why: "a rule of 48 hours, on the second",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-48 * time.Hour),
				HostInterval: 48 * time.Hour}},
			want: 0},
		{why: "a rule shorter than the gap changes nothing",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-40 * time.Minute),
				HostInterval: time.Minute}},
			want: 20 * time.Minute},
		{why: "the latest of three reasons counts",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-55 * time.Minute),
				FreshUntil: at(20 * time.Minute), NotBefore: at(10 * time.Minute)}}, want: 20 * time.Minute},
		{why: "never read, but its first fetch failed: the penalty stands",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-2 * time.Hour),
				NotBefore: at(2 * time.Hour)}},
			not: true},
		{why: "dead", f: digest.Feed{State: digest.FeedDead}, not: true},
		{why: "gone", f: digest.Feed{State: digest.FeedGone}, not: true},
		{why: "on trial", f: digest.Feed{State: digest.FeedTrial}, want: 0},
		{why: "S20: says 410, undecided", f: digest.Feed{Failures: digest.Failures{GoneAt: at(-24 * time.Hour)},
			Schedule: digest.Schedule{NotBefore: at(0)}}, want: 0},
		{why: "planned late: from now on", now: 12 * time.Minute, want: 12 * time.Minute},
		{why: "planned hours late: asked all the same",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour)}}, now: 5 * time.Hour,
			want: 5 * time.Hour},
		{why: "planned hours late, polled since midnight",
			f: digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(3 * time.Hour)}}, now: 5 * time.Hour,
			want: 5 * time.Hour},
		{why: "planned hours late and fresh", f: digest.Feed{Schedule: digest.Schedule{FreshUntil: at(6 * time.Hour)}},
			now: 5 * time.Hour, not: true},
		{why: "queued earlier than that: left", f: digest.Feed{Schedule: digest.Schedule{PollAt: at(2 * time.Minute)}},
			now: 5 * time.Minute, want: 2 * time.Minute},
		{why: "queued later than that: brought forward",
			f: digest.Feed{Schedule: digest.Schedule{PollAt: at(3 * time.Hour)}}, want: 0},
		{why: "skipped, and tomorrow too: before that", f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1}},
			want: 23 * time.Hour},
		{why: "skipped, and read an hour before",
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1, LastAttemptAt: at(-time.Hour),
				LastOKAt: at(-time.Hour)}}, want: 23 * time.Hour},
		{why: "skipped, and queued for the hour before tomorrow's",
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1, PollAt: at(23 * time.Hour)}}, want: 23 * time.Hour},
		{why: "skipped, with the evening before",
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1 | 1<<1 | 1<<23}}, want: 22 * time.Hour},
		{why: "a Friday, skipped: tomorrow does it",
			f: digest.Feed{Schedule: digest.Schedule{SkipDays: 1 << time.Friday}}, not: true},
		{why: "another hour is skipped", f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1<<1 | 1<<23}}, want: 0},
		{why: "planned late, into skipped time", f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1 << 5}},
			now: 5 * time.Hour, not: true},
		{why: "skipped, and not askable before the deadline",
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1, NotBefore: at(40 * time.Minute)}}, not: true},
		{why: "all hours skipped means none", f: digest.Feed{Schedule: digest.Schedule{SkipHours: allHours}}, want: 0},
		{why: "all days skipped means none", f: digest.Feed{Schedule: digest.Schedule{SkipDays: digest.EveryDay}},
			want: 0},
		{why: "queued for a skipped time: moved",
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1 << 5, PollAt: at(5 * time.Hour)}}, now: 6 * time.Hour,
			want: 6 * time.Hour},
		{why: "queued, but before it may be asked: moved",
			f:    digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute), NotBefore: at(9 * time.Minute)}},
			want: 9 * time.Minute},
	}
	for _, test := range tests {
		got, ok := MidnightPoll(test.f, due, at(test.now), spread)
		if ok == test.not || ok && !got.Equal(at(test.want)) {
			t.Errorf("%s: %v %v", test.why, got, ok)
		}
	}
}

// TestHalfHourZones holds that a midnight half an hour after another waits for no feed that was polled for
// the first one. That holds for any deadline and any share of the window.
func TestHalfHourZones(t *testing.T) {
	for _, deadline := range []time.Duration{10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour} {
		for polled := time.Duration(0); polled <= 29*time.Minute; polled += time.Minute {
			at := midnight().Add(polled - 30*time.Minute)
			f := digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at, LastOKAt: at.Add(time.Second)}}
			s := Spread{Gap: time.Hour, Deadline: deadline, Window: 15 * time.Minute, NoWait: polled == 0}
			if asked, ok := MidnightPoll(f, midnight(), midnight(), s); ok {
				t.Errorf("deadline %v: read at %v, and again at %v", deadline, at, asked)
			}
		}
	}
}

func TestNextPoll(t *testing.T) {
	now := midnight().Add(-6 * time.Hour)
	s := Spread{Gap: time.Hour, Deadline: 30 * time.Minute}
	at := func(d time.Duration) time.Time { return midnight().Add(d) }
	tests := []struct {
		why  string
		f    digest.Feed
		want time.Time
	}{
		{"at the next midnight of a reader", digest.Feed{}, at(0)},
		{"when it is queued", digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute)}}, at(time.Minute)},
		{"queued, and may be asked later: by its site's word",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute), NotBefore: at(5 * time.Hour)}},
			at(5 * time.Hour)},
		{"queued, and could be asked before",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute), NotBefore: at(-time.Hour)}},
			at(time.Minute)},
		{"queued, and still fresh",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute), FreshUntil: at(2 * time.Hour)}},
			at(2 * time.Hour)},
		{"queued within the gap",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(-5 * time.Hour), LastAttemptAt: at(-6 * time.Hour)}},
			at(-5 * time.Hour)},
		{"queued within a rule's interval",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(0), LastAttemptAt: at(-6 * time.Hour),
				HostInterval: day1}}, at(18 * time.Hour)},
		{"queued into hours that it wants skipped",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(time.Minute), SkipHours: 3}}, at(2 * time.Hour)},
		{"queued, and under a lease",
			digest.Feed{Schedule: digest.Schedule{PollAt: at(0), LeaseUntil: at(10 * time.Minute)}},
			at(10 * time.Minute)},
		{"when it is no longer fresh", digest.Feed{Schedule: digest.Schedule{FreshUntil: at(20 * time.Minute)}},
			at(20 * time.Minute)},
		{"fresh beyond the deadline: a day later",
			digest.Feed{Schedule: digest.Schedule{FreshUntil: at(2 * time.Hour)}}, at(day1)},
		{"slowed by a rule", digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at(-24 * time.Hour),
			HostInterval: 72 * time.Hour}}, at(2 * day1)},
		{"before the hours that it wants skipped", digest.Feed{Schedule: digest.Schedule{SkipHours: 3}},
			at(23 * time.Hour)},
		{"asked to wait for four days", digest.Feed{Schedule: digest.Schedule{NotBefore: at(4*day1 - time.Hour)}},
			at(4 * day1)},
		{"dead", digest.Feed{State: digest.FeedDead}, time.Time{}},
		{"gone", digest.Feed{State: digest.FeedGone, Schedule: digest.Schedule{PollAt: at(0)}}, time.Time{}},
	}
	for _, test := range tests {
		if got := NextPoll(test.f, midnight(), now, s); !got.Equal(test.want) {
			t.Errorf("%s: %v", test.why, got)
		}
	}
	if got := NextPoll(digest.Feed{}, time.Time{}, now, s); !got.IsZero() {
		t.Errorf("nobody reads it: %v", got)
	}
}

// TestS35_Spread holds that the share of the window is stable and even, that the jitter is added, and that
// the hot minutes stay empty.
func TestS35_Spread(t *testing.T) {
	s := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 15 * time.Minute, Jitter: RandomJitter}
	perMinute := map[int]int{}
	for id := range digest.FeedID(20000) {
		at, ok := MidnightPoll(digest.Feed{ID: id}, midnight(), midnight(), s)
		if m := at.Minute(); !ok || m == 59 || m < 2 || at.After(midnight().Add(18*time.Minute)) {
			t.Fatalf("feed %d at %v", id, at)
		}
		perMinute[at.Minute()]++
	}
	for m := 4; m < 15; m++ {
		if n := perMinute[m]; n < 1200 || n > 1480 {
			t.Errorf("minute %d has %d of 20000 polls in 15 minutes", m, n)
		}
	}
	s.Jitter = nil
	f := digest.Feed{ID: 7}
	first, _ := MidnightPoll(f, midnight(), midnight(), s)
	if again, _ := MidnightPoll(f, midnight(), midnight(), s); !again.Equal(first) {
		t.Error("the share of the window is not stable")
	}
}

// TestLeastDeadline holds that the polls of any zone's midnight end before the shortest allowed deadline,
// whatever the window.
func TestLeastDeadline(t *testing.T) {
	s := Spread{Gap: time.Hour, Deadline: LeastDeadline, Window: LeastDeadline - time.Minute, Jitter: RandomJitter}
	for quarter := range 8 {
		midnight := midnight().Add(time.Duration(quarter) * 15 * time.Minute)
		for id := range digest.FeedID(500) {
			at, ok := MidnightPoll(digest.Feed{ID: id}, midnight, midnight, s)
			if ends := at.Add(pollRoom); !ok || ends.After(midnight.Add(s.Deadline)) {
				t.Fatalf("feed %d of %v is asked at %v, until %v", id, midnight, at, ends)
			}
		}
	}
}

func TestS35_HotMinutes(t *testing.T) {
	for _, test := range []struct{ at, from, to string }{
		{"23:58:59", "23:58:59", "23:58:59"},
		{"23:59:00", "00:02:00", "00:02:59"},
		{"00:00:00", "00:02:00", "00:02:59"},
		{"00:01:59", "00:02:00", "00:02:59"},
		{"00:02:00", "00:02:00", "00:02:00"},
		{"11:59:30", "12:02:00", "12:02:59"},
	} {
		in, _ := time.Parse(time.TimeOnly, test.at)
		out := avoidHotMinutes(in, 99)
		if got := out.Format(time.TimeOnly); got < test.from || got > test.to || out.Before(in) {
			t.Errorf("%s becomes %s", test.at, got)
		}
		if got := quiet(in, 99).Format(time.TimeOnly); in.Minute() != 58 && got != out.Format(time.TimeOnly) ||
			in.Minute() == 58 && got[:5] != "00:02" {
			t.Errorf("%s is planned for %s", test.at, got)
		}
	}
}

func TestJitter(t *testing.T) {
	for range 1000 {
		if d := RandomJitter(); d < time.Minute || d >= 3*time.Minute {
			t.Fatal(d)
		}
	}
}
