package web

import (
	"time"

	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
)

// period returns a duration in words: "2 seconds", "one hour".
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
	return chart.Span(d)
}

// minute returns t in UTC, to the minute.
func minute(t time.Time) catalogue.Moment { return catalogue.Time("2 Jan 2006, 15:04", t.UTC()) }

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
