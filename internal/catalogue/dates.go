package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
)

type dates struct {
	First       string            `json:"first,omitempty"` // the first day of a month beside its name; "": 1
	HalfDays    []string          `json:"half_days"`       // before noon and after noon
	Months      []string          `json:"months"`          // from January, in the form beside a day
	Patterns    map[string]string `json:"patterns"`        // by the English layout; each is a layout
	ShortMonths []string          `json:"short_months"`    // "Jan"
	Weekdays    []string          `json:"weekdays"`        // from Sunday
}

// check returns an error if the file has not all months, days and half days.
func (d dates) check() error {
	if len(d.Months) != 12 || len(d.ShortMonths) != 12 || len(d.Weekdays) != 7 || len(d.HalfDays) != 2 {
		return fmt.Errorf("dates: 12 months, 12 short months, 7 weekdays and 2 half days are needed")
	}
	return nil
}

// Date formats a time in its location. The layout is an English layout of package time, such as "Monday 2 January
// 2006", and each language has its own pattern for it.
func (l *Language) Date(layout string, at time.Time) string { return l.dates(layout, at, at) }

// dates formats the times of a layout that has a dash. The parts after the dash belong to the second time.
func (l *Language) dates(layout string, at, to time.Time) string {
	pattern := cmp.Or(l.said().dates.Patterns[layout], layout)
	var b strings.Builder
	for pattern != "" {
		token := nextToken(pattern)
		if token == "" {
			if strings.HasPrefix(pattern, "–") || strings.HasPrefix(pattern, "～") {
				at = to
			}
			b.WriteByte(pattern[0])
			pattern = pattern[1:]
			continue
		}
		if token == "2" && l.said().dates.First != "" && at.Day() == 1 && layout != "2" {
			b.WriteString(l.said().dates.First)
		} else {
			b.WriteString(l.part(token, at))
		}
		pattern = pattern[len(token):]
	}
	return b.String()
}

// An Instant is formatted to the minute, with the zone of its location. In English that is the format of commands,
// "2026-11-20 12:00 UTC". Other languages use their date format.
type Instant time.Time

// In formats the instant in a language.
func (i Instant) In(l *Language) string {
	at := time.Time(i)
	if l == English() {
		return at.Format("2006-01-02 15:04 MST")
	}
	zone, _ := at.Zone()
	return l.Date("2 Jan 2006, 15:04", at) + " " + zone
}

// String formats the instant in English.
func (i Instant) String() string { return i.In(English()) }

// tokens returns the parts of layouts, longer ones before their prefixes.
func tokens() []string {
	return []string{"January", "Monday", "2006", "Jan", "15", "04", "PM", "1", "2", "3"}
}

// nextToken returns the token at the beginning of a pattern; "" for other text.
func nextToken(pattern string) string {
	for _, t := range tokens() {
		if strings.HasPrefix(pattern, t) {
			return t
		}
	}
	return ""
}

// part formats one token of a layout.
func (l *Language) part(token string, at time.Time) string {
	switch token {
	case "January":
		return l.said().dates.Months[at.Month()-1]
	case "Jan":
		return l.said().dates.ShortMonths[at.Month()-1]
	case "Monday":
		return l.said().dates.Weekdays[at.Weekday()]
	case "PM":
		return l.said().dates.HalfDays[at.Hour()/12]
	case "1":
		return strconv.Itoa(int(at.Month()))
	}
	return at.Format(token)
}

// A Moment is a date or a time in a layout of Language.Date. The zero value is an empty text.
type Moment struct {
	layout string
	at     time.Time
}

// Day returns a Moment for a date.
func Day(layout string, d digest.Date) Moment { return Moment{layout, noon(d)} }

// Time returns a Moment for a time in its location.
func Time(layout string, t time.Time) Moment { return Moment{layout, t} }

// Days returns two days and the days between them: "7–13 November".
func Days(first, last digest.Date) Sayable {
	switch {
	case first.Year != last.Year:
		return DaysOfYear(first, last)
	case first.Month != last.Month:
		return span{Day("2 January – 2 January", first), noon(last)}
	}
	return span{Day("2–2 January", first), noon(last)}
}

// DaysOfYear is like Days, with the year: "7–13 November 2026".
func DaysOfYear(first, last digest.Date) Sayable {
	switch {
	case first.Year != last.Year:
		return span{Day("2 January 2006 – 2 January 2006", first), noon(last)}
	case first.Month != last.Month:
		return span{Day("2 January – 2 January 2006", first), noon(last)}
	}
	return span{Day("2–2 January 2006", first), noon(last)}
}

// A span is the time from a Moment, in a layout of two dates.
type span struct {
	Moment
	last time.Time
}

// In formats the days in a language.
func (s span) In(l *Language) string { return l.dates(s.layout, s.at, s.last) }

// String formats the days in English.
func (s span) String() string { return s.In(English()) }

// IsZero reports whether m is the zero Moment.
func (m Moment) IsZero() bool { return m.layout == "" }

// In formats the moment in a language.
func (m Moment) In(l *Language) string {
	if m.layout == "" {
		return ""
	}
	return l.Date(m.layout, m.at)
}

// String formats the moment in English.
func (m Moment) String() string { return m.In(English()) }

func noon(d digest.Date) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}

// DateNames returns the names of months, short and long, and of weekdays.
func (l *Language) DateNames() []string {
	d := l.said().dates
	return slices.Concat(d.Months, d.ShortMonths, d.Weekdays)
}
