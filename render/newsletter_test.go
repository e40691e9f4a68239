package render

import (
	"strings"
	"testing"

	"digest"
)

// TestNewsletterMail: a letter names its newsletter, and the headline of its only post, in the subject;
// it says why it comes and leads to all letters.
func TestNewsletterMail(t *testing.T) {
	r := New(nil)
	one := digest.Post{ID: 1, URL: "https://anna.example/1", Title: "The old boat\r\nBcc: x@example.org leaks"}
	section := func(posts ...digest.Post) Section {
		s := NewSection("Anna's site", "https://anna.example/", "en")
		for _, p := range posts {
			s.Posts = append(s.Posts, r.Post(p))
		}
		return s
	}
	for name, c := range map[string]struct {
		sections []Section
		subject  string
	}{
		"one post":    {[]Section{section(one)}, "Anna writes: The old boat Bcc: x@example.org leaks"},
		"two posts":   {[]Section{section(one, digest.Post{ID: 2, Title: "Kites", URL: "https://anna.example/2"})}, "Anna writes, 20 November: 2 posts"},
		"two sites":   {[]Section{section(one), section(digest.Post{ID: 2, Title: "Kites", URL: "https://anna.example/2"})}, "Anna writes, 20 November: 2 posts from 2 sites"},
		"a long post": {[]Section{section(digest.Post{ID: 3, Title: strings.Repeat("Water ", 60), URL: "https://anna.example/3"})}, ""},
	} {
		m, err := r.Mail(Edition{
			Date: digest.Date{Year: 2026, Month: 11, Day: 20}, Name: "Anna writes", Newsletter: true, Sections: c.sections, Recipient: "mo@example.org",
			UnsubscribeURL: "https://d.example/u", HomeURL: "https://d.example/n/anna", PostalAddress: "Anna, 1 Quay",
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.subject != "" && m.Subject != c.subject || len(m.Subject) > maxSubject || strings.ContainsAny(m.Subject, "\r\n") {
			t.Errorf("%s: the subject is %q, want %q", name, m.Subject, c.subject)
		}
		for _, body := range []string{m.HTML, m.Text} {
			if !strings.Contains(body, "mo@example.org joined Anna writes.") || !strings.Contains(body, "All letters") || strings.Contains(body, "from 1 site") || strings.Contains(body, "Your editions") {
				t.Errorf("%s: %s", name, body)
			}
		}
	}
}
