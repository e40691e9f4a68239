package main

import (
	"context"
	"time"

	"digest/mailer"
	"digest/store"
	"digest/web"
)

// letterScatter is within what time a letter that was asked for is begun.
const letterScatter = time.Second

// openOutbox opens the way of the web view's letters, sign-in links and the
// like: on connections of their own, beside the editions. To close it gives the
// letters that are being handed over a moment to arrive.
func (a *app) openOutbox(st *store.Store) (o *mailer.Outbox, closeIt func(), err error) {
	transport, err := mailer.Open(a.Mail, mailer.Options{PerConn: a.MailPerConnection})
	if err != nil {
		return nil, nil, err
	}
	if err := st.ForgetLetterRequests(a.hard); err != nil {
		transport.Close()
		return nil, nil, err
	}
	o = mailer.NewOutbox(mailer.OutboxOptions{
		Sender: a.sender(st, transport), Suppressed: st.Suppressed, Scatter: letterScatter, Now: a.clock, Log: a.log,
	})
	return o, func() {
		const patience = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		o.Close(ctx)
		transport.Close()
	}, nil
}

// printOperatorLink prints the link by which whoever reads the console becomes the
// operator, as long as nobody is.
func (a *app) printOperatorLink(st *store.Store) error {
	link, err := web.OperatorLink(a.hard, st, a.BaseURL, a.now())
	if err == nil && link != "" {
		a.announce("sign in as the owner: %s", link)
	}
	return err
}
