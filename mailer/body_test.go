package mailer

import (
	"math/rand/v2"
	"testing"
	"time"

	"digest"
)

// TestBodyIsNeverInDoubt breaks the connection in the body of half of all attempts. The server has accepted no message
// by then, so every edition arrives exactly once, and none becomes unconfirmed.
func TestBodyIsNeverInDoubt(t *testing.T) {
	for seed := range uint64(10) {
		s := &sink{answer: func(c string, n int) string {
			if c == "BODY" && rand.New(rand.NewPCG(seed, uint64(n))).IntN(2) == 0 {
				return hangUp
			}
			return ""
		}}
		q := newMemQueue(12, midnight)
		l := s.deliverer(t, q)
		for now := midnight; now.Before(midnight.Add(16 * time.Hour)); now = now.Add(10 * time.Minute) {
			once(t, l, now)
		}
		wantStates(t, q, states{digest.EditionSent: 12})
		if n := len(s.messages()); n != 12 {
			t.Errorf("seed %d: the server has %d messages, want 12", seed, n)
		}
	}
}

// TestRefusedDot: if the network accepts no byte of the dot, the message has no end. The mailer tries again.
func TestRefusedDot(t *testing.T) {
	s := &sink{}
	tr := openTest(t, s.listen(t), Options{})
	c, err := tr.connect(t.Context())
	must(t, err)
	e := wireEnvelope{from: "a@example.org", to: "b@example.org"}
	must(t, c.open(e, 1))
	c.conn.Conn.Close()
	if _, err := c.dot(); (Attempt{Err: err}).refusal() == nil {
		t.Errorf("%v, want a refusal: no byte of the dot was sent", err)
	}
}
