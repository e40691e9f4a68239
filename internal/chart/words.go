package chart

import (
	"time"

	"digest/internal/catalogue"
)

// Amounts, spans and kinds of answers, as each language says them.

// Size says an amount of bytes: "0 B", "812 B", "4.2 kB", "130 kB", "1.5 MB".
func Size(n int64) catalogue.Message {
	const kB, MB, GB = 1e3, 1e6, 1e9
	x := float64(n)
	switch {
	case n < 1000:
		return catalogue.Key("%d B").With(n)
	case x < 9.95*kB:
		return catalogue.Key("%.1f kB").With(x / kB)
	case x < 999.5*kB:
		return catalogue.Key("%.0f kB").With(x / kB)
	case x < 9.95*MB:
		return catalogue.Key("%.1f MB").With(x / MB)
	case x < 999.5*MB:
		return catalogue.Key("%.0f MB").With(x / MB)
	case x < 9.95*GB:
		return catalogue.Key("%.1f GB").With(x / GB)
	case x < 999.5*GB:
		return catalogue.Key("%.0f GB").With(x / GB)
	}
	return catalogue.Key("%.0f TB").With(x / 1e12)
}

// Span says how long an answer took: "85 ms", "1.2 s", "30 s".
func Span(d time.Duration) catalogue.Message {
	switch {
	case d < time.Second-time.Millisecond/2:
		return catalogue.Key("%d ms").With(d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return catalogue.Key("%.1f s").With(d.Seconds())
	}
	return catalogue.Key("%.0f s").With(d.Seconds())
}

// Word names the kind in a legend.
func (k Kind) Word() catalogue.Key {
	return map[Kind]catalogue.Key{
		Unchanged: catalogue.Key("unchanged"), Changed: catalogue.Key("something new"), Limited: catalogue.Key("asked to wait"),
		Refused: catalogue.Key("refused"), Broken: catalogue.Key("server error"), Silent: catalogue.Key("no usable answer"),
	}[k]
}

// Answers says what polls brought: "1 unchanged, 1 with something new"; nil if nothing was asked.
func (c Count) Answers() catalogue.Sayable {
	words := map[Kind]catalogue.Key{
		Unchanged: catalogue.Key("%d unchanged"), Changed: catalogue.Key("%d with something new"), Limited: catalogue.Key("%d asked to wait"),
		Refused: catalogue.Key("%d refused"), Broken: catalogue.Key("%d with a server error"), Silent: catalogue.Key("%d without a usable answer"),
	}
	var parts []catalogue.Sayable
	for _, k := range Kinds() {
		if c[k] > 0 {
			parts = append(parts, words[k].With(c[k]))
		}
	}
	return catalogue.Listed(parts)
}

// Mail says what became of an hour's editions; nil for none.
func (h Hour) Mail() catalogue.Sayable {
	var parts []catalogue.Sayable
	for _, part := range []struct {
		words catalogue.Key
		n     int
	}{{catalogue.Key("%d editions made"), h.Editions}, {catalogue.Key("%d mails sent"), h.Sent}, {catalogue.Key("%d given up"), h.Failed}} {
		if part.n > 0 {
			parts = append(parts, part.words.With(part.n))
		}
	}
	return catalogue.Listed(parts)
}
