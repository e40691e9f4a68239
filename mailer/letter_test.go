package mailer

import (
	"bytes"
	"context"
	"errors"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
)

func someLetter() Letter {
	return Letter{
		MessageID: "l.ABC@example.org", To: "ann@example.net", Date: time.Date(2026, 11, 20, 12, 0, 0, 5, time.UTC),
		Subject: "Your sign-in link", HTML: "<p>Press</p>", Text: "Press",
	}
}

func newSender(t *testing.T, setting string) *Sender {
	transport, err := Open(setting, Options{})
	must(t, err)
	t.Cleanup(func() { transport.Close() })
	return &Sender{
		Transport: transport, From: "Daily Digest <digest@example.org>", ReplyTo: "ada@example.org",
		Keys: func(context.Context) ([]digest.DKIMKey, error) { return []digest.DKIMKey{testKey(t)}, nil },
	}
}

// TestLetterIsNoBulk: a single letter is signed, has its own From, and no fields of mailing lists.
func TestLetterIsNoBulk(t *testing.T) {
	s := &sink{}
	c := newSender(t, s.listen(t))
	c.ReturnPath = "bounces@example.org"
	must(t, c.Send(t.Context(), someLetter()))
	got := s.messages()
	if len(got) != 1 {
		t.Fatalf("%d messages", len(got))
	}
	if _, err := verify(t, testKey(t), []byte(got[0])); err != nil {
		t.Errorf("signature: %v", err)
	}
	m, err := mail.ReadMessage(strings.NewReader(got[0]))
	must(t, err)
	for name, want := range map[string]string{
		"From": `"Daily Digest" <digest@example.org>`, "To": "<ann@example.net>", "Reply-To": "<ada@example.org>",
		"Subject":        "Your sign-in link",
		"Auto-Submitted": "auto-generated", "Date": "Fri, 20 Nov 2026 12:00:00 +0000",
		"Message-Id": "<l.ABC@example.org>",
		"Precedence": "", "List-Unsubscribe": "", "List-Id": "", "List-Unsubscribe-Post": "", "Feedback-Id": "",
		"X-Auto-Response-Suppress": "All",
	} {
		if got := m.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(m.Header.Get("Content-Type"), "multipart/alternative") {
		t.Errorf("Content-Type %q", m.Header.Get("Content-Type"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if log := strings.Join(s.log, "\n"); !strings.Contains(log, "MAIL FROM:<bounces@example.org>") ||
		!strings.Contains(log, "RCPT TO:<ann@example.net>") {
		t.Errorf("the envelope was\n%s", log)
	}
}

// TestLetterKinds checks which errors allow another attempt.
func TestLetterKinds(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want digest.Kind
	}{
		"no such mailbox":   {refusedAt(StageRcpt, 550, "5.1.1", "nobody"), digest.Invalid},
		"greylisted":        {refusedAt(StageRcpt, 451, "4.7.1", "later"), digest.Unavailable},
		"refused":           {refusedAt(StageDot, 554, "5.7.1", "no"), digest.Invalid},
		"sender refused":    {refusedAt(StageMail, 550, "5.7.1", "no"), digest.Unavailable},
		"nobody there":      {&NotAcceptedError{Stage: StageConnect}, digest.Unavailable},
		"in doubt":          {&InDoubtError{Err: errNoAnswer}, digest.Unavailable},
		"cannot be written": {&NotAcceptedError{Stage: StageCompose}, digest.Invalid},
	} {
		if got := letterKind(c.err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	address, header := someLetter(), someLetter()
	address.To, header.MessageID = "a@example.net\r\nBcc: b@example.net", "a\r\nBcc: b@example.net"
	for _, l := range []Letter{address, header} {
		if err := newSender(t, new(sink).listen(t)).Send(t.Context(), l); digest.KindOf(err) != digest.Invalid {
			t.Errorf("to %q, ID %q: %v", l.To, l.MessageID, err)
		}
	}
}

func TestLetterWithoutKeys(t *testing.T) {
	dir := t.TempDir()
	c := newSender(t, "maildir:"+dir)
	c.Keys = func(context.Context) ([]digest.DKIMKey, error) { return nil, errors.New("the disk is gone") }
	if err := c.Send(t.Context(), someLetter()); digest.KindOf(err) != digest.Unavailable {
		t.Errorf("without keys: %v", err)
	}
	c.Keys = nil
	for range 2 { // the second time replaces the file
		must(t, c.Send(t.Context(), someLetter()))
	}
	files, err := filepath.Glob(filepath.Join(dir, "new", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil || bytes.Contains(b, []byte("DKIM")) {
		t.Errorf("%v\n%s", err, b)
	}
}

// TestLetterOfANewsletter: an issue has its publisher's name and the list's own identifiers. Its address is one for
// which this instance may sign.
func TestLetterOfANewsletter(t *testing.T) {
	d := &Deliverer{Sender: &Sender{From: "Daily Digest <digest@example.org>", ReplyTo: "help@example.org"},
		Signer: digest.NewSigner([]byte("0123456789abcdef"))}
	e := digest.Delivery{Edition: digest.Edition{ID: 1, DigestID: 2,
		LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20}}, Email: "mo@example.net", TimeZone: "UTC"}
	for _, c := range []struct {
		newsletter                     *digest.Newsletter
		from, reply, list, feedbackFor string
	}{
		{nil, "Daily Digest <digest@example.org>", "help@example.org", "d2.digest.example.org", "daily"},
		{&digest.Newsletter{ID: 7, Name: "Anna writes", FromName: "Anna, of the \"Boats\"\r\nBcc: x@example.org",
			ReplyTo: "anna@example.com"},
			`"Anna, of the \"Boats\" Bcc: x@example.org" <digest@example.org>`, "anna@example.com",
			"n7.newsletter.example.org", "n7"},
	} {
		e.Newsletter = c.newsletter
		l := d.complete(Letter{Subject: "s", Text: "t"}, e, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
		if l.From != c.from || l.ReplyTo != c.reply || l.ListID != c.list ||
			!strings.HasPrefix(l.FeedbackID, "20261120:"+c.feedbackFor+":") {
			t.Errorf("%+v", l)
		}
		mustCompose(t, l)
	}
}
