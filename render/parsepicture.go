package render

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"digest"
	"digest/internal/catalogue"
)

// A Proxy gives the address under which this instance serves a picture that is
// published at src.
type Proxy func(src string) string

// A picture as it is set: shown, linked, or in words.
type picture struct {
	words  string // its description; may be empty
	shown  string // the address it is loaded from: this instance's; empty: it is not shown
	linked string // the address that its words lead to; empty: none
	width  int    // in CSS pixels, in mail at most Width; 0: not known
	height int
	small  bool // stands within a line
	film   bool // leads to a film

	speaks *catalogue.Language // what the program itself says in its place; nil: English
}

// The bounds of pictures, in CSS pixels and columns.
const (
	smallPicture       = 50 // and smaller ones stand within the line
	maxPicture         = 10_000
	descriptionColumns = 300
	longTitle          = 40 // a title from here on is a caption, not a label
)

// image sets a picture as the reader wants pictures.
func (p *parser) image(n *html.Node) {
	src := address(attribute(n, "src"))
	w, h := shownSize(pixels(n, "width"), pixels(n, "height"), p.sizes[src])
	words := beyond(p.title, description(attribute(n, "alt")))
	if src == "" && words == "" || w == 1 || h == 1 || w == 2 && h == 2 { // data: pictures have no address
		return
	}
	small := w > 0 && w <= smallPicture || h > 0 && h <= smallPicture || strings.Contains(src, "/emoji/")
	if small && words != "" && widthOf(words) <= 4 { // an emoji, or a smiley
		p.text(words)
		return
	}
	title := beyond(p.title, description(attribute(n, "title")))
	if words == "" {
		words = title
	} else if title != "" && widthOf(title) >= longTitle && (title != words || p.images == digest.ProxiedImages) {
		p.captions = append(p.captions, title)
	}
	pic := &picture{words: words, small: small, speaks: p.speaks}
	switch {
	case src == "":
	case p.images == digest.ProxiedImages:
		pic.shown = address(p.proxy(src))
		if pic.width, pic.height = w, h; !p.browser {
			pic.width, pic.height = scaled(w, h)
		}
		if pic.words == "" && p.inLink() {
			pic.words = p.linkWord() // a link must say something
		}
	case p.images == digest.LinkedImages:
		if !p.inLink() {
			pic.linked = src
		}
	}
	if pic.shown == "" && (small || pic.words == "" &&
		(p.images != digest.LinkedImages || watchedAt(p.linked()) != nil)) {
		return
	}
	if !small {
		p.flush() // it stands by itself, though its writer put it into a paragraph
	}
	p.line = append(p.line, p.filmed(pic)...)
	if !small {
		p.flush()
	}
}

// said is what stands in a picture's place where it is not shown.
func (p *picture) said() string {
	if p.words == "" {
		return "[" + saidIn(p.speaks, catalogue.Key("Picture")) + "]"
	}
	return "[" + saidIn(p.speaks, catalogue.Key("%s: %s").With(catalogue.Key("Picture"), p.words)) + "]"
}

// description is what alt says of a picture; a file's name says nothing.
func description(alt string) string {
	alt = clean(alt, descriptionColumns)
	lower := strings.ToLower(alt)
	for _, end := range [...]string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"} {
		if strings.HasSuffix(lower, end) && !strings.Contains(lower, " ") {
			return ""
		}
	}
	switch lower {
	case "image", "img", "photo", "picture", "alt", "null", "undefined":
		return ""
	}
	return alt
}

// beyond is a description of a picture that does not only say the title of its post once more.
func beyond(title, words string) string {
	if rest, same := after(words, title); same && !strings.ContainsFunc(rest, inWord) {
		return ""
	}
	return words
}

func pixels(n *html.Node, name string) int {
	v, err := strconv.Atoi(strings.TrimSuffix(attribute(n, name), "px"))
	if err != nil || v < 0 || v > maxPicture {
		return 0
	}
	return v
}

// scaled makes a picture's size fit the column.
func scaled(w, h int) (int, int) {
	if w > Width {
		w, h = Width, max(h*Width/w, min(h, 1))
	}
	if w > 0 && h > 0 || h <= smallPicture {
		return w, h
	}
	return w, 0 // a height alone would widen it beyond the page
}
