package poller

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest"
)

// midnight returns a midnight of a reader in London.
func midnight() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }

// span returns the duration of a text such as "1h30m"; "" is 0.
func span(text string) time.Duration {
	d, err := time.ParseDuration(cmp.Or(text, "0"))
	if err != nil {
		panic(err)
	}
	return d
}

// at returns the instant of a text that counts from midnight.
func at(text string) time.Time { return midnight().Add(span(text)) }

// feedOf returns the feed of a text such as "tried=-24h own=12h skip=0-1,23". Times count from midnight.
func feedOf(text string) (f digest.Feed) {
	times := map[string]*time.Time{"tried": &f.LastAttemptAt, "read": &f.LastOKAt, "parsed": &f.ParsedAt,
		"wait": &f.NotBefore, "fresh": &f.FreshUntil, "queued": &f.PollAt, "leased": &f.LeaseUntil, "gone": &f.GoneAt,
		"newest": &f.NewestAt, "pushed": &f.PushedUntil, "retest": &f.HeadRetestAt}
	spans := map[string]*time.Duration{"own": &f.OwnInterval, "host": &f.HostInterval, "busy": &f.BusyInterval,
		"doc": &f.DocInterval}
	numbers := map[string]*int{"errors": &f.Errors, "status": &f.LastStatus, "waiting": &f.PostsWaiting}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case times[name] != nil:
			*times[name] = at(value)
		case spans[name] != nil:
			*spans[name] = span(value)
		case numbers[name] != nil:
			fmt.Sscan(value, numbers[name])
		case name == "failing":
			f.FailingSince, f.FirstErrorAt = at(value), at(value)
		case name == "state":
			f.State = digest.FeedState(value)
		case name == "skip":
			f.SkipHours = uint32(bitsOf(value))
		case name == "skipdays":
			f.SkipDays = digest.Weekdays(bitsOf(value))
		case name == "etag":
			f.ETag = `"1"`
		case name == "modified":
			f.LastModified = monday
		case name == "bydate":
			f.ByDate = true
		case name == "doubted":
			f.ValidatorsDoubted = true
		case name == "url":
			f.URL = value
		case name == "head", name == "get":
			*map[string]*digest.Ability{"head": &f.Head, "get": &f.Conditional}[name] = digest.Ability(value)
		case name == "kind":
			f.Kind = value
		default:
			panic("a feed has no " + field)
		}
	}
	return f
}

// bitsOf returns a mask of ranges, such as "0-1,23".
func bitsOf(text string) (mask int) {
	for part := range strings.SplitSeq(text, ",") {
		var from, to int
		if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
			to = from
		}
		for ; from <= to; from++ {
			mask |= 1 << from
		}
	}
	return mask
}

