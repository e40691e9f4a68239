package mailer

import (
	"strconv"
	"strings"
	"time"
)

// mostHint is how much of a server's wish is heard: the longest step of the schedule.
const mostHint = 4 * time.Hour

// waitHint is how long a server asks to wait, 0 if it does not: "try again in
// 300 seconds", "greylisted for 5 minutes", "come back in 00:04:30".
func (r Reply) waitHint() time.Duration {
	if r.Code/100 != 4 {
		return 0
	}
	words := strings.FieldsFunc(strings.ToLower(r.Text), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == ':')
	})
	for i, word := range words {
		if !asksToWait(words[:i]) {
			continue
		}
		if d, ok := clockSpan(word); ok {
			return min(d, mostHint)
		}
		number, unit := cutNumber(word)
		if unit == "" && i+1 < len(words) {
			unit = words[i+1]
		}
		n, err := strconv.Atoi(number)
		if per := unitOf(unit); err == nil && n > 0 && per > 0 {
			return per * time.Duration(min(n, int(mostHint/per)))
		}
	}
	return 0
}

// asksToWait reports whether the words before a number make it a time to wait,
// not a limit or a size: "in 300 seconds", "after about 5 minutes".
func asksToWait(before []string) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case "in", "after", "for", "wait":
			return true
		case "about", "approximately", "at", "least", "another", "more":
			continue
		}
		return false
	}
	return false
}

func cutNumber(word string) (number, unit string) {
	i := strings.IndexFunc(word, func(c rune) bool { return c < '0' || c > '9' })
	if i < 0 || i > 9 {
		return word, ""
	}
	return word[:i], word[i:]
}

func unitOf(word string) time.Duration {
	switch word {
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	}
	return 0
}

// clockSpan reads 00:04:30.
func clockSpan(word string) (time.Duration, bool) {
	t, err := time.Parse("15:04:05", word)
	if err != nil {
		return 0, false
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second, true
}
