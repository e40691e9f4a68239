package mailer

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// TestWhatTheDelivererAdds checks the common parts of all editions as sent: the return path, the list fields, and a
// signature that covers them.
func TestWhatTheDelivererAdds(t *testing.T) {
	key, err := NewDKIMKey("example.org", "", midnight)
	must(t, err)
	key.Active = true
	s := &sink{}
	q := newMemQueue(2, midnight)
	for _, r := range q.rows {
		r.LocalDate, r.Threaded = digest.Date{Year: 2026, Month: 11, Day: 20}, true
		r.DigestID = 42
	}
	l := s.deliverer(t, q)
	l.ReplyTo, l.ReturnPath, l.ComplaintsTo = "editor@example.org", "bounces@mail.example.org",
		"bounces@mail.example.org"
	l.Keys = func(context.Context) ([]digest.DKIMKey, error) { return []digest.DKIMKey{key}, nil }
	once(t, l, midnight)
	if n := len(s.messages()); n != 2 {
		t.Fatalf("%d messages", n)
	}
	for _, m := range s.messages() {
		msg := parse(t, []byte(m))
		for name, want := range map[string]string{
			"Reply-To":     "<editor@example.org>",
			"Feedback-Id":  "20261120:daily:example.org:" + senderID("example.org"),
			"References":   "<" + threadID(l.Signer, 42, "example.org") + ">",
			"Cfbl-Address": "bounces@mail.example.org; report=arf",
			"List-Help":    "", // not the page that unsubscribes
			"List-Id":      "Daily Digest <d42.digest.example.org>",
			"Date":         "Fri, 20 Nov 2026 01:00:00 +0100", // the time of queueing, in the reader's zone
		} {
			if got := msg.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		leave := "<mailto:" + digest.Tagged("bounces@mail.example.org", l.Signer.Sign(digest.ForUnsubscribeMail, 42))
		if got := msg.Header.Get("List-Unsubscribe"); !strings.Contains(got, leave) {
			t.Errorf("List-Unsubscribe %q has no %q", got, leave)
		}
		if got := msg.Header.Get("Dkim-Signature"); !strings.Contains(got, "d=example.org") {
			t.Errorf("DKIM-Signature %q", got)
		}
	}
	for id := range q.rows {
		want := "MAIL FROM:<" + digest.Tagged("bounces@mail.example.org",
			l.Signer.Sign(digest.ForBounce, int64(id))) + ">"
		if !strings.Contains(strings.Join(s.log, "\n"), want) {
			t.Errorf("no %s among\n%s", want, strings.Join(s.log, "\n"))
		}
	}
}

// TestKeysAreReadEachTime: the mailer reads the keys before each letter, uses changes, and sends unsigned mail without
// keys.
func TestKeysAreReadEachTime(t *testing.T) {
	key, err := NewDKIMKey("example.org", "s1", midnight)
	must(t, err)
	s := &sink{}
	q := newMemQueue(1, midnight)
	l := s.deliverer(t, q)
	var keys []digest.DKIMKey
	var keysErr error
	l.Keys = func(context.Context) ([]digest.DKIMKey, error) { return keys, keysErr }
	now := midnight
	send := func(want string) {
		t.Helper()
		now = now.Add(time.Minute)
		q.rows[1].State, q.rows[1].NextAt = digest.EditionReady, now
		once(t, l, now)
		messages := s.messages()
		if got := parse(t, []byte(messages[len(messages)-1])).Header.Get("Dkim-Signature"); !strings.Contains(got,
			want) || want == "" && got != "" {
			t.Errorf("signature %q, want %q", got, want)
		}
	}
	send("")
	key.Active = true
	keys = []digest.DKIMKey{key}
	send("s=s1")
	keys = nil
	send("")
	keysErr = errDown
	if _, err := l.Deliver(t.Context(), now); !errors.Is(err, errDown) {
		t.Error(err)
	}
	keysErr, keys = nil, []digest.DKIMKey{{Domain: "example.org", Selector: "s1", PrivateKey: []byte("broken"),
		Active: true}}
	q.rows[1].State = digest.EditionReady
	if _, err := l.Deliver(t.Context(), now); err == nil || q.row(1).State != digest.EditionReady {
		t.Errorf("a broken key: %v", err)
	}
}

func TestReturnPathIsChecked(t *testing.T) {
	q := newMemQueue(1, midnight)
	l := new(sink).deliverer(t, q)
	for _, bad := range []string{"nobody", "Bounces <b@example.org>", "a@b\r\nc"} {
		l.ReturnPath = bad
		if _, err := l.Deliver(t.Context(), midnight); err == nil ||
			!strings.Contains(err.Error(), "DIGEST_RETURN_PATH") || q.row(1).Attempt != 0 {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestMessagesAheadAreBounded: messages are composed ahead of the connections, but only for one batch.
func TestMessagesAheadAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &sink{answer: func(c string, _ int) string {
			if c == "MAIL" {
				<-release
			}
			return ""
		}}
		tr := s.dialed()
		q := newMemQueue(2000, midnight)
		l := testDeliverer(t, q, tr)
		l.Route.Connections, l.Batch = 2, 10+runtime.GOMAXPROCS(0)
		var printed atomic.Int64
		l.Renderer = renderFunc(func(ds []digest.Delivery) ([]Letter, error) {
			printed.Add(int64(len(ds)))
			return renderAll(ds)
		})
		done := make(chan Stats)
		go func() { done <- once(t, l, midnight) }()
		synctest.Wait()
		if n := int(printed.Load()); n != 2*l.Batch {
			t.Errorf("%d messages were printed while none had gone", n)
		}
		close(release)
		if got := <-done; got != (Stats{Sent: 2000}) {
			t.Errorf("%+v", got)
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}
