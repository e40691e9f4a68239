package web

import (
	"time"

	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
)

// Amounts, spans and kinds of answers, as each language says them.

// period says a duration in words: "2 seconds", "one hour".
func period(d time.Duration) catalogue.Message {
	const day = 24 * time.Hour
	switch {
	case d >= day && d%day == 0:
		return catalogue.Key("%d days").With(int(d / day))
	case d >= time.Hour && d%time.Hour == 0:
		return catalogue.Key("%d hours").With(int(d / time.Hour))
	case d >= time.Minute && d%time.Minute == 0:
		return catalogue.Key("%d minutes").With(int(d / time.Minute))
	case d%time.Second == 0:
		return catalogue.Key("%d seconds").With(int(d / time.Second))
	}
	return span(d)
}

// minute says an instant to the minute, in UTC.
func minute(t time.Time) catalogue.Moment { return catalogue.Time("2 Jan 2006, 15:04", t.UTC()) }

// size says an amount of bytes: "0 B", "812 B", "4.2 kB", "130 kB", "1.5 MB".
func size(n int64) catalogue.Message {
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

// span says how long an answer took: "85 ms", "1.2 s", "30 s".
func span(d time.Duration) catalogue.Message {
	switch {
	case d < time.Second-time.Millisecond/2:
		return catalogue.Key("%d ms").With(d.Round(time.Millisecond).Milliseconds())
	case d < 9950*time.Millisecond:
		return catalogue.Key("%.1f s").With(d.Seconds())
	}
	return catalogue.Key("%.0f s").With(d.Seconds())
}

// kindWord names a kind of answer in a legend.
func kindWord(k chart.Kind) catalogue.Key {
	return map[chart.Kind]catalogue.Key{
		chart.Unchanged: catalogue.Key("unchanged"), chart.Changed: catalogue.Key("something new"), chart.Limited: catalogue.Key("asked to wait"),
		chart.Refused: catalogue.Key("refused"), chart.Broken: catalogue.Key("server error"), chart.Silent: catalogue.Key("no usable answer"),
	}[k]
}

// answers says what polls brought: "1 unchanged, 1 with something new"; nil if nothing was asked.
func answers(c chart.Count) catalogue.Sayable {
	words := map[chart.Kind]catalogue.Key{
		chart.Unchanged: catalogue.Key("%d unchanged"), chart.Changed: catalogue.Key("%d with something new"), chart.Limited: catalogue.Key("%d asked to wait"),
		chart.Refused: catalogue.Key("%d refused"), chart.Broken: catalogue.Key("%d with a server error"), chart.Silent: catalogue.Key("%d without a usable answer"),
	}
	var parts []catalogue.Sayable
	for _, k := range chart.Kinds() {
		if c[k] > 0 {
			parts = append(parts, words[k].With(c[k]))
		}
	}
	return listed(parts)
}

// listed says parts one after the other: "a, b, c"; nil if there are none.
func listed(parts []catalogue.Sayable) (all catalogue.Sayable) {
	for _, p := range parts {
		if all == nil {
			all = p
		} else {
			all = catalogue.Key("%s, %s").With(all, p)
		}
	}
	return all
}

// stateWord names a state of a feed, as poller.Status has it.
func stateWord(state string) any {
	words := map[string]catalogue.Key{
		poller.StateActive: catalogue.Key("active"), poller.StateWaiting: catalogue.Key("waiting"), poller.StatePenalised: catalogue.Key("penalised"),
		poller.StateDead: catalogue.Key("dead"), poller.StateGone: catalogue.Key("gone"), "paused": catalogue.Key("paused"),
	}
	if word, ok := words[state]; ok {
		return word
	}
	return state
}
