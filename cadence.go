package digest

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Cadence says on which local dates a digest appears: on days of the week, or on one day of each month. The database
// stores its bits. Bits 0 to 6 are days of the week as in Weekdays, and bit 7 limits them to the first in each month.
// Bits 8 to 35 are the days 1 to 28 of each month, and bit 36 is its last day. A stored value that another program
// wrote may be any number.
type Cadence int64

const (
	// Daily selects every day.
	Daily = Cadence(EveryDay)
	// Workdays selects Monday to Friday.
	Workdays = Daily &^ (1<<time.Saturday | 1<<time.Sunday)
	// LastDay selects the last day of each month.
	LastDay Cadence = 1 << (lastFixed + 8)

	firstInMonth Cadence = 1 << 7

	// lastFixed is the last day that every month has.
	lastFixed = 28
)

// Monthly returns the cadence for a day of each month from 1 to 28. It returns 0 for any other day.
func Monthly(day int) Cadence {
	if day < 1 || day > lastFixed {
		return 0
	}
	return 1 << (day + 7)
}

// First returns the cadence for the first such weekday of each month.
func First(d time.Weekday) Cadence { return firstInMonth | 1<<d }

// IsMonthly reports whether c is one day of a month and not days of the week.
func (c Cadence) IsMonthly() bool { return c > Daily }

// IsSeldom reports whether c has at most one day a week.
func (c Cadence) IsSeldom() bool { return c.daysAWeek() <= 1 }

// Check returns an error of the kind Invalid if nobody can have chosen c.
func (c Cadence) Check() error {
	week := bits.OnesCount8(uint8(c & Daily))
	one := c&firstInMonth == 0 && bits.OnesCount64(uint64(c)) == 1 && c <= LastDay
	if c > 0 && (c <= Daily || c&^Daily == firstInMonth && week == 1 || one) {
		return nil
	}
	return Refuse(Invalid, "choose at least one day of the week, or one day of the month")
}

// Has reports whether a digest appears on a date.
func (c Cadence) Has(d Date) bool {
	if c&(1<<d.Weekday()) != 0 && (c&firstInMonth == 0 || d.Day <= 7) {
		return true
	}
	return c&Monthly(d.Day) != 0 || c&LastDay != 0 && d.Plus(1).Day == 1
}

// OnWeekday reports whether c is weekly and includes a day of the week.
func (c Cadence) OnWeekday(d time.Weekday) bool { return !c.IsMonthly() && c&(1<<d) != 0 }

// AsCalmAs reports whether c is at most as frequent as other. Weekly cadences are more frequent than monthly ones, and
// it does not matter which days they select.
func (c Cadence) AsCalmAs(other Cadence) bool { return c.daysAWeek() <= other.daysAWeek() }

// daysAWeek counts the days of the week; a monthly cadence has 0.
func (c Cadence) daysAWeek() int {
	if c.IsMonthly() {
		return 0
	}
	return bits.OnesCount8(uint8(c & Daily))
}

// ParseCadence parses "daily", "weekdays" (Monday to Friday), or a list such as "mon,thu" of weekdays with three
// letters or more. It also parses "monthly" (the first day), "monthly on 15", "monthly on last day" and "monthly on
// first mon".
func ParseCadence(s string) (Cadence, error) {
	words := strings.Fields(strings.ToLower(s))
	switch s = strings.Join(words, " "); {
	case s == "daily":
		return Daily, nil
	case s == "weekdays":
		return Workdays, nil
	case s == "monthly":
		return Monthly(1), nil
	case strings.HasPrefix(s, "monthly on "):
		return parseMonthly(strings.TrimPrefix(s, "monthly on "))
	}
	var days Cadence
	for name := range strings.SplitSeq(s, ",") {
		d, ok := parseWeekday(strings.TrimSpace(name))
		if !ok {
			return 0, fmt.Errorf("%q is not a day of the week", name)
		}
		days |= 1 << d
	}
	return days, nil
}

