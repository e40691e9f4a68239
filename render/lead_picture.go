package render

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
)

// leadData is what the template of a post's picture is filled with.
type leadData struct {
	URL, Alt, Width, Height string
	Film                    string // where it leads; empty: nowhere
	Cover                   bool
}

// A Picture is that of a post, for a page in a browser.
type Picture struct {
	URL           string // its path on this instance; empty: there is none
	Alt           string // may be empty
	Width, Height int    // in CSS pixels; 0: not known
	Source        string // its own address, where its size is not known
	Cover         bool   // it is the cover of an episode, which is the same or almost for each, and is shown small
}

// leadPicture is the picture of a post as it stands above its excerpt, loaded from this instance; empty if it has none.
// One that its text does not show, as it is marked as sensitive, is not shown here either.
// Programs that know no CSS go by its width in pixels: one whose size is not known is as wide as the column.
func (p *Post) leadPicture(from digest.Post) piece {
	src := address(from.ImageURL)
	if p.r.proxy == nil || src == "" {
		return piece{}
	}
	tag := imageTag(from.Content, from.ImageURL)
	if tag == nil {
		return piece{}
	}
	w, h := pixels(tag, "width"), pixels(tag, "height")
	if w > 0 && w < leastLead {
		return piece{} // an ornament, or a face
	}
	d := leadData{URL: address(p.r.proxy(src)), Alt: beyond(p.Title, description(attribute(tag, "alt")))}
	if d.URL == "" {
		return piece{}
	}
	if d.Film = p.Film; d.Film != "" && d.Alt == "" {
		d.Alt = p.r.Say(filmWord())
	}
	isEpisode := slices.ContainsFunc(from.Enclosures,
		func(e digest.Enclosure) bool { return e.Medium() == digest.Sound })
	d.Cover = isEpisode && isSquare(w, h)
	w, h = fitted(w, h, d.Cover)
	d.setSize(w, h)
	p.Picture = Picture{URL: local(d.URL), Alt: d.Alt, Width: w, Height: h, Cover: d.Cover}
	if h == 0 {
		p.Picture.Source, p.unsized = src, d
	}
	return p.r.lead.piece(d)
}

// coverSide is how large a cover is shown at most, in CSS pixels.
const coverSide = 160

// isSquare reports whether a picture is as wide as it is high, or may be.
func isSquare(w, h int) bool {
	return w == 0 || h == 0 || 10*max(w, h) <= 11*min(w, h)
}

// fitted is the size of a picture in the column.
func fitted(w, h int, cover bool) (int, int) {
	if cover && w > coverSide {
		w, h = coverSide, h*coverSide/w
	}
	return scaled(w, h)
}

// described is what a post of nothing but a picture says of that, in words.
func described(from digest.Post) string {
	at := strings.Index(from.Content, "<img")
	if at < 0 {
		return ""
	}
	tag := firstTag(from.Content[at:])
	if tag == nil {
		return ""
	}
	return description(attribute(tag, "alt"))
}

// setSize says how large the picture is shown. Of one whose height is not known only the width is said.
func (d *leadData) setSize(w, h int) {
	column := Width
	if d.Cover {
		column = coverSide
	}
	d.Width, d.Height = strconv.Itoa(cmp.Or(w, column)), ""
	if w > 0 && h > 0 {
		d.Height = strconv.Itoa(h)
	}
}

// Learned is the picture in a size that was learned since; what turned out to be an ornament is none.
func (p Picture) Learned(sizes map[string]digest.PictureSize) Picture {
	size, known := sizes[p.Source]
	if p.URL == "" || p.Source == "" || !known {
		return p
	}
	w, h := shownSize(p.Width, p.Height, size)
	if w < leastLead {
		return Picture{}
	}
	p.Cover = p.Cover && isSquare(w, h)
	p.Width, p.Height = fitted(w, h, p.Cover)
	return p
}

// lead is the picture of a post above its excerpt in a mail, in the size that was learned since.
func (m *mail) lead(p *Post) piece {
	pic := p.Picture.Learned(m.PictureSizes)
	switch pic {
	case p.Picture:
		return p.shown
	case Picture{}:
		return piece{}
	}
	d := p.unsized
	d.Cover = pic.Cover
	d.setSize(pic.Width, pic.Height)
	return m.r.lead.piece(d)
}

// repeatsCover reports whether the picture of the i-th post of a section is a cover that an earlier one has, too: it
// says once whose episodes these are.
func (m *mail) repeatsCover(s *Section, i int) bool {
	p := s.Posts[i].Picture
	return p.Learned(m.PictureSizes).Cover &&
		slices.ContainsFunc(s.Posts[:i], func(before *Post) bool { return before.Picture.URL == p.URL })
}

// leastLead is the width in CSS pixels of the smallest picture that stands above an excerpt.
const leastLead = 100

// imageTag is the element of content, which is sanitised, that shows a picture; nil if there is none.
func imageTag(content, src string) *nethtml.Node {
	at := strings.Index(content, html.EscapeString(src))
	if at < 0 {
		return nil
	}
	from := strings.LastIndex(content[:at], "<img")
	if from < 0 {
		return nil
	}
	if tag := firstTag(content[from:]); tag != nil && attribute(tag, "src") == src {
		return tag
	}
	return nil
}
