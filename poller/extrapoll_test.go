package poller

import (
	"net/http"
	"testing"
	"time"

	"digest"
)

func failedAt(t time.Time, status, errors int, penalty time.Duration) digest.Feed {
	return digest.Feed{ID: 3, Schedule: digest.Schedule{LastAttemptAt: t, NotBefore: t.Add(penalty)},
		Failures: digest.Failures{LastStatus: status, Errors: errors}}
}

func TestAgain_Retry(t *testing.T) {
	const h, m = time.Hour, time.Minute
	mid := midnight()
	tests := []struct {
		why    string
		at     time.Duration // of the poll, after midnight
		status int
		wait   time.Duration
		errors int           // 0 means 1
		fresh  time.Duration // for how long it was fresh when it worked
		due    time.Duration // the next midnight, after this one; 0: a day
		want   time.Duration // after midnight; 0: no extra poll
	}{
		{why: "S19: 429 for two hours", at: 5 * m, status: 429, wait: 2 * h, want: 2*h + 5*m},
		{why: "S19: 429 for two days", at: 5 * m, status: 429, wait: 50 * h, want: 50*h + 5*m},
		{why: "S19: 429 without a time", at: 5 * m, status: 429, wait: 4 * h, want: 4*h + 5*m},
		{why: "S19: 429 for ten minutes: S14 holds", at: 5 * m, status: 429, wait: 10 * m, want: h + 5*m},
		{why: "S19: 429 for no time", at: 5 * m, status: 429, want: h + 5*m},
		{why: "429 for no time, once more", at: 5 * m, status: 429, errors: 2, want: 4*h + 5*m},
		{why: "429 for an hour, once more: its word counts", at: 5 * m, status: 429, wait: h, errors: 2, want: h + 5*m},
		{why: "503 for an hour", at: 5 * m, status: 503, wait: h, want: h + 5*m},
		{why: "S20: 500", at: 5 * m, status: 500, wait: 4 * h, want: 4*h + 5*m},
		{why: "S20: 500 for the second time", at: 5 * m, status: 500, wait: 8 * h, errors: 2, want: 8*h + 5*m},
		{why: "S20: 500 for the third time: a fourth would cost the midnight", at: 5 * m, status: 500, wait: 16 * h,
			errors: 3},
		{why: "429 without a time in the evening: another would cost the midnight", at: 17 * h, status: 429,
			wait: 4 * h},
		{why: "no answer", at: 5 * m, wait: 4 * h, want: 4*h + 5*m},
		{why: "200 that cannot be read", at: 5 * m, status: 200, wait: 4 * h, want: 4*h + 5*m},
		{why: "408", at: 5 * m, status: 408, wait: 4 * h, want: 4*h + 5*m},
		{why: "425", at: 5 * m, status: 425, wait: 4 * h, want: 4*h + 5*m},
		{why: "S20: 403 waits for a midnight", at: 5 * m, status: 403, wait: 4 * h},
		{why: "401", at: 5 * m, status: 401, wait: 4 * h},
		{why: "S20: 404", at: 5 * m, status: 404, wait: 24 * h},
		{why: "S20: 410", at: 5 * m, status: 410, wait: 24 * h},
		{why: "a redirect that leads nowhere", at: 5 * m, status: 302, wait: 4 * h},
		{why: "418", at: 5 * m, status: 418, wait: 4 * h},

		{why: "a midnight two hours later does it", at: 18 * h, status: 500, wait: 4 * h},
		{why: "a midnight a little later than that does not", at: 19*h - 5*m, status: 429, wait: 2 * h,
			want: 21*h - 5*m},
		{why: "a midnight just before does it: it waits", at: 20*h + 30*m, status: 500, wait: 4 * h},
		{why: "a midnight longer ago does not", at: 20*h + 31*m, status: 500, wait: 4 * h, want: 24*h + 31*m},
		{why: "the midnight a day after the next does it", at: 20 * h, status: 429, wait: 26*h + 15*m},
		{why: "a day after a midnight: that of tomorrow", at: 5 * m, status: 500, wait: 24 * h, errors: 4},
		{why: "a week after a midnight: that of then", at: 5 * m, status: 429, wait: 7 * 24 * h},
		{why: "a reader elsewhere, three hours later", at: 5 * m, status: 500, wait: 4 * h, due: 5 * h},
		{why: "a reader elsewhere, too early", at: 5 * m, status: 500, wait: 4 * h, due: 3 * h, want: 4*h + 5*m},
		{why: "a midnight that is over stands for tomorrow's", at: 5 * m, status: 500, wait: 4 * h, due: -5 * m,
			want: 4*h + 5*m},
		{why: "and that does it", at: 20*h + 10*m, status: 500, wait: 4 * h, due: -5 * m},

		{why: "S15: fresh for a day when it is well: a retry would spoil the midnight", at: 5 * m, status: 503, wait: h,
			fresh: 24 * h},
		{why: "S15: and so for 20 hours", at: 5 * m, status: 500, wait: 4 * h, fresh: 20*h + 30*m},
		{why: "S15: fresh for 12 hours: it would not", at: 5 * m, status: 500, wait: 4 * h, fresh: 12 * h,
			want: 4*h + 5*m},
		{why: "S15: fresh for a day, and read weekly", at: 5 * m, status: 503, wait: h, fresh: 24 * h, due: 7 * 24 * h,
			want: h + 5*m},
		{why: "S35: not in a hot minute", at: 30 * time.Second, status: 429, wait: h,
			want: h + 2*m + share(3, time.Minute)},
	}
	for _, test := range tests {
		at := mid.Add(test.at)
		f := failedAt(at, test.status, max(test.errors, 1), test.wait)
		f.LastOKAt = at.Add(-50 * h)
		f.FreshUntil = f.LastOKAt.Add(test.fresh)
		due := mid.Add(oneDay)
		if test.due != 0 {
			due = mid.Add(test.due)
		}
		got := ExtraPoll(f, due, at.Add(time.Second), usualSpread())
		if want := mid.Add(test.want); test.want == 0 && !got.IsZero() || test.want != 0 && !got.Equal(want) {
			t.Errorf("%s: %v", test.why, got)
		}
	}
}

