package render

import (
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
	"digest/internal/catalogue"
)

// pictureWords returns the line that replaces the pictures of a post in an email without pictures: the description of its
// only picture, or how many there are. It is empty if the post has none, and if its excerpt is the description.
func (p *Post) pictureWords(from digest.Post) string {
	n, alt := countPictures(from.Content)
	switch alt = beyond(p.Title, alt); {
	case n == 0 || alt != "" && strings.Contains(p.Excerpt, alt):
		return ""
	case n == 1 && alt != "":
		return p.r.Say(catalogue.Key("%s: %s").With(catalogue.Key("Picture"), alt))
	}
	return p.r.Say(catalogue.Key("%d pictures").With(n))
}

// countPictures counts the pictures in sanitised content that are no ornaments, and returns the description of the first.
func countPictures(content string) (n int, alt string) {
	if !strings.Contains(content, "<img") {
		return 0, ""
	}
	z := nethtml.NewTokenizer(strings.NewReader(content))
	for kind := z.Next(); kind != nethtml.ErrorToken; kind = z.Next() {
		if kind != nethtml.StartTagToken && kind != nethtml.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		tag := &nethtml.Node{Attr: t.Attr}
		w, h := pixels(tag, "width"), pixels(tag, "height")
		if t.Data != "img" || w > 0 && w < leastLead || h > 0 && h <= smallPicture ||
			strings.Contains(attribute(tag, "src"), "/emoji/") {
			continue
		}
		if n++; n == 1 {
			alt = description(attribute(tag, "alt"))
		}
	}
	return n, alt
}

// pictured returns the excerpt with the line about the post's pictures below it.
func (p *Post) pictured() pair {
	return cached(p, "pictured", func() pair { return p.withExcerpt(p.Excerpt, p.Linked, p.inWords).packed() })
}
