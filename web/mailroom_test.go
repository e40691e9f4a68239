package web

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/render"
)

// A slowPost takes letters as it is told, and is its own ledger.
type slowPost struct {
	mu           sync.Mutex
	errs         []error // what the attempts meet, in order
	at           []time.Duration
	ids          map[string]bool
	began        time.Time
	sent, unsent int
	suppressed   bool
}

func (p *slowPost) NewID() string { return time.Now().String() }

func (p *slowPost) Carry(_ context.Context, e Envelope) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.ids[e.ID] = append(p.at, time.Since(p.began)), true
	if len(p.errs) == 0 {
		return nil
	}
	err := p.errs[0]
	p.errs = p.errs[1:]
	return err
}

func (p *slowPost) LetterSent(context.Context, int64, time.Time) error { p.sent++; return nil }
func (p *slowPost) LetterUnsent(context.Context, int64) error          { p.unsent++; return nil }
func (p *slowPost) Suppressed(context.Context, string) (digest.Suppression, bool, error) {
	return digest.Suppression{}, p.suppressed, nil
}

func anErrand(lost *int) errand {
	return errand{knock: 1, write: func(context.Context) (string, render.Letter, bool, error) {
		return "ann@example.org", render.Letter{Title: "A letter"}, true, nil
	}, lost: func(context.Context) error { *lost++; return nil }}
}

// TestMailroomPatience holds how often a letter is tried, and what becomes of
// the allowance.
func TestMailroomPatience(t *testing.T) {
	later := &digest.Error{Kind: digest.Unavailable, Message: "later"}
	never := &digest.Error{Kind: digest.Invalid, Message: "never"}
	for name, c := range map[string]struct {
		errs         []error
		tries        int
		sent, unsent int
	}{
		"at once":     {nil, 1, 1, 0},
		"greylisted":  {[]error{later, later, later}, 4, 1, 0},
		"not at all":  {[]error{later, later, later, later, later, later}, 5, 0, 1},
		"no mailbox":  {[]error{never}, 1, 0, 1},
		"unknown":     {[]error{errors.New("x")}, 2, 1, 0},
		"then no one": {[]error{later, never}, 2, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &slowPost{errs: c.errs, ids: map[string]bool{}, began: time.Now()}
			m := NewMailroom(MailroomOptions{Ledger: p, Courier: p})
			lost := 0
			m.take(anErrand(&lost))
			m.Wait()
			if len(p.at) != c.tries || p.sent != c.sent || p.unsent != c.unsent || lost != c.unsent || len(p.ids) != 1 {
				t.Errorf("%s: tried at %v, %d sent, %d unsent, %d lost, as %d letters", name, p.at, p.sent, p.unsent, lost, len(p.ids))
			}
			if took := time.Since(p.began); took > 45*time.Minute {
				t.Errorf("%s: it took %s, longer than a knock counts", name, took)
			}
			m.Close(t.Context())
		})
	}
}

// TestMailroomCloses gives up what waits, and what comes too late or in too
// great a crowd.
func TestMailroomCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slowPost{errs: []error{errors.New("later")}, ids: map[string]bool{}, began: time.Now()}
		m := NewMailroom(MailroomOptions{Ledger: p, Courier: p})
		lost := 0
		m.take(anErrand(&lost))
		synctest.Wait()
		m.Close(t.Context())
		if time.Since(p.began) != 0 || lost != 1 || p.unsent != 1 {
			t.Errorf("after %s: %d lost, %d unsent", time.Since(p.began), lost, p.unsent)
		}
		m.take(anErrand(&lost))
		if m.Wait(); len(p.at) != 1 {
			t.Errorf("a closed mailroom carried a letter")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := &slowPost{suppressed: true, ids: map[string]bool{}, began: time.Now()}
		m := NewMailroom(MailroomOptions{Ledger: p, Courier: p})
		lost := 0
		m.take(anErrand(&lost))
		if m.Wait(); len(p.at) != 0 {
			t.Error("a suppressed address was mailed")
		}
		m.Close(t.Context())
	})
}