// TestAgain_OtherMidnights holds that a retry gives way to a midnight only if a failure there costs no
// other reader their midnight.
func TestAgain_OtherMidnights(t *testing.T) {
	f, due := failedAt(midnight().Add(5*time.Minute), 500, 3, 16*time.Hour), midnight().Add(oneDay)
	retry := f.NotBefore
	for apart, want := range map[time.Duration]time.Time{
		0: {}, oneDay: {}, // one midnight a day
		23 * time.Hour: retry, 5 * time.Hour: retry,
		7 * oneDay: {}, // the other reader has an edition a week
	} {
		later := time.Time{}
		if apart > 0 {
			later = due.Add(apart)
		}
		if got := ExtraPoll(f, due, f.LastAttemptAt.Add(time.Second), usualSpread(), later); !got.Equal(want) {
			t.Errorf("another midnight %v later: retry at %v, want %v", apart, got, want)
		}
	}
}

// TestReadAtTheFirstMidnight holds that a recovered site is read before the deadline of its reader's next
// midnight, whenever it recovers.
func TestReadAtTheFirstMidnight(t *testing.T) {
	s := usualSpread()
	for name, x := range map[string]failure{
		"500": {status: 500}, "no answer": {}, "429": {status: 429}, "404": {status: 404},
		"503 for 7 hours": {status: 503, wait: 7 * time.Hour, waitSaid: true},
	} {
		for heals := midnight(); heals.Before(midnight().Add(5 * oneDay)); heals = heals.Add(time.Hour) {
			f := digest.Feed{ID: 3, State: digest.FeedActive}
			due := midnight()
			first := heals.Add(oneDay - time.Second).Truncate(oneDay) // the first midnight after the recovery
			for now := due; ; {
				at, ok := MidnightPoll(f, due, latest(now, due), s)
				if extra := ExtraPoll(f, due, now, s); !now.Equal(due) && !extra.IsZero() && extra.Before(due) {
					at, ok, due = extra, true, due.Add(-oneDay)
				}
				if due = due.Add(oneDay); !ok {
					continue
				}
				f.LastAttemptAt, now = at, at.Add(time.Second)
				if !at.Before(heals) {
					if at.After(first.Add(s.Deadline)) {
						t.Errorf("%s: recovered after %v, and is read after %v", name, heals.Sub(midnight()),
							at.Sub(midnight()))
					}
					break
				}
				fail(&f, x, now)
			}
		}
	}
}

