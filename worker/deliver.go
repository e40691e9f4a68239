package worker

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/mailer"
)

// deliver sends emails that are due. An unreachable mail server is not an error: the editions wait, and the
// mailer returns the time to retry.
func (j *Job) deliver(ctx context.Context) (mailer.Stats, error) {
	stats, err := j.Mail.Deliver(ctx, j.Now())
	if err != nil {
		return stats, fmt.Errorf("delivering editions: %w", err)
	}
	if stats.Sent+stats.Failed+stats.Retried+stats.InDoubt+stats.Unconfirmed > 0 {
		j.Log.Info("delivered", "sent", stats.Sent, "failed", stats.Failed, "retried", stats.Retried, "in_doubt",
			stats.InDoubt,
			"unconfirmed", stats.Unconfirmed)
		j.report(Event{Kind: EventDelivered, Mail: stats})
	}
	return stats, nil
}

// askOnce sends emails that are not editions: to readers about changes by links, and confirmation requests
// to people of imported lists.
func (j *Job) askOnce(ctx context.Context) (time.Duration, error) {
	for doing, send := range map[string]func(context.Context) error{
		"telling readers what links have changed": j.TellReaders, "asking people of imported lists": j.Ask,
	} {
		if send == nil {
			continue
		}
		if err := send(ctx); err != nil {
			return 0, fmt.Errorf("%s: %w", doing, err)
		}
	}
	return j.Nap, nil
}

// nextMail returns the time of the next delivery and whether there is one. The mailer's connections are its
// own: deliveries of other workers do not reduce them.
func (j *Job) nextMail(ctx context.Context) (time.Time, bool, error) {
	return j.Store.Editions.NextMail(ctx, j.Now(), digest.Limits{Rate: j.Mail.Route.Rate}, j.Mail.Domain)
}

// shortestMailNap is the minimum wait for the mail rate.
const shortestMailNap = 20 * time.Millisecond

// untilMail returns the wait until the next delivery, at most a nap. At a rate of many emails a second the
// wait is much shorter than a nap.
func (j *Job) untilMail() time.Duration {
	next, any, err := j.nextMail(j.Hard)
	if err != nil || !any {
		return j.Nap
	}
	return min(mailNap(next.Sub(j.Now())), j.Nap)
}

// mailNap returns the wait, with a minimum. Due mail that this worker cannot claim is with another worker.
func mailNap(wait time.Duration) time.Duration {
	if wait <= 0 {
		return shortestNap
	}
	return max(wait, shortestMailNap)
}

// mailSoon reports whether mail waits for the rate only, and how long. A Tick waits for such mail, but not
// for a retry or a paused route.
func (j *Job) mailSoon(sum Summary) (time.Duration, bool, error) {
	const soon = time.Minute
	if sum.MailWaits != "" {
		return 0, false, nil
	}
	next, any, err := j.nextMail(j.Hard)
	if err != nil {
		return 0, false, fmt.Errorf("looking for mail that waits: %w", err)
	}
	wait := next.Sub(j.Now())
	if wait <= 0 && sum.Sent == 0 { // other workers have it, or the route is down: do not loop
		any = false
	}
	return mailNap(wait), any && wait <= soon, nil
}
