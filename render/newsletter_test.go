package render

import (
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"digest"
	"digest/test/tier"
)

// TestNewsletterMail: the subject of an issue names its newsletter, and the headline of its only post. The email says
// why the member gets it, and links to all issues.
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
		"one post": {[]Section{section(one)}, "Anna writes: The old boat Bcc: x@example.org leaks"},
		"two posts": {[]Section{section(one, digest.Post{ID: 2, Title: "Kites", URL: "https://anna.example/2"})},
			"Anna writes, 20 November: 2 posts"},
		"two sites": {[]Section{section(one),
			section(digest.Post{ID: 2, Title: "Kites", URL: "https://anna.example/2"})},
			"Anna writes, 20 November: 2 posts from 2 sites"},
		"a long post": {[]Section{
			section(digest.Post{ID: 3, Title: strings.Repeat("Water ", 60), URL: "https://anna.example/3"})}, ""},
	} {
		m, err := r.Mail(Edition{
			Date: digest.Date{Year: 2026, Month: 11, Day: 20}, Name: "Anna writes", Newsletter: true,
			Sections: c.sections, Recipient: "mo@example.org",
			UnsubscribeURL: "https://d.example/u", HomeURL: "https://d.example/n/anna", PostalAddress: "Anna, 1 Quay",
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.subject != "" && m.Subject != c.subject || len(m.Subject) > maxSubject ||
			strings.ContainsAny(m.Subject, "\r\n") {
			t.Errorf("%s: the subject is %q, want %q", name, m.Subject, c.subject)
		}
		for _, body := range []string{m.HTML, m.Text} {
			if !strings.Contains(strings.Join(strings.Fields(body), " "),
				"mo@example.org is subscribed to Anna writes.") ||
				!strings.Contains(body, "All issues") || strings.Contains(body, "from 1 site") ||
				strings.Contains(body, "Your editions") {
				t.Errorf("%s: %s", name, body)
			}
		}
	}
}

// TestSubjectPattern: an issue's subject is its publisher's pattern with the first headline, or with the beginning of the
// first post if none has a headline. The date is in the newsletter's language. Without posts it is the usual subject.
func TestSubjectPattern(t *testing.T) {
	r := New(nil)
	boats := digest.Post{ID: 1, URL: "https://anna.example/1", Title: "The old boat"}
	note := digest.Post{ID: 2, URL: "https://anna.example/2", Untitled: true, Summary: "I saw a whale."}
	for name, c := range map[string]struct {
		pattern, want string
		lead          digest.PostID
		posts         []digest.Post
	}{
		"all of it": {"{name}, {date}: {title}", "Anna writes, 20. November: The old boat", 0,
			[]digest.Post{boats}},
		"no headline":   {"{title} · {name}", "The old boat · Anna writes", 0, []digest.Post{note, boats}},
		"a lead":        {"{title} · {name}", "I saw a whale. · Anna writes", 2, []digest.Post{boats, note}},
		"no title":      {"{name}: {title}", "Anna writes: I saw a whale.", 0, []digest.Post{note}},
		"no posts":      {"{name}: {title}", "Anna writes, 20 novembre\u00a0: pas de nouvel article", 0, nil},
		"without posts": {"Letter of {date}", "Letter of 20. November", 0, nil},
		"a long one": {"{title} · {name}", strings.TrimSpace(strings.Repeat("Water ", 13)) + "… · Anna writes", 0,
			[]digest.Post{{ID: 3, Title: strings.Repeat("Water ", 60), URL: "https://anna.example/3"}}},
		"a long pattern": {strings.Repeat("水", 50) + "{name}{title}", "", 0,
			[]digest.Post{{ID: 3, Title: strings.Repeat("水", 60), URL: "https://anna.example/3"}}},
	} {
		s := NewSection("Anna's site", "https://anna.example/", "en")
		for _, p := range c.posts {
			s.Posts = append(s.Posts, r.Post(p))
		}
		e := Edition{
			Date: digest.Date{Year: 2026, Month: 11, Day: 20}, Name: "Anna writes", Newsletter: true, Language: "fr",
			SubjectPattern: c.pattern, SubjectLanguage: "de", Lead: c.lead, Sections: []Section{s},
			UnsubscribeURL: "https://d.example/u", HomeURL: "https://d.example/n/anna",
		}
		if m := mailOf(t, e); c.want != "" && m.Subject != c.want || m.Subject == "" || len(m.Subject) > maxSubject {
			t.Errorf("%s: the subject is %q, want %q", name, m.Subject, c.want)
		}
		if e.Threaded = true; mailOf(t, e).Subject != "Anna writes" {
			t.Errorf("%s: a threaded issue has the subject %q", name, mailOf(t, e).Subject)
		}
	}
}

// TestAroundTheLetter: the publisher's texts above the posts and at the foot are in both versions. Only their addresses
// become HTML links. The longest text leaves room for the posts and the unsubscribe link.
func TestAroundTheLetter(t *testing.T) {
	tier.Alone(t)
	for name, c := range map[string]struct{ text, html, plain string }{
		"a sentence": {"Write to me.", "Write to me.", "Write to me."},
		"an address": {"More at https://anna.example/a?b=1&c=2.",
			`href="https://anna.example/a?b=1&amp;c=2">https://anna.example/a?b=1&amp;c=2</a>.`,
			"More at https://anna.example/a?b=1&c=2."},
		"HTML": {`<img src=x onerror=alert(1)> "`, "&lt;img src=x onerror=alert(1)&gt; &#34;",
			`<img src=x onerror=alert(1)> "`},
		"turns":      {"a\u202eb\r\n.\r\nc", "ab . c", "ab . c"},
		"bare marks": {"-value-03- =3D", "-value-03- =3D", "-value-03- =3D"},
	} {
		for _, place := range []string{"header", "footer"} {
			e := randomPage(rand.New(rand.NewPCG(1, 2)), 12)
			if e.Newsletter = true; place == "header" {
				e.Header = c.text
			} else {
				e.Footer = c.text
			}
			m := checkedMail(t, e)
			if !strings.Contains(m.HTML, c.html) || !strings.Contains(m.Text, c.plain+"\n") {
				t.Errorf("%s as %s: not in\n%s\n%s", name, place, m.HTML, m.Text)
			}
			if above := strings.Index(m.Text, c.plain) < strings.Index(m.Text, ruleText); above != (place == "header") {
				t.Errorf("%s: the %s is above the posts: %v", name, place, above)
			}
		}
	}
	for _, long := range []string{strings.Repeat("https://a.b ", 42)[:500], strings.Repeat("&", 500),
		strings.Repeat("\u00e9", 250)} {
		e := randomPage(rand.New(rand.NewPCG(3, 4)), 700)
		e.Header, e.Footer = long, long
		m := checkedMail(t, e)
		if m.Shown < 20 || !strings.Contains(m.Text, e.UnsubscribeURL+"\n") ||
			!hasLink(parse(t, m.HTML), e.UnsubscribeURL) {
			t.Errorf("around %.12s: %d posts shown, and the way out", long, m.Shown)
		}
	}
}

// TestLogo: a wordmark replaces the name, with the name as its description. Any other logo is above the name and hidden
// from screen readers. The text version has the name.
func TestLogo(t *testing.T) {
	const url = "https://d.example/n/anna/look/logo-1.png"
	for name, c := range map[string]struct {
		logo    digest.Logo
		img     string
		heading string
	}{
		"a wordmark": {digest.Logo{LogoWidth: 720, LogoHeight: 180},
			`alt="Anna &#34;writes&#34;" width="360" height="90"`, ""},
		"a symbol": {digest.Logo{LogoWidth: 192, LogoHeight: 192}, `alt="" width="96" height="96"`, `Anna "writes"`},
		"a clear one": {digest.Logo{LogoWidth: 100, LogoHeight: 20, LogoClear: true},
			`background-color:#fff1e5;color:#1f1d1a`, ""},
	} {
		e := randomPage(rand.New(rand.NewPCG(1, 2)), 12)
		e.Newsletter, e.Name, e.Logo, e.LogoURL, e.Colours = true, `Anna "writes"`, c.logo, url,
			digest.Colours{Paper: "#fff1e5"}
		m := checkedMail(t, e)
		_, rest, _ := strings.Cut(m.HTML, "<img")
		img, after, _ := strings.Cut(rest, ">")
		if !strings.Contains(img, c.img) || !strings.Contains(img, `src="`+url+`"`) ||
			strings.Contains(img, "background") != c.logo.LogoClear {
			t.Errorf("%s: %s", name, img)
		}
		if c.heading != "" {
			_, after, _ = strings.Cut(after, "<h1")
			_, after, _ = strings.Cut(after, ">")
		}
		if heading, _, _ := strings.Cut(after, "</h1>"); html.UnescapeString(heading) != c.heading {
			t.Errorf("%s: the heading says %q", name, heading)
		}
		if !strings.HasPrefix(m.Text, `Anna "writes"`) {
			t.Errorf("%s: the text begins %.40q", name, m.Text)
		}
	}
	e := randomPage(rand.New(rand.NewPCG(1, 2)), 12)
	e.LogoURL = "javascript:alert(1)"
	if _, err := New(nil).Mail(e); err == nil {
		t.Error("any address is taken for a logo's")
	}
}
