package feed

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// clockTime matches 15:04, 15:04:05.000, 3:04 PM.
	clockTime = regexp.MustCompile(`(\d{1,2}):(\d{1,2})(?:[:.](\d{1,2})(?:[.,:]\d+)?)?(?:\s*([ap])\.?m\b\.?)?`)
	// offset matches a zone after a time: Z, EST, -0700, GMT+2, +05:30.
	offset = regexp.MustCompile(
		`^[\s,:]*(?:(?:gmt|utc|ut|etc/gmt)?\s*([+-])[+-]*(\d{1,2}):?(\d{2})?(?::\d{2})?\b|([a-z]{1,5})\b)`)
	// dayNumbers matches the numbers of a date.
	dayNumbers = regexp.MustCompile(`\d+`)
	// compactDate matches the basic format of ISO 8601, 20031231T101455.
	compactDate = regexp.MustCompile(`\b(\d{4})(\d{2})(\d{2})(?:t?(\d{2})(\d{2})(\d{2})?)?\b`)
	// ordinalDate matches a year and the day of the year, 2003-365.
	ordinalDate = regexp.MustCompile(`^(\d{4})-(\d{3})\b`)
	epochDate   = regexp.MustCompile(`^\d{10}(\d{3})?$`)
)

// parseDate reads a date in any of the formats that feeds use: RFC 822 and its many variations, ISO 8601, asctime,
// database formats, and month names of a dozen languages. It returns zero if there is no date, or an impossible one
// (month 13; the year 1 that some generators write for "none"). An unknown zone counts as UTC. The result is in UTC.
func parseDate(s string) time.Time {
	if t, ok := wellKnownDate(s); ok {
		return t
	}
	s = strings.ToLower(singleSpaced(decodeEntities(s)))
	if s == "" || len(s) > 120 {
		return time.Time{}
	}
	if epochDate.MatchString(s) {
		n, _ := strconv.ParseInt(s[:10], 10, 64)
		return time.Unix(n, 0).UTC()
	}
	date, clock, seconds, ok := splitClock(s)
	if !ok {
		return time.Time{}
	}
	american := strings.Contains(s, "m") // AM or PM without the name of a month
	year, month, day, clock2, ok := readDay(date, american)
	if !ok {
		return time.Time{}
	}
	if clock2 != 0 {
		clock = clock2
	}
	return assemble(year, month, day, clock, seconds)
}

