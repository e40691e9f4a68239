package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"digest"
	"digest/internal/hypertext"
)

// The bounds of a post, in bytes of raw HTML and in characters of plain text.
const (
	maxContent    = 1 << 20
	maxSummary    = 300
	maxTitle      = 500
	madeTitle     = 80 // of a title made from the content
	maxName       = 200
	minSummary    = 40  // shorter ones say nothing
	maxLanguage   = 35  // RFC 5646 §4.4.1
	maxMediaType  = 127 // RFC 6838 §4.2: a type and its subtype
	maxEnclosures = 50
)

// hash tells whether the author has edited the post.
func (p *Post) hash() string {
	h := sha256.New()
	for _, texts := range [][]text{p.titles, p.bodies} {
		for _, t := range texts {
			h.Write([]byte(t.raw))
			h.Write([]byte{0})
		}
		h.Write([]byte{1})
	}
	h.Write([]byte(p.Link))
	if copies := addressList(p.Copies); copies != "" { // which authors learn after they have published
		h.Write([]byte("\n" + copies))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// bounded gives a string that is no longer than a GUID may be: long ones by
// their hash.
func bounded(s string) string {
	if len(s) <= maxAddress {
		return s
	}
	return digest.HashedIdentity(s)
}

// Sanitise makes the post ready to be stored and shown: sanitised content, a
// title in any case, no date after seen, absolute addresses. It is the costly
// part of reading a feed; call it for new or changed posts only.
func (p *Post) Sanitise(seen time.Time) digest.Post {
	out := digest.Post{
		Identity:    p.Identity,
		Alias:       p.Alias,
		Former:      p.Former,
		URL:         p.address(),
		Author:      shorten(firstOf(p.Author, p.feedAuthor), maxName),
		Language:    firstOf(Language(p.Language), Language(p.feedLanguage)),
		PublishedAt: p.Published,
		SeenAt:      seen,
		ContentHash: p.Hash,
		Enclosures:  p.files(),
		Extra:       p.Extra,
		PartOf:      p.PartOf,
		Syndication: addressList(p.Copies),
		LeadsTo:     p.elsewhere(),
	}
	switch ahead := p.Published.Sub(seen); {
	case ahead > aheadOfClock: // of an event to come
		out.PublishedAt = time.Time{}
	case ahead > 0:
		out.PublishedAt = seen
	}
	seenIn, others := &cleaner{}, p.bodies
	for out.Content == "" && len(others) > 0 { // the first that says anything
		out.Content, seenIn = sanitise(others[0].html(), p.baseFor(others[0]))
		others = others[1:]
	}
	beside := p.pictures()
	if out.ImageURL = p.pictureAddress(seenIn.picture); out.ImageURL == "" && len(beside) > 0 {
		out.ImageURL = beside[0].address
	}
	out.ImageURL = firstOf(out.ImageURL, p.pictureAddress(seenIn.poster))
	out.Summary = summary(p.told(out.Content), others)
	if out.Title = shorten(p.Title, maxTitle); out.Title == "" {
		out.Untitled = true
		out.Title = shorten(firstOf(makeTitle(p.told(out.Content), out.Summary), oneLine(seenIn.alt), p.feedTitle,
			Host(out.URL), "Untitled"), maxTitle)
	}
	if seenIn.picture == "" && len(beside) > 0 {
		out.Content = p.withPictures(out.Content, beside)
	}
	if seenIn.dropped && out.Content != "" {
		out.Content = hypertext.Noted(out.Content)
	}
	return out
}

// Blank reports whether a post that was just read has nothing to show: no title, text, picture or file, and no
// other page that it is about.
func Blank(p digest.Post) bool {
	return p.Untitled && p.ImageURL == "" && p.LeadsTo == "" && len(p.Enclosures) == 0 &&
		!strings.Contains(p.Content, "<img ") &&
		!strings.ContainsFunc(p.Summary+stripTags(p.Content), isSeen)
}

func isSeen(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// maxListed bounds how many addresses of copies, or of its author's pages, are kept.
const maxListed = 8

// addressList writes addresses with spaces between them, the first of them.
func addressList(all []string) string {
	var kept []string
	for _, a := range all {
		if a = CleanURL(a); len(kept) < maxListed && isWeb(a) && len(a) <= maxAddress &&
			!strings.ContainsFunc(a, unicode.IsSpace) && !slices.Contains(kept, a) {
			kept = append(kept, a)
		}
	}
	return strings.Join(kept, " ")
}

// OwnPages gives the pages that the author of a document says are theirs too, with
// spaces between them.
func (d *Document) OwnPages() string { return addressList(d.Me) }

// warns begins a line that warns of a text.
const warns = "Content warning: "

// told returns the part of a text that headlines and excerpts may show: nothing behind a warning.
func (p *Post) told(content string) string {
	if p.warning != "" {
		return "<p>" + escape(p.warning) + "</p>"
	}
	if p.excerpted != "" {
		return p.excerpted
	}
	if p.Title == "" {
		return untilWarned(content)
	}
	return content
}

// untilWarned returns the content warning with which a text begins; without one, the whole text. Mastodon writes it
// into its RSS feeds, in the language of the post: "<p><strong>Content warning:</strong> spiders</p><hr/>".
func untilWarned(content string) string {
	first, rest, found := strings.Cut(content, "</p>")
	label, _, labelled := strings.Cut(strings.TrimPrefix(first, "<p><strong>"), "</strong>")
	label = strings.TrimRight(label, " \u00a0\u202f")
	if found && labelled && strings.HasPrefix(first, "<p><strong>") &&
		strings.HasPrefix(strings.TrimSpace(rest), "<hr") &&
		(strings.HasSuffix(label, ":") || strings.HasSuffix(label, "：")) && !strings.Contains(label, "<") {
		return first + "</p>"
	}
	return content
}

// address is the author's own page: the link behind the one that counts clicks, or else the link, the first file that is
// no picture, or the site. The identity is made of the links as the document has them, so that a cleaned link makes no
// new post.
func (p *Post) address() string {
	file := ""
	isFile := func(e digest.Enclosure) bool { return !strings.HasPrefix(e.Type, "image/") }
	if i := slices.IndexFunc(p.Enclosures, isFile); i >= 0 {
		file = p.Enclosures[i].URL
	} else if len(p.Enclosures) > 0 {
		file = p.Enclosures[0].URL
	}
	for _, u := range append([]string{p.original, p.page, p.Link, p.GUID, file}, p.bases...) {
		if u = mended(u); isWeb(u) {
			return CleanURL(digest.WithoutCredentials(u))
		}
	}
	return ""
}

// linkTo sets the address of the post.
func (p *Post) linkTo(ref string, bases []string) {
	p.Link = absoluteBy(resolveAsWritten, ref, bases)
	if isMisread(ref) {
		p.page = absolute(ref, bases)
	}
}

// elsewhere is the page of another site that the post says it is about.
func (p *Post) elsewhere() string {
	u := CleanURL(digest.WithoutCredentials(p.external))
	if !isWeb(u) || len(u) > maxAddress || SameSite(u, p.address()) {
		return ""
	}
	return u
}

// files gives the enclosures that can be fetched, each once.
func (p *Post) files() []digest.Enclosure {
	var files []digest.Enclosure
	for _, e := range p.Enclosures {
		e.URL = CleanURL(digest.WithoutCredentials(mended(e.URL)))
		if e.Medium() == digest.Picture && isTracker(e.URL) { // around sound and film a counter is the way to the file
			continue
		}
		if isWeb(e.URL) && hasHost(e.URL) &&
			!slices.ContainsFunc(files, func(f digest.Enclosure) bool { return f.URL == e.URL }) {
			if e.Type = oneLine(e.Type); len(e.Type) > maxMediaType {
				e.Type = ""
			}
			files = append(files, e)
		}
	}
	return files
}

// hasHost reports whether a web address names a host that can be asked. What
// follows the host may be as bad as it likes: browsers mend it.
func hasHost(address string) bool {
	scheme, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	u, err := url.Parse(scheme + "://" + rest)
	return err == nil && u.Hostname() != ""
}

// baseFor gives the base of relative addresses in a text: its xml:base, else
// the page of the post, where they work in a browser.
func (p *Post) baseFor(t text) string {
	for _, base := range append([]string{t.base, p.page, p.Link, p.original}, p.bases...) {
		if isWeb(base) {
			return asBase(digest.WithoutCredentials(base))
		}
	}
	return ""
}

// summary is the author's own, which is one of the other texts, where it is
// one, else the beginning of the content.
func summary(content string, others []text) string {
	start := excerpt(content, maxSummary)
	for _, t := range others {
		own := excerpt(t.html(), maxSummary)
		if utf8.RuneCountInString(own) >= minSummary || start == "" && own != "" {
			return own
		}
	}
	return start
}

// makeTitle takes the first sentence or words of the content, or of the summary
// where there are none.
func makeTitle(content, summary string) string {
	text := firstOf(excerpt(content, 2*madeTitle), summary)
	for i, r := range text {
		if i >= 15 && i <= madeTitle && (r == '.' || r == '!' || r == '?') && strings.HasPrefix(text[i+1:], " ") {
			return strings.TrimSuffix(text[:i+1], ".")
		}
		if strings.ContainsRune("。！？", r) && i <= madeTitle {
			return text[:i+utf8.RuneLen(r)]
		}
	}
	return shorten(text, madeTitle)
}
