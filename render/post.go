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
	"digest/rank"
)

// Limits of the parts of a post in columns. A Chinese character has two columns.
const (
	titleColumns   = 180
	authorColumns  = 60
	excerptColumns = 420
	shortColumns   = 150 // of an excerpt in an edition that would be too large
	longerColumns  = 480 // of the excerpt of a prominent post on the web
	leadColumns    = 60  // of a title in the preview text of an email
)

// longWords is the length of a text from which a post has a longer excerpt.
const longWords = 200

// OldAfter is the age from which a post shows its date. Most posts are recent, but a new subscription may contain old
// ones.
const OldAfter = 72 * time.Hour

// A Post is a post that is rendered once and shared by all its readers. It is safe for concurrent use, and its exported
// fields never change.
type Post struct {
	ID       digest.PostID
	Title    string  // plain text, one line, never empty; the first words of an untitled post
	Untitled bool    // its author wrote no title
	URL      string  // the author's page; empty if the address is not http(s)
	Byline   string  // plain text: author and reading time; may be empty
	Excerpt  string  // plain text, one paragraph; may be empty
	Longer   string  // the excerpt with more of a long text; may be empty
	Language string  // BCP 47; empty if unknown
	Dir      string  // "rtl" or "auto"
	Author   string  // plain text; may be empty
	Minutes  int     // reading time of the full text
	Words    int     // of the full text, or else of its summary; a wide character is half a word
	Headline bool    // its title says what it is about
	Opening  string  // of its title, see rank.Opening; empty if it has no headline
	Readable bool    // its full text contains more than its excerpt
	Files    []File  // its enclosures and other links
	Film     string  // address of the film that it is about; may be empty
	Picture  Picture // above its excerpt

	Linked []digest.Span // the excerpt of an untitled post with its links; nil if it has none

	r       *Renderer
	besides string // Byline without the author
	inWords string // its pictures in words, for emails that show none

	lead  string // for the preview text of an email
	line  pair   // for a list of headlines; the HTML has no end tag yet
	title pair   // the beginning with its headline, if any
	by    pair   // author and similar data: HTML within a paragraph; may be empty
	files pair   // its files in the same paragraph; may be empty
	rest  pair   // its excerpt and its end
	shown piece  // HTML: the picture above the excerpt; may be empty

	unsized  leadData // for a picture above the excerpt without a known size
	pictures []string // addresses of the pictures in the text

	mixed   bool   // its small print is isolated, because it has two directions or runs from right to left
	content string // empty if brief
	brief   bool   // created without its text

	made  sync.Map // rarely used forms, created on first use
	bytes atomic.Int64
}

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

// Brief renders a post for readers who want only its excerpt. It does not keep the text, which is most of a post's
// memory.
func (r *Renderer) Brief(from digest.Post) *Post { return r.newPost(from, from.Content != "", nil) }

// IsWhole reports whether the full text can be shown.
func (p *Post) IsWhole() bool { return !p.brief }

// Post renders an untrusted post. If the post has no language, the caller sets the language of the feed.
func (r *Renderer) Post(from digest.Post) *Post { return r.newPost(from, false, nil) }

// WithLinks renders a post like Post or Brief, with additional links after its files.
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
	} else {
		excerpt = withoutLeadIn(excerpt, clean(from.Author, authorColumns))
	}
	excerpt, isCut := shorten(excerpt, excerptColumns)
	p.Title, p.Excerpt = clean(title, titleColumns), excerpt
	if p.Untitled && !isCut {
		p.Linked = linked(excerpt, linksIn(from.Content))
	}
	p.Title = cmp.Or(p.Title, cut(p.Excerpt, 80), r.Say(catalogue.Key("Untitled")))
	if p.Language == "" {
		p.Language = guessLanguage(p.Title + p.Excerpt)
	}
	p.Dir = direction(p.Title+p.Excerpt, p.Language)
	p.Author, p.Words = clean(from.Author, authorColumns), wordsIn(from.Content)
	p.Minutes = (p.Words + wordsAMinute/2) / wordsAMinute
	if p.Words == 0 {
		p.Words = wordsIn(from.Summary)
	}
	p.Headline = !p.Untitled && rank.IsHeadline(p.Title) && !rank.IsNote(from.Title, p.Words)
	if p.Headline {
		p.Opening = rank.Opening(from.Title)
	}
	p.mixed = p.Dir == "rtl" || r.isRTL() || strings.ContainsFunc(p.Author, rightToLeft)
	p.Byline, p.besides = p.byline(from)
	p.inWords = p.pictureWords(from)
	p.Film = p.filmOf(from)
	enclosed := r.filesOf(from.Enclosures)
	p.Files = slices.Concat(p.elsewhere(from), p.watched(enclosed), enclosed, p.comments(from), tidyLinks(links))
	summary, cutSummary := shorten(from.Summary, excerptColumns)
	p.Readable = saysMore(from.Content, p.Excerpt, isCut) && saysMore(from.Content, summary, cutSummary)
	if p.Headline && p.Words >= longWords {
		p.Longer = longer(from.Content, p.Excerpt)
	}
	if !brief {
		p.content, p.pictures = from.Content, picturesIn(from.Content)
	}
	p.write()
	p.shown = p.leadPicture(from)
	p.pack()
	return p
}

