package worker

import (
	"log/slog"
	"time"

	"digest/mailer"
	"digest/poller"
)

// An account counts what this process did in one hour of UTC.
type account struct {
	hour     time.Time
	due      int // planned digests
	queued   int // feeds queued for them
	polled   map[poller.Outcome]int
	posts    int
	editions int
	mail     mailer.Stats

	begun, done time.Time // the first and the last step
}

// add counts a step. The first step of another hour begins a new account; add then returns the old one.
func (a *account) add(e Event) (over *account) {
	over = a.closed(e.At)
	if a.begun.IsZero() {
		a.hour, a.begun, a.polled = e.At.UTC().Truncate(time.Hour), e.At, map[poller.Outcome]int{}
	}
	a.done = e.At
	switch e.Kind {
	case EventPlanned:
		a.due += e.Digests
		a.queued += e.Feeds
	case EventPolled:
		a.polled[e.Result.Outcome]++
	case EventStored:
		a.posts += e.Posts
	case EventReleased:
		a.editions += e.Digests
	case EventDelivered:
		a.mail.Sent += e.Mail.Sent
		a.mail.Failed += e.Mail.Failed
		a.mail.Retried += e.Mail.Retried
		a.mail.InDoubt += e.Mail.InDoubt
		a.mail.Unconfirmed += e.Mail.Unconfirmed
	}
	return over
}

// closed returns the account and resets it if its hour is over at now. Otherwise, and for an empty account,
// it returns nil.
func (a *account) closed(now time.Time) *account {
	if a.begun.IsZero() || now.UTC().Truncate(time.Hour).Equal(a.hour) {
		return nil
	}
	over := *a
	*a = account{}
	return &over
}

// tellHour logs the summary of the hour if it is over at now.
func (j *Job) tellHour(now time.Time) {
	j.reporting.Lock()
	defer j.reporting.Unlock()
	if over := j.account.closed(now); over != nil {
		over.log(j.Log)
	}
}

func (a *account) log(l *slog.Logger) {
	attrs := []any{"hour", a.hour.Format(time.RFC3339), "due", a.due, "queued", a.queued}
	for _, o := range []poller.Outcome{poller.Changed, poller.Unchanged, poller.Failed} {
		if n := a.polled[o]; n > 0 {
			attrs = append(attrs, string(o), n)
		}
	}
	attrs = append(attrs, "stored", a.posts, "released", a.editions, "sent", a.mail.Sent)
	for _, more := range []struct {
		name string
		n    int
	}{{"refused", a.mail.Failed}, {"put_off", a.mail.Retried}, {"in_doubt", a.mail.InDoubt},
		{"unconfirmed", a.mail.Unconfirmed}} {
		if more.n > 0 {
			attrs = append(attrs, more.name, more.n)
		}
	}
	l.Info("hour summary", append(attrs, "took", a.done.Sub(a.begun).Round(time.Second).String())...)
}
