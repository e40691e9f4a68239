package render

import (
	"strings"
	"testing"

	"digest"
)

// TestAddressesThatMultiply: an unclosed link with a long address repeats in every later line. It must not cost more
// than a long post.
func TestAddressesThatMultiply(t *testing.T) {
	link := "<a href='https://a.example/" + strings.Repeat("c", 1900) + "'>"
	for name, content := range map[string]string{
		"code":  "<pre>" + link + strings.Repeat("x\n", 190_000),
		"text":  link + strings.Repeat("<p>x", 90_000),
		"rules": link + strings.Repeat("x<hr>", 70_000),
		"list":  link + "<ul>" + strings.Repeat("<li>x", 70_000),
	} {
		b := plain.Post(digest.Post{Title: "t", URL: "https://a.example/", Content: content})
		b.body(digest.NoImages, nil)
		if b.Size() > 8<<20 {
			t.Errorf("%s: %d KB become %d MB", name, len(content)>>10, b.Size()>>20)
		}
	}
}

// TestHonestDespiteTheUnseen: invisible characters before or within an address do not hide it.
func TestHonestDespiteTheUnseen(t *testing.T) {
	for _, words := range []string{"&lrm;www.bank.com", "&zwnj;https://www.bank.com/", "&#x200d;www.bank.com",
		"x</a> <a href='https://evil.example/'>&nbsp;www.bank.com", "(www.bank.com)", "www.ban&zwnj;k.com"} {
		b := plain.Post(digest.Post{Title: "t", URL: "https://a.example/",
			Content: "<p>See <a href='https://evil.example/'>" + words + "</a> now.</p><p>More.</p>"})
		if h := b.body(digest.NoImages, nil).all.html.decoded(); !strings.Contains(h, "“") &&
			strings.Contains(h, "bank.com") || strings.Contains(h, "ban\u200ck") {
			t.Errorf("%s: %s", words, h[strings.Index(h, "See"):])
		}
	}
}
