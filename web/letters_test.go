package web_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"digest/mailer"
)

// openOutbox starts an outbox that delivers to a Maildir.
func (r *room) openOutbox() *mailer.Outbox {
	transport, err := mailer.Open("maildir:"+r.mail, mailer.Options{})
	r.must(err)
	r.outbox = mailer.NewOutbox(mailer.OutboxOptions{
		Sender:     &mailer.Sender{Transport: transport, From: "Daily Digest <digest@example.org>"},
		Suppressed: r.store.Editions.Suppressed,
		Now:        func() time.Time { return r.now }, Log: slog.New(slog.NewTextHandler(&r.letterLog, nil)),
	})
	b := r.outbox
	r.t.Cleanup(func() { b.Close(context.Background()) })
	return b
}

// A letter is a delivered email.
type letter struct {
	mail.Header
	to, subject string
	text, html  string
	token       string // token of its link
}

// letters returns the emails since the last call, by recipient.
func (r *room) letters() []letter {
	r.t.Helper()
	r.outbox.Wait()
	files, err := filepath.Glob(filepath.Join(r.mail, "new", "*"))
	r.must(err)
	var all []letter
	for _, name := range files {
		f, err := os.Open(name)
		r.must(err)
		all = append(all, r.read(f))
		r.must(f.Close())
		r.must(os.Remove(name))
	}
	slices.SortFunc(all, func(a, b letter) int { return strings.Compare(a.to, b.to) })
	return all
}

// letter returns the only new email.
func (r *room) letter() letter {
	r.t.Helper()
	all := r.letters()
	if len(all) != 1 {
		r.t.Fatalf("%d letters came, want one\n%s", len(all), r.letterLog.String())
	}
	return all[0]
}

// noLetter fails the test if there is a new email.
func (r *room) noLetter() {
	r.t.Helper()
	for _, l := range r.letters() {
		r.t.Fatalf("%q came to %s", l.subject, l.to)
	}
}

func (r *room) read(f io.Reader) letter {
	r.t.Helper()
	m, err := mail.ReadMessage(f)
	r.must(err)
	l := letter{Header: m.Header, to: strings.Trim(m.Header.Get("To"), "<>"), subject: m.Header.Get("Subject")}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	r.must(err)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, into := range []*string{&l.text, &l.html} {
		p, err := parts.NextPart()
		r.must(err)
		b, err := io.ReadAll(p)
		r.must(err)
		*into = string(b)
	}
	_, rest, _ := strings.Cut(l.text, "token=")
	l.token, _, _ = strings.Cut(rest, "\n")
	l.token = strings.TrimSpace(l.token)
	return l
}

// A lockedBuffer is a log for concurrent writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
