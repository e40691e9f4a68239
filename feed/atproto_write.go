package feed

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// warning returns the labels of a post that readers want to know before they read it, separated by commas; "": none.
func (at *atPost) warning() string {
	var of []string
	for _, l := range at.labels() {
		if adult[l.Val] && !slices.Contains(of, strings.TrimPrefix(l.Val, "!")) {
			of = append(of, strings.TrimPrefix(l.Val, "!"))
		}
	}
	return strings.Join(of, ", ")
}

// pictures returns the candidates for the picture of the post; nil if a label warns of them.
func (at *atPost) pictures() []string {
	if at.warning() != "" {
		return nil
	}
	var out []string
	for e := &at.Embed; e != nil; e = e.Media {
		for _, image := range e.images() {
			out = append(out, image.address())
		}
		for _, u := range []string{e.External.Thumb, e.Thumbnail} {
			if u != "" {
				out = append(out, u)
			}
		}
	}
	return slices.DeleteFunc(out[:min(len(out), maxLinked)], func(u string) bool { return !isWeb(u) })
}

// write writes a post as HTML: its text with its links, then its embeds.
func (at *atPost) write(b *strings.Builder) {
	warning := at.warning()
	if warning != "" {
		b.WriteString("<p><strong>" + html.EscapeString(warns+warning) + "</strong></p>")
	}
	b.WriteString(at.Record.html())
	at.Embed.write(b, at, warning != "", 0)
}

func (r *atRecord) html() string {
	var b strings.Builder
	last := 0
	slices.SortStableFunc(r.Facets, func(a, b atFacet) int { return cmp.Compare(a.Index.ByteStart, b.Index.ByteStart) })
	for _, f := range r.Facets {
		start, end := f.Index.ByteStart, f.Index.ByteEnd
		to := f.link()
		if start < last || end <= start || end > len(r.Text) || to == "" || !onRunes(r.Text, start, end) {
			continue
		}
		b.WriteString(html.EscapeString(r.Text[last:start]))
		b.WriteString(`<a href="` + html.EscapeString(to) + `">` + html.EscapeString(r.Text[start:end]) + `</a>`)
		last = end
	}
	b.WriteString(html.EscapeString(r.Text[last:]))
	return paragraphsOf(b.String())
}

// paragraphsOf splits text that is already escaped into HTML paragraphs.
func paragraphsOf(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(cleanText(s), "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			b.WriteString("<p>" + strings.ReplaceAll(part, "\n", "<br/>") + "</p>")
		}
	}
	return b.String()
}

// onRunes reports whether both ends of a range are at rune boundaries of s.
func onRunes(s string, start, end int) bool {
	return utf8.RuneStart(s[start]) && (end == len(s) || utf8.RuneStart(s[end]))
}

// link returns the target of a facet; "": it has none.
func (f atFacet) link() string {
	for _, feature := range f.Features {
		switch {
		case isWeb(feature.URI):
			return feature.URI
		case feature.DID != "":
			return atAuthor{DID: feature.DID}.page()
		case feature.Tag != "":
			return bluesky + "/hashtag/" + url.PathEscape(feature.Tag)
		}
	}
	return ""
}

const mostQuoted = 1

// mostImages limits the pictures of a post; a gallery has at most 20.
const mostImages = 20

// images returns the pictures of a post. Posts with more than four store them in a gallery.
func (e *atEmbed) images() []atImage {
	all := slices.Concat(e.Images, e.Items)
	return all[:min(len(all), mostImages)]
}

func (i atImage) address() string { return firstOf(i.Fullsize, i.Thumb, i.Thumbnail) }

func (e *atEmbed) write(b *strings.Builder, at *atPost, hidden bool, depth int) {
	for _, image := range e.images() {
		writePicture(b, image.address(), image.Alt, hidden)
	}
	if isWeb(e.External.URI) {
		title := firstOf(singleSpaced(cleanText(e.External.Title)), e.External.URI)
		b.WriteString(`<p>→ <a href="` + html.EscapeString(e.External.URI) + `">` +
			html.EscapeString(title) + `</a></p>`)
		if about := singleSpaced(cleanText(e.External.Description)); about != "" {
			b.WriteString("<blockquote><p>" + html.EscapeString(about) + "</p></blockquote>")
		}
	}
	if e.Playlist != "" {
		about := firstOf(singleSpaced(cleanText(e.Alt)), "Video")
		writePicture(b, e.Thumbnail, "", hidden)
		b.WriteString(`<p>▶ <a href="` + html.EscapeString(at.page()) + `">` + html.EscapeString(about) + `</a></p>`)
	}
	if e.Media != nil && depth <= mostQuoted {
		e.Media.write(b, at, hidden, depth+1)
	}
	switch {
	case e.Record == nil || depth >= mostQuoted:
	case e.Record.Record != nil:
		e.Record.Record.quote(b, depth)
	default:
		e.Record.quote(b, depth)
	}
}

// quote writes an embedded post, or the name of an embedded list, feed and so on.
func (at *atPost) quote(b *strings.Builder, depth int) {
	to := at.page()
	who := firstOf(at.Author.name(), at.Creator.name())
	if to == "" || who == "" || at.isHidden() { // it may be deleted
		return
	}
	if name := singleSpaced(cleanText(firstOf(at.DisplayName, at.Name))); name != "" {
		b.WriteString(`<p>→ <a href="` + html.EscapeString(to) + `">` + html.EscapeString(name) + `</a></p>`)
		return
	}
	b.WriteString(`<blockquote><p><a href="` + html.EscapeString(to) + `">` + html.EscapeString(who) + `</a>:</p>`)
	b.WriteString(at.Value.html())
	for i := range at.Embeds[:min(len(at.Embeds), 2)] {
		at.Embeds[i].write(b, at, at.warning() != "", depth+1)
	}
	b.WriteString("</blockquote>")
}

// writePicture writes a picture with its description; of a hidden one it writes a link.
func writePicture(b *strings.Builder, address, alt string, hidden bool) {
	if !isWeb(address) {
		return
	}
	alt = html.EscapeString(singleSpaced(cleanText(alt)))
	if hidden {
		b.WriteString(`<p><a href="` + html.EscapeString(address) + `">` + firstOf(alt, "Picture") + `</a></p>`)
		return
	}
	b.WriteString(`<p><img src="` + html.EscapeString(address) + `" alt="` + alt + `"/></p>`)
}
