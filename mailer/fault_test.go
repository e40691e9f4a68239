package mailer

import (
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// A fault is the server's reply to the only message, with the expected result.
type fault struct {
	command, reply string

	state    digest.EditionState
	attempts int
	bounce   digest.BounceKind // of the mark
	route    string            // "", "waits" or "alarm"
	domain   string            // "", "slow" or "paused"
	accepted int               // number of messages that the server accepted in the end
}

func faults() map[string]fault {
	const ready, sent, failed = digest.EditionReady, digest.EditionSent, digest.EditionFailed
	const hard = digest.HardBounce
	return map[string]fault{
		"no banner":             {"BANNER", hangUp, ready, 0, "", "waits", "", 1},
		"banner 4xx":            {"BANNER", "421 busy", ready, 0, "", "waits", "", 1},
		"banner 5xx":            {"BANNER", "554 closed", ready, 0, "", "waits", "", 1},
		"banner garbage":        {"BANNER", "\x00\xff", ready, 0, "", "waits", "", 1},
		"hello dropped":         {"EHLO", hangUp, ready, 0, "", "waits", "", 1},
		"sender dropped":        {"MAIL", hangUp, ready, 1, "", "", "", 1},
		"sender 4xx":            {"MAIL", "451 4.3.0 later", ready, 0, "", "waits", "", 1},
		"sender 421":            {"MAIL", "421 4.7.0 later", ready, 0, "", "waits", "", 1},
		"sender 5xx":            {"MAIL", "550 5.7.1 not you", ready, 0, "", "alarm", "", 1},
		"sender garbage":        {"MAIL", "what?", ready, 1, "", "", "", 1},
		"recipient dropped":     {"RCPT", hangUp, ready, 1, "", "", "", 1},
		"recipient greylisted":  {"RCPT", "450 4.2.0 greylisted", ready, 1, "", "", "", 1},
		"recipient 4xx":         {"RCPT", "450 later", ready, 1, "", "", "", 1},
		"recipient full":        {"RCPT", "452 4.2.2 full", ready, 1, "", "", "", 1},
		"recipient system":      {"RCPT", "451 4.3.0 disk", ready, 1, "", "", "paused", 1},
		"recipient rate":        {"RCPT", "450 4.7.0 too many", ready, 1, "", "", "paused", 1},
		"recipient 421":         {"RCPT", "421 4.7.0 too many", ready, 0, "", "waits", "", 1},
		"recipient 552":         {"RCPT", "552 5.2.2 full", ready, 1, "", "", "", 1},
		"nobody there":          {"RCPT", "550 5.1.1 no such user", failed, 1, hard, "", "", 0},
		"nobody there, bare":    {"RCPT", "550 no such user", failed, 1, hard, "", "", 0},
		"recipient policy":      {"RCPT", "550 5.7.1 blocked", failed, 1, "", "", "", 0},
		"recipient unsigned":    {"RCPT", "550 5.7.26 unauthenticated", ready, 0, "", "alarm", "", 1},
		"recipient garbage":     {"RCPT", "what?", ready, 1, "", "", "", 1},
		"data dropped":          {"DATA", hangUp, ready, 1, "", "", "", 1},
		"data 4xx":              {"DATA", "451 4.3.0 disk", ready, 1, "", "", "paused", 1},
		"data 5xx":              {"DATA", "554 5.6.0 no", failed, 1, "", "", "", 0},
		"data 421":              {"DATA", "421 4.3.2 down", ready, 0, "", "waits", "", 1},
		"body dropped":          {"BODY", hangUp, ready, 1, "", "", "", 1},
		"body 4xx":              {"BODY", "451 4.4.2 too slow", ready, 1, "", "", "paused", 1},
		"body 5xx":              {"BODY", "554 5.6.0 no", ready, 1, "", "", "", 1},
		"body 421":              {"BODY", "421 4.3.2 down", ready, 0, "", "waits", "", 1},
		"body garbage":          {"BODY", "what?", ready, 1, "", "", "", 1},
		"dot 4xx":               {"DOT", "452 4.3.1 disk", ready, 1, "", "", "paused", 1},
		"dot 421":               {"DOT", "421 4.3.2 down", ready, 0, "", "waits", "", 1},
		"dot 5xx":               {"DOT", "554 5.7.1 spam", failed, 1, "", "", "", 0},
		"dot 5xx full":          {"DOT", "552 5.2.2 full", failed, 1, digest.SoftBounce, "", "", 0},
		"dot unsigned":          {"DOT", "550 5.7.515 unauthenticated", ready, 0, "", "alarm", "", 1},
		"dot dropped":           {"DOT", hangUp, digest.EditionInDoubt, 1, "", "", "", 1},
		"dot taken and dropped": {"DOT", takeAndHangUp, digest.EditionInDoubt, 1, "", "", "", 2},
		"dot garbage":           {"DOT", "what?", digest.EditionInDoubt, 1, "", "", "", 1},
		"dot goes on":           {"DOT", "354 go on", digest.EditionInDoubt, 1, "", "", "", 1},
		"goodbye refused":       {"QUIT", hangUp, sent, 1, "", "", "", 1},
	}
}

// TestFaultsOfTheDeliverer checks every fault at every stage: its effects on the edition, the address, the route and
// the domain. The edition arrives when the fault is over.
func TestFaultsOfTheDeliverer(t *testing.T) {
	for name, f := range faults() {
		for _, plain := range []bool{false, true} {
			var over atomic.Bool
			s := &sink{plain: plain, answer: func(c string, _ int) string {
				if c == f.command && !over.Load() {
					return f.reply
				}
				return ""
			}}
			q := newMemQueue(1, midnight)
			l := s.deliverer(t, q)
			once(t, l, midnight)
			row := q.row(1)
			if row.State != f.state || row.Attempt != f.attempts {
				t.Errorf("%s (plain %v): %s after %d attempts, want %s after %d", name, plain, row.State, row.Attempt,
					f.state, f.attempts)
			}
			if kind := kindOf(q.bounces); kind != f.bounce {
				t.Errorf("%s: bounced %q, want %q", name, kind, f.bounce)
			}
			if got := laneTrouble(q.lanes[""], "waits"); got != f.route {
				t.Errorf("%s: the route %q, want %q", name, got, f.route)
			}
			if got := laneTrouble(q.lanes["example.org"], "slow"); got != f.domain {
				t.Errorf("%s: the domain %q, want %q", name, got, f.domain)
			}
			over.Store(true)
			once(t, l, midnight.Add(2*time.Hour))
			if n := len(s.messages()); n != f.accepted {
				t.Errorf("%s (plain %v): the server took %d, want %d", name, plain, n, f.accepted)
			}
			sameMessage(t, name, s.messages())
		}
	}
}

func kindOf(bounces []digest.Bounce) (kind digest.BounceKind) {
	for _, b := range bounces {
		kind += b.Kind
	}
	return kind
}

func laneTrouble(l digest.Lane, plain string) string {
	switch {
	case l.Alarm:
		return "alarm"
	case l.Width > 0 && !l.Until.IsZero():
		return "paused"
	case hasTrouble(l):
		return plain
	}
	return ""
}

// sameMessage checks that duplicates have one Message-ID and one Date, by which receivers recognise them, and are
// complete.
func sameMessage(t *testing.T, name string, messages []string) {
	t.Helper()
	var first mail.Header
	for _, m := range messages {
		msg, err := mail.ReadMessage(strings.NewReader(m))
		if err != nil || !strings.HasSuffix(m, "--\r\n") {
			t.Errorf("%s: half a message: %v", name, err)
			continue
		}
		if first == nil {
			first = msg.Header
		}
		for _, field := range []string{"Message-Id", "Date"} {
			if msg.Header.Get(field) != first.Get(field) {
				t.Errorf("%s: a second copy has %s %q, not %q", name, field, msg.Header.Get(field), first.Get(field))
			}
		}
	}
}

// TestDelaysOfTheDeliverer: the mailer waits for a slow server up to the limits of RFC 5321 §4.5.3.2, and sends no
// duplicates.
func TestDelaysOfTheDeliverer(t *testing.T) {
	for _, test := range []struct {
		command string
		delay   time.Duration
		state   digest.EditionState
	}{
		{"BANNER", 50 * time.Second, digest.EditionSent},
		{"BANNER", 2 * time.Minute, digest.EditionReady},
		{"MAIL", 4 * time.Minute, digest.EditionSent},
		{"RCPT", 4 * time.Minute, digest.EditionSent},
		{"DATA", 4 * time.Minute, digest.EditionSent},
		{"DOT", time.Minute, digest.EditionSent},
		{"DOT", 9 * time.Minute, digest.EditionSent},
		{"DOT", 11 * time.Minute, digest.EditionInDoubt},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &sink{answer: func(c string, n int) string {
				if c == test.command && n == 1 {
					time.Sleep(test.delay)
				}
				return ""
			}}
			tr := s.dialed()
			q := newMemQueue(1, time.Now())
			l := testDeliverer(t, q, tr)
			l.Now = time.Now
			once(t, l, time.Now())
			if got := q.row(1).State; got != test.state {
				t.Errorf("%s after %s: %s, want %s", test.command, test.delay, got, test.state)
			}
			if test.state == digest.EditionSent && len(s.messages()) != 1 {
				t.Errorf("%s after %s: the server took %d", test.command, test.delay, len(s.messages()))
			}
			tr.Close()
			time.Sleep(time.Hour)
		})
	}
}
