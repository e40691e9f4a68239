package acceptance

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"digest/store/storetest"
	"digest/test/tier"
)

// A sink is a mail server that stores all messages.
type sink struct {
	t       *testing.T
	address string

	mu       sync.Mutex
	accepted []letter
	// onDot is called for each message after its final dot, before the response.
	onDot  func(letter)
	refuse map[string]*smtp.SMTPError // by recipient
}

func newSink(t *testing.T) *sink {
	t.Helper()
	k := &sink{t: t}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.address = l.Addr().String()
	server := smtp.NewServer(k)
	server.Domain = "localhost"
	server.ErrorLog = log.New(io.Discard, "", 0) // about killed clients
	t.Cleanup(func() { server.Close() })
	go server.Serve(l)
	return k
}

// NewSession implements smtp.Backend.
func (k *sink) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{sink: k}, nil }

type session struct {
	*sink
	to []string
}

func (s *session) Reset()                               { s.to = nil }
func (s *session) Logout() error                        { return nil }
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	refusal := s.refuse[to]
	s.mu.Unlock()
	if refusal != nil {
		return refusal
	}
	s.to = append(s.to, to)
	return nil
}

// Data accepts a message after its dot, even if the client has died.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err // no dot: nothing was sent
	}
	l := readLetter(s.t, raw)
	if len(s.to) != 1 || s.to[0] != l.to {
		s.t.Errorf("a mail to %s was addressed to %v", l.to, s.to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepted = append(s.accepted, l)
	if s.onDot != nil {
		s.onDot(l)
	}
	return nil
}

func (k *sink) take() []letter {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.accepted
	k.accepted = nil
	return l
}

func (k *sink) set(onDot func(letter)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.onDot = onDot
}

// mailTo sends a scene's mail to a sink instead of its Maildir.
func (s *scene) mailTo(k *sink) { s.house.set("DIGEST_MAIL=smtp+insecure://" + k.address) }

// TestKillSMTP kills the hourly job during its mail sessions: at random times, and at the worst one, between the
// final dot and the response. A message in doubt arrives a second time, with the same Message-ID and Date; no other
// does. Every second hour has no kills, because a message twice in doubt is not sent a third time.
func TestKillSMTP(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, 20)
		r := newReaper(s, 20260328)
		k := newSink(t)
		s.mailTo(k)
		s.populate(10)
		dots := 0
		for now := begin().Add(time.Hour); now.Before(begin().Add(90 * time.Hour)); now = now.Add(time.Hour) {
			s.set(now)
			if now.Hour()%2 == 0 && now.Before(begin().Add(50*time.Hour)) {
				dots += r.killAtDot(k)
				r.interrupt(2, "--now", instant(now), "tick")
			}
			s.tick(now)
			letters := k.take()
			s.checkInTime(letters)
			s.inbox.letters = append(s.inbox.letters, letters...)
		}
		twice := s.dropResent()
		s.checkPromise()
		s.checkGaps(r.deaths...)
		if dots == 0 || twice == 0 {
			t.Errorf("%d kills at the dot, %d messages sent again: nothing was in doubt", dots, twice)
		}
		const connections = 4
		if most := connections * (dots + r.killed); twice > most {
			t.Errorf("%d messages came twice; at most %d were in doubt", twice, most)
		}
		t.Logf("%d killed at the dot, %d elsewhere, %d messages came twice, %d mails", dots, r.killed, twice,
			len(s.inbox.letters))
	})
}

// killAtDot kills a tick when its first message has arrived, and returns the number of messages. The server responds
// to no dot while the program runs.
func (r *reaper) killAtDot(k *sink) (dots int) {
	r.t.Helper()
	ctx, kill := context.WithCancel(r.t.Context())
	defer kill()
	dead := make(chan struct{})
	k.set(func(letter) { dots = 1; kill(); <-dead })
	r.try(ctx, "--now", instant(r.now), "tick")
	r.deaths = append(r.deaths, r.now)
	close(dead)
	k.set(nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	return dots
}

// dropResent removes second copies from the letters, and returns their number.
func (s *scene) dropResent() (twice int) {
	s.t.Helper()
	first := map[string]letter{}
	var once []letter
	for _, l := range s.inbox.letters {
		before, again := first[l.id]
		if !again {
			first[l.id] = l
			once = append(once, l)
			continue
		}
		twice++
		if !before.date.Equal(l.date) || before.to != l.to || before.subject != l.subject ||
			!maps.Equal(before.posts, l.posts) {
			s.t.Errorf("%s was sent again as another message: %q of %s, then %q of %s", l.id, before.subject,
				before.date, l.subject, l.date)
		}
	}
	if most := 2; len(s.inbox.letters) > 0 {
		copies := map[string]int{}
		for _, l := range s.inbox.letters {
			if copies[l.id]++; copies[l.id] > most {
				s.t.Errorf("%s (%q to %s) was sent %d times", l.id, l.subject, l.to, copies[l.id])
			}
		}
	}
	s.inbox.letters = once
	return twice
}

// TestInDoubtTwice checks that a message that is twice in doubt is not sent a third time.
func TestInDoubtTwice(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		s := newScene(t, database, 1)
		r := newReaper(s, 1)
		k := newSink(t)
		s.mailTo(k)
		s.join("reader@example.org", "UTC", 0, 1)
		copies := map[string]int{}
		for now := begin().Add(18 * time.Hour); now.Before(begin().Add(40 * time.Hour)); now = now.Add(time.Hour) {
			s.set(now)
			r.killAtDot(k)
			for _, l := range k.take() {
				copies[l.id]++
			}
		}
		if len(copies) != 1 {
			t.Errorf("%d messages, want 1", len(copies))
		}
		for id, n := range copies {
			if n != 2 {
				t.Errorf("%s was sent %d times, want 2", id, n)
			}
		}
	})
}

// TestRefusals checks that permanent and temporary refusals of two readers are distinguished, and do not affect
// others.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newScene(t, storetest.SQLite(t), 3)
	k := newSink(t)
	s.mailTo(k)
	for i := range 4 {
		s.join(fmt.Sprintf("reader%d@example.org", i), "UTC", 0, 1)
	}
	k.refuse = map[string]*smtp.SMTPError{
		"reader1@example.org": {Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"},
		"reader2@example.org": {Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted"},
	}
	midnight := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
	s.set(midnight)
	if sum := s.tick(midnight); sum.Editions != 4 || sum.Sent != 2 || sum.FailedMail != 1 {
		t.Errorf("%+v, want 4 editions, 2 sent and 1 failed", sum)
	}
	k.mu.Lock()
	delete(k.refuse, "reader2@example.org")
	k.mu.Unlock()
	s.set(midnight.Add(time.Hour))
	if sum := s.tick(s.now); sum.Sent != 1 || sum.FailedMail != 0 {
		t.Errorf("an hour later: %+v, want the greylisted one sent and no more", sum)
	}
	var to []string
	for _, l := range k.take() {
		to = append(to, strings.TrimSuffix(l.to, "@example.org"))
	}
	if len(to) != 3 || to[2] != "reader2" {
		t.Errorf("mail went to %v", to)
	}
}