func TestAgain_Nobody(t *testing.T) {
	at := midnight().Add(5 * time.Minute)
	f := failedAt(at, 500, 1, 4*time.Hour)
	if got := ExtraPoll(f, time.Time{}, at, usualSpread()); !got.IsZero() {
		t.Errorf("nobody reads it: %v", got)
	}
	for _, f.State = range []digest.FeedState{digest.FeedDead, digest.FeedGone} {
		if got := ExtraPoll(f, midnight().Add(oneDay), at, usualSpread()); !got.IsZero() {
			t.Errorf("%s: %v", f.State, got)
		}
	}
	well := digest.Feed{Schedule: digest.Schedule{LastAttemptAt: at, LastOKAt: at, NotBefore: at.Add(time.Hour),
		FreshUntil: at.Add(6 * time.Hour)}}
	if got := ExtraPoll(well, midnight().Add(oneDay), at, usualSpread()); !got.IsZero() {
		t.Errorf("all is well: %v", got)
	}
}

// TestAgain_SkippedTime: skip is a mask of hours in UTC, and the reader is in London.
func TestAgain_SkippedTime(t *testing.T) {
	const h, m = time.Hour, time.Minute
	mid := midnight()
	night := uint32(1<<22 | 1<<23 | 1<<0 | 1<<1)
	tests := []struct {
		why          string
		at           time.Duration // of the poll
		f            digest.Feed
		errors       int
		fresh        time.Duration // from then on
		from, before time.Duration // after midnight; both 0: no extra poll
		frozen       time.Duration // the same with a frozen clock
	}{
		{why: "no skipped time", at: 12 * h, f: digest.Feed{}},
		{why: "not at midnight", at: 5 * m, f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1 << 12}}},
		{why: "before the night", at: 12 * h, f: digest.Feed{Schedule: digest.Schedule{SkipHours: night}},
			from: 20*h + 30*m, before: 20*h + 58*m, frozen: 21 * h},
		{why: "asked before it already: a day later", at: 21*h + 40*m,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: night}}, from: 44*h + 30*m, before: 44*h + 58*m,
			frozen: 45 * h},
		{why: "fresh until then: a little later", at: 5*h + 50*m,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: night}}, fresh: 16 * h, from: 21*h + 50*m,
			before: 21*h + 58*m, frozen: 45 * h},
		{why: "fresh for longer: a day later", at: 6 * h, f: digest.Feed{Schedule: digest.Schedule{SkipHours: night}},
			fresh: 16 * h, from: 44*h + 30*m, before: 44*h + 58*m, frozen: 45 * h},
		{why: "all but noon", at: 6 * h, f: digest.Feed{Schedule: digest.Schedule{SkipHours: allHours &^ (1 << 12)}},
			from: 12*h + 30*m, before: 12*h + 58*m, frozen: 12 * h},
		{why: "on Saturday, from Friday on", at: 6 * h,
			f: digest.Feed{Schedule: digest.Schedule{SkipDays: 1 << time.Saturday}}, from: 22*h + 30*m,
			before: 22*h + 58*m, frozen: 23 * h},
		{why: "on Sunday it would be more than a day before: Monday's midnight does it", at: 23*h + 40*m,
			f: digest.Feed{Schedule: digest.Schedule{SkipDays: 1<<time.Saturday | 1<<time.Sunday}}},
		{why: "S20: 404, before the night", at: 12 * h,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: night, NotBefore: mid.Add(20 * h)},
				Failures: digest.Failures{LastStatus: 404}}, errors: 1, from: 20*h + 30*m, before: 20*h + 58*m,
			frozen: 21 * h},
		{why: "500, retried outside of it", at: 20 * h,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: night, NotBefore: mid.Add(24 * h)},
				Failures: digest.Failures{LastStatus: 500}}, errors: 1, from: 26 * h, before: 26*h + 20*m,
			frozen: 26 * h},
		{why: "500, near a midnight that must not ask", at: 17*h + 40*m,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: night, NotBefore: mid.Add(21*h + 40*m)},
				Failures: digest.Failures{LastStatus: 500}}, errors: 1, from: 21*h + 40*m, before: 21*h + 41*m,
			frozen: 21*h + 40*m},
	}
	for _, test := range tests {
		at := mid.Add(test.at)
		f := test.f
		f.ID, f.LastAttemptAt, f.Errors = 3, at, test.errors
		if test.fresh > 0 {
			f.FreshUntil = at.Add(test.fresh)
		}
		got := ExtraPoll(f, mid.Add(oneDay), at.Add(time.Second), usualSpread())
		if test.before == 0 && !got.IsZero() || test.before != 0 &&
			(got.Before(mid.Add(test.from)) || !got.Before(mid.Add(test.before))) {
			t.Errorf("%s: %v", test.why, got)
		}
		got = ExtraPoll(f, mid.Add(oneDay), at, frozenSpread())
		if test.frozen == 0 && !got.IsZero() || test.frozen != 0 && !got.Equal(mid.Add(test.frozen)) {
			t.Errorf("%s, frozen: %v", test.why, got)
		}
	}
}

