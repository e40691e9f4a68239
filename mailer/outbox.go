package mailer

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"digest"
)

// An Outbox writes and sends letters that somebody asked for, in the
// background: the time of an answer then tells nothing of who has an account.
// What it holds is in memory only: whoever asked before a crash has to ask again.
type Outbox struct {
	o         OutboxOptions
	readers   room // for letters that readers ask for
	newcomers room // for those of people who sign up: however many there are, readers' are not held up

	mu      sync.Mutex
	closed  bool
	letters sync.WaitGroup

	closing context.Context // ends at Close: no letter waits for another attempt
	close   context.CancelFunc
	hard    context.Context // ends when Close waits no longer: what is being sent is cut off
	cut     context.CancelFunc
}

// A room has places for letters.
type room struct {
	waiting chan struct{} // holds one for each letter under way
	working chan struct{} // holds one for each that is being written or sent
}

func newRoom(working int) room {
	return room{waiting: make(chan struct{}, mostLetters), working: make(chan struct{}, working)}
}

// OutboxOptions is what an Outbox is made of. Sender and Suppressed are required.
type OutboxOptions struct {
	Sender *Sender

	// Suppressed tells whether an address is not mailed, and why.
	Suppressed func(ctx context.Context, email string) (digest.Suppression, bool, error)

	// Scatter is the time within which a letter is begun, at random: who times the
	// answers then learns nothing of what is done for an address.
	Scatter time.Duration

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default: nowhere
}

// A LetterRequest asks for one letter.
type LetterRequest struct {
	// Write writes the letter; without a To there is none to write. The Outbox
	// gives it its MessageID and Date. Write is called once.
	Write func(ctx context.Context) (Letter, error)

	// records that the letter was accepted, or that there was none to write; may be nil
	Sent func(ctx context.Context) error
	Lost func(ctx context.Context) error // takes back what waits for a letter that nobody gets; may be nil
	Next *LetterRequest                  // to be sent when this letter was accepted; may be nil

	Newcomer bool // asked for by somebody who signs up
}

const (
	mostLetters   = 500 // under way at once in a room
	mostReaders   = 4   // letters of readers being written or sent at once
	mostNewcomers = 2   // of people who sign up
)

// letterPauses is how long a letter waits before each attempt after the first:
// a server that greylists wants to see it again after some minutes. Together
// they are less than the time for which a request counts whose letter was
// neither sent nor lost.
func letterPauses() []time.Duration {
	return []time.Duration{15 * time.Second, 2 * time.Minute, 8 * time.Minute, 20 * time.Minute}
}

// NewOutbox makes an Outbox, which is to be closed.
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

// Add accepts a request, whatever becomes of it. It never waits.
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

// scatter waits for the answer to be on its way, and for a random time more; not
// when the Outbox is closed.
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

// run writes a letter and sends it until it is accepted, or cannot be.
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

// sent records that nothing is left to be done for a letter.
func (b *Outbox) sent(r LetterRequest) {
	if r.Sent == nil {
		return
	}
	if err := r.Sent(b.hard); err != nil {
		b.o.Log.Error("cannot store that an email was sent", "err", err)
	}
}

// write gives a letter without a To when there is none to send.
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

// pause waits; false when the Outbox is closed meanwhile.
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

// lost takes back what waits for a letter that nobody gets.
func (b *Outbox) lost(r LetterRequest) {
	if r.Lost == nil {
		return
	}
	if err := r.Lost(context.WithoutCancel(b.hard)); err != nil {
		b.o.Log.Error("cannot remove a pending link whose email was not sent", "err", err)
	}
}

// Wait waits until nothing is under way.
func (b *Outbox) Wait() { b.letters.Wait() }

// Close takes no more requests, gives up those that wait for another attempt,
// and waits for the others until ctx ends.
func (b *Outbox) Close(ctx context.Context) {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.close()
	defer context.AfterFunc(ctx, b.cut)()
	b.letters.Wait()
	b.cut()
}
