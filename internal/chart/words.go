package chart

import (
	"fmt"
	"strings"
	"time"
)

// Answers says in words what a day brought, for example
// "1 unchanged, 1 with something new"; empty if nothing was asked.
func (d Day) Answers() string {
	var parts []string
	for k, n := range d.Count {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, Kind(k).with()))
		}
	}
	return strings.Join(parts, ", ")
}

// with is the kind behind a number of answers.
func (k Kind) with() string {
	switch k {
	case Changed, Broken:
		return "with " + strings.Replace(k.String(), "server", "a server", 1)
	case Silent:
		return "without a usable answer"
	}
	return k.String()
}

// Size says an amount of bytes: "0 B", "812 B", "4.2 kB", "130 kB", "1.5 MB".
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	x := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		x /= 1000
		switch {
		case x < 9.95:
			return fmt.Sprintf("%.1f %s", x, unit)
		case x < 999.5:
			return fmt.Sprintf("%.0f %s", x, unit)
		}
	}
	return fmt.Sprintf("%.0f TB", x/1000)
}

// Span says how long an answer took: "85 ms", "1.2 s", "30 s".
func Span(d time.Duration) string {
	switch {
	case d < time.Second-time.Millisecond/2:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
