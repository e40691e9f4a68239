package render

import (
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
)

// Many pages do not state the sizes of their pictures. The store knows the size of each picture that the worker or the
// picture proxy has requested, and which pictures do not load. shownSize combines the size with the attributes of the element, for excerpts and full texts, in email and on pages.
// Posts are rendered once and shared, so each edition passes the sizes by address.

// shownSize returns the displayed size of a picture in CSS pixels. w and h are its attributes, 0 if missing.
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

// maxLookedUp limits the pictures of a text that are looked up.
const maxLookedUp = 200

// picturesIn returns the addresses of the pictures in sanitised content.
func picturesIn(content string) []string {
	var all []string
	for at := strings.Index(content, "<img"); at >= 0 && len(all) < maxLookedUp; {
		if tag := firstTag(content[at:]); tag != nil {
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

// firstTag returns the element at the beginning of a text as a picture, or nil if the text begins with something
// different.
func firstTag(text string) *nethtml.Node {
	z := nethtml.NewTokenizer(strings.NewReader(text))
	if t := z.Next(); t != nethtml.StartTagToken && t != nethtml.SelfClosingTagToken {
		return nil
	}
	return &nethtml.Node{Type: nethtml.ElementNode, Data: "img", Attr: z.Token().Attr}
}

// Pictures returns the addresses of the pictures of its text, or of the picture above its excerpt.
func (p *Post) Pictures(text bool) []string {
	switch {
	case text:
		return p.pictures
	case p.Picture.Source != "":
		return []string{p.Picture.Source}
	}
	return nil
}

type sizedKey struct {
	of    any
	sizes string
}

// cachedSized is like cached for content that depends on the sizes of pictures in the text. It keeps only the latest
// sizes for each key.
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

func (p *Post) learnedOf(sizes map[string]digest.PictureSize) string {
	var b []byte
	for i, src := range p.pictures {
		if s, known := sizes[src]; known {
			b = strconv.AppendInt(b, int64(i), 36)
			b = append(strconv.AppendInt(append(b, ' '), int64(s.Width), 36), ' ')
			b = append(strconv.AppendBool(strconv.AppendInt(b, int64(s.Height), 36), s.Dead), '\n')
		}
	}
	return string(b)
}