func wellKnownDate(s string) (time.Time, bool) {
	layout := time.RFC1123Z
	switch {
	case len(s) < 20 || len(s) > 35:
		return time.Time{}, false
	case s[4] == '-' && s[10] == 'T':
		layout = time.RFC3339
	case strings.HasSuffix(s, " GMT"):
		layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	}
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < firstYear {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// firstYear is the first year that parseDate accepts. Earlier ones are placeholders for "none", or years that lost
// their century.
const firstYear = 1000

func assemble(year, month, day int, clock time.Duration, zone int) time.Time {
	if year < firstYear || year > 9999 || month < 1 || month > 12 || day < 1 {
		return time.Time{}
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return time.Time{}
	}
	return t.Add(clock - time.Duration(zone)*time.Second)
}

func splitClock(s string) (date string, clock time.Duration, zone int, ok bool) {
	var m []int
	for _, match := range clockTime.FindAllStringSubmatchIndex(s, -1) {
		if m == nil || !strings.ContainsAny(s[match[0]-1:match[0]], "+-") { // +05:30 is an offset
			m = match
		}
	}
	if m == nil {
		return s, 0, 0, true
	}
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return s[m[2*i]:m[2*i+1]]
	}
	hour, minute, second, half := number(part(1)), number(part(2)), number(part(3)), part(4)
	before, after := s[:m[0]], s[m[1]:]
	switch {
	case half == "p" && hour < 12, strings.Contains(before, "오후") && hour < 12:
		hour += 12
	case half == "a" && hour == 12, strings.Contains(before, "오전") && hour == 12:
		hour = 0
	}
	if hour > 24 || minute > 59 || second > 60 || hour == 24 && minute > 0 {
		return "", 0, 0, false
	}
	zone, used := readZone(after)
	date = strings.TrimSuffix(strings.TrimSpace(before), "t") + " " + after[used:]
	return date, clockOf(hour, minute, second), zone, true
}

func clockOf(hour, minute, second int) time.Duration {
	return time.Duration(3600*hour+60*minute+second) * time.Second
}

// readZone reads the zone at the beginning of s. It returns seconds east of UTC, and the number of bytes read.
func readZone(s string) (seconds, used int) {
	m := offset.FindStringSubmatch(s)
	if m == nil {
		return 0, 0
	}
	used = len(m[0])
	if name := m[4]; name != "" {
		hours, known := zones[name]
		if !known && monthNamed(name) > 0 {
			return 0, 0
		}
		return int(hours * 3600), used
	}
	hours := number(m[2])
	if hours > 14 && m[3] == "" {
		return 0, used
	}
	seconds = hours*3600 + number(m[3])*60
	if m[1] == "-" {
		seconds = -seconds
	}
	return seconds, used
}

// zones maps the names of zones in feeds to hours east of UTC.
var zones = byWord(map[float64]string{
	-10: "hst", -9: "akst", -8: "pst", -7: "akdt mst pdt", -6: "cst mdt", -5: "cdt est", -4: "ast edt",
	-3.5: "nst", -3: "adt art brt", -2.5: "ndt", 0: "gmt ut utc wet z", 1: "bst cet met mez west",
	2: "cest eet mest mesz sast", 3: "eest msk", 4: "msd", 5.5: "ist", 8: "awst hkt pht sgt", 9: "jst kst",
	9.5: "acst", 10: "aest", 10.5: "acdt", 11: "aedt", 12: "nzst", 13: "nzdt",
})

// readDay reads a day; clock is not zero if date and time are a single number.
func readDay(s string, american bool) (year, month, day int, clock time.Duration, ok bool) {
	if strings.HasPrefix(s, "-") {
		return 0, 0, 0, 0, false
	}
	if m := ordinalDate.FindStringSubmatch(s); m != nil && !strings.Contains(s[len(m[0]):], "-") {
		y, n := number(m[1]), number(m[2])
		t := time.Date(y, 1, n, 0, 0, 0, 0, time.UTC)
		return y, int(t.Month()), t.Day(), 0, t.Year() == y
	}
	if m := compactDate.FindStringSubmatch(s); m != nil {
		return number(m[1]), number(m[2]), number(m[3]), clockOf(number(m[4]), number(m[5]), number(m[6])), true
	}
	numbers := dayNumbers.FindAllString(s, -1)
	if month = monthIn(s); month > 0 {
		year, day, ok = dayAndYear(numbers)
		return year, month, day, 0, ok
	}
	year, month, day, ok = numericDay(numbers, s, american)
	return year, month, day, 0, ok
}

// dayAndYear assigns the numbers around the name of a month to day and year.
func dayAndYear(numbers []string) (year, day int, ok bool) {
	switch {
	case len(numbers) == 0:
		return 0, 0, false
	case len(numbers) == 1:
		return number(numbers[0]), 1, len(numbers[0]) == 4
	}
	a, b := numbers[0], numbers[1]
	if len(a) == 4 || len(a) == 2 && number(a) > 31 {
		a, b = b, a
	}
	return century(b), number(a), len(a) <= 2
}

// numericDay reads dates without the name of a month. If the first number has four digits, it is the year. Otherwise
// the order is day, month, year, unless a slash and a number above 12, or AM/PM (american), show that the month is
// first.
func numericDay(n []string, s string, american bool) (year, month, day int, ok bool) {
	if len(n) == 0 || len(n[0]) > 4 {
		return 0, 0, 0, false
	}
	if len(n) < 3 {
		if len(n[0]) != 4 {
			return 0, 0, 0, false
		}
		if len(n) == 1 {
			return number(n[0]), 1, 1, true
		}
		return number(n[0]), number(n[1]), 1, true
	}
	a, b, c := number(n[0]), number(n[1]), number(n[2])
	switch {
	case len(n[0]) == 4:
		return a, b, c, true
	case len(n[2]) < 4 && !strings.Contains(s, ".") && (strings.Contains(s, "-") || a > 12 && b <= 12):
		return century(n[0]), b, c, true
	case b > 12, american && strings.Contains(s, "/"):
		return century(n[2]), a, b, true
	}
	return century(n[2]), b, a, true
}

// century completes a year of two digits, and years that old Java programs counted from 1900.
func century(digits string) int {
	y := number(digits)
	switch {
	case len(digits) == 3 && y >= 100 && y < 200:
		return 1900 + y
	case len(digits) > 2:
		return y
	case y < 69:
		return 2000 + y
	}
	return 1900 + y
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// monthIn returns the month that the last matching word of s names. Earlier words may be weekdays (mar. is Tuesday in
// French).
func monthIn(s string) int {
	month := 0
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 'a' || r > 'z' && r < 0x80 }) {
		if m := monthNamed(word); m > 0 {
			month = m
		}
	}
	return month
}

// months are prefixes of the names of months in lower case.
var months = listsOf(`
	jan ene gen янв ιαν sty oca led
	feb fev fév фев φεβ lut şub úno helmi
	mar mär maer mrz mrt maa már мар μάρ μαρ bře
	apr abr avr ápr апр απρ kwi nis dub huhti
	may mai maj mei mag máj мая май μάι μαϊ μαι touko kvě
	jun juin giu jún июн ιούν ιον cze haz kesä
	jul juil lug júl июл ιούλ ιολ lip tem heinä
	aug ago aoû aou авг αύγ αυγ sie ağu srp elo
	sep set szept сен σεπ wrz eyl zář syys
	oct okt ott out окт οκτ paź eki říj loka
	nov noy ноя νοέ νοε lis kas marras
	dec dez dic déc дек δεκ gru ara pro joulu`)

// listsOf returns the words of each line.
func listsOf(lines string) (lists [][]string) {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		lists = append(lists, strings.Fields(line))
	}
	return lists
}

// monthNamed returns the month that a lower-case word names; 0: none.
func monthNamed(word string) int {
	best, length := 0, 0
	for i, names := range months {
		for _, name := range names {
			if len(name) > length && strings.HasPrefix(word, name) {
				best, length = i+1, len(name)
			}
		}
	}
	return best
}
