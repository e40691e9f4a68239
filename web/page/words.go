package page

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
)

// Period returns a duration in words: "2 seconds", "one hour".
func Period(d time.Duration) catalogue.Message {
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
	return chart.Span(d)
}

// Minute returns t in UTC, to the minute.
func Minute(t time.Time) catalogue.Moment { return catalogue.Time("2 Jan 2006, 15:04", t.UTC()) }

// stateWord returns the word for a state of a feed, as in poller.Status, or the state itself if it
// is unknown.
func stateWord(state string) any {
	words := map[string]catalogue.Key{
		poller.StateActive: catalogue.Key("active"), poller.StateWaiting: catalogue.Key("waiting"),
		poller.StatePenalised: catalogue.Key("penalised"),
		poller.StateDead:      catalogue.Key("dead"), poller.StateGone: catalogue.Key("gone"),
		"paused": catalogue.Key("paused"),
	}
	if word, ok := words[state]; ok {
		return word
	}
	return state
}

// KindNamed returns the kind of a stored response for charts.
func KindNamed(name string) chart.Kind {
	for _, k := range chart.Kinds() {
		if k.Class() == name {
			return k
		}
	}
	return chart.Silent
}

const (
	MaxShown = 300 // longest address or title, in characters
)

// Shortened returns a text of strangers for display: at most MaxShown characters, without characters that change the
// text direction (U+202E and similar).
func Shortened(s string) string {
	return digest.Shortened(digest.WithoutTurns(s), MaxShown)
}
