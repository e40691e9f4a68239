package render

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"digest"
	"digest/internal/catalogue"
)

// A Proxy returns the address at which this instance serves the picture at src.
type Proxy func(src string) string

// A picture is displayed, linked, or replaced by words.
type picture struct {
	words  string // its description; may be empty
	shown  string // address on this instance; empty if it is not displayed
	linked string // link of its words; may be empty
	width  int    // in CSS pixels, in email at most Width; 0 if unknown
	height int
	small  bool // part of a line
	film   bool

	speaks *catalogue.Language // language of built-in messages; nil means English
}

// Limits of pictures, in CSS pixels and columns.
const (
	smallPicture       = 50  // pictures of at most this size stay in the line
	tallInLine         = 100 // height of a picture within a sentence
	maxPicture         = 10_000
	descriptionColumns = 300
	longTitle          = 40 // a title of at least this length is a caption, not a label
)

// image parses a picture, and displays it as the reader's settings require.
func (p *parser) image(n *html.Node) {
	src := address(attribute(n, "src"))
	learned := p.sizes[src]
	w, h := shownSize(pixels(n, "width"), pixels(n, "height"), learned)
	if learned.Dead {
		src = ""
	}
	words := beyond(p.title, description(attribute(n, "alt")))
	if src == "" && words == "" || w == 1 || h == 1 || w == 2 && h == 2 { // data: pictures have no address
		return
	}
	within := attribute(n, "class") == "inline" && h <= tallInLine // package feed decides
	if within && words != "" && p.images != digest.ProxiedImages {
		p.words(words)
		return
	}
	small := within || w > 0 && w <= smallPicture || h > 0 && h <= smallPicture || strings.Contains(src, "/emoji/")
	if small && words != "" && widthOf(words) <= 4 { // an emoji or a smiley
		p.text(words)
		return
	}
	title := beyond(p.title, description(attribute(n, "title")))
	if words == "" {
		words = title
	} else if title != "" && !within && widthOf(title) >= longTitle &&
		(title != words || p.images == digest.ProxiedImages) {
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
			pic.words = p.linkWord() // a link needs text
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
		p.flush() // separate from the paragraph that contains it
	}
	p.line = append(p.line, p.filmed(pic)...)
	if !small {
		p.flush()
	}
}

// words adds the description of a picture to the line, as code if it is the source of a formula.
func (p *parser) words(words string) {
	if !strings.Contains(words, `\`) {
		p.text(words)
		return
	}
	p.line = append(p.line, token{kind: opening, name: "code"}, token{kind: word, text: words}, token{kind: closing})
}

// said returns the words in place of a picture.
func (p *picture) said() string {
	if p.small && p.words != "" {
		return p.words
	}
	if p.words == "" {
		return "[" + saidIn(p.speaks, catalogue.Key("Picture")) + "]"
	}
	return "[" + saidIn(p.speaks, catalogue.Key("%s: %s").With(catalogue.Key("Picture"), p.words)) + "]"
}

// description returns the description in alt. It ignores file names and words such as "image".
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

// beyond returns words, or "" if they only repeat the post's title.
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

// scaled returns a picture's size within the column.
func scaled(w, h int) (int, int) {
	if w > Width {
		w, h = Width, max(h*Width/w, min(h, 1))
	}
	if w > 0 && h > 0 || h <= smallPicture {
		return w, h
	}
	return w, 0 // a height alone would widen it beyond the page
}
