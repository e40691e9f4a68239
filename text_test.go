package digest_test

import (
	"strings"
	"testing"

	"digest"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 new posts", 1: "1 new post", 2: "2 new posts", -1: "-1 new posts"} {
		if got := digest.Counted(n, "new post"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	for in, want := range map[string]string{"": "", "été": "été", "étés": "été…", "ét\xffs": "ét\xff…"} {
		if got := digest.Shortened(in, 3); got != want {
			t.Errorf("Shortened(%q, 3) = %q, want %q", in, got, want)
		}
	}
}

func TestFirstBytes(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc", "aé": "aé", "abé": "ab",
		"\U0001f600": ""} {
		if got := digest.FirstBytes(in, 3); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPlainLines(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\n\n  c": "a\nb\n\n  c", "a\x1b[2Jb\u009bc\td": "a [2Jb c d", "a\u202eb\u2066c\u2028d": "abc d",
		"\xff": "\ufffd", "שלום 👩‍👧": "שלום 👩‍👧",
	} {
		if got := digest.PlainLines(in); got != want || digest.PlainLines(got) != got {
			t.Errorf("PlainLines(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWithoutTurns(t *testing.T) {
	if got := digest.WithoutTurns("a\u202eb\u2066c\u200fd\u200d"); got != "abc\u200fd\u200d" {
		t.Errorf("%q", got)
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"no address":                          "no address",
		"https://a.example":                   "[https://a.example]",
		"See https://a.example/b.":            "See |[https://a.example/b]|.",
		"(https://a.example/b)!":              "(|[https://a.example/b]|)!",
		"https://a.example/b_(c), so":         "[https://a.example/b_(c)]|, so",
		"https://a.example/?x=1&y=<b>":        "[https://a.example/?x=1&y=]|<b>",
		`"https://a.example/"onclick=x`:       `"|[https://a.example/]|"onclick=x`,
		"https://a.example https://b.example": "[https://a.example]| |[https://b.example]",
		"https://a.example/https://b.example": "[https://a.example/https://b.example]",
		"xhttps://a.example":                  "xhttps://a.example",
		"http://a.example javascript:alert":   "http://a.example javascript:alert",
		"https://":                            "https://",
		"https://...":                         "https://...",
		"https://bank.example@evil.example/":  "https://bank.example@evil.example/",
		"https://b\u0430nk.example/":          "https://b\u0430nk.example/",
		"https://a.example/\u202egpj.exe":     "https://a.example/\u202egpj.exe",
		"https://[::1":                        "https://[::1",
		"https://a.example\\@evil.example":    "https://a.example\\@evil.example",
	} {
		var all []string
		for _, s := range digest.Spans(text) {
			if s.URL != "" {
				s.Text = "[" + s.Text + "]"
			}
			all = append(all, s.Text)
		}
		if got := strings.Join(all, "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzSpans checks that no text is lost, and that the visible text of a link is its address.
func FuzzSpans(f *testing.F) {
	for _, s := range []string{"", "See https://a.example/b.", "(https://a.example)https://", "https://a.example\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		for _, span := range digest.Spans(s) {
			b.WriteString(span.Text)
			if span.URL != "" && (span.URL != span.Text || !strings.HasPrefix(span.URL, "https://") ||
				len(span.URL) == len("https://")) {
				t.Errorf("%q is the link %q", span.Text, span.URL)
			}
		}
		if b.String() != s {
			t.Errorf("%q became %q", s, b.String())
		}
	})
}

func TestFillSubject(t *testing.T) {
	for _, c := range []struct{ pattern, title, want string }{
		{"", "Boats", ""},
		{"{name}: {title}", "Boats", "Anna writes: Boats"},
		{"{title} · {name}, {date}", "Boats", "Boats · Anna writes, 1 December"},
		{"Boats of {date}", "", "Boats of 1 December"},
		{"{name}: {title}", "", ""}, // never "Anna writes: "
		{"{title}{title}", "{date} of {name}", "{date} of {name}{date} of {name}"},
		{" {name}\n{title} ", "Two\r\nBcc: x@example.org", "Anna writes Two Bcc: x@example.org"},
	} {
		if got := digest.FillSubject(c.pattern, c.title, "1 December", "Anna writes"); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.pattern, c.title, got, c.want)
		}
	}
}

func TestCheckSubject(t *testing.T) {
	const braces = "the subject can have {title}, {date} and {name}; remove other braces"
	for pattern, want := range map[string]string{
		"": "", " \n": "", "Boats": "", "{name}: {title} ({date})": "", strings.Repeat("x", 150): "",
		"{Title}": braces, "{author}": braces, "{title": braces, "name}": braces, "{{name}}": braces, "{}": braces,
		"{na{title}me}":          braces,
		"{name}\r\nBcc: {title}": "the subject must be one line without control characters; remove them",
		"a\x00b":                 "the subject must be one line without control characters; remove them",
		strings.Repeat("x", 151): "“Subject” is too long; shorten it",
		"\xff":                   "“Subject” has characters that are not UTF-8; type the text again",
	} {
		err := digest.CheckSubject(pattern)
		if want == "" && err != nil || want != "" && (digest.KindOf(err) != digest.Invalid || err.Error() != want) {
			t.Errorf("%.20q: %v, want %q", pattern, err, want)
		}
	}
}
