package main

import (
	"context"
	"fmt"
	"time"

	"digest/mailer"
	"digest/store"
	"digest/web"
)

// letters is the web view's mail: sign-in links and the like, on connections of
// their own, beside the editions.
type letters struct {
	outbox    *mailer.Outbox
	transport mailer.Transport
}

func (a *app) openLetters(st *store.Store) (*letters, error) {
	transport, err := mailer.Open(a.Mail, mailer.Options{PerConn: a.MailPerConnection})
	if err != nil {
		return nil, err
	}
	if err := st.ForgetLetterRequests(a.hard); err != nil {
		transport.Close()
		return nil, err
	}
	outbox := mailer.NewOutbox(mailer.OutboxOptions{
		Sender: a.sender(st, transport), Suppressed: st.Suppressed, Now: a.clock, Log: a.log,
	})
	return &letters{outbox, transport}, nil
}

// close lets the letters that are being handed over arrive, for a moment.
func (l *letters) close() {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.outbox.Close(ctx)
	l.transport.Close()
}

// printOperatorLink prints the link by which whoever reads the console becomes the
// operator, as long as nobody is.
func (a *app) printOperatorLink(st *store.Store) error {
	link, err := web.OperatorLink(a.hard, st, a.BaseURL, a.now())
	if err == nil && link != "" {
		fmt.Fprintf(a.stdout, "sign in as the owner: %s\n", link)
	}
	return err
}
