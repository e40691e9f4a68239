package render

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"digest"
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
	Title    string // plain text, one line, never empty
	URL      string // the author's own page; empty if the post's address is not http(s)
	Byline   string // plain text: author, length; may be empty
	Excerpt  string // plain text, one paragraph; may be empty
	Language string // BCP 47; empty: not known
	Dir      string // "rtl", else "auto"
	Author   string // plain text; may be empty
	Minutes  int    // that the full text takes to read
	Readable bool   // its full text says more than its excerpt

	r        *Renderer
	lead     string     // of the line that mail clients show before a mail is opened
	headline pair       // in the index
	excerpt  pair       // headline, byline and excerpt
	linked   piece      // text: a headline in the index with its link, for a post that is not shown below
	brief    lazy[pair] // with less of its excerpt: few editions need it
	listed   lazy[pair] // a headline with its byline, in an edition of headlines

	// The full text, for each way of showing pictures. Few readers want it, and
	// it is made for the first who does.
	content                            string
	plainBody, linkedBody, proxiedBody lazy[*body]
	web                                sync.Map     // webKey to WebText
	grown                              atomic.Int64 // bytes of what was made since
}

// A lazy value is made when it is first wanted.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	l.once.Do(func() { l.value = make() })
	return l.value
}

// A pair is one thing as HTML and as text.
type pair struct {
	html, text piece
}

func (p pair) bytes() int { return p.html.bytes() + p.text.bytes() }

// Post renders a post. It trusts nothing in it. Where the post names no
// language, the caller puts the feed's into it.
func (r *Renderer) Post(p digest.Post) *Post {
	b := &Post{
		r:       r,
		ID:      p.ID,
		Title:   clean(p.Title, titleColumns),
		URL:     address(p.URL),
		Excerpt: clean(p.Summary, excerptColumns),
	}
	if b.Title == "" {
		b.Title = untitled(b)
	}
	if b.Excerpt == b.Title {
		b.Excerpt = ""
	}
	b.Language = Language(p.Language)
	if b.Language == "" {
		b.Language = guessLanguage(b.Title + b.Excerpt)
	}
	b.Dir = direction(b.Title+b.Excerpt, b.Language)
	b.Author, b.Minutes = clean(p.Author, authorColumns), minutes(p.Content)
	b.Byline = b.byline(p)
	b.lead, b.content = cut(b.Title, leadColumns), p.Content
	b.headline = pair{r.headline.piece(b.data()), newPiece(headlineText(b, false))}
	b.linked = newPiece(headlineText(b, true))
	b.excerpt = b.withExcerpt(b.Excerpt)
	b.Readable = saysMore(b.content, b.Excerpt)
	return b
}

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
	inTag := false
	for _, r := range content {
		switch {
		case r == '<':
			inTag = true
		case inTag:
			inTag = r != '>'
		case r > ' ':
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
	Continue              string // words that lead to the rest
	RTL                   bool
	Teaser                bool // the way to the rest stands below an excerpt
}

func (b *Post) data() postData {
	d := postData{Title: b.Title, Lang: b.Language, Dir: b.Dir, RTL: b.Dir == "rtl", Byline: b.Byline, Excerpt: b.Excerpt}
	if b.URL != "" {
		d.URL, d.Title = b.URL, candid(b.Title, b.URL)
	}
	return d
}

// withExcerpt is the post below the index with so much of its excerpt.
func (b *Post) withExcerpt(excerpt string) pair {
	d := b.data()
	d.Excerpt = excerpt
	return pair{b.r.post.piece(d), newPiece(postText(b, excerpt))}
}

// short is the post with less of its excerpt.
func (b *Post) short() pair {
	return b.brief.get(func() pair { return b.counted(b.withExcerpt(cut(b.Excerpt, shortColumns))) })
}

// row is the post's headline with its byline.
func (b *Post) row() pair {
	return b.listed.get(func() pair { return b.counted(pair{b.r.row.piece(b.data()), newPiece(rowText(b))}) })
}

// counted is what was made after the post, its bytes counted.
func (b *Post) counted(made pair) pair {
	b.grown.Add(int64(made.bytes()))
	return made
}

// Size is about how many bytes of memory the post takes. It grows when a
// reader is the first to want something of it.
func (b *Post) Size() int {
	return 768 + int(b.grown.Load()) + len(b.content) + len(b.Title) + len(b.Excerpt) + len(b.URL) + len(b.Byline) + len(b.lead) +
		b.headline.bytes() + b.excerpt.bytes() + b.linked.bytes()
}

func untitled(b *Post) string {
	if b.Excerpt != "" {
		return cut(b.Excerpt, 80)
	}
	return "Untitled"
}

// byline is who wrote a post, how long it takes to read, and its date (UTC) if
// it is old. Posts are shared by all time zones, so younger posts have none.
func (b *Post) byline(p digest.Post) string {
	var parts []string
	ours := "" // a mark before what we add: figures first would be set last between Hebrew or Arabic
	if b.Dir == "rtl" {
		ours = "\u200e"
	}
	if b.Author != "" {
		parts = append(parts, b.Author)
	}
	if !p.PublishedAt.IsZero() && p.SeenAt.Sub(p.PublishedAt) > oldAfter {
		parts = append(parts, ours+p.PublishedAt.UTC().Format("2 January 2006"))
	}
	if b.Minutes > 1 {
		parts = append(parts, ours+strconv.Itoa(b.Minutes)+" min read")
	}
	return strings.Join(parts, " · ")
}

// minutes is how long content takes to read at 230 words or 450 wide
// characters a minute.
func minutes(content string) int {
	words, wides := 0, 0
	inTag, inWord := false, false
	for i := 0; i < len(content); {
		r, n := rune(content[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(content[i:])
		}
		i += n
		switch {
		case inTag:
			inTag = r != '>'
		case r == '<':
			inTag, inWord = true, false
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
