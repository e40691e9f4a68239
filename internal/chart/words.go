package chart

import (
	"math"
	"time"

	"digest/internal/catalogue"
)

// Size formats an amount of bytes: "0 B", "8,120 B", "13 KB", "130 KB", "1.5 MB".
func Size(n int64) catalogue.Message {
	const KB, MB, GB = 1e3, 1e6, 1e9
	x := float64(n)
	whole := func(unit float64) int64 { return int64(math.Round(x / unit)) }
	switch {
	case n < 10*KB:
		return catalogue.Key("%d B").With(n)
	case x < 999.5*KB:
		return catalogue.Key("%d KB").With(whole(KB))
	case x < 9.95*MB:
		return catalogue.Key("%.1f MB").With(x / MB)
	case x < 999.5*MB:
		return catalogue.Key("%d MB").With(whole(MB))
	case x < 9.95*GB:
		return catalogue.Key("%.1f GB").With(x / GB)
	}
	return catalogue.Key("%d GB").With(whole(GB))
}

// Span formats the time of a response: "85 ms", "1.2 s", "30 s".
func Span(d time.Duration) catalogue.Message {
	switch {
	case d < time.Second-time.Millisecond/2:
		return catalogue.Key("%d ms").With(d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return catalogue.Key("%.1f s").With(d.Seconds())
	}
	return catalogue.Key("%.0f s").With(d.Seconds())
}

// Word returns the name of the kind in a legend.
func (k Kind) Word() catalogue.Key {
	return map[Kind]catalogue.Key{
		Unchanged: catalogue.Key("unchanged"), Changed: catalogue.Key("new content"),
		Limited: catalogue.Key("rate-limited"),
		Refused: catalogue.Key("refused"), Broken: catalogue.Key("server error"),
		Silent: catalogue.Key("no usable response"),
	}[k]
}

// Answers counts the polls of each kind: "unchanged (1), new content (1)". It is nil without polls.
func (c Count) Answers() catalogue.Sayable {
	var parts []catalogue.Sayable
	for _, k := range Kinds() {
		if c[k] > 0 {
			parts = append(parts, counted(k.Word(), c[k]))
		}
	}
	return catalogue.Listed(parts)
}

// Mail counts an hour's editions and emails; nil for none.
func (h Hour) Mail() catalogue.Sayable {
	var parts []catalogue.Sayable
	for _, part := range []struct {
		words catalogue.Key
		n     int
	}{{catalogue.Key("editions created"), h.Editions}, {catalogue.Key("emails sent"), h.Sent},
		{catalogue.Key("emails failed"), h.Failed}} {
		if part.n > 0 {
			parts = append(parts, counted(part.words, part.n))
		}
	}
	return catalogue.Listed(parts)
}

// counted returns words with a number: "unchanged (3)".
func counted(words catalogue.Key, n int) catalogue.Sayable {
	return catalogue.Key("%s (%d)").With(words, n)
}
