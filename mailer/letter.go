package mailer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"digest"
)

// A Courier sends single letters that somebody waits for, past the queue of the
// editions and its limits. Transport and From are required.
type Courier struct {
	Transport  Transport
	From       string // DIGEST_FROM
	ReplyTo    string // empty: none
	ReturnPath string // bare address that bounces come back to; empty: that of From

	// Keys gives the DKIM keys, for each letter; nil: letters go unsigned.
	Keys func(context.Context) ([]digest.DKIMKey, error)
}

// A Letter is one such message. Sent again as it is, it is the same message.
type Letter struct {
	ID      string // of the letter; see NewLetterID
	To      string // bare address
	Date    time.Time
	Subject string
	HTML    string
	Text    string
}

// NewLetterID gives the part of a Message-ID that is a letter's own.
func NewLetterID() string { return "l." + rand.Text() }

// Send hands a letter over. The error is a *digest.Error: Invalid if no other
// attempt would bring it there, else Unavailable. When it cannot be known
// whether it was accepted, it is Unavailable too: twice the same letter harms nobody.
func (c *Courier) Send(ctx context.Context, l Letter) error {
	message, envelope, err := c.compose(ctx, l)
	if err == nil {
		_, err = c.Transport.Send(ctx, envelope, message, func(context.Context) error { return nil })
	}
	if err == nil {
		return nil
	}
	return &digest.Error{Kind: letterKind(err), Message: "the letter could not be handed over", Err: err}
}

func (c *Courier) compose(ctx context.Context, l Letter) ([]byte, Envelope, error) {
	from, err := parseAddress(c.From)
	if err != nil {
		return nil, Envelope{}, err
	}
	to, err := Recipient(l.To)
	if err != nil {
		return nil, Envelope{}, &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	id := atHost(l.ID, HostOf(c.From))
	message, err := Compose(Mail{
		From: c.From, ReplyTo: c.ReplyTo, To: to, Subject: l.Subject, HTML: l.HTML, Text: l.Text,
		MessageID: id, Date: l.Date.UTC().Truncate(time.Second), Personal: true,
	})
	if err != nil {
		return nil, Envelope{}, err
	}
	if c.Keys != nil {
		keys, err := c.Keys(ctx)
		if err != nil {
			return nil, Envelope{}, fmt.Errorf("reading the DKIM keys: %w", err)
		}
		sealer, err := NewSealer(keys, c.From)
		if err != nil {
			return nil, Envelope{}, fmt.Errorf("mail cannot be signed: %w", err)
		}
		if message, err = sealer.Seal(message); err != nil {
			return nil, Envelope{}, err
		}
	}
	back := c.ReturnPath
	if back == "" {
		back = from.Address
	}
	return message, Envelope{From: back, To: to, MessageID: id}, nil
}

// letterKind tells whether another attempt could bring a letter there.
func letterKind(err error) digest.Kind {
	refused, ok := errors.AsType[*NotAcceptedError](err)
	if !ok {
		return digest.Unavailable
	}
	forGood := refused.Stage == StageCompose ||
		refused.Reply.Code/100 == 5 && (refused.Stage == StageRcpt || refused.Stage == StageData || refused.Stage == StageDot)
	if forGood {
		return digest.Invalid
	}
	return digest.Unavailable
}
