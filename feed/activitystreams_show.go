package feed

import (
	"cmp"
	"html"
	"slices"
	"strings"

	"digest"
)

// showObject sets the text of a post, with its warning first, and its pictures and files.
func (p *Post) showObject(o *asObject) {
	var b strings.Builder
	summary := o.Summary.words(o.SummaryMap)
	warning := o.warning()
	hidden := o.Sensitive.isTrue() || warning != ""
	if warning != "" {
		p.warning = warns + warning
		b.WriteString("<p><strong>" + escape(p.warning) + "</strong></p>")
	}
	content := o.Content.words(o.ContentMap)
	if t := o.mediaType(); content != "" && (t == "text/markdown" || t == "text/plain") {
		content = paragraphsOf(escape(content))
	}
	b.WriteString(o.timeLine())
	b.WriteString(content)
	if !o.is("Event") {
		b.WriteString(paragraphOf(o.places()))
	}
	p.showOptions(&b, o)
	p.showAttachments(&b, o, hidden, strings.Contains(content, "<img"))
	if quoted := o.quoted(); quoted != "" && !strings.Contains(content, escape(quoted)) &&
		!strings.Contains(content, "quote-inline") {
		b.WriteString(`<p>→ <a href="` + escape(quoted) + `">` + escape(quoted) + `</a></p>`)
	}
	b.WriteString(o.answerLine())
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

// warning returns the summary of o if it is a content warning, and not an excerpt or a title. Some servers write a
// zero-width character for no warning.
func (o *asObject) warning() string {
	if !o.Sensitive.isTrue() && (!o.is("Note", "Question") || o.title() != "") {
		return ""
	}
	warning := plainLine(o.Summary.words(o.SummaryMap), markup)
	if title := o.title(); title != "" && strings.HasPrefix(warning, title) || !strings.ContainsFunc(warning, isSeen) {
		return ""
	}
	return warning
}

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

// answerLine returns a link to the post that o replies to; "": it is no reply.
func (o *asObject) answerLine() string {
	if to := o.InReplyTo.object().address; isWeb(to) {
		return `<p>↑ <a href="` + escape(to) + `">In reply to</a></p>`
	}
	return ""
}

// quoted returns the address of the post that o quotes. It knows the field names of Misskey and Fedibird, FEP-044f,
// and the link tags of FEP-e232.
func (o *asObject) quoted() string {
	for _, field := range []asValue{o.Quote, o.QuoteURL, o.QuoteURI, o.MisskeyQuote} {
		if to := field.object().address; isWeb(to) {
			return to
		}
	}
	for _, v := range o.Tag.list(maxInList) {
		if tag := v.object(); tag.is("Link") && isActorType(tag.mediaType()) && isWeb(tag.address) {
			return tag.address
		}
	}
	return ""
}

// showAttachments writes attached pictures with their descriptions, unless the text displays them (shown), and adds
// other files as enclosures.
func (p *Post) showAttachments(b *strings.Builder, o *asObject, hidden, shown bool) {
	pictures := 0
	for _, v := range o.Attachment.list(maxInList) {
		a := v.object()
		file := a.file()
		switch {
		case a.is("Image") || file.Medium() == digest.Picture && !a.is("Link", "Page"):
			if pictures++; !shown && pictures <= maxLinked {
				writePicture(b, file.URL, plainLine(a.Name.text(), markup), hidden)
			}
		case a.is("Audio", "Video", "Document") && isWeb(file.URL):
			p.enclose(file)
		case a.is("Link", "Page") && isWeb(file.URL):
			b.WriteString(`<p>→ <a href="` + escape(file.URL) + `">` +
				escape(firstOf(a.title(), file.URL)) + `</a></p>`)
		}
	}
}

// file returns an attachment, a picture or a link's target as an enclosure.
func (o *asObject) file() digest.Enclosure {
	link := o.widest()
	size := o.Size.number()
	if size == 0 {
		size = link.Size.number()
	}
	return digest.Enclosure{
		URL:     plainAddress(firstOf(o.Href.text(), link.address, o.page())),
		Type:    firstOf(o.mediaType(), link.mediaType()),
		Length:  size,
		Seconds: o.seconds(),
	}
}

// widest returns the link to the widest picture of o; without sizes its first link.
func (o *asObject) widest() (best asObject) {
	for i, v := range o.URL.list(maxInList) {
		link := v.object()
		if i == 0 || strings.HasPrefix(link.mediaType(), "image/") && link.Width.number() > best.Width.number() {
			best = link
		}
	}
	return best
}

// seconds returns the playing time of o, which some servers write as a number.
func (o *asObject) seconds() int64 {
	if n := seconds(o.Duration.text()); n > 0 {
		return n
	}
	return seconds(strings.Trim(string(o.Duration), `"`))
}

// plainAddress decodes the entities that WordPress writes into addresses in JSON.
func plainAddress(address string) string { return html.UnescapeString(address) }

// addFilm encloses the file of a video or audio object: the first of several sizes, or the first file of a stream.
func (p *Post) addFilm(o *asObject) {
	if !o.is("Video", "Audio") {
		return
	}
	var streamed []asValue
	for _, v := range o.URL.list(maxInList) {
		link := v.object()
		if p.addFilmAt(&link, o) {
			return
		}
		streamed = append(streamed, link.Tag.list(maxInList)...)
	}
	for _, v := range streamed {
		if link := v.object(); p.addFilmAt(&link, o) {
			return
		}
	}
}

// addFilmAt encloses the target of a link; false: it is no video or audio file.
func (p *Post) addFilmAt(link, film *asObject) bool {
	file := link.file()
	file.Seconds = film.seconds()
	if m := (digest.Enclosure{Type: file.Type}).Medium(); m != digest.Film && m != digest.Sound || !isWeb(file.URL) {
		return false
	}
	p.enclose(file)
	return true
}

func (o *asObject) pictures() (all []image) {
	for _, field := range []asValue{o.Image, o.Icon} {
		var sized []sizedImage
		for _, v := range field.list(maxInList) {
			picture := v.object()
			if address := firstOf(picture.file().URL, picture.address); isWeb(address) {
				sized = append(sized, sizedImage{image{address: address, alt: plainLine(picture.Name.text(), markup)},
					picture.Width.number()})
			}
		}
		slices.SortStableFunc(sized, func(a, b sizedImage) int { return cmp.Compare(b.width, a.width) })
		for _, i := range sized {
			all = append(all, i.image)
		}
	}
	return all
}

// A sizedImage is a picture with its width; 0: unknown.
type sizedImage struct {
	image
	width int64
}

func escape(s string) string { return html.EscapeString(s) }
