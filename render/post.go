package render

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// How much of a post is shown, in columns: a Chinese character counts as two.
const (
	titleColumns   = 180
	authorColumns  = 60
	excerptColumns = 420
	shortColumns   = 150 // of an excerpt in an edition that would be too large
	leadColumns    = 60  // of a title in the line that mail clients show before a mail is opened
)

// oldAfter is the age at which a post is dated: most are of the day and need
// no date, but a new subscription may bring an old one.
const oldAfter = 72 * time.Hour

// A Post is one post rendered once, shared by all its readers. It is safe for
// concurrent use and its exported fields are never changed.
type Post struct {
	ID       digest.PostID
	Title    string  // plain text, one line, never empty: of a post without one the beginning of its words
	Untitled bool    // its author gave it no title
	URL      string  // the author's own page; empty if the post's address is not http(s)
	Byline   string  // plain text: author, length; may be empty
	Excerpt  string  // plain text, one paragraph; may be empty
	Language string  // BCP 47; empty: not known
	Dir      string  // "rtl", else "auto"
	Author   string  // plain text; may be empty
	Minutes  int     // that the full text takes to read
	Readable bool    // its full text says more than its excerpt
	Files    []File  // what it comes with
	Film     string  // where the film is watched that it is about; empty: it is about none
	Picture  Picture // above its excerpt

	r     *Renderer
	lead  string // of the line that mail clients show before a mail is opened
	line  pair   // in a list of headlines; its HTML has no end yet
	title pair   // its beginning, with its headline if it has one
	by    pair   // who wrote it, and the like: HTML within a paragraph; may be empty
	files pair   // what it comes with, in the same paragraph; may be empty
	rest  pair   // its excerpt, and its end
	shown piece  // HTML: its picture, above an excerpt; may be empty

	unsized leadData // of a picture above the excerpt whose size is not known
	open    []string // the addresses of pictures in the text whose size is not known

	mixed   bool   // its small print has pieces of two directions, or runs from right to left: they stand apart
	content string // empty where brief
	brief   bool   // its text was left out

	made  sync.Map     // what few readers want, made for the first who does
	bytes atomic.Int64 // of memory that it all takes
}

// cached is what was made of the post for a key, and makes it if nobody has.
func cached[T interface{ bytes() int }](p *Post, key any, make func() T) T {
	if known, ok := p.made.Load(key); ok {
		return known.(T)
	}
	made, known := p.made.LoadOrStore(key, make())
	if !known {
		p.bytes.Add(madeBytes + int64(made.(T).bytes()))
	}
	return made.(T)
}

// Brief is Post for readers who want no more of a post than its excerpt. Its text is
// not kept, which is most of what a post takes, so it is never shown.
func (r *Renderer) Brief(from digest.Post) *Post { return r.newPost(from, from.Content != "", nil) }

// IsWhole reports whether the post can be shown in all its length.
func (p *Post) IsWhole() bool { return !p.brief }

// Post renders a post. It trusts nothing in it. Where the post names no
// language, the caller puts the feed's into it.
func (r *Renderer) Post(from digest.Post) *Post { return r.newPost(from, false, nil) }

// WithLinks is Post, or Brief, with links that stand behind its files.
func (r *Renderer) WithLinks(from digest.Post, brief bool, links []File) *Post {
	return r.newPost(from, brief && from.Content != "", links)
}