func parseMonthly(day string) (Cadence, error) {
	if day == "last day" {
		return LastDay, nil
	}
	if name, ok := strings.CutPrefix(day, "first "); ok {
		if d, ok := parseWeekday(name); ok {
			return First(d), nil
		}
	}
	n, err := strconv.Atoi(day)
	if c := Monthly(n); err == nil && c != 0 {
		return c, nil
	}
	return 0, fmt.Errorf("%q is not a day that every month has: 1 to 28, last day, or first mon", day)
}

func parseWeekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(d.String()), name) {
			return d, true
		}
	}
	return 0, false
}

// String returns the text that ParseCadence parses, with Monday first. It returns the number of a cadence that Check
// rejects.
func (c Cadence) String() string {
	switch {
	case c == Daily:
		return "daily"
	case c == Workdays:
		return "weekdays"
	case c == Monthly(1):
		return "monthly"
	case c == LastDay:
		return "monthly on last day"
	case c.Check() != nil:
		return strconv.FormatInt(int64(c), 10)
	case c&firstInMonth != 0:
		return "monthly on first " + (c & Daily).String()
	case c.IsMonthly():
		return "monthly on " + strconv.Itoa(c.DayOfMonth())
	}
	var names []string
	for i := range 7 {
		if d := time.Weekday((i + 1) % 7); c.OnWeekday(d) {
			names = append(names, strings.ToLower(d.String()[:3]))
		}
	}
	return strings.Join(names, ",")
}

// DayOfMonth returns the day from 1 to 28, or 0 if c has none.
func (c Cadence) DayOfMonth() int {
	if day := bits.TrailingZeros64(uint64(c)) - 7; c.IsMonthly() && day >= 1 && day <= lastFixed {
		return day
	}
	return 0
}

// FirstOf returns the weekday of a cadence that First made, or false for any other.
func (c Cadence) FirstOf() (time.Weekday, bool) {
	return time.Weekday(bits.TrailingZeros64(uint64(c))), c&^Daily == firstInMonth && c&Daily != 0
}

// A Date is a day in the civil calendar, without a zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the local date at t in t's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// ParseDate parses YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, fmt.Errorf("date %q is not YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// String returns YYYY-MM-DD.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// Plus returns the date that is days later.
func (d Date) Plus(days int) Date { return DateOf(d.noon().AddDate(0, 0, days)) }

// Before reports whether d is before o.
func (d Date) Before(o Date) bool { return d.noon().Before(o.noon()) }

// IsOver reports whether the date has ended in all time zones. It ends last in the zone twelve hours behind UTC.
func (d Date) IsOver(now time.Time) bool { return d.Before(DateOf(now.UTC().Add(-12 * time.Hour))) }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.noon().Weekday() }

// Format formats the date with a time layout; only its date fields make sense.
func (d Date) Format(layout string) string { return d.noon().Format(layout) }

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

func (d Date) noon() time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}

// Weekdays is a set of days of the week, bit 1<<time.Sunday and so on.
type Weekdays uint8

// EveryDay is the set of all seven days.
const EveryDay Weekdays = 1<<7 - 1

// Has reports whether d is in the set.
func (w Weekdays) Has(d time.Weekday) bool { return w&(1<<d) != 0 }

// Within reports whether a date after one date, up to another, is on a day of the set. If there is no such date, it
// looks at the other.
func (w Weekdays) Within(after, to Date) bool {
	const week = 7
	for back := range min(week, max(1, after.Until(to))) {
		if w.Has(to.Plus(-back).Weekday()) {
			return true
		}
	}
	return false
}

// RollsUp reports whether an edition has the collected posts of a roll-up: if its date or a date since the midnight
// before is on their day. after is zero if there was no midnight before.
func (s Subscription) RollsUp(after, date Date) bool {
	if after.IsZero() {
		after = date
	}
	return s.RollUp == 0 || s.RollUp.Within(after, date)
}

