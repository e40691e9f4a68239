package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"digest"
)

// Tags declare the range of a setting: from is the minimum, and to is the maximum. zero describes the value 0 if it is
// allowed although it is below from.

func rangeOf(tag *kong.Tag) string {
	if tag == nil || !tag.Has("from") {
		return ""
	}
	bounds := fmt.Sprintf("from %s to %s", tag.Get("from"), tag.Get("to"))
	if tag.Has("zero") {
		return fmt.Sprintf("%s, or 0 (%s)", bounds, tag.Get("zero"))
	}
	return bounds
}

func tellRanges(app *kong.Application) {
	for _, f := range app.Flags {
		if bounds := rangeOf(f.Tag); bounds != "" {
			f.Help += " " + strings.ToUpper(bounds[:1]) + bounds[1:] + "."
		}
	}
}

// checkRange returns an error if a value is outside the range of its flag. read parses the bounds, and hint
// suggests the right spelling.
func checkRange[T cmp.Ordered](tag *kong.Tag, kind string, value T, read func(string) (T, error), hint string) error {
	bounds := rangeOf(tag)
	if bounds == "" {
		return nil
	}
	least, err := read(tag.Get("from"))
	if err != nil {
		return fmt.Errorf("has an invalid minimum: %w", err)
	}
	most, err := read(tag.Get("to"))
	if err != nil {
		return fmt.Errorf("has an invalid maximum: %w", err)
	}
	var none T
	if value >= least && value <= most || value == none && tag.Has("zero") {
		return nil
	}
	return errors.New(with("is not "+kind+" "+bounds, hint))
}

func with(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + "; " + hint
}

// quantity matches a whole number with or without a unit.
var quantity = regexp.MustCompile(`^(\d{1,6}) ?([A-Za-z]*)$`)

// durationHint suggests a spelling for a duration that has no unit, or an unknown one, or m for months.
func durationHint(tag *kong.Tag, text string) string {
	parts := quantity.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return ""
	}
	n, _ := strconv.Atoi(parts[1])
	fits := func(d time.Duration) bool {
		return checkRange(tag, "", d, parseDuration, "") == nil
	}
	const day = 24 * time.Hour
	if parts[2] == "" {
		var ways []string
		for _, unit := range []string{"s", "m", "h", "d"} {
			way := parts[1] + unit
			if d, err := parseDuration(way); err == nil && n > 0 && fits(d) {
				ways = append(ways, way)
			}
		}
		if len(ways) == 0 {
			return ""
		}
		return fmt.Sprintf("%d has no unit: write %s", n, strings.Join(ways, " or "))
	}
	for _, unit := range []struct {
		names, word string
		days        int
	}{
		{"m M mo mon month months", "month", 30}, {"w wk week weeks", "week", 7},
		{"y yr year years", "year", 365}, {"day days", "day", 1},
	} {
		for name := range strings.FieldsSeq(unit.names) {
			if parts[2] != name || !fits(time.Duration(n*unit.days)*day) {
				continue
			}
			said := fmt.Sprintf("for %s write %dd", digest.Counted(n, unit.word), n*unit.days)
			if name == "m" {
				said = fmt.Sprintf("%s is %s: %s", text, digest.Counted(n, "minute"), said)
			}
			return said
		}
	}
	return ""
}

// sizeHint suggests a spelling for a size that has no unit or half of one.
func sizeHint(tag *kong.Tag, text string) string {
	parts := quantity.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return ""
	}
	n, _ := strconv.Atoi(parts[1])
	units, said := []string{strings.ToUpper(parts[2])}, ""
	if units[0] == "" || units[0] == "B" {
		units, said = []string{"M", "G"}, fmt.Sprintf("%s is %s: ", text, digest.Counted(n, "byte"))
	}
	for _, unit := range units {
		way := parts[1] + unit + "B"
		if size, err := parseSize(way); err == nil && checkRange(tag, "", size, parseSize, "") == nil {
			return said + "write " + way
		}
	}
	return ""
}

func perDay(r digest.Rate) int64 {
	if r.Per == 0 {
		return 0
	}
	return int64(r.Messages) * int64(24*time.Hour/r.Per)
}

// ratePerDay parses a rate, and returns how many messages it allows in a day.
func ratePerDay(s string) (int64, error) {
	r, err := digest.ParseRate(s)
	return perDay(r), err
}
