package render

import (
	"cmp"
	"html"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"digest"
)

// leadData is what the template of a post's picture is filled with.
type leadData struct {
	URL, Alt, Width, Height string
	Film                    string // where it leads; empty: nowhere
}

// A Picture is that of a post, for a page in a browser.
type Picture struct {
	URL           string // its path on this instance; empty: there is none
	Alt           string // may be empty
	Width, Height int    // in CSS pixels; 0: not known
	Source        string // its own address, where its size is not known
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
	w, h = scaled(w, h)
	d.setSize(w, h)
	p.Picture = Picture{URL: local(d.URL), Alt: d.Alt, Width: w, Height: h}
	if h == 0 {
		p.Picture.Source, p.unsized = src, d
	}
	return p.r.lead.piece(d)
}

// setSize says how large the picture is shown. Of one whose height is not known only the width is said.
func (d *leadData) setSize(w, h int) {
	d.Width, d.Height = strconv.Itoa(cmp.Or(w, Width)), ""
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
	p.Width, p.Height = scaled(w, h)
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
	d.setSize(pic.Width, pic.Height)
	return m.r.lead.piece(d)
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
