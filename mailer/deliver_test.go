package mailer

import (
	"context"
	"errors"
	"log/slog"
	"net/mail"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

var midnight = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) // never changed

func testDeliverer(t testing.TB, q Queue, tr Transport) *Deliverer {
	return &Deliverer{
		Queue: q, Renderer: renderFunc(renderAll), Signer: digest.NewSigner([]byte("0123456789abcdef")),
		Sender: &Sender{Transport: tr, From: "Daily Digest <digest@example.org>"},
		Log:    slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// deliverer returns a Deliverer of a queue that sends to the sink.
func (s *sink) deliverer(t testing.TB, q Queue) *Deliverer {
	t.Helper()
	return testDeliverer(t, q, openTest(t, s.listen(t), Options{}))
}

// states counts editions by their state.
type states map[digest.EditionState]int

func once(t *testing.T, l *Deliverer, now time.Time) Stats {
	t.Helper()
	s, err := l.Deliver(t.Context(), now)
	must(t, err)
	return s
}

// recipients counts the accepted messages of a sink by reader, and checks that each is complete.
func recipients(t *testing.T, messages []string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, m := range messages {
		msg, err := mail.ReadMessage(strings.NewReader(m))
		if err != nil || !strings.HasSuffix(m, "--\r\n") {
			t.Errorf("half a message: %v\n%s", err, m)
			continue
		}
		n[msg.Header.Get("To")]++
	}
	return n
}

func wantStates(t *testing.T, q *memQueue, want states) {
	t.Helper()
	got := q.states()
	for state, n := range want {
		if got[state] != n {
			t.Errorf("%d %s, want %d: %v", got[state], state, n, got)
		}
	}
}

func TestOnceDeliversEverything(t *testing.T) {
	s := &sink{}
	q := newMemQueue(250, midnight)
	l := testDeliverer(t, q, openTest(t, s.listen(t), Options{PerConn: 1000}))
	if got := once(t, l, midnight); got != (Stats{Sent: 250}) {
		t.Errorf("%+v", got)
	}
	wantStates(t, q, states{digest.EditionSent: 250})
	for to, n := range recipients(t, s.messages()) {
		if n != 1 {
			t.Errorf("%s has %d", to, n)
		}
	}
	if s.seen("EHLO") > 4 {
		t.Errorf("%d connections for 4 senders", s.seen("EHLO"))
	}
	if row := q.row(1); row.Reply != "250 2.0.0 queued" || !row.SentAt.Equal(midnight) || row.MessageID == "" {
		t.Errorf("%+v", row)
	}
	if again := once(t, l, midnight.Add(24*time.Hour)); again != (Stats{}) {
		t.Errorf("a second run did %+v", again)
	}
}

// TestGroups: if commits are slow, connections share them.
func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: func(string, int) string { time.Sleep(time.Millisecond); return "" }}
		tr := newSMTP(server{host: "mail.example.org", port: 25, security: plain}, Options{Dial: s.dial, PerConn: 1000})
		q := newMemQueue(400, midnight)
		q.cost = 4 * time.Millisecond
		l := testDeliverer(t, q, tr)
		l.Route.Connections = 16
		start := time.Now()
		if got := once(t, l, midnight); got != (Stats{Sent: 400}) {
			t.Errorf("%+v", got)
		}
		// Without groups this would be 800 commits in 3.2 s.
		if took := time.Since(start); q.commits > 200 || took > time.Second {
			t.Errorf("%d commits for 400 messages in %s", q.commits, took)
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}

func TestJitter(t *testing.T) {
	s := &sink{answer: always("RCPT", "450 later")}
	q := newMemQueue(1, midnight)
	l := s.deliverer(t, q)
	l.Jitter = func(d time.Duration) time.Duration { return -d / 10 }
	now := midnight
	// At least 5 minutes, which passes the usual greylist.
	for _, want := range []time.Duration{330 * time.Second, 9 * time.Minute, 18 * time.Minute} {
		once(t, l, now)
		next := q.row(1).NextAt
		if next.Sub(now) != want {
			t.Errorf("%s, want %s", next.Sub(now), want)
		}
		now = next.Add(time.Hour) // a pause of the domain has ended
	}
}

// TestDateOfRetries: a late retry that was certainly not accepted gets a new Date. Its Message-ID stays the same.
func TestDateOfRetries(t *testing.T) {
	s := &sink{answer: func(c string, n int) string {
		if c == "RCPT" && n <= 2 {
			return "450 later"
		}
		return ""
	}}
	q := newMemQueue(1, midnight)
	l := s.deliverer(t, q)
	for _, at := range []time.Duration{0, time.Hour, 3 * time.Hour} {
		once(t, l, midnight.Add(at))
	}
	msg := parse(t, []byte(s.messages()[0]))
	if got := msg.Header.Get("Date"); got != "Fri, 20 Nov 2026 04:00:00 +0100" {
		t.Error(got)
	}
	if got := msg.Header.Get("Message-Id"); got != "<"+MessageID(l.Signer, 1, "example.org")+">" {
		t.Error(got)
	}
	for _, test := range []struct {
		name    string
		date    time.Time
		inDoubt bool
		late    time.Duration
		want    time.Duration
	}{
		{"never queued", time.Time{}, false, 0, 0},
		{"first", midnight, false, 0, 0},
		{"soon", midnight, false, 2 * time.Hour, 0},
		{"late", midnight, false, 2*time.Hour + time.Second, 2*time.Hour + time.Second},
		{"late but in doubt", midnight, true, 5 * time.Hour, 0}, // receivers detect duplicates by Date and Message-ID
	} {
		d := digest.Delivery{Edition: digest.Edition{Date: test.date}, WasInDoubt: test.inDoubt}
		if got := dateOf(d, midnight.Add(test.late)).Sub(midnight); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestInDoubtIsSentOnceMore: an edition in doubt is sent a second time after a delay, with the same bytes, and never a
// third time.
func TestInDoubtIsSentOnceMore(t *testing.T) {
	s := &sink{answer: always("DOT", hangUp)}
	var dots []string
	q := newMemQueue(1, midnight)
	tr := openTest(t, s.listen(t), Options{})
	l := testDeliverer(t, q, recorder{tr, &dots})
	if got := once(t, l, midnight); got != (Stats{InDoubt: 1}) || q.row(1).State != digest.EditionInDoubt {
		t.Errorf("%+v, %s", got, q.row(1).State)
	}
	if got := once(t, l, midnight.Add(14*time.Minute)); got != (Stats{}) {
		t.Errorf("too soon: %+v", got)
	}
	if got := once(t, l, midnight.Add(15*time.Minute)); got != (Stats{Unconfirmed: 1}) ||
		q.row(1).State != digest.EditionUnconfirmed {
		t.Errorf("%+v, %s", got, q.row(1).State)
	}
	if got := once(t, l, midnight.Add(15*time.Hour)); got != (Stats{}) {
		t.Errorf("a third time: %+v", got)
	}
	if len(dots) != 2 || dots[0] != dots[1] {
		t.Errorf("%d sendings, or they differ:\n%s", len(dots), strings.Join(dots, "\n\n"))
	}
}

// TestDoubtOutlivesARetry: an edition remains in doubt if its second attempt is delayed.
func TestDoubtOutlivesARetry(t *testing.T) {
	s := &sink{answer: func(c string, n int) string {
		switch {
		case c == "DOT" && n == 1:
			return hangUp
		case c == "RCPT" && n == 2:
			return "450 later"
		}
		return ""
	}}
	var dots []string
	q := newMemQueue(1, midnight)
	l := testDeliverer(t, q, recorder{openTest(t, s.listen(t), Options{}), &dots})
	for _, at := range []time.Duration{0, time.Hour, 5 * time.Hour} {
		once(t, l, midnight.Add(at))
	}
	if q.row(1).State != digest.EditionSent || len(dots) != 2 || dots[0] != dots[1] {
		t.Errorf("%s, %d dots", q.row(1).State, len(dots))
	}
}

// A recorder stores the messages that reached their dot.
type recorder struct {
	Transport
	dots *[]string
}

func (r recorder) Send(ctx context.Context, e Envelope, m []byte, beforeDot func(context.Context) error) (Reply,
	error) {
	return r.Transport.Send(ctx, e, m, func(ctx context.Context) error {
		*r.dots = append(*r.dots, string(m))
		return beforeDot(ctx)
	})
}

func TestUnprintable(t *testing.T) {
	s := &sink{}
	q := newMemQueue(10, midnight)
	l := s.deliverer(t, q)
	l.Renderer = renderFunc(func(ds []digest.Delivery) ([]Letter, error) {
		for _, d := range ds {
			if d.ID == 3 {
				return nil, errors.New("a post is missing")
			}
		}
		return renderAll(ds)
	})
	q.rows[7].Email = "nobody\r\nat all"
	q.rows[8].ExpiresAt = midnight
	if got := once(t, l, midnight); got != (Stats{Sent: 7, Failed: 2, Retried: 1}) {
		t.Errorf("%+v", got)
	}
	if row := q.row(3); row.State != digest.EditionReady || !strings.Contains(row.Error, "a post is missing") {
		t.Errorf("%+v", row)
	}
	wantStates(t, q, states{digest.EditionFailed: 1, digest.EditionExpired: 1})
}

func TestQueueIsDown(t *testing.T) {
	s := &sink{}
	q := newMemQueue(10, midnight)
	l := s.deliverer(t, q)
	l.Renderer = renderFunc(func(ds []digest.Delivery) ([]Letter, error) {
		q.mu.Lock()
		q.down = true // between the claim and the first dot
		q.mu.Unlock()
		return renderAll(ds)
	})
	if _, err := l.Deliver(t.Context(), midnight); !errors.Is(err, errDown) {
		t.Error(err)
	}
	if n := len(s.messages()); n != 0 {
		t.Errorf("%d messages were ended without a commit", n)
	}
}

// TestFencing: a worker whose lease went to another must not send.
func TestFencing(t *testing.T) {
	s := &sink{}
	q := newMemQueue(10, midnight)
	l := s.deliverer(t, q)
	l.Renderer = renderFunc(func(ds []digest.Delivery) ([]Letter, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, r := range q.rows {
			r.Token = "another"
		}
		return renderAll(ds)
	})
	if got := once(t, l, midnight); got != (Stats{}) {
		t.Errorf("%+v", got)
	}
	wantStates(t, q, states{digest.EditionLeased: 10})
	if len(s.messages()) != 0 {
		t.Error("sent what another has")
	}
}

func TestLoopIntoMaildir(t *testing.T) {
	tr, dir := openDir(t)
	q := newMemQueue(20, midnight)
	l := testDeliverer(t, q, tr)
	if got := once(t, l, midnight); got != (Stats{Sent: 20}) || len(files(t, dir)) != 20 {
		t.Errorf("%+v, %d files", got, len(files(t, dir)))
	}
	// The state after a kill between the rename and its mark.
	q.mu.Lock()
	for _, r := range q.rows {
		r.State, r.dotAt = digest.EditionDotting, midnight
	}
	q.mu.Unlock()
	if got := once(t, l, midnight.Add(15*time.Minute)); got != (Stats{Sent: 20}) || len(files(t, dir)) != 20 {
		t.Errorf("%+v, %d files", got, len(files(t, dir)))
	}
}