func (r *Renderer) newPost(from digest.Post, brief bool, links []File) *Post {
	p := &Post{
		r:        r,
		brief:    brief,
		ID:       from.ID,
		URL:      address(from.URL),
		Language: Language(from.Language),
	}
	title, excerpt := from.Title, from.Summary
	if p.Untitled = from.Untitled; !p.Untitled {
		title, excerpt = told(title, beyondHeads(title, excerpt, from.Content))
		p.Untitled = title == ""
	}
	if p.Untitled {
		excerpt = cmp.Or(without(scrub(excerpt, dropped), ""), excerpt, described(from))
	}
	p.Title, p.Excerpt = clean(title, titleColumns), clean(excerpt, excerptColumns)
	p.Title = cmp.Or(p.Title, cut(p.Excerpt, 80), r.Say(catalogue.Key("Untitled")))
	if p.Language == "" {
		p.Language = guessLanguage(p.Title + p.Excerpt)
	}
	p.Dir = direction(p.Title+p.Excerpt, p.Language)
	p.Author, p.Minutes = clean(from.Author, authorColumns), minutes(from.Content)
	p.mixed = p.Dir == "rtl" || r.isRTL() || strings.ContainsFunc(p.Author, rightToLeft)
	p.Byline = p.byline(from)
	p.Film = p.filmOf(from)
	enclosed := r.filesOf(from.Enclosures)
	p.Files = slices.Concat(p.elsewhere(from), p.watched(enclosed), enclosed, tidyLinks(links))
	p.Readable = saysMore(from.Content, p.Excerpt) && saysMore(from.Content, clean(from.Summary, excerptColumns))
	if !brief {
		p.content, p.open = from.Content, unsizedIn(from.Content)
	}
	p.write()
	p.shown = p.leadPicture(from)
	p.pack()
	return p
}

// write writes what most readers want of the post.
func (p *Post) write() {
	r, d := p.r, p.data()
	p.lead = cut(p.Line(), leadColumns)
	p.line = pair{r.line.piece(d), newText(itemText(p.Line(), p.URL))}
	p.title = pair{r.title.piece(d), newText(p.titleText())}
	if d.Byline != "" || d.Host != "" {
		p.by = pair{r.byline.piece(d), newText(wrapped(p.bylineText(false)))}
	}
	if d.Files != nil {
		p.files = pair{r.files.piece(d), newText(filesText(p, ""))}
	}
	p.rest = p.withExcerpt(p.Excerpt)
}

// Line is the post as one line: its title, or of one without a title the beginning of what it says.
func (p *Post) Line() string {
	if p.Untitled {
		return cmp.Or(cut(p.Excerpt, titleColumns), p.Host(), p.Title)
	}
	return p.Title
}

// pack makes one string of all that the post consists of, but for its text.
func (p *Post) pack() {
	n := pack(&p.Title, &p.URL, &p.Film, &p.Byline, &p.Excerpt, &p.Language, &p.Author, &p.lead, &p.Picture.URL,
		&p.Picture.Alt, &p.Picture.Source, &p.unsized.URL, &p.unsized.Alt, &p.unsized.Film, &p.unsized.Width,
		&p.unsized.Height,
		&p.line.html.coded, &p.line.text.coded, &p.title.html.coded, &p.title.text.coded, &p.by.html.coded,
		&p.by.text.coded,
		&p.files.html.coded, &p.files.text.coded, &p.rest.html.coded, &p.rest.text.coded, &p.shown.coded)
	for i := range p.open {
		n += pack(&p.open[i]) + addressBytes
	}
	for i := range p.Files {
		n += fileBytes + pack(&p.Files[i].Label, &p.Files[i].Facts, &p.Files[i].URL)
	}
	p.bytes.Store(postBytes + int64(n+n/10+len(p.content))) // memory comes in sizes of its own
}

// What is kept takes more memory than its strings, in bytes: the structs, and entries
// of maps.
const (
	postBytes = 620
	madeBytes = 300
	fileBytes = 72

	addressBytes = 16
)

// saysMore reports whether content goes on where its excerpt was cut, has more
// than a few words beside it, or a picture.
func saysMore(content, excerpt string) bool {
	const fewWords = 60 // characters
	room := fewWords
	if strings.HasSuffix(excerpt, "…") {
		room = 0
	}
	for _, r := range excerpt {
		if r > ' ' {
			room++
		}
	}
	for r := range letters(content) {
		if r > ' ' {
			if room--; room < 0 {
				return true
			}
		}
	}
	return strings.Contains(content, "<img")
}

// postData is what the templates of post.html are filled with.
type postData struct {
	Title, URL, Lang, Dir string
	Byline, Excerpt       string
	Host                  string  // in place of a headline: the name of the site that the author's page is on
	Continue              string  // words that lead to the rest
	Files                 *pieces // nil: none
	RTL                   bool
	Untitled              bool
	Note                  bool // its byline and its end stand below its excerpt
	Teaser                bool // the way to the rest stands below an excerpt
}

