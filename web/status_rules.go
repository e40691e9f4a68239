package web

import (
	"fmt"
	"strings"
	"time"

	"digest"
)

// rulesOf tells what decides how often a feed is asked, beyond what holds for
// all of them, in words for its owner.
func rulesOf(f digest.Feed) []string {
	var rules []string
	add := func(is bool, format string, args ...any) {
		if is {
			rules = append(rules, fmt.Sprintf(format, args...))
		}
	}
	add(f.DocInterval > 0, "Its document (ttl, sy:updatePeriod) asks for %s between two visits.", about(f.DocInterval))
	add(f.SkipHours != 0, "Its document (skipHours) asks for no visits in these hours of the UTC day: %s.", hoursOf(f.SkipHours))
	add(f.SkipDays != 0, "Its document (skipDays) asks for no visits on %s, in UTC.", daysOf(f.SkipDays))
	add(f.OwnInterval > 0, "It is visited every %s at most, by our own manners.", about(f.OwnInterval))
	add(f.HostInterval > 0, "Whoever runs this reader has it visit this host every %s at most.", about(f.HostInterval))
	add(f.BusyInterval > 0, "It is visited every %s for now: it holds so few entries that some came and went between two visits.", about(f.BusyInterval))
	return append(rules, askedHow(f)...)
}

// askedHow tells what an unchanged document costs, where that is known.
func askedHow(f digest.Feed) []string {
	switch {
	case f.ParsedAt.IsZero():
		return nil
	case f.ETag == "" && f.LastModified == "":
		return []string{"It sends neither ETag nor Last-Modified, so every visit has to fetch the whole document."}
	case f.Conditional == digest.Lies:
		return []string{"It has answered 304 although the document was another one, so every visit fetches the whole document, until its ETag changes."}
	case f.Conditional == digest.Works && f.ByDate:
		return []string{"Its ETag changes on the way, so it is asked by If-Modified-Since alone; it answers 304 while nothing is new."}
	case f.Conditional == digest.Works:
		return []string{"It is asked with its own ETag and Last-Modified, and answers 304 while nothing is new."}
	case f.Conditional == digest.Useless && f.Head == digest.Works:
		return []string{"It does not answer 304, so it is asked by HEAD, and by GET only when that shows a change."}
	case f.Conditional == digest.Useless:
		return []string{"It does not answer 304 although it sends validators, so every visit has to fetch the whole document."}
	}
	return nil
}

// about says a duration in words, in whole minutes or, where it is long, hours.
func about(d time.Duration) string {
	if d >= 2*time.Hour {
		return period(d.Round(time.Hour))
	}
	return period(max(d.Round(time.Minute), time.Minute))
}

// hoursOf says a set of hours as ranges: "0–5, 12, 22–23".
func hoursOf(set uint32) string {
	var parts []string
	for h := 0; h < 24; h++ {
		if set&(1<<h) == 0 {
			continue
		}
		end := h
		for end < 23 && set&(1<<(end+1)) != 0 {
			end++
		}
		if end == h {
			parts = append(parts, fmt.Sprint(h))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", h, end))
		}
		h = end
	}
	return strings.Join(parts, ", ")
}