func TestAgain_Busy(t *testing.T) {
	const h, m = time.Hour, time.Minute
	mid := midnight()
	tests := []struct {
		why      string
		at       time.Duration // of the poll
		interval time.Duration
		f        digest.Feed
		want     time.Duration // 0: a midnight polls it
	}{
		{why: "every two hours", at: 5 * m, interval: 2 * h, want: 2*h + 5*m},
		{why: "S14", at: 5 * m, interval: 20 * m, want: h + 5*m},
		{why: "S15: fresh for three hours", at: 5 * m, interval: h,
			f:    digest.Feed{Schedule: digest.Schedule{LastOKAt: mid.Add(5 * m), FreshUntil: mid.Add(3*h + 5*m)}},
			want: 3*h + 5*m},
		{why: "S15: fresh for a day", at: 5 * m, interval: h,
			f: digest.Feed{Schedule: digest.Schedule{FreshUntil: mid.Add(24*h + 5*m)}}},
		{why: "S33", at: 5 * m, interval: h, f: digest.Feed{Schedule: digest.Schedule{OwnInterval: oneDay}}},
		{why: "a rule of six hours", at: 5 * m, interval: h,
			f: digest.Feed{Schedule: digest.Schedule{HostInterval: 6 * h}}, want: 6*h + 5*m},
		{why: "a rule of 20 hours would spoil the midnight", at: 5 * m, interval: h,
			f: digest.Feed{Schedule: digest.Schedule{HostInterval: 20 * h}}},
		{why: "credentialed: at noon", at: 5 * m, interval: h,
			f: digest.Feed{Schedule: digest.Schedule{OwnInterval: 12 * h}}, want: 12*h + 5*m},
		{why: "S15: fresh for seven hours, which would spoil the midnight", at: 14 * h, interval: h,
			f: digest.Feed{Schedule: digest.Schedule{LastOKAt: mid.Add(14 * h), FreshUntil: mid.Add(21 * h)}}},
		{why: "S15: fresh for seven hours, earlier", at: 7 * h, interval: h,
			f:    digest.Feed{Schedule: digest.Schedule{LastOKAt: mid.Add(7 * h), FreshUntil: mid.Add(14 * h)}},
			want: 14 * h},
		{why: "midnight comes first", at: 20 * h, interval: 5 * h},
		{why: "midnight comes soon after: one request instead of two", at: 20 * h, interval: 3*h + 15*m},
		{why: "midnight is too far", at: 18 * h, interval: 4 * h, want: 22 * h},
		{why: "midnight is skipped", at: 18 * h, interval: 5 * h,
			f: digest.Feed{Schedule: digest.Schedule{SkipHours: 1}}, want: 23*h + 2*m + share(3, time.Minute)},
	}
	for _, test := range tests {
		f := test.f
		f.ID, f.LastAttemptAt, f.BusyInterval = 3, mid.Add(test.at), test.interval
		got := ExtraPoll(f, mid.Add(oneDay), mid.Add(test.at+time.Second), usualSpread())
		if want := mid.Add(test.want); test.want == 0 && !got.IsZero() || test.want != 0 &&
			got.Sub(want).Abs() > 2*m+time.Minute {
			t.Errorf("%s: %v", test.why, got)
		}
	}
}

