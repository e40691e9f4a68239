package feed

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// TestControlsInJSON checks that no control character in a JSON document reaches the result: PostgreSQL rejects NUL,
// and terminals execute escape sequences.
func TestControlsInJSON(t *testing.T) {
	const evil = `a\u0000b\u001b[31mc\u0007`
	doc := strings.ReplaceAll(
		`{"version":"https://jsonfeed.org/version/1.1","title":"EVIL","description":"EVIL","language":"EVIL",
		"home_page_url":"https://example.org/EVIL","feed_url":"https://example.org/feedEVIL","authors":[{"name":"EVIL"}],
		"items":[{"id":"EVIL","url":"https://example.org/EVIL","title":"EVIL","content_text":"EVIL","summary":"EVIL","language":"EVIL",
		"image":"https://example.org/EVIL.png","authors":[{"name":"EVIL"}],
		"attachments":[{"url":"https://example.org/EVIL","mime_type":"EVIL"}]}]}`, "EVIL", evil)
	d := mustParse(t, doc, "https://example.org/feed")
	e := d.Posts[0]
	all := fmt.Sprint(d.Title, d.Description, d.Language, d.Link, d.Self, e.Identity, e.GUID, e.Link, e.Title, e.Author,
		e.Language, e.Enclosures)
	p := e.Sanitise(seenAt)
	all += fmt.Sprint(p.Title, p.URL, p.Author, p.Language, p.Summary, p.Content, p.ImageURL, p.Enclosures)
	if !strings.Contains(all, "ab[31mc") {
		t.Errorf("the text around them is lost: %q", all)
	}
	if i := strings.IndexFunc(all, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
		t.Errorf("a control came out: %q", all[max(0, i-20):i+10])
	}
}
