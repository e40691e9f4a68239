package mailer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"digest"
)

// A Sender composes, signs and sends letters. Transport and From are required. It is safe for concurrent use.
type Sender struct {
	Transport Transport
	From      string

	// AccountFrom is the From address of single letters that somebody waits for; empty: From. If it differs from From,
	// each newsletter has its own address too.
	AccountFrom string
	ReplyTo     string // may be empty
	ReturnPath  string // bare address for bounces; empty means the address in From

	// ComplaintsTo is a bare address for complaints about editions; may be empty.
	ComplaintsTo string

	// Keys returns the DKIM keys. If nil, letters are not signed.
	Keys func(context.Context) ([]digest.DKIMKey, error)

	// NewsletterKey returns the key of a newsletter's own domain; may be nil. If the key cannot be used, the
	// sender is the instance's address.
	NewsletterKey func(context.Context, digest.NewsletterID) (digest.DKIMKey, error)
}

// Send sends a single letter that a person waits for. It does not use the queue of the editions, and its limits do not
// apply. If the letter has no From, ReplyTo, ReturnPath or MessageID, Send uses AccountFrom, ReplyTo and ReturnPath of
// the Sender, and a new MessageID. The error is a *digest.Error of the kind Invalid if another attempt would fail too,
// and Unavailable otherwise. It is also Unavailable if the server may have accepted the letter, because a duplicate
// does no harm.
func (s *Sender) Send(ctx context.Context, l Letter) error {
	l.From = cmp.Or(l.From, s.AccountFrom, s.From)
	if l.MessageID == "" {
		l.MessageID = newMessageID(s.From)
	}
	l.ReplyTo = cmp.Or(l.ReplyTo, s.ReplyTo)
	l.ReturnPath = cmp.Or(l.ReturnPath, s.returnPath())
	l.Date, l.Personal = l.Date.UTC().Truncate(time.Second), true
	err := s.handOver(ctx, l, func(context.Context) error { return nil })
	if err == nil {
		return nil
	}
	return &digest.Error{Kind: letterKind(err), Message: "the email could not be sent", Err: err}
}

// HandOver sends a letter that no person waits for, once. Date is required. From and ReplyTo default to the Sender's.
// The letter gets a new MessageID. beforeDot and the errors are as in Transport.Send.
func (s *Sender) HandOver(ctx context.Context, l Letter, beforeDot func(context.Context) error) error {
	l.From, l.ReplyTo = cmp.Or(l.From, s.From), cmp.Or(l.ReplyTo, s.ReplyTo)
	l.MessageID, l.Date = newMessageID(s.From), l.Date.UTC().Truncate(time.Second)
	l.ReturnPath = cmp.Or(l.ReturnPath, s.returnPath())
	return s.handOver(ctx, l, beforeDot)
}

func (s *Sender) handOver(ctx context.Context, l Letter, beforeDot func(context.Context) error) error {
	to, err := Recipient(l.To)
	if err != nil {
		return &NotAcceptedError{Stage: StageCompose, Err: err}
	}
	l.To = to
	signer, err := s.newsletterSigner(ctx, l)
	if err != nil {
		l = s.fromInstance(l)
	}
	if signer == nil {
		if signer, err = s.dkimSigner(ctx); err != nil {
			return err
		}
	}
	message, err := signedMessage(l, signer)
	if err != nil {
		return err
	}
	_, err = s.Transport.Send(ctx, l.envelope(), message, beforeDot)
	return err
}

// signedMessage composes and signs a letter. The error is a *NotAcceptedError if another attempt would fail too.
func signedMessage(l Letter, signer *DKIMSigner) ([]byte, error) {
	if !signer.vouchesFor(l.ComplaintsTo, l.From) {
		l.ComplaintsTo = ""
	}
	message, err := Compose(l)
	if err != nil {
		return nil, err
	}
	return signer.Sign(message)
}

func (l Letter) envelope() Envelope {
	back := l.ReturnPath
	if from, err := parseAddress(l.From); back == "" && err == nil {
		back = bare(from)
	}
	return Envelope{From: back, To: l.To, MessageID: l.MessageID}
}

// dkimSigner returns the signer for From, or nil if mail is not signed.
func (s *Sender) dkimSigner(ctx context.Context) (*DKIMSigner, error) {
	if s.Keys == nil {
		return nil, nil
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the DKIM keys: %w", err)
	}
	signer, err := NewDKIMSigner(keys, s.From)
	if err != nil {
		return nil, fmt.Errorf("mail cannot be signed: %w", err)
	}
	return signer, nil
}

// letterKind returns Invalid if another attempt would fail too, and Unavailable otherwise.
func letterKind(err error) digest.Kind {
	refused, ok := errors.AsType[*NotAcceptedError](err)
	if !ok {
		return digest.Unavailable
	}
	forGood := refused.Stage == StageCompose ||
		refused.Reply.Code/100 == 5 && (refused.Stage == StageRcpt || refused.Stage == StageData ||
			refused.Stage == StageDot)
	if forGood {
		return digest.Invalid
	}
	return digest.Unavailable
}

// send sends one edition. If the connection was lost before the dot, it tries once again on another.
func (r *run) send(ctx context.Context, c claimed) Attempt {
	r.lanes.use(c.Domain, 1)
	defer r.lanes.use(c.Domain, -1)
	for again := false; ; again = true {
		a := r.sendSmaller(ctx, &c, r.attempt(ctx, c))
		refused := a.refusal()
		if again || refused == nil || !refused.lost() || a.Dotted || ctx.Err() != nil || errors.Is(a.Err, errQueue) {
			return a
		}
	}
}

// attempt sends a message once. The dot is committed just before the Transport ends the message (I6).
func (r *run) attempt(ctx context.Context, c claimed) Attempt {
	a := Attempt{Delivery: c.Delivery, Idempotent: r.Transport.Idempotent()}
	dot := digest.Dot{ID: c.ID, MessageID: c.letter.MessageID, Date: c.letter.Date, Recipient: c.Email,
		Lead: c.letter.Lead}
	e := c.letter.envelope()
	e.Again = c.WasInDoubt || c.MessageID != ""
	r.marks.announceDot()
	a.Reply, a.Err = r.Transport.Send(ctx, e, c.message, func(context.Context) error {
		err := r.marks.dot(dot)
		a.Dotted = err == nil
		return err
	})
	if !a.Dotted {
		r.marks.withdrawDot()
	}
	return a
}