// TestS19_Limited plays sites that limit requests for 52 days: no poll comes before the site's time, and
// none more often than allowed.
func TestS19_Limited(t *testing.T) {
	limited := func(status int, lines ...string) act {
		return func(_ *play, now time.Time) (failure, http.Header) {
			x := failure{status: status}
			x.wait, x.waitSaid = retryAfter(header(lines...), now)
			return x, nil
		}
	}
	tests := []struct {
		why      string
		readers  int
		site     act
		least    time.Duration
		from, to int
	}{
		{"429", 1, limited(429), 4 * time.Hour, 52 * 5, 52 * 6},
		{"429, 24 readers", 24, limited(429), 4 * time.Hour, 52 * 5, 52 * 6},
		{"429 for zero seconds", 1, limited(429, "Retry-After: 0"), time.Hour, 52 * 5, 52*6 + 1},
		{"429 for two days", 1, limited(429, "Retry-After: 172800"), 2 * oneDay, 26, 26},
		{"429 for a date that has passed", 1, limited(429, "Retry-After: "+friday, "Date: "+fridayOne), time.Hour,
			52 * 5, 52*6 + 1},
		{"429 for 10^12 seconds", 24, limited(429, "Retry-After: 1000000000000"), 7 * oneDay, 8, 8},
		{"503 for an hour", 1, limited(503, "Retry-After: 3600"), time.Hour, 52 * 22, 52 * 24},
		{"S20: 403", 24, limited(403), 4 * time.Hour, 52 + 3*4, 52 + 3*6},
		{"S20: 404", 24, limited(404), oneDay, 50, 52},
		{"S20: 500", 24, limited(500), 4 * time.Hour, 52, 52 + 4},
		{"S20: 500, one reader", 1, limited(500), 4 * time.Hour, 52, 52 + 4},
		{"S20: no answer", 1, limited(0), 4 * time.Hour, 52, 52 + 4},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			bothClocks(t, func(t *testing.T, frozen bool) {
				p := answering(t, midnight(), digest.Feed{Validators: digest.Validators{ETag: `"1"`}},
					hourlyZones(test.readers), frozen, test.site)
				p.run(fiftyTwo)
				if least, _ := p.gaps(); least < test.least || len(p.log) < test.from || len(p.log) > test.to {
					t.Errorf("%d polls, want %d to %d; %v apart, want %v", len(p.log), test.from, test.to, least,
						test.least)
				}
			})
		})
	}
}
