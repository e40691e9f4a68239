package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/mailer"
)

// deliver sends what is sealed and due. A mail server that is down is no
// error: the editions wait, and the mailer says when to come back.
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

// askOnce sends emails that are no editions: to readers about changes by links, and to people of imported lists.
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

// hubOnce tells the subscribers of our own feeds what is new, and verifies who wants to be told.
func (j *Job) hubOnce(ctx context.Context) (time.Duration, error) {
	if j.Hub == nil {
		return j.Nap, nil
	}
	if err := j.Hub(ctx); err != nil {
		return 0, fmt.Errorf("working for the subscribers of our feeds: %w", err)
	}
	return j.until(func(ctx context.Context) (time.Time, bool, error) { return j.Store.NextHubCall(ctx, j.Now()) }), nil
}

// nextMail is when there is something to deliver again. The connections of the
// mailer are its own: what other workers have on the way takes none of them.
func (j *Job) nextMail(ctx context.Context) (time.Time, bool, error) {
	return j.Store.NextMail(ctx, j.Now(), digest.Limits{Rate: j.Mail.Route.Rate}, j.Mail.Domain)
}

// shortestMailNap is how long a rate holds mail back at least.
const shortestMailNap = 20 * time.Millisecond

// untilMail is how long it is until there is something to deliver again. What
// a rate of many a second holds back is not kept waiting for a whole nap.
func (j *Job) untilMail() time.Duration {
	next, any, err := j.nextMail(j.Hard)
	if err != nil || !any {
		return j.Nap
	}
	return min(mailNap(next.Sub(j.Now())), j.Nap)
}

// mailNap is the wait, but not less than a minimum: mail that is due and could not be
// claimed is being sent by another worker.
func mailNap(wait time.Duration) time.Duration {
	if wait <= 0 {
		return shortestNap
	}
	return max(wait, shortestMailNap)
}

// mailSoon reports whether mail is held back by a rate alone, and for how long:
// a Tick stays for it. A retry, or a paused route, is for a later one.
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
	if wait <= 0 && sum.Sent == 0 { // others have it, or it cannot be had: no reason to go round and round
		any = false
	}
	return mailNap(wait), any && wait <= soon, nil
}
