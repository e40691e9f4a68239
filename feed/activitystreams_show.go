package feed

import (
	"html"
	"strings"
)

// showObject gives a post its text, with a warning first, and its pictures and files.
func (p *Post) showObject(o *asObject) {
	var b strings.Builder
	summary := o.Summary.text()
	hidden := string(o.Sensitive) == "true"
	if warning := plainLine(summary, true); warning != "" && (hidden || o.is("Note", "Question")) {
		p.warning = "Content warning: " + warning
		b.WriteString("<p><strong>" + escape(p.warning) + "</strong></p>")
	}
	content := firstOf(o.Content.text(), firstInMap(o.ContentMap))
	if t := o.MediaType.text(); content != "" && (t == "text/markdown" || t == "text/plain") {
		content = paragraphsOf(escape(content))
	}
	b.WriteString(content)
	p.showOptions(&b, o)
	p.showAttachments(&b, o, hidden, strings.Contains(content, "<img"))
	if to := o.InReplyTo.object().address; isWeb(to) {
		b.WriteString(`<p>↑ <a href="` + escape(to) + `">In reply to</a></p>`)
	}
	p.addFilm(o)
	if !hidden {
		p.images = append(p.images, o.pictures()...)
	}
	for _, t := range []text{literal(b.String(), markup), literal(summary, markup)} {
		if !t.empty() && (len(p.bodies) == 0 || p.warning == "") {
			p.bodies = append(p.bodies, t)
		}
	}
}

// showOptions writes what a question offers to answer.
func (p *Post) showOptions(b *strings.Builder, o *asObject) {
	options := append(o.OneOf.list(maxInList), o.AnyOf.list(maxInList)...)
	if len(options) == 0 {
		return
	}
	b.WriteString("<ul>")
	for _, c := range options {
		option := c.object()
		if name := option.title(); name != "" {
			b.WriteString("<li>" + escape(name) + "</li>")
		}
	}
	b.WriteString("</ul>")
}

// showAttachments writes the pictures that come with a post, each with its description, where
// the text does not show them itself, and takes in other files.
func (p *Post) showAttachments(b *strings.Builder, o *asObject, hidden, shown bool) {
	pictures := 0
	for _, v := range o.Attachment.list(maxInList) {
		a := v.object()
		address, mediaType := a.file(), a.MediaType.text()
		switch {
		case a.is("Image") || strings.HasPrefix(mediaType, "image/"):
			if pictures++; !shown && pictures <= maxLinked {
				writePicture(b, address, plainLine(a.Name.text(), true), hidden)
			}
		case a.is("Audio", "Video", "Document") && isWeb(address):
			p.enclose(address, mediaType, a.Size.number())
		case a.is("Link", "Page") && isWeb(address):
			b.WriteString(`<p>→ <a href="` + escape(address) + `">` + escape(firstOf(a.title(), address)) + `</a></p>`)
		}
	}
}

// file is where an attachment is.
func (o *asObject) file() string {
	return plainAddress(firstOf(o.Href.text(), o.URL.object().address, o.page()))
}

// plainAddress undoes the entities with which WordPress writes addresses in JSON.
func plainAddress(address string) string { return html.UnescapeString(address) }

// addFilm takes in the film or the sound that an object is: of several sizes the first file.
func (p *Post) addFilm(o *asObject) {
	if !o.is("Video", "Audio") {
		return
	}
	for _, v := range o.URL.list(maxInList) {
		link := v.object()
		if t := link.MediaType.text(); strings.HasPrefix(t, "video/") || strings.HasPrefix(t, "audio/") {
			p.enclose(link.address, t, link.Size.number())
			return
		}
	}
}

// pictures are those that may stand for an object.
func (o *asObject) pictures() (all []image) {
	for _, field := range []asValue{o.Image, o.Icon} {
		for _, v := range field.list(maxInList) {
			picture := v.object()
			if address := firstOf(picture.file(), picture.address); isWeb(address) {
				all = append(all, image{address: address, alt: plainLine(picture.Name.text(), true)})
			}
		}
	}
	return all
}

func escape(s string) string { return html.EscapeString(s) }
