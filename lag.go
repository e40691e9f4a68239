package digest

import "time"

// Lags holds, for each kind of work, the time since which the oldest overdue item waits. Zero: nothing waits.
type Lags struct {
	Polls    time.Time // a queued feed that can be polled
	Editions time.Time // an edition that waits for no feed any more
	Mail     time.Time // an email that is due
}

// LagLimits holds the maximum lag for each kind of work.
type LagLimits struct{ Polls, Editions, Mail time.Duration }

const (
	// lagMargin is the time that a busy hour needs beyond the settings.
	lagMargin = 10 * time.Minute
	// mailLagLimit tolerates a mail server that fails for an hour, and rates that send a midnight's emails slowly.
	mailLagLimit = 2 * time.Hour
)

// LimitsOfLags returns the limits for a release deadline. A poll that is later than the deadline has missed its
// editions.
func LimitsOfLags(deadline time.Duration) LagLimits {
	return LagLimits{Polls: deadline + lagMargin, Editions: lagMargin, Mail: mailLagLimit}
}

// Fenced is the text of /healthz while the database is fenced.
const Fenced = "nothing is polled and nothing is mailed"

// Longer returns the limits extended by d.
func (l LagLimits) Longer(d time.Duration) LagLimits {
	return LagLimits{l.Polls + d, l.Editions + d, l.Mail + d}
}

// Late returns the lags beyond the limits; the others are zero.
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
