package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"digest"
	"digest/render"
	"digest/store"
)

// An Envelope is one letter on its way. Handed over again it is the same letter.
type Envelope struct {
	ID     string
	To     string
	Date   time.Time
	Letter render.Letter
}

// A Courier hands letters over.
type Courier interface {
	// NewID gives the name of a letter.
	NewID() string
	// Carry hands one over. The error is digest.Invalid if no other attempt
	// would bring it there.
	Carry(ctx context.Context, e Envelope) error
}

// Ledger is what the mailroom needs to know of addresses.
type Ledger interface {
	// LetterSent settles a request: its letter was accepted.
	LetterSent(ctx context.Context, knock int64, now time.Time) error
	// LetterUnsent gives an address the allowance of a request back.
	LetterUnsent(ctx context.Context, knock int64) error
	// Suppressed tells whether an address is not mailed, and why.
	Suppressed(ctx context.Context, email string) (digest.Suppression, bool, error)
}

// A Mailroom writes and sends letters outside of the requests that ask for
// them, so that the time of an answer tells nothing of who has an account. What
// it holds is in memory only: whoever asked before a crash has to ask again.
type Mailroom struct {
	o     MailroomOptions
	seats chan struct{} // one for each letter under way
	hands chan struct{} // one for each that is being written or carried

	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup

	leaving context.Context // ends when the house closes: nothing waits any more
	leave   context.CancelFunc
	cutting context.Context // ends when nobody waits for what is being carried
	cut     context.CancelFunc
}

// MailroomOptions is what a mailroom is made of; all but Name, PostalAddress,
// Now and Log are required.
type MailroomOptions struct {
	Ledger        Ledger
	Courier       Courier
	Name          string // on the nameplate
	BaseURL       string
	PostalAddress string
	Now           func() time.Time
	Log           *slog.Logger
}

const (
	mostLetters = 500 // under way at once
	mostHands   = 4   // being carried at once
)

// patience is how long a letter waits before each attempt after the first: a
// server that greylists wants to see it again after some minutes. All together
// is less than a knock counts that is not settled.
func patience() []time.Duration {
	return []time.Duration{15 * time.Second, 2 * time.Minute, 8 * time.Minute, 20 * time.Minute}
}

// NewMailroom makes a mailroom, which is to be closed.
func NewMailroom(o MailroomOptions) *Mailroom {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Name == "" {
		o.Name = render.DefaultName
	}
	m := &Mailroom{o: o, seats: make(chan struct{}, mostLetters), hands: make(chan struct{}, mostHands)}
	m.leaving, m.leave = context.WithCancel(context.Background())
	m.cutting, m.cut = context.WithCancel(context.Background())
	return m
}

// An errand is one letter that was asked for.
type errand struct {
	knock int64 // to settle; 0: none

	// write makes the letter, with the link that it carries; false if there is none
	// to write. It runs once.
	write func(ctx context.Context) (to string, l render.Letter, any bool, err error)

	// lost, if set, takes back what waits for the letter, which nobody will get.
	lost func(ctx context.Context) error

	next *errand // to run when this letter is there
}

// take takes an errand on, whatever becomes of it. It never waits.
func (m *Mailroom) take(e errand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	select {
	case m.seats <- struct{}{}:
	default:
		m.o.Log.Warn("a letter was not written: too many are on their way")
		m.all.Go(func() { m.settleLost(e) })
		return
	}
	m.all.Go(func() {
		defer func() { <-m.seats }()
		m.run(e)
	})
}

// run writes a letter and carries it until it is there, or cannot be.
func (m *Mailroom) run(e errand) {
	letter, any, err := m.write(e)
	if err != nil {
		m.o.Log.Error("a letter was not written", "error", err)
		m.settleLost(e)
		return
	}
	if !any {
		return
	}
	err = m.carry(letter)
	for _, wait := range patience() {
		if err == nil || digest.KindOf(err) == digest.Invalid || !m.pause(wait) {
			break
		}
		err = m.carry(letter)
	}
	if err != nil {
		m.o.Log.Warn("a letter was given up", "letter", letter.ID, "error", err)
		m.settleLost(e)
		return
	}
	m.o.Log.Info("a letter was sent", "letter", letter.ID)
	if e.knock != 0 {
		if err := m.o.Ledger.LetterSent(m.cutting, e.knock, m.o.Now()); err != nil {
			m.o.Log.Error("a letter that was sent was not recorded", "error", err)
		}
	}
	if e.next != nil {
		m.run(*e.next)
	}
}

func (m *Mailroom) write(e errand) (letter Envelope, any bool, err error) {
	m.hands <- struct{}{}
	defer func() { <-m.hands }()
	to, l, any, err := e.write(m.cutting)
	if err != nil || !any {
		return letter, false, err
	}
	why, suppressed, err := m.o.Ledger.Suppressed(m.cutting, to)
	if err != nil {
		return letter, false, err
	}
	if suppressed {
		m.o.Log.Info("a letter was not sent: the address is suppressed", "reason", why.Reason)
		return letter, false, nil
	}
	l.Name, l.HomeURL, l.PostalAddress = m.o.Name, m.o.BaseURL+"/", m.o.PostalAddress
	return Envelope{m.o.Courier.NewID(), to, m.o.Now(), l}, true, nil
}

func (m *Mailroom) carry(e Envelope) error {
	m.hands <- struct{}{}
	defer func() { <-m.hands }()
	return m.o.Courier.Carry(m.cutting, e)
}

// pause waits; false when the house closes.
func (m *Mailroom) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-m.leaving.Done():
		return false
	}
}

// settleLost gives back what a letter that nobody gets has cost.
func (m *Mailroom) settleLost(e errand) {
	ctx := context.WithoutCancel(m.cutting)
	if e.knock != 0 {
		if err := m.o.Ledger.LetterUnsent(ctx, e.knock); err != nil {
			m.o.Log.Error("a letter that was not sent was not recorded", "error", err)
		}
	}
	if e.lost == nil {
		return
	}
	if err := e.lost(ctx); err != nil {
		m.o.Log.Error("what waits for a letter that was not sent was not taken back", "error", err)
	}
}

// Wait waits until nothing is under way.
func (m *Mailroom) Wait() { m.all.Wait() }

// Close takes no more letters, gives up those that wait for another attempt,
// and waits for the others until ctx ends.
func (m *Mailroom) Close(ctx context.Context) {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.leave()
	defer context.AfterFunc(ctx, m.cut)()
	m.all.Wait()
	m.cut()
}

// A visit to the door by mail is one of these kinds; each is counted for itself.
const (
	knockSignUp  = "sign-up"
	knockSignIn  = "sign-in"
	knockAddress = "address"
)

// knockOf is what an address and its domain may be mailed.
func knockOf(kind, email string) store.LetterRequest {
	k := store.LetterRequest{Kind: kind, Email: email, Daily: 1, Hourly: 50}
	if kind == knockSignIn {
		k.Daily, k.Apart = 5, 2*time.Minute
	}
	if isPublicProvider(email) {
		k.Hourly = 500
	}
	return k
}
