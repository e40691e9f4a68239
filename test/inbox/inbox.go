// Package inbox reads the program's emails like a mail program.
package inbox

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A Letter is an email as its recipient sees it.
type Letter struct {
	To, Subject, ID string
	Date            time.Time
	Header          mail.Header
	Text, HTML      string
	Raw             []byte
}

// Read parses a message with a text and an HTML part. The error names all faults; such a letter may be incomplete.
func Read(raw []byte) (l Letter, err error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Letter{Raw: raw}, fmt.Errorf("it cannot be read: %w", err)
	}
	l = Letter{Header: m.Header, ID: m.Header.Get("Message-Id"), Raw: raw}
	var badSubject, badDate, badTo error
	l.Subject, badSubject = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	l.Date, badDate = m.Header.Date()
	if to, err := m.Header.AddressList("To"); err != nil || len(to) != 1 {
		badTo = fmt.Errorf("its To: %q: %v", m.Header.Get("To"), err)
	} else {
		l.To = to[0].Address
	}
	return l, errors.Join(badSubject, badDate, badTo, l.readParts(m))
}

func (l *Letter) readParts(m *mail.Message) error {
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return fmt.Errorf("its Content-Type %q: %v", m.Header.Get("Content-Type"), err)
	}
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("its parts: %w", err)
		}
		var body io.Reader = part
		switch part.Header.Get("Content-Transfer-Encoding") {
		case "quoted-printable":
			body = quotedprintable.NewReader(part)
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, part)
		}
		content, err := io.ReadAll(body)
		if err != nil {
			return fmt.Errorf("a part: %w", err)
		}
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "text/plain":
			l.Text = string(content)
		case "text/html":
			l.HTML = string(content)
		default:
			return fmt.Errorf("a part of type %q", kind)
		}
	}
}

// A Box is a Maildir.
type Box struct {
	dir   string
	known map[string]bool // file names
}

// Open returns the Maildir in a directory, which may not exist yet.
func Open(dir string) *Box { return &Box{dir, map[string]bool{}} }

// Arrived returns the letters since the previous call. A faulty letter fails the test.
func (b *Box) Arrived(t testing.TB) (fresh []Letter) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.dir, "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if b.known[file] {
			continue
		}
		b.known[file] = true
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Read(raw)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		fresh = append(fresh, l)
	}
	return fresh
}