// ParseRollUp parses the name of the day of a roll-up, such as "sun"; an empty name is no roll-up.
func ParseRollUp(name string) (Weekdays, bool) {
	if name == "" {
		return 0, true
	}
	d, ok := parseWeekday(strings.ToLower(name))
	return 1 << d, ok
}

// Name returns the name that ParseRollUp parses.
func (w Weekdays) Name() string {
	if w == 0 {
		return ""
	}
	return Cadence(w).String()
}

// Until returns the number of days from d to o; it is negative if o is earlier.
func (d Date) Until(o Date) int {
	return int(o.noon().Sub(d.noon()) / (24 * time.Hour))
}

// Lags holds, for each kind of work, the time since which the oldest overdue item waits. Zero: nothing waits.
type Lags struct {
	Polls    time.Time // a queued feed that can be polled
	Editions time.Time // an edition that waits for no feed any more
	Mail     time.Time // an email that is due
}

// LagLimits holds the maximum lag for each kind of work.
type LagLimits struct{ Polls, Editions, Mail time.Duration }

const (
	// lagMargin is the time that a busy hour needs beyond the settings.
	lagMargin = 10 * time.Minute
	// mailLagLimit tolerates a mail server that fails for an hour, and rates that send a midnight's emails slowly.
	mailLagLimit = 2 * time.Hour
)

// LimitsOfLags returns the limits for a release deadline. A poll that is later than the deadline has missed its
// editions.
func LimitsOfLags(deadline time.Duration) LagLimits {
	return LagLimits{Polls: deadline + lagMargin, Editions: lagMargin, Mail: mailLagLimit}
}

// Fenced is the text of /healthz while the database is fenced.
const Fenced = "nothing is polled and nothing is mailed"

// Longer returns the limits extended by d.
func (l LagLimits) Longer(d time.Duration) LagLimits {
	return LagLimits{l.Polls + d, l.Editions + d, l.Mail + d}
}

// Late returns the lags beyond the limits; the others are zero.
func (l Lags) Late(limits LagLimits, now time.Time) Lags {
	return Lags{
		Polls:    beyond(l.Polls, limits.Polls, now),
		Editions: beyond(l.Editions, limits.Editions, now),
		Mail:     beyond(l.Mail, limits.Mail, now),
	}
}

func beyond(since time.Time, limit time.Duration, now time.Time) time.Time {
	if since.IsZero() || now.Sub(since) <= limit {
		return time.Time{}
	}
	return since
}

// A Prune counts the editions and posts that a prune would delete, and all in the database.
type Prune struct {
	Before      time.Time `json:"before"` // everything older is deleted
	Editions    int       `json:"editions"`
	AllEditions int       `json:"editions_of"`
	Posts       int       `json:"posts"`
	AllPosts    int       `json:"posts_of"`
}

// A prune that deletes fewer editions and fewer posts than these never waits for the operator.
const (
	fewEditions = 10
	fewPosts    = 100
)

// IsLarge reports whether a prune would delete more than half of the editions or of the posts, and more than a few. A
// mistake in DIGEST_KEEP does that; the hourly prune does not.
func (p Prune) IsLarge() bool {
	return p.Editions >= fewEditions && 2*p.Editions > p.AllEditions || p.Posts >= fewPosts && 2*p.Posts > p.AllPosts
}

// A Stay is a trip: the days that a reader spends in another time zone, with the first and the last.
type Stay struct {
	ID       int64
	UserID   UserID
	From, To Date
	TimeZone string
	Begun    bool   // the reader is there
	Home     string // the zone to which the reader returns, once Begun
}

// Clock formats a time of day: 07:00.
func Clock(at time.Duration) string { return time.Time{}.Add(at).Format("15:04") }

// ParseClock parses a time of day such as 07:00.
func ParseClock(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}
