package mailer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// A slowServer is a Transport with scripted results.
type slowServer struct {
	mu    sync.Mutex
	errs  []error // results of the attempts in order; later attempts succeed
	tries int
	ids   map[string]bool
}

func (s *slowServer) Send(_ context.Context, e Envelope, _ []byte, _ func(context.Context) error) (Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	s.ids[e.MessageID] = true
	if len(s.errs) == 0 {
		return Reply{Code: 250}, nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return Reply{}, err
}

func (s *slowServer) Idempotent() bool { return false }
func (s *slowServer) Close() error     { return nil }

// An outboxBench is an Outbox with the results of requested letters.
type outboxBench struct {
	*Outbox
	server     *slowServer
	suppressed bool
	began      time.Time
	sent, lost int
}

func newOutboxBench(errs ...error) *outboxBench {
	b := &outboxBench{server: &slowServer{errs: errs, ids: map[string]bool{}}, began: time.Now()}
	b.Outbox = NewOutbox(OutboxOptions{
		Sender: &Sender{Transport: b.server, From: "digest@example.org"},
		Suppressed: func(context.Context, string) (digest.Suppression, bool, error) {
			return digest.Suppression{}, b.suppressed, nil
		},
	})
	return b
}

// written returns a function that writes a letter to an address.
func written(to string) func(context.Context) (Letter, error) {
	return func(context.Context) (Letter, error) { return Letter{To: to, Subject: "A letter", Text: "Hello"}, nil }
}

func (b *outboxBench) ask() {
	b.Add(LetterRequest{
		Write: written("ann@example.org"),
		Sent:  func(context.Context) error { b.sent++; return nil },
		Lost:  func(context.Context) error { b.lost++; return nil },
	})
}

// TestOutboxPatience checks the number of attempts and the callbacks.
func TestOutboxPatience(t *testing.T) {
	later := &NotAcceptedError{Stage: StageRcpt, Reply: Reply{Code: 451}}
	never := &NotAcceptedError{Stage: StageRcpt, Reply: Reply{Code: 550}}
	for name, c := range map[string]struct {
		errs       []error
		tries      int
		sent, lost int
	}{
		"at once":     {nil, 1, 1, 0},
		"greylisted":  {[]error{later, later, later}, 4, 1, 0},
		"not at all":  {[]error{later, later, later, later, later, later}, 5, 0, 1},
		"no mailbox":  {[]error{never}, 1, 0, 1},
		"unknown":     {[]error{errors.New("x")}, 2, 1, 0},
		"then no one": {[]error{later, never}, 2, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newOutboxBench(c.errs...)
			b.ask()
			b.Wait()
			if b.server.tries != c.tries || b.sent != c.sent || b.lost != c.lost || len(b.server.ids) != 1 {
				t.Errorf("%s: tried %d times, %d sent, %d lost, as %d letters", name, b.server.tries, b.sent, b.lost,
					len(b.server.ids))
			}
			if took := time.Since(b.began); took > 45*time.Minute {
				t.Errorf("%s: it took %s, longer than a request counts", name, took)
			}
			b.Close(t.Context())
		})
	}
}

// TestOutboxCloses: Close drops waiting letters, and later requests and suppressed addresses get none.
func TestOutboxCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newOutboxBench(errors.New("later"))
		b.ask()
		synctest.Wait()
		b.Close(t.Context())
		if time.Since(b.began) != 0 || b.lost != 1 || b.sent != 0 {
			t.Errorf("after %s: %d lost, %d sent", time.Since(b.began), b.lost, b.sent)
		}
		b.ask()
		if b.Wait(); b.server.tries != 1 {
			t.Errorf("a closed outbox sent a letter")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newOutboxBench()
		b.suppressed = true
		b.ask()
		if b.Wait(); b.server.tries != 0 {
			t.Error("a suppressed address was mailed")
		}
		if b.sent != 1 || b.lost != 0 {
			t.Errorf("it counts as %d sent and %d lost: who asks again could tell", b.sent, b.lost)
		}
		b.Close(t.Context())
	})
}

// TestOutboxScatters: a letter begins after the response to the request, and a stop does not wait for it.
func TestOutboxScatters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newOutboxBench()
		b.o.Scatter = time.Second
		b.ask()
		synctest.Wait()
		b.server.mu.Lock()
		tries := b.server.tries
		b.server.mu.Unlock()
		if tries != 0 {
			t.Error("it was begun at once")
		}
		if b.Wait(); b.sent != 1 || time.Since(b.began) < time.Second/2 || time.Since(b.began) > time.Second {
			t.Errorf("%d sent after %s", b.sent, time.Since(b.began))
		}
		was := time.Now()
		b.ask()
		if b.Close(t.Context()); b.sent != 2 || time.Since(was) != 0 {
			t.Errorf("at the stop: %d sent after %s", b.sent, time.Since(was))
		}
	})
}

// TestNewcomersHoldNobodyUp fills the room of sign-ups with letters that a server greylists. A reader's letter is still
// sent without delay.
func TestNewcomersHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := &NotAcceptedError{Stage: StageRcpt, Reply: Reply{Code: 451}}
		b := newOutboxBench()
		for range mostLetters {
			b.server.errs = append(b.server.errs, later)
		}
		var sent atomic.Int32
		for range mostLetters + 100 {
			b.Add(LetterRequest{
				Newcomer: true,
				Write:    written("new@example.org"),
			})
		}
		synctest.Wait()
		b.Add(LetterRequest{
			Write: written("ann@example.org"),
			Sent:  func(context.Context) error { sent.Add(1); return nil },
		})
		synctest.Wait()
		if sent.Load() != 1 || time.Since(b.began) != 0 {
			t.Errorf("%d letters to the reader after %s", sent.Load(), time.Since(b.began))
		}
		b.Close(t.Context())
	})
}
