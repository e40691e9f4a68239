package feed

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest"
)

// The limits for the files of a feed, beyond any that a feed means.
const (
	maxLength   = 1 << 40 // bytes
	maxPictures = 10      // displayed beside the text of a post
	maxAlt      = 300     // characters of a picture's description
)

// fileOf returns the file to which an element leads.
func fileOf(e element) digest.Enclosure {
	return digest.Enclosure{URL: cmp.Or(e.attr("url"), e.attr("href")), Type: e.attr("type"),
		Length: byteCount(cmp.Or(e.attr("length"), e.attr("fileSize")))}
}

// enclose adds a file to the post.
func (p *Post) enclose(e digest.Enclosure) {
	if e.URL = absolute(e.URL, p.bases); e.URL == "" || len(p.Enclosures) >= maxEnclosures {
		return
	}
	if e.Length < 0 || e.Length > maxLength {
		e.Length = 0
	}
	if e.Seconds < 0 || e.Seconds > maxSeconds {
		e.Seconds = 0
	}
	p.Enclosures = append(p.Enclosures, e)
}

func byteCount(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// A mediaFile is one format of a file. Files of one group are the same content in other formats (Media RSS 1.5.1,
// media:group; JSON Feed 1.1, attachments with one title).
type mediaFile struct {
	digest.Enclosure
	group string // "": it has only one format
	first bool   // the feed marks it as the default
}

// addFiles adds files that are not enclosures, and of each group only the format that most programs play. If a file
// is an enclosure too, addFiles only completes the enclosure. It skips files of the same medium as an enclosure,
// because they are other formats of it.
func (p *Post) addFiles(all []mediaFile) {
	known, enclosed := map[string]bool{}, map[digest.Medium]bool{}
	for _, e := range p.Enclosures {
		enclosed[e.Medium()] = true
	}
	for i := range all {
		f := &all[i]
		f.URL = absolute(f.URL, p.bases)
		for k := range p.Enclosures {
			if e := &p.Enclosures[k]; e.URL == f.URL {
				e.Type, e.Length, e.Seconds = cmp.Or(e.Type, f.Type), cmp.Or(e.Length, f.Length),
					cmp.Or(e.Seconds, f.Seconds)
				known[f.group] = true
			}
		}
	}
	slices.SortStableFunc(all, func(a, b mediaFile) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, f := range all {
		if enclosed[f.Medium()] || f.group != "" && known[f.group] {
			continue
		}
		known[f.group] = true
		p.enclose(f.Enclosure)
	}
}

// rank orders the formats of a file, best first.
func (f *mediaFile) rank() int {
	typ := strings.ToLower(f.Type)
	switch {
	case f.first:
		return 0
	case typ == "audio/mpeg", typ == "video/mp4", f.Ending() == "mp3", f.Ending() == "mp4":
		return 1
	case f.Medium() == digest.Sound, f.Medium() == digest.Film:
		return 2
	}
	return 3
}

// openFile keeps a media:content element, and returns how to treat its children: they describe a picture, but for any
// other file they describe the post.
func (r *reader) openFile(tok token, e, parent *open) treatment {
	if tok.attr("medium") == "image" || strings.HasPrefix(strings.ToLower(tok.attr("type")), "image/") {
		return attributes
	}
	if parent.accepts(e.name) {
		file := *e
		file.setAll(tok)
		r.keep(file.element)
	}
	return unwrap
}

// nestedText returns the text of the first of these elements, by local name, within raw; "": none.
func nestedText(raw string, names ...string) string {
	raw = raw[:min(len(raw), maxLine)]
	for _, name := range names {
		within := false
		for tok := range tokens(raw) {
			_, local := splitName(tok.name)
			switch {
			case tok.kind == tokenStart || tok.kind == tokenEnd:
				within = tok.kind == tokenStart && strings.EqualFold(local, name)
			case within && strings.TrimSpace(tok.text) != "":
				if tok.kind == tokenText {
					return singleSpaced(decodeEntities(tok.text))
				}
				return singleSpaced(tok.text)
			}
		}
	}
	return ""
}

// addMedia adds the files and pictures of Media RSS, and the podcast namespaces' data about the main file. The argument
// chapters is the address of a list of Podlove chapters.
func (p *Post) addMedia(t elements, chapters string) {
	var files []mediaFile
	for _, m := range atMost(t.named("media:content")) {
		f := mediaFile{Enclosure: fileOf(m), group: m.attr("group"), first: m.attr("isDefault") == "true"}
		f.URL, f.Seconds = absolute(f.URL, p.bases), seconds(m.attr("duration"))
		if f.Type == "" && m.attr("medium") != "" && f.Medium() == digest.Other {
			f.Type = mediumType(m.attr("medium"))
		}
		sample := m.attr("expression") == "sample"
		if medium := f.Medium(); f.URL != "" && !sample &&
			(medium == digest.Sound || medium == digest.Film || m.attr("medium") == "document") {
			files = append(files, f)
		}
	}
	p.addFiles(files)
	p.images = mediaImages(t)
	i := p.mainFile()
	if i < 0 {
		return
	}
	main := &p.Enclosures[i]
	if s := seconds(t.value("itunes:duration")); s > 0 {
		main.Seconds = s
	}
	main.Chapters = p.beside(t.first("podcast:chapters").attr("url"), chapters)
	main.ChapterList = t.chapters()
	main.Transcript = p.beside(transcript(t.named("podcast:transcript")))
}

// simpleChapters is the relation of a link to a list of Podlove Simple Chapters.
const simpleChapters = "http://podlove.org/simple-chapters"

// mediumType returns a media type for a file of which the feed states only the medium.
func mediumType(medium string) string {
	switch medium {
	case "audio", "video":
		return medium + "/*"
	}
	return ""
}

func (p *Post) mainFile() int {
	return slices.IndexFunc(p.Enclosures, func(e digest.Enclosure) bool {
		return e.Medium() == digest.Sound ||
			e.Medium() == digest.Film
	})
}

// beside returns the first web address of refs.
func (p *Post) beside(refs ...string) string {
	for _, ref := range refs {
		if u := digest.WithoutCredentials(absolute(ref, p.bases)); ref != "" && isWeb(u) && hasHost(u) {
			return u
		}
	}
	return ""
}

// atMost limits elements of one name to the maximum of a post.
func atMost[T any](all []T) []T { return all[:min(len(all), maxEnclosures)] }

// transcript returns the address of the most readable format of a transcript.
func transcript(all elements) string {
	types := []string{"text/html", "text/plain", "text/vtt", "application/x-subrip", "application/srt"}
	best, ref := len(types), ""
	for _, e := range all {
		if i := slices.Index(types, strings.ToLower(e.attr("type"))); i >= 0 && i < best {
			best, ref = i, e.attr("url")
		}
	}
	return ref
}

type image struct {
	address string
	alt     string // a description
	area    int    // CSS pixels; 0: unknown
}

// mediaImages returns the pictures beside the text of a post, best first: pictures of the post, then its thumbnails,
// then the picture of its episode, each ordered by size.
func mediaImages(t elements) []image {
	var own, small, episode []image
	for _, m := range atMost(t.named("media:content")) {
		if m.attr("medium") == "image" || strings.HasPrefix(strings.ToLower(m.attr("type")), "image/") {
			own = append(own, imageOf(m))
		}
	}
	for _, m := range atMost(t.named("media:thumbnail")) {
		small = append(small, imageOf(m))
	}
	for _, m := range atMost(t.named("itunes:image")) {
		episode = append(episode, image{address: m.attr("href")})
	}
	larger := func(a, b image) int { return cmp.Compare(b.area, a.area) }
	slices.SortStableFunc(own, larger)
	slices.SortStableFunc(small, larger)
	return slices.Concat(own, small, episode)
}

func imageOf(m element) image {
	i := image{address: m.attr("url"), alt: m.attr("alt")}
	if w, h := number(m.attr("width")), number(m.attr("height")); w > 0 && h > 0 && w < 1<<16 && h < 1<<16 {
		i.area = w * h
	}
	return i
}

// dropShared removes pictures beside the texts that several posts have in common, because they belong to the feed.
func (d *Document) dropShared() {
	posts := map[string]int{}
	for i := range d.Posts {
		of := map[string]bool{}
		for _, p := range d.Posts[i].images {
			of[p.address] = true
		}
		for address := range of {
			posts[address]++
		}
	}
	for i := range d.Posts {
		p := &d.Posts[i]
		p.images = slices.DeleteFunc(p.images, func(i image) bool { return posts[i.address] > 1 })
	}
}

// pictures returns the pictures beside the text and among the enclosures, best first, without trackers and ornaments.
func (p *Post) pictures() []image {
	candidates := slices.Clone(p.images)
	for _, e := range p.Enclosures {
		if e.Medium() == digest.Picture {
			candidates = append(candidates, image{address: e.URL})
		}
	}
	var real []image
	for _, i := range candidates {
		if i.address = p.pictureAddress(i.address); i.address != "" {
			real = append(real, i)
		}
	}
	return real
}

// pictureAddress returns the absolute address of a picture; "": it must not be displayed.
func (p *Post) pictureAddress(ref string) string {
	u := absolute(ref, append([]string{asBase(p.Link)}, p.bases...))
	if !isWeb(u) || isTracker(u) || isOrnament(u) {
		return ""
	}
	return uncounted(digest.WithoutCredentials(u))
}

// withPictures adds pictures to content that has none. A post with a title, or with a picture of known size, gets the
// first picture above the text. Another post gets all the author's own pictures below the text, as on social
// networks.
func (p *Post) withPictures(content string, beside []image) string {
	if p.Title != "" || beside[0].area > 0 {
		return beside[0].html() + content
	}
	var b strings.Builder
	shown := map[string]bool{}
	for _, i := range beside {
		if !shown[i.address] && i.area == 0 && len(shown) < maxPictures {
			shown[i.address] = true
			b.WriteString(i.html())
		}
	}
	return content + b.String()
}

func (i image) html() string {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	img := &html.Node{Type: html.ElementNode, DataAtom: atom.Img, Data: "img"}
	setAttr(img, "src", i.address)
	if alt := shorten(singleSpaced(i.alt), maxAlt); alt != "" {
		setAttr(img, "alt", alt)
	}
	body.AppendChild(img)
	var b strings.Builder
	if html.Render(&b, body) != nil {
		return ""
	}
	return b.String()
}
