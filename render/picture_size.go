package render

import (
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
)

// Many pages do not say how large their pictures are. What was learned of one since, when it was passed on, stands in for
// what its element leaves open, above an excerpt and within a text, in mail and on pages: shownSize is the one rule.
// Posts are rendered once and shared, so sizes are handed in with each edition, by the pictures' own addresses.

// shownSize is the size in CSS pixels of a picture of which an element tells w and h, 0 where it tells nothing.
func shownSize(w, h int, learned digest.PictureSize) (int, int) {
	switch {
	case w > 0 && h > 0 || learned.Width <= 0 || learned.Height <= 0:
		return w, h
	case w > 0:
		return w, max(1, learned.Height*w/learned.Width)
	case h > 0:
		return max(1, learned.Width*h/learned.Height), h
	}
	return learned.Width, learned.Height
}

// maxUnsized bounds of how many pictures of a text the sizes are looked for.
const maxUnsized = 200

// unsizedIn gives the addresses of the pictures in a text, which is sanitised, whose elements leave open how large they are.
func unsizedIn(content string) []string {
	var all []string
	for at := strings.Index(content, "<img"); at >= 0 && len(all) < maxUnsized; {
		if tag := firstTag(content[at:]); tag != nil && (pixels(tag, "width") == 0 || pixels(tag, "height") == 0) {
			if src := address(attribute(tag, "src")); src != "" && !slices.Contains(all, src) {
				all = append(all, src)
			}
		}
		next := strings.Index(content[at+1:], "<img")
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return all
}

// firstTag is the element of a picture with which a text begins; nil if it is none.
func firstTag(text string) *nethtml.Node {
	z := nethtml.NewTokenizer(strings.NewReader(text))
	if t := z.Next(); t != nethtml.StartTagToken && t != nethtml.SelfClosingTagToken {
		return nil
	}
	return &nethtml.Node{Type: nethtml.ElementNode, Data: "img", Attr: z.Token().Attr}
}

// Unsized gives the addresses of those of its pictures of which its page does not tell how large they are: of the one above
// its excerpt, or of those in its text.
func (p *Post) Unsized(text bool) []string {
	switch {
	case text:
		return p.open
	case p.Picture.Source != "":
		return []string{p.Picture.Source}
	}
	return nil
}

// A sizedKey is what a text with pictures is kept by.
type sizedKey struct {
	of    any
	sizes string // of its pictures, as far as they were learned
}

// cachedSized is cached for what depends on the sizes of pictures in the text. Of those for one key only the latest is kept.
func cachedSized[T interface{ bytes() int }](p *Post, of any, sizes map[string]digest.PictureSize, make func() T) T {
	key := sizedKey{of, p.learnedOf(sizes)}
	if known, ok := p.made.Load(key); ok {
		return known.(T)
	}
	made := cached(p, key, make)
	p.made.Range(func(k, _ any) bool {
		if old, ok := k.(sizedKey); ok && old.of == of && old.sizes != key.sizes {
			if gone, deleted := p.made.LoadAndDelete(k); deleted {
				p.bytes.Add(-madeBytes - int64(gone.(T).bytes()))
			}
		}
		return true
	})
	return made
}

// learnedOf says in one string what was learned of the pictures in the text.
func (p *Post) learnedOf(sizes map[string]digest.PictureSize) string {
	var b []byte
	for i, src := range p.open {
		if s, known := sizes[src]; known {
			b = strconv.AppendInt(b, int64(i), 36)
			b = append(strconv.AppendInt(append(b, ' '), int64(s.Width), 36), ' ')
			b = append(strconv.AppendInt(b, int64(s.Height), 36), '\n')
		}
	}
	return string(b)
}
