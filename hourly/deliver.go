package hourly

import (
	"context"
	"fmt"

	"digest/mailer"
)

// deliver sends what is sealed and due. A mail server that is down is no
// error: the editions wait, and the mailer says when to come back.
func (j *Job) deliver(ctx context.Context) (mailer.Stats, error) {
	stats, err := j.Mail.Once(ctx, j.Now())
	if err != nil {
		return stats, fmt.Errorf("delivering editions: %w", err)
	}
	if stats.Sent+stats.Failed+stats.Retried+stats.InDoubt > 0 {
		j.Log.Info("delivered", "sent", stats.Sent, "failed", stats.Failed, "retried", stats.Retried, "in_doubt", stats.InDoubt)
		j.report(Event{Kind: EventDelivered, Mail: stats})
	}
	return stats, nil
}
