package feed

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The limits of a duration, in characters and in seconds (a week).
const (
	maxDuration = 40
	maxSeconds  = 7 * 24 * 60 * 60
)

// seconds reads a playing time: 2580, 43:00, 0:43:00.5, PT43M (ISO 8601), 43 min, 1h 2m. It returns 0 if s is no
// duration or longer than a week.
func seconds(s string) int64 {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > maxDuration {
		return 0
	}
	read := unitSeconds
	if strings.Contains(s, ":") {
		read = clockSeconds
	}
	n := math.Round(read(s))
	if !(n > 0 && n <= maxSeconds) {
		return 0
	}
	return int64(n)
}

// clockSeconds reads 43:00 and 1:43:00, with optional days and fractions.
func clockSeconds(s string) float64 {
	parts := strings.Split(s, ":")
	if len(parts) > 4 {
		return 0
	}
	total := 0.0
	for i, part := range parts {
		n, err := decimal(strings.TrimSpace(part))
		if err != nil {
			return 0
		}
		per := 60.0
		if i == 1 && len(parts) == 4 {
			per = 24
		}
		total = total*per + n
	}
	return total
}

var (
	amount  = regexp.MustCompile(`^[0-9]+(?:[.,][0-9]+)?`)
	unitEnd = regexp.MustCompile(`^\s*([a-z]*)\.?(?:[\s,]|and\b)*`)
)

// perUnit maps a unit to seconds.
var perUnit = byWord(map[float64]string{
	1: "s sec secs second seconds", 60: "m min mins minute minutes", 3600: "h hr hrs hour hours",
	86400: "d day days dt", // P1DT2H
})

// unitSeconds reads a number of seconds, or numbers with units.
func unitSeconds(s string) float64 {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "p"), "t")
	total := 0.0
	for s != "" {
		number := amount.FindString(s)
		unit := unitEnd.FindStringSubmatch(s[len(number):])
		n, err := decimal(number)
		per := perUnit[cmp.Or(unit[1], "s")]
		if err != nil || per == 0 || unit[1] == "" && len(number)+len(unit[0]) < len(s) {
			return 0
		}
		total += n * per
		s = s[len(number)+len(unit[0]):]
	}
	return total
}

// decimal reads digits with a fraction after a point or a comma.
func decimal(s string) (float64, error) {
	if strings.Trim(s, "0123456789.,") != "" { // no sign, no exponent
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
}