func (p *Post) write() {
	r, d := p.r, p.data()
	p.lead = cut(p.Line(), leadColumns)
	p.line = pair{r.line.piece(d), newText(itemText(p.Line(), p.URL))}
	p.title = pair{r.title.piece(d), newText(p.titleText())}
	if d.Byline != "" || d.Host != "" || d.Quiet != "" {
		p.by = pair{r.byline.piece(d), newText(wrapped(p.Byline))}
	}
	if d.Files != nil {
		p.files.html = r.files.piece(d)
	}
	if p.Files != nil {
		p.files.text = newText(filesText(p, ""))
	}
	p.rest = p.withExcerpt(p.Excerpt, p.Linked, "")
}

// Line returns the post as one line: its title, or the beginning of an untitled post.
func (p *Post) Line() string {
	if p.Untitled {
		return cmp.Or(cut(p.Excerpt, titleColumns), p.Host(), p.Title)
	}
	return p.Title
}

// pack copies all strings of the post except its text into one allocation.
func (p *Post) pack() {
	n := pack(&p.Title, &p.URL, &p.Film, &p.Byline, &p.besides, &p.inWords, &p.Excerpt, &p.Longer, &p.Language,
		&p.Author, &p.Opening, &p.lead, &p.Picture.URL,
		&p.Picture.Alt, &p.Picture.Source, &p.unsized.URL, &p.unsized.Alt, &p.unsized.Film, &p.unsized.Width,
		&p.unsized.Height,
		&p.line.html.coded, &p.line.text.coded, &p.title.html.coded, &p.title.text.coded, &p.by.html.coded,
		&p.by.text.coded,
		&p.files.html.coded, &p.files.text.coded, &p.rest.html.coded, &p.rest.text.coded, &p.shown.coded)
	for i := range p.pictures {
		n += pack(&p.pictures[i]) + addressBytes
	}
	for i := range p.Linked {
		n += addressBytes*2 + pack(&p.Linked[i].Text, &p.Linked[i].URL)
	}
	for i := range p.Files {
		n += fileBytes + pack(&p.Files[i].Label, &p.Files[i].Facts, &p.Files[i].URL)
	}
	p.bytes.Store(postBytes + int64(n+n/10+len(p.content))) // the allocator rounds sizes up
}

// Memory beside the strings, in bytes: structs and entries of maps.
const (
	postBytes = 856
	madeBytes = 300
	fileBytes = 72

	addressBytes = 16
)

