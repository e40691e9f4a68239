package render

import (
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
	d := leadData{URL: address(p.r.proxy(src)), Alt: description(attribute(tag, "alt")), Width: strconv.Itoa(Width)}
	if w, h = scaled(w, h); w > 0 {
		d.Width = strconv.Itoa(w)
	}
	if w > 0 && h > 0 {
		d.Height = strconv.Itoa(h)
	}
	if d.URL == "" {
		return piece{}
	}
	if d.Film = p.Film; d.Film != "" && d.Alt == "" {
		d.Alt = filmWord
	}
	p.Picture = Picture{local(d.URL), d.Alt, w, h}
	return p.r.lead.piece(d)
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
	z := nethtml.NewTokenizer(strings.NewReader(content[from:]))
	if t := z.Next(); t != nethtml.StartTagToken && t != nethtml.SelfClosingTagToken {
		return nil
	}
	tag := &nethtml.Node{Type: nethtml.ElementNode, Data: "img", Attr: z.Token().Attr}
	if attribute(tag, "src") != src {
		return nil
	}
	return tag
}