func TestSchedule(t *testing.T) {
	spread := Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true}
	// now and want count from midnight. Without want, there is no poll for this midnight.
	for _, test := range table(`
		feed | now | want | why
		   |    | 0   | never asked: at once
		tried=-24h |    | 0   | polled yesterday
		tried=-1h |    | 0   | polled an hour ago, to the second
		tried=-40m |    | 20m | polled 40 minutes ago: when the gap has passed, before the deadline
		tried=-30m |    | 30m | polled 30 minutes ago: just at the deadline
		tried=-29m |    |     | polled 29 minutes ago: its posts are there already
		tried=-30m read=-30m |    |     | read half an hour ago to the second, for another zone: its posts are there
		tried=-30m1s read=-30m1s |    | 29m59s | read half an hour and a second ago: waits
		tried=-53m read=-53m |    | 7m  | read 53 minutes ago, for the midnight before: waits
		tried=-1h read=-1h |    | 0   | read an hour ago, to the second
		tried=-30m read=-40m |    | 30m | answered half an hour ago, and that could not be used: waits
		errors=1 tried=-30m read=-30m |    | 30m | failed half an hour ago: waits
		fresh=5h |    |     | fresh for hours
		tried=-23h53m fresh=7m |    | 7m  | max-age=86400 after yesterday's poll at 00:07: waits for it
		fresh=-1s |    | 0   | no longer fresh
		wait=1h |    |     | Retry-After beyond the deadline
		wait=10m |    | 10m | Retry-After within the deadline
		tried=-24h fresh=12h |    |     | S15: ttl is a freshness like any other
		tried=-24h own=24h |    | 0   | S33: no validators, asked 24 hours ago
		tried=-23h40m own=24h |    | 20m | S33: asked 23 hours and 40 minutes ago: waits
		tried=-23h own=24h |    |     | S33: asked 23 hours ago, on a day of 23 hours
		tried=-24h own=36h |    |     | silent for three years: 36 hours
		tried=-48h own=36h |    | 0   | silent for three years, on the second day
		tried=-11h own=12h |    |     | credentialed, asked 11 hours ago
		tried=-24h host=48h |    |     | a rule of 48 hours, on the first day
		tried=-48h host=48h |    | 0   | a rule of 48 hours, on the second
		tried=-40m host=1m |    | 20m | a rule shorter than the gap changes nothing
		tried=-55m fresh=20m wait=10m |    | 20m | the latest of three reasons counts
		tried=-2h wait=2h |    |     | never read, but its first fetch failed: the penalty stands
		state=dead |    |     | dead
		state=gone |    |     | gone
		state=trial |    | 0   | on trial
		gone=-24h wait=0 |    | 0   | S20: says 410, undecided
		   | 12m | 12m | planned late: from now on
		tried=-24h | 5h | 5h  | planned hours late: asked all the same
		tried=3h | 5h | 5h  | planned hours late, polled since midnight
		fresh=6h | 5h |     | planned hours late and fresh
		queued=2m | 5m | 2m  | queued earlier than that: left
		queued=3h |    | 0   | queued later than that: brought forward
		skip=0 |    | 23h | skipped, and tomorrow too: before that
		skip=0 tried=-1h read=-1h |    | 23h | skipped, and read an hour before
		skip=0 queued=23h |    | 23h | skipped, and queued for the hour before tomorrow's
		skip=0-1,23 |    | 22h | skipped, with the evening before
		skipdays=5 |    |     | a Friday, skipped: tomorrow does it
		skip=1,23 |    | 0   | another hour is skipped
		skip=5 | 5h |     | planned late, into skipped time
		skip=0 wait=40m |    |     | skipped, and not askable before the deadline
		skip=0-23 |    | 0   | all hours skipped means none
		skipdays=0-6 |    | 0   | all days skipped means none
		skip=5 queued=5h | 6h | 6h  | queued for a skipped time: moved
		queued=1m wait=9m |    | 9m  | queued, but before it may be asked: moved`) {
		got, ok := MidnightPoll(feedOf(test["feed"]), midnight(), at(test["now"]), spread)
		if ok != (test["want"] != "") || ok && !got.Equal(at(test["want"])) {
			t.Errorf("%s: %v %v", test["why"], got, ok)
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
	s := Spread{Gap: time.Hour, Deadline: 30 * time.Minute}
	for _, test := range table(`
		feed                        | want | why
		                            | 0    | at the next midnight of a reader
		queued=1m                   | 1m   | when it is queued
		queued=1m wait=5h           | 5h   | queued, and may be asked later: by its site's word
		queued=1m wait=-1h          | 1m   | queued, and could be asked before
		queued=1m fresh=2h          | 2h   | queued, and still fresh
		queued=-5h tried=-6h        | -5h  | queued within the gap
		queued=0 tried=-6h host=24h | 18h  | queued within a rule's interval
		queued=1m skip=0-1          | 2h   | queued into hours that it wants skipped
		queued=0 leased=10m         | 10m  | queued, and under a lease
		fresh=20m                   | 20m  | when it is no longer fresh
		fresh=2h                    | 24h  | fresh beyond the deadline: a day later
		tried=-24h host=72h         | 48h  | slowed by a rule
		skip=0-1                    | 23h  | before the hours that it wants skipped
		wait=95h                    | 96h  | asked to wait for four days
		state=dead                  |      | dead
		state=gone queued=0         |      | gone`) {
		got := NextPoll(feedOf(test["feed"]), midnight(), at("-6h"), s)
		if want := at(test["want"]); test["want"] == "" && !got.IsZero() || test["want"] != "" && !got.Equal(want) {
			t.Errorf("%s: %v", test["why"], got)
		}
	}
	if got := NextPoll(digest.Feed{}, time.Time{}, at("-6h"), s); !got.IsZero() {
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

// table returns the rows of a text by the names of its columns, which are in its first line. A line that ends with \
// continues in the next one.
func table(text string) (rows []map[string]string) {
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(strings.TrimSpace(text), "")
	lines := strings.Split(text, "\n")
	names := strings.Split(lines[0], "|")
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "|") {
			row[strings.TrimSpace(names[i])] = strings.TrimSpace(cell)
		}
		rows = append(rows, row)
	}
	return rows
}

func number(text string) (n int) {
	fmt.Sscan(text, &n)
	return n
}
