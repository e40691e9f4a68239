package catalogue

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"digest"
)

// dates is how a language writes dates and times.
type dates struct {
	First       string            `json:"first,omitempty"` // how the first day of a month is written beside it; "": 1
	HalfDays    []string          `json:"half_days"`       // before noon and after it
	Months      []string          `json:"months"`          // from January, as they stand beside a day
	Patterns    map[string]string `json:"patterns"`        // by the English layout, each a layout of its own
	ShortMonths []string          `json:"short_months"`    // "Jan"
	Weekdays    []string          `json:"weekdays"`        // from Sunday
}

// check holds that a file names each month and each day.
func (d dates) check() error {
	if len(d.Months) != 12 || len(d.ShortMonths) != 12 || len(d.Weekdays) != 7 || len(d.HalfDays) != 2 {
		return fmt.Errorf("dates: 12 months, 12 short months, 7 weekdays and 2 half days are needed")
	}
	return nil
}

// Date writes an instant by the clock of its location, or a date. The layout is that of
// package time for English, such as "Monday 2 January 2006"; each language has its own for it.
func (l *Language) Date(layout string, at time.Time) string {
	pattern := cmp.Or(l.said().dates.Patterns[layout], layout)
	var b strings.Builder
	for pattern != "" {
		token := nextToken(pattern)
		if token == "" {
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

// An Instant is said to the minute, with the zone of its location: in English as commands print it, "2026-11-20 12:00 UTC", in
// other languages as they write dates.
type Instant time.Time

// In says it.
func (i Instant) In(l *Language) string {
	at := time.Time(i)
	if l == English() {
		return at.Format("2006-01-02 15:04 MST")
	}
	zone, _ := at.Zone()
	return l.Date("2 Jan 2006, 15:04", at) + " " + zone
}

// String says it in English.
func (i Instant) String() string { return i.In(English()) }

// tokens are the parts of layouts, the longer ones first.
func tokens() []string {
	return []string{"January", "Monday", "2006", "Jan", "15", "04", "PM", "1", "2", "3"}
}

// nextToken is the part with which a pattern begins; "" for other text.
func nextToken(pattern string) string {
	for _, t := range tokens() {
		if strings.HasPrefix(pattern, t) {
			return t
		}
	}
	return ""
}

// part writes a part of a layout.
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

// A Moment is a date or a time, in one of the layouts of Language.Date. The zero one says nothing.
type Moment struct {
	layout string
	at     time.Time
}

// Day is a date that each language writes in its own way.
func Day(layout string, d digest.Date) Moment { return Moment{layout, noon(d)} }

// Time is an instant by the clock of its location, which each language writes in its own way.
func Time(layout string, t time.Time) Moment { return Moment{layout, t} }

// IsZero reports whether it says nothing.
func (m Moment) IsZero() bool { return m.layout == "" }

// In writes it.
func (m Moment) In(l *Language) string {
	if m.layout == "" {
		return ""
	}
	return l.Date(m.layout, m.at)
}

// String writes it in English.
func (m Moment) String() string { return m.In(English()) }

// noon is an instant of a date.
func noon(d digest.Date) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC)
}