// saysMore reports whether content has a picture, or more text than its excerpt and a few words. If the excerpt was
// cut, any further text counts.
func saysMore(content, excerpt string, isCut bool) bool {
	const fewWords = 60 // characters
	room := fewWords
	if isCut {
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

type postData struct {
	Title, URL, Lang, Dir string
	Byline, Excerpt       string
	Linked                *pieces // the excerpt with its links; nil if it has none
	Host                  string  // host of the author's page, in place of a headline
	Quiet, QuietURL       string  // a link in the byline
	Continue              string  // label of the link to the rest
	Files                 *pieces // nil if none
	ExcerptDir            string  // if it differs from Dir
	RTL, ExcerptRTL       bool
	Untitled              bool
	Lead, Second          bool // the size of its headline
	Pictures              string
	Note                  bool // its byline and its end are below its excerpt
	Teaser                bool // the link to the rest is below an excerpt
}

func (p *Post) data() postData {
	d := postData{
		Title: p.Line(), Lang: p.Language, Dir: p.Dir, RTL: p.Dir == "rtl", Untitled: p.Untitled,
		Byline: p.Byline, Excerpt: p.Excerpt, Files: p.filesHTML(),
	}
	for _, f := range p.Files {
		if f.Quiet {
			d.Quiet, d.QuietURL = isolatedIf(p.mixed, f.Label), f.URL
		}
	}
	d.ExcerptDir = p.ExcerptDir()
	d.ExcerptRTL = d.RTL != (d.ExcerptDir != "")
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

func (p *Post) withExcerpt(excerpt string, parts []digest.Span, pictures string) pair {
	d := p.data()
	d.Excerpt, d.Note, d.Pictures = excerpt, p.Untitled, pictures
	d.Linked = p.r.linkedHTML(parts)
	end := p.URL
	if end != "" {
		end += "\n"
	}
	if end != "" && excerpt+pictures != "" {
		end = "\n" + end
	}
	return pair{p.r.rest.piece(d), newText(excerptText(excerpt) + linkedText(parts) + wrapped(pictures) + end)}
}

// heading returns the beginning of the post with its headline in the size of a rank.
func (p *Post) heading(of rank.Rank) pair {
	if of != rank.Lead && of != rank.Second {
		return p.title
	}
	return cached(p, of, func() pair {
		d := p.data()
		d.Lead, d.Second = of == rank.Lead, of == rank.Second
		return pair{p.r.title.piece(d), p.title.text}.packed()
	})
}

// excerpted returns the part of the post below its byline at depth short or full.
func (p *Post) excerpted(d depth) pair {
	if d == full {
		return p.rest
	}
	return p.short()
}

func (p *Post) short() pair {
	return cached(p, short, func() pair {
		columns := shortColumns
		if p.Untitled { // there is no headline
			columns = titleColumns
		}
		excerpt, _ := shorten(p.Excerpt, columns)
		return p.withExcerpt(excerpt, linked(excerpt, p.Linked), "").packed()
	})
}

// row returns the post's headline in an email of headlines, with a byline. The text version also has its address.
func (p *Post) row() pair {
	return cached(p, headline, func() pair {
		return pair{p.r.row.piece(p.data()),
			newText(p.rowText("", true))}.packed()
	})
}

// Size returns the approximate memory of the post in bytes. It grows when a reader first needs another form of the
// post.
func (p *Post) Size() int { return int(p.bytes.Load()) }

// byline returns the author unless the site has their name, the reading time, and the date (UTC) of an old post; and
// the same without the author. Posts are shared by all time zones, so younger posts have no date.
func (p *Post) byline(from digest.Post) (all, besides string) {
	var parts []string
	if host := p.leadsAway(from); host != "" && !p.Untitled { // an untitled post links to it by its host
		parts = append(parts, arrow(p.Dir == "rtl")+host)
	}
	if !from.PublishedAt.IsZero() && from.SeenAt.Sub(from.PublishedAt) > OldAfter {
		parts = append(parts, p.r.Say(catalogue.Time("2 January 2006", from.PublishedAt.UTC())))
	}
	if p.Minutes > 1 {
		parts = append(parts, p.r.Say(catalogue.Key("%d min read").With(p.Minutes)))
	}
	besides = p.dotted(parts)
	if p.Author != "" && !strings.EqualFold(p.Author, from.SiteTitle) {
		return p.dotted(append([]string{p.Author}, parts...)), besides
	}
	return besides, besides
}

func (p *Post) dotted(parts []string) string {
	mark := ""
	if p.mixed && len(parts) > 1 {
		mark = lineMark(p.Dir == "rtl")
		parts = slices.Clone(parts)
		for i := range parts {
			parts[i] = isolated(parts[i])
		}
	}
	return mark + strings.Join(parts, " · ")
}

// byOf returns the byline, without its author if the section has named them before.
func (p *Post) byOf(named bool) pair {
	if named || p.besides == p.Byline {
		return p.by
	}
	return cached(p, "besides", func() pair {
		d := p.data()
		if d.Byline = p.besides; d.Byline == "" && d.Host == "" && d.Quiet == "" {
			return pair{}
		}
		return pair{p.r.byline.piece(d), newText(wrapped(p.besides))}.packed()
	})
}

// wordsAMinute is the reading speed. In languages with wide characters it is 450 characters.
const wordsAMinute = rank.WordsAMinute

// wordsIn counts the words of content. Wide characters count as words that take as long to read.
func wordsIn(content string) int {
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
	return words + wides*wordsAMinute/450
}

// letters yields the characters of content outside of tags, and a space for each tag.
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
