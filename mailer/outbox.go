package mailer

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"digest"
)

// An Outbox writes and sends requested letters in the background, so that response times do not reveal who has an
// account. It stores them only in memory. After a crash people must request them again.
type Outbox struct {
	o         OutboxOptions
	readers   room
	newcomers room // for sign-ups, which must not delay requests of readers

	mu      sync.Mutex
	closed  bool
	letters sync.WaitGroup

	closing context.Context // ends at Close; then no letter is retried
	close   context.CancelFunc
	hard    context.Context // ends when Close stops waiting; then sends are aborted
	cut     context.CancelFunc
}

type room struct {
	waiting chan struct{} // holds one value for each letter in progress
	working chan struct{} // holds one value for each letter that is written or sent
}

func newRoom(working int) room {
	return room{waiting: make(chan struct{}, mostLetters), working: make(chan struct{}, working)}
}

// OutboxOptions configures an Outbox. Sender and Suppressed are required.
type OutboxOptions struct {
	Sender *Sender

	// Suppressed reports whether an address is suppressed, and why.
	Suppressed func(ctx context.Context, email string) (digest.Suppression, bool, error)

	// Scatter is the maximum random delay before a letter. It hides the work for an address from people who measure
	// response times.
	Scatter time.Duration

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default: discard
}

// A LetterRequest requests one letter.
type LetterRequest struct {
	// Write writes the letter. A letter without To is not sent. The Outbox sets MessageID and Date. It calls Write
	// once.
	Write func(ctx context.Context) (Letter, error)

	// stores that the letter was accepted, or that there was none; may be nil
	Sent func(ctx context.Context) error
	Lost func(ctx context.Context) error // deletes data that waits for the lost letter; may be nil
	Next *LetterRequest                  // sent after this letter was accepted; may be nil

	Newcomer bool // requested by somebody who signs up
}

const (
	mostLetters   = 500 // in progress in a room
	mostReaders   = 4   // letters of readers that are written or sent concurrently
	mostNewcomers = 2   // the same for people who sign up
)

// letterPauses returns the pause before each retry. A server with greylisting accepts a message after some minutes. The
// sum must be less than the time after which a request without a result expires.
func letterPauses() []time.Duration {
	return []time.Duration{15 * time.Second, 2 * time.Minute, 8 * time.Minute, 20 * time.Minute}
}

// NewOutbox returns an Outbox. Call Close after use.
func NewOutbox(o OutboxOptions) *Outbox {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Outbox{o: o, readers: newRoom(mostReaders), newcomers: newRoom(mostNewcomers)}
	b.closing, b.close = context.WithCancel(context.Background())
	b.hard, b.cut = context.WithCancel(context.Background())
	return b
}

// NewsletterFrom returns the From address of issues of a newsletter.
func (b *Outbox) NewsletterFrom(n digest.Newsletter) string { return b.o.Sender.NewsletterFrom(n) }

// Add starts a request and never blocks. It drops the request if the room is full, and calls Lost.
func (b *Outbox) Add(r LetterRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	room := b.roomOf(r)
	select {
	case room.waiting <- struct{}{}:
	default:
		b.o.Log.Warn("an email was not sent: too many are being sent")
		b.letters.Go(func() { b.lost(r) })
		return
	}
	b.letters.Go(func() {
		defer func() { <-room.waiting }()
		b.scatter()
		b.run(r)
	})
}

// scatter waits for a random time, so that the response is sent first. Close ends the wait.
func (b *Outbox) scatter() {
	if half := b.o.Scatter / 2; half > 0 {
		b.pause(half + rand.N(half))
	}
}

func (b *Outbox) roomOf(r LetterRequest) room {
	if r.Newcomer {
		return b.newcomers
	}
	return b.readers
}

// run writes a letter, and sends it until a server accepts it or all attempts have failed.
func (b *Outbox) run(r LetterRequest) {
	letter, err := b.write(r)
	if err != nil {
		b.o.Log.Error("cannot write an email", "err", err)
		b.lost(r)
		return
	}
	if letter.To == "" {
		b.sent(r)
		return
	}
	err = b.send(r, letter)
	for _, wait := range letterPauses() {
		if err == nil || digest.KindOf(err) == digest.Invalid || !b.pause(wait) {
			break
		}
		err = b.send(r, letter)
	}
	if err != nil {
		b.o.Log.Warn("an email was refused", "letter", letter.MessageID, "err", err)
		b.lost(r)
		return
	}
	b.o.Log.Info("an email was sent", "letter", letter.MessageID)
	b.sent(r)
	if r.Next != nil {
		b.run(*r.Next)
	}
}

func (b *Outbox) sent(r LetterRequest) {
	if r.Sent == nil {
		return
	}
	if err := r.Sent(b.hard); err != nil {
		b.o.Log.Error("cannot store that an email was sent", "err", err)
	}
}

// write returns a letter without To if no email must be sent.
func (b *Outbox) write(r LetterRequest) (Letter, error) {
	room := b.roomOf(r)
	room.working <- struct{}{}
	defer func() { <-room.working }()
	l, err := r.Write(b.hard)
	if err != nil || l.To == "" {
		return Letter{}, err
	}
	why, suppressed, err := b.o.Suppressed(b.hard, l.To)
	if err != nil {
		return Letter{}, err
	}
	if suppressed {
		b.o.Log.Info("an email was not sent: the address is suppressed", "reason", why.Reason)
		return Letter{}, nil
	}
	l.MessageID, l.Date = newMessageID(b.o.Sender.From), b.o.Now()
	return l, nil
}

func (b *Outbox) send(r LetterRequest, l Letter) error {
	room := b.roomOf(r)
	room.working <- struct{}{}
	defer func() { <-room.working }()
	return b.o.Sender.Send(b.hard, l)
}

// pause waits. It returns false if the Outbox is closed.
func (b *Outbox) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-b.closing.Done():
		return false
	}
}

func (b *Outbox) lost(r LetterRequest) {
	if r.Lost == nil {
		return
	}
	if err := r.Lost(context.WithoutCancel(b.hard)); err != nil {
		b.o.Log.Error("cannot remove a pending link whose email was not sent", "err", err)
	}
}

// Wait waits until no letter is in progress.
func (b *Outbox) Wait() { b.letters.Wait() }

// Close rejects new requests, cancels retries, and waits for letters in progress until ctx ends.
func (b *Outbox) Close(ctx context.Context) {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.close()
	defer context.AfterFunc(ctx, b.cut)()
	b.letters.Wait()
	b.cut()
}
