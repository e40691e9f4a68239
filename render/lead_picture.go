package render

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
	"digest/rank"
)

type leadData struct {
	URL, Alt, Width, Height string
	Film                    string // address of the film; may be empty
	Cover                   bool
}

// A Picture is the picture of a post for a web page.
type Picture struct {
	URL           string // path on this instance; may be empty
	Alt           string // may be empty
	Width, Height int    // in CSS pixels; 0 if unknown
	Source        string // its original address
	Cover         bool   // the cover of an episode; shown small, because episodes of a podcast have similar covers
}

// leadPicture returns the picture above a post's excerpt, served by this instance, or an empty piece. It omits pictures
// that the text does not show because they are marked as sensitive. Mail programs without CSS use the width in pixels.
// A picture of unknown size is as wide as the column.
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
		return piece{} // an ornament or a face
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
	p.Picture = Picture{URL: local(d.URL), Alt: d.Alt, Width: w, Height: h, Cover: d.Cover,
		Source: src}
	if h == 0 {
		p.unsized = d
	}
	return p.r.lead.piece(d)
}

// coverSide is the maximum size of a cover in CSS pixels.
const coverSide = 160

// isSquare reports whether a picture is square or its size is unknown.
func isSquare(w, h int) bool {
	return w == 0 || h == 0 || 10*max(w, h) <= 11*min(w, h)
}

func fitted(w, h int, cover bool) (int, int) {
	if cover && w > coverSide {
		w, h = coverSide, h*coverSide/w
	}
	return scaled(w, h)
}

// described returns the description of the first picture in the content, for a post that has only a picture.
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

// maxLeadHeight limits the height of a picture above an excerpt: three quarters of the column.
const maxLeadHeight = Width * 3 / 4

// setSize sets the displayed size. A high picture becomes narrower, which also works in mail programs without CSS. If
// the height is unknown, setSize sets only the width.
func (d *leadData) setSize(w, h int) {
	if h > maxLeadHeight {
		w, h = max(1, w*maxLeadHeight/h), maxLeadHeight
	}
	column := Width
	if d.Cover {
		column = coverSide
	}
	d.Width, d.Height = strconv.Itoa(cmp.Or(w, column)), ""
	if w > 0 && h > 0 {
		d.Height = strconv.Itoa(h)
	}
}

// Learned returns the picture of a post of a rank, in its stored size. It returns no picture if the picture is dead or
// too small, or if it is not known to load and the post is prominent.
func (p Picture) Learned(sizes map[string]digest.PictureSize, of rank.Rank) Picture {
	size, known := sizes[p.Source]
	switch {
	case size.Dead, !known && (of == rank.Lead || of == rank.Second):
		return Picture{}
	case p.URL == "" || p.Height > 0 || size.Width == 0:
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

// lead returns the picture above a post's excerpt in an email, in its stored size.
func (m *mail) lead(p *Post, of rank.Rank) piece {
	pic := p.Picture.Learned(m.PictureSizes, of)
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

// repeatsCover reports whether an earlier post of the section has the same cover. A section shows a cover once.
func (m *mail) repeatsCover(s *Section, i int) bool {
	p := s.Posts[i].Picture
	return p.Learned(m.PictureSizes, rank.Standard).Cover &&
		slices.ContainsFunc(s.Posts[:i], func(before *Post) bool { return before.Picture.URL == p.URL })
}

// leastLead is the minimum width in CSS pixels of a picture above an excerpt.
const leastLead = 100

// imageTag returns the element of the sanitised content that shows a picture, or nil.
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
