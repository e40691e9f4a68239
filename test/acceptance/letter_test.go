package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"digest/newsletter"
	"digest/test/inbox"
)

// A letter is an edition as a reader receives it.
type letter struct {
	inbox.Letter
	posts  map[string]bool // that it links to
	signed bool
}

var (
	counted  = regexp.MustCompile(`(\d+) posts? from`)
	postLink = regexp.MustCompile(`http://site-\d+\.example/posts/\d+`)
)

// clicks begins the link to a post whose clicks a newsletter counts.
const clicks = `href="https://news.example.org` + newsletter.ClickPath

// examine parses an edition. The error names all faults.
func examine(raw []byte, keys keyring) (letter, error) {
	read, err := inbox.Read(raw)
	l, faults := inspect(read, keys)
	return l, errors.Join(err, faults)
}

// inspect looks for faults in an edition. All parts must be present and agree. With keys, it also verifies signatures
// and the number of posts in the subject; a long edition has some of its posts only on the web.
func inspect(read inbox.Letter, keys keyring) (l letter, err error) {
	bad := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	l = letter{Letter: read, posts: links(read.Text)}
	for _, name := range []string{"From", "Message-Id", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"} {
		if len(l.Header[name]) != 1 {
			bad("%d fields %s", len(l.Header[name]), name)
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(l.HTML), "</html>") {
		bad("the HTML does not end")
	}
	if html := links(l.HTML); !maps.Equal(html, l.posts) && strings.Count(l.HTML, clicks) < len(l.posts) {
		bad("the HTML links to %d posts, the text to %d", len(html), len(l.posts))
	}
	leave, _, _ := strings.Cut(strings.TrimPrefix(l.Header.Get("List-Unsubscribe"), "<"), ">")
	if leave == "" || !strings.Contains(l.Text, leave) {
		bad("the text does not say how to leave")
	}
	if keys == nil {
		return l, err
	}
	if n := counted.FindStringSubmatch(l.Subject); n != nil && n[1] != strconv.Itoa(len(l.posts)) {
		bad("%q links to %d posts", l.Subject, len(l.posts))
	}
	signatures, failed := dkim.VerifyWithOptions(bytes.NewReader(l.Raw), &dkim.VerifyOptions{LookupTXT: keys.lookUp})
	for _, s := range signatures {
		failed = errors.Join(failed, s.Err)
	}
	if failed != nil {
		bad("its signature: %w", failed)
	}
	l.signed = len(signatures) > 0
	return l, err
}

// A keyring has DNS records with keys, by name.
type keyring map[string]string

func (k keyring) lookUp(name string) ([]string, error) {
	if value, ok := k[name]; ok {
		return []string{value}, nil
	}
	return nil, fmt.Errorf("there is no record %s", name)
}

func links(s string) map[string]bool {
	all := map[string]bool{}
	for _, url := range postLink.FindAllString(s, -1) {
		all[url] = true
	}
	return all
}

// A letterbox is the Maildir of a house with all letters that a test has read from it.
type letterbox struct {
	*inbox.Box
	letters []letter
}

func newLetterbox(h *house) *letterbox { return &letterbox{Box: inbox.Open(h.Maildir())} }

// arrived returns the letters since the previous call. A faulty letter fails the test.
func (b *letterbox) arrived(t *testing.T) (fresh []letter) {
	t.Helper()
	for _, read := range b.Arrived(t) {
		l, err := inspect(read, nil)
		if err != nil {
			t.Errorf("%q to %s: %v", l.Subject, l.To, err)
		}
		fresh = append(fresh, l)
	}
	b.letters = append(b.letters, fresh...)
	return fresh
}
