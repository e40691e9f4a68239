package journey

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	chromium "digest/test/browser"
)

type letter struct {
	to, subject, text string
}

// letters returns the mail for an address, ordered by file.
func (h *house) letters(to string) (all []letter) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.maildir(), "new", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, name := range files {
		if l := h.letter(name); l.to == to {
			all = append(all, l)
		}
	}
	return all
}

func (h *house) letter(name string) letter {
	h.t.Helper()
	f, err := os.Open(name)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	to, err := mail.ParseAddress(m.Header.Get("To"))
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return letter{to.Address, subject, h.plain(m)}
}

func (h *house) plain(m *mail.Message) string {
	h.t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		h.t.Fatalf("a mail of type %q: %v", kind, err)
	}
	for parts := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			h.t.Fatalf("a mail without text: %v", err)
		}
		if !strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			continue
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			h.t.Fatal(err)
		}
		return string(text)
	}
}

// awaitEdition waits for an edition whose subject begins with a day.
func (h *house) awaitEdition(to, day string) letter {
	h.t.Helper()
	for deadline := time.Now().Add(2 * chromium.Patience); time.Now().Before(deadline); {
		for _, l := range h.letters(to) {
			if strings.HasPrefix(l.subject, day) {
				return l
			}
		}
		<-time.After(glance)
	}
	h.t.Fatalf("no edition of %s came for %s", day, to)
	return letter{}
}

// idle runs the hourly job until all due work is done.
func (h *house) idle() {
	h.t.Helper()
	h.stop()
	h.run("tick", "--now", h.now.Format(time.RFC3339))
	h.at(h.now)
}

var linkPattern = regexp.MustCompile(`https?://[^\s<>"]+`)

// awaitLink waits for mail to an address with a new link that contains a word.
func (h *house) awaitLink(to, word string) string {
	h.t.Helper()
	for deadline := time.Now().Add(chromium.Patience); time.Now().Before(deadline); {
		for _, l := range h.letters(to) {
			for _, link := range linkPattern.FindAllString(l.text, -1) {
				if strings.Contains(link, word) && !h.used[link] {
					h.used[link] = true
					return link
				}
			}
		}
		<-time.After(glance)
	}
	h.t.Fatalf("no mail brought %s a link with %q", to, word)
	return ""
}
