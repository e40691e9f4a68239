package main

import (
	"context"
	"time"

	"digest/mailer"
	"digest/store"
	"digest/web"
)

// letterScatter is the maximum random delay of a requested email.
const letterScatter = time.Second

// openOutbox opens the outbox for the emails of the web view, such as sign-in links. It uses connections separate from
// those for editions. closeIt waits up to five seconds for emails in flight.
func (a *app) openOutbox(st *store.Store) (o *mailer.Outbox, closeIt func(), err error) {
	transport, err := a.transport()
	if err != nil {
		return nil, nil, err
	}
	if err := st.Editions.ForgetLetterRequests(a.hard); err != nil {
		transport.Close()
		return nil, nil, err
	}
	o = mailer.NewOutbox(mailer.OutboxOptions{
		Sender: a.sender(st, transport), Suppressed: st.Editions.Suppressed, Scatter: letterScatter, Now: a.clock,
		Log: a.log,
	})
	return o, func() {
		const patience = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		o.Close(ctx)
		transport.Close()
	}, nil
}

// printOperatorLink prints a link that makes its visitor the operator, as long as the instance has no operator.
func (a *app) printOperatorLink(st *store.Store) error {
	link, err := web.OperatorLink(a.hard, st, a.BaseURL, a.now())
	if err == nil && link != "" {
		a.announce("sign in as the owner: %s", link)
	}
	return err
}