func (p *Post) data() postData {
	d := postData{
		Title: p.Line(), Lang: p.Language, Dir: p.Dir, RTL: p.Dir == "rtl", Untitled: p.Untitled,
		Byline: p.Byline, Excerpt: p.Excerpt, Files: p.filesHTML(),
	}
	if p.URL != "" {
		d.URL, d.Title = p.URL, candid(d.Title, p.URL)
		if p.Untitled {
			d.Host = isolatedIf(p.mixed, cmp.Or(p.Host(), p.r.Say(catalogue.Key("View post"))))
		}
		if p.r.link != nil && !showsAddress(p.Title) {
			d.URL = p.r.link(p.ID, p.URL)
		}
	}
	return d
}

// withExcerpt is what stands of a post below its byline, with so much of its excerpt.
func (p *Post) withExcerpt(excerpt string) pair {
	d := p.data()
	d.Excerpt, d.Note = excerpt, p.Untitled
	end := p.URL
	if end != "" {
		end += "\n"
	}
	if end != "" && excerpt != "" {
		end = "\n" + end
	}
	return pair{p.r.rest.piece(d), newText(excerptText(excerpt) + end)}
}

// excerpted is what stands of the post below its byline at a depth of short or full.
func (p *Post) excerpted(d depth) pair {
	if d == full {
		return p.rest
	}
	return p.short()
}

// short is what stands of the post below its byline, with less of its excerpt.
func (p *Post) short() pair {
	return cached(p, short, func() pair {
		columns := shortColumns
		if p.Untitled { // there is no headline
			columns = titleColumns
		}
		return p.withExcerpt(cut(p.Excerpt, columns)).packed()
	})
}

// row is the post's headline in a mail of headlines, which has a byline below it, and in the text its byline and address.
func (p *Post) row() pair {
	return cached(p, headline, func() pair { return pair{p.r.row.piece(p.data()), newText(p.rowText(false))}.packed() })
}

// Size is about how many bytes of memory the post takes. It grows when a
// reader is the first to want something of it.
func (p *Post) Size() int { return int(p.bytes.Load()) }

// byline is who wrote a post, how long it takes to read, and its date (UTC) if
// it is old. Posts are shared by all time zones, so younger posts have none.
func (p *Post) byline(from digest.Post) string {
	var parts []string
	if p.Author != "" {
		parts = append(parts, p.Author)
	}
	if host := p.leadsAway(from); host != "" && !p.Untitled { // of one without a title the link to it is its host
		parts = append(parts, arrow(p.Dir == "rtl")+host)
	}
	if !from.PublishedAt.IsZero() && from.SeenAt.Sub(from.PublishedAt) > oldAfter {
		parts = append(parts, p.r.Say(catalogue.Time("2 January 2006", from.PublishedAt.UTC())))
	}
	if p.Minutes > 1 {
		parts = append(parts, p.r.Say(catalogue.Key("%d min read").With(p.Minutes)))
	}
	mark := ""
	if p.mixed && len(parts) > 1 {
		mark = lineMark(p.Dir == "rtl")
		for i := range parts {
			parts[i] = isolated(parts[i])
		}
	}
	return mark + strings.Join(parts, " · ")
}

// minutes is how long content takes to read at 230 words or 450 wide
// characters a minute.
func minutes(content string) int {
	words, wides, inWord := 0, 0, false
	for r := range letters(content) {
		switch {
		case r <= ' ':
			inWord = false
		case wide(r):
			wides++
			inWord = false
		case !inWord:
			words++
			inWord = true
		}
	}
	return (words*450 + wides*230 + 230*450/2) / (230 * 450)
}

// letters yields the characters of content that stand outside of its tags, and a
// space for each tag.
func letters(content string) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		inTag := false
		for _, r := range content {
			switch {
			case inTag:
				inTag = r != '>'
				continue
			case r == '<':
				inTag, r = true, ' '
			}
			if !yield(r) {
				return
			}
		}
	}
}
