package feed

import (
	"strings"
	"testing"
)

func TestComments(t *testing.T) {
	const rss, atom = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>A</title><item>` +
		`<title>T</title>`, `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>T</title>`
	for reason, c := range map[string]struct{ doc, want string }{
		"a page of its own": {rss + `<link>https://a.example/1</link>` +
			`<comments>https://news.example/i?id=1&amp;utm_source=rss</comments>`, "https://news.example/i?id=1"},
		"part of its page": {rss + `<link>https://a.example/1</link>` +
			`<comments>https://a.example/1/#respond</comments>`, ""},
		"its page": {rss + `<link>https://a.example/1</link><comments>https://a.example/1</comments>`, ""},
		"a relative address": {rss + `<link>https://a.example/1</link><comments>/c/1</comments>`,
			"https://a.example/c/1"},
		"a script": {rss + `<link>https://a.example/1</link><comments>javascript:alert(1)</comments>`, ""},
		"a password": {rss + `<link>https://a.example/1</link><comments>https://u:p@b.example/</comments>`,
			"https://b.example/"},
		"a number of comments": {rss + `<link>https://a.example/1</link><x:comments ` +
			`xmlns:x="http://purl.org/rss/1.0/modules/slash/">3</x:comments>`, ""},
		"an Atom link in RSS": {rss + `<link>https://a.example/1</link><atom:link rel="replies" type="text/html" ` +
			`href="https://a.example/c"/>`, "https://a.example/c"},
		"Atom": {atom + `<link href="https://a.example/1"/><link rel="replies" type="application/atom+xml" ` +
			`href="/f"/>` +
			`<link rel="replies" type="text/html" href="/c"/>`, "https://a.example/c"},
		"the feed of the comments": {atom + `<link href="https://a.example/1"/><link rel="replies" href="/f" ` +
			`type="application/atom+xml"/>`, ""},
	} {
		end := "</item></channel></rss>"
		if strings.HasPrefix(c.doc, atom) {
			end = "</entry></feed>"
		}
		d := mustParse(t, c.doc+end, "https://a.example/feed")
		if p := d.Posts[0].Sanitise(seenAt); p.Comments != c.want {
			t.Errorf("%s: %q, want %q", reason, p.Comments, c.want)
		}
	}
}
