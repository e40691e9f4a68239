package feed

import (
	"strings"
	"time"
	"unicode/utf8"

	"digest"
)

// The bounds of a post, in bytes of raw HTML and in characters of plain text.
const (
	maxContent  = 1 << 20
	maxSummary  = 300
	maxTitle    = 500
	madeTitle   = 80 // of a title made from the content
	maxName     = 200
	minSummary  = 40 // shorter ones say nothing
	maxLanguage = 35 // RFC 5646 §4.4.1
)

// Sanitise makes the entry ready to be stored and shown: sanitised content, a
// title in any case, no date after seen, absolute addresses. It is the costly
// part of reading a feed; call it for new or changed entries only.
func (e *Post) Sanitise(seen time.Time) digest.Post {
	p := digest.Post{
		Identity:    e.Identity,
		URL:         e.address(),
		Author:      shorten(firstOf(e.Author, e.owner), maxName),
		Language:    firstOf(e.Language, e.feedLanguage),
		PublishedAt: e.Published,
		SeenAt:      seen,
		ContentHash: e.Hash,
	}
	if len(p.Language) > maxLanguage {
		p.Language = ""
	}
	if p.PublishedAt.After(seen) {
		p.PublishedAt = seen
	}
	seenIn := &cleaner{}
	if len(e.bodies) > 0 {
		p.Content, seenIn = sanitise(e.bodies[0].html(), e.baseFor(e.bodies[0]))
	}
	p.ImageURL = e.picture(seenIn.picture)
	p.Summary = e.summary(p.Content)
	if p.Title = shorten(e.Title, maxTitle); p.Title == "" {
		p.Title = shorten(firstOf(e.makeTitle(p.Content), oneLine(seenIn.alt), e.feedTitle, Host(p.URL), "Untitled"), maxTitle)
	}
	return p
}

// address is where the author's own page is: behind the link that counts
// clicks, else the link, else the file, else the site. The identity is made of
// the links as they stand, so that cleaning them makes no post a new one.
func (e *Post) address() string {
	file := ""
	if e.Enclosure != nil {
		file = e.Enclosure.URL
	}
	for _, u := range append([]string{e.original, e.Link, e.GUID, file}, e.bases...) {
		if isWeb(u) {
			return CleanURL(u)
		}
	}
	return ""
}

// baseFor gives the base of relative addresses in a text: its xml:base, else
// the page of the entry, where they work in a browser.
func (e *Post) baseFor(t text) string {
	for _, base := range append([]string{t.base, e.Link, e.original}, e.bases...) {
		if isWeb(base) {
			return base
		}
	}
	return ""
}

// picture is the first real image: in the content, beside it, or enclosed.
func (e *Post) picture(inContent string) string {
	candidates := append([]string{inContent}, e.images...)
	if e.Enclosure != nil && strings.HasPrefix(e.Enclosure.Type, "image/") {
		candidates = append(candidates, e.Enclosure.URL)
	}
	for _, u := range candidates {
		if u = absolute(u, append([]string{e.Link}, e.bases...)); isWeb(u) && !isTracker(u) && !isOrnament(u) {
			return uncounted(u)
		}
	}
	return ""
}

// summary is the author's own where it is one, else the beginning of the content.
func (e *Post) summary(content string) string {
	start := excerpt(content, maxSummary)
	for _, t := range e.bodies[min(1, len(e.bodies)):] {
		own := excerpt(t.html(), maxSummary)
		if utf8.RuneCountInString(own) >= minSummary || start == "" && own != "" {
			return own
		}
	}
	return start
}

// makeTitle takes the first sentence or words of the content.
func (e *Post) makeTitle(content string) string {
	text := excerpt(content, 2*madeTitle)
	if text == "" {
		text = e.summary(content)
	}
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

// shorten cuts s to at most n characters, at a word where there are words, and
// says so with an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	cut := s[:end]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && s[end] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-–—(") + "…"
}
