package acceptance

import (
	"bytes"
	"encoding/base64"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest/newsletter"
)

// A letter is a mail as a reader receives it.
type letter struct {
	to, subject, id string
	date            time.Time
	header          mail.Header
	html, text      string
	posts           map[string]bool // the posts that it links to
	raw             []byte
}

var postLink = regexp.MustCompile(`http://site-\d+\.example/posts/\d+`)

// readLetter parses a message. All parts must be present and agree.
func readLetter(t *testing.T, raw []byte) letter {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("a mail cannot be read: %v\n%s", err, raw)
	}
	l := letter{id: m.Header.Get("Message-Id"), header: m.Header, raw: raw}
	if l.subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		t.Errorf("subject %q: %v", m.Header.Get("Subject"), err)
	}
	if l.date, err = m.Header.Date(); err != nil {
		t.Errorf("date %q: %v", m.Header.Get("Date"), err)
	}
	to, err := m.Header.AddressList("To")
	if err != nil || len(to) != 1 {
		t.Fatalf("To: %q: %v", m.Header.Get("To"), err)
	}
	l.to = to[0].Address
	for _, name := range []string{"From", "Message-Id", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"} {
		if m.Header.Get(name) == "" {
			t.Errorf("a mail to %s has no %s", l.to, name)
		}
	}
	l.readParts(t, m)
	l.posts = links(l.text)
	// A letter with counted clicks links to its posts by these addresses.
	counted := strings.Count(l.html, `href="https://news.example.org`+newsletter.ClickPath)
	if inHTML := links(l.html); !maps.Equal(inHTML, l.posts) && counted < len(l.posts) {
		t.Errorf("%q to %s: the HTML links to %d posts, the text to %d", l.subject, l.to, len(inHTML), len(l.posts))
	}
	return l
}

func (l *letter) readParts(t *testing.T, m *mail.Message) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("Content-Type %q: %v", m.Header.Get("Content-Type"), err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("a mail's parts: %v", err)
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
			t.Fatalf("a mail's part: %v", err)
		}
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "text/plain":
			l.text = string(content)
		case "text/html":
			l.html = string(content)
		default:
			t.Errorf("a mail has a part of type %q", kind)
		}
	}
}

func links(s string) map[string]bool {
	all := map[string]bool{}
	for _, url := range postLink.FindAllString(s, -1) {
		all[url] = true
	}
	return all
}

type inbox struct {
	dir     string
	known   map[string]bool // file names
	letters []letter
}

func newInbox(dir string) *inbox { return &inbox{dir: dir, known: map[string]bool{}} }

// arrived returns the letters since the previous call.
func (in *inbox) arrived(t *testing.T) []letter {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(in.dir, "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var fresh []letter
	for _, f := range files {
		if in.known[f] {
			continue
		}
		in.known[f] = true
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		fresh = append(fresh, readLetter(t, raw))
	}
	in.letters = append(in.letters, fresh...)
	return fresh
}
