package digest

import "time"

// Lags say how far behind the hour is: since when it waits, of each kind, that
// should have come first. Zero: nothing waits.
type Lags struct {
	Polls    time.Time // a queued feed that may be asked
	Editions time.Time // an edition that no feed can hold up any longer
	Mail     time.Time // mail that is due
}

// LagLimits say how long that is well.
type LagLimits struct{ Polls, Editions, Mail time.Duration }

const (
	// lagMargin is what a busy hour takes beyond what the settings grant it.
	lagMargin = 10 * time.Minute
	// mailLagLimit passes over a mail server that is put right within the hour,
	// and rates that let a midnight's mail out slowly.
	mailLagLimit = 2 * time.Hour
)

// LimitsOfLags gives the limits for a release deadline: a poll that is later than
// that has missed its editions.
func LimitsOfLags(deadline time.Duration) LagLimits {
	return LagLimits{Polls: deadline + lagMargin, Editions: lagMargin, Mail: mailLagLimit}
}

// Fenced is what /healthz says while a fence stands around the database.
const Fenced = "nothing is polled and nothing is mailed"

// Longer gives limits that are longer by d.
func (l LagLimits) Longer(d time.Duration) LagLimits {
	return LagLimits{l.Polls + d, l.Editions + d, l.Mail + d}
}

// Late gives the lags that are beyond the limits; the others are zero.
func (l Lags) Late(limits LagLimits, now time.Time) Lags {
	return Lags{
		Polls:    beyond(l.Polls, limits.Polls, now),
		Editions: beyond(l.Editions, limits.Editions, now),
		Mail:     beyond(l.Mail, limits.Mail, now),
	}
}

func beyond(since time.Time, limit time.Duration, now time.Time) time.Time {
	if since.IsZero() || now.Sub(since) <= limit {
		return time.Time{}
	}
	return since
}
