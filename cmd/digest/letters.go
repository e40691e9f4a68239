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
	room      *web.Mailroom
	transport mailer.Transport
}

func (e *env) openLetters(st *store.Store) (*letters, error) {
	transport, err := mailer.Open(e.mail, mailer.Options{PerConn: e.perConnection})
	if err != nil {
		return nil, err
	}
	if err := st.ForgetLetterRequests(e.hard); err != nil {
		transport.Close()
		return nil, err
	}
	room := web.NewMailroom(web.MailroomOptions{
		Ledger:  st,
		Courier: courier{e.sender(st, transport)},
		BaseURL: e.baseURL, PostalAddress: e.postalAddress, Now: e.clock, Log: e.log,
	})
	return &letters{room, transport}, nil
}

// close lets the letters that are being handed over arrive, for a moment.
func (l *letters) close() {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.room.Close(ctx)
	l.transport.Close()
}

// courier is the mailer's for the web view.
type courier struct{ *mailer.Sender }

// NewID gives the name of a letter.
func (c courier) NewID() string { return mailer.NewMessageID(c.From) }

// Carry hands a letter over.
func (c courier) Carry(ctx context.Context, e web.Envelope) error {
	return c.Send(ctx, mailer.Letter{
		MessageID: e.ID, To: e.To, Date: e.Date, Subject: e.Letter.Title, HTML: e.Letter.HTML(), Text: e.Letter.PlainText(),
	})
}

// printOperatorLink prints the link by which whoever reads the console becomes the
// operator, as long as nobody is.
func (e *env) printOperatorLink(st *store.Store) error {
	link, err := web.OperatorLink(e.hard, st, e.baseURL, e.now())
	if err == nil && link != "" {
		fmt.Fprintf(e.stdout, "sign in as the owner: %s\n", link)
	}
	return err
}
