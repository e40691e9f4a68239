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

// The limits of a post, in bytes of raw HTML and in characters of plain text.
const (
	maxContent    = 1 << 20
	maxSummary    = 300
	maxTitle      = 500
	madeTitle     = 80 // for titles made from the content
	maxName       = 200
	minSummary    = 40  // shorter summaries are useless
	maxLanguage   = 35  // RFC 5646 §4.4.1
	maxMediaType  = 127 // RFC 6838 §4.2: a type and its subtype
	maxEnclosures = 50
)

// hash returns a hash that changes if the author edits the post.
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
	if copies := addressList(p.Copies); copies != "" { // authors know them only after publishing
		h.Write([]byte("\n" + copies))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// bounded returns s if it is at most as long as a GUID may be, otherwise its hash.
func bounded(s string) string {
	if len(s) <= maxAddress {
		return s
	}
	return digest.HashedIdentity(s)
}

// Sanitise prepares the post for the store: with sanitised content, a title, absolute addresses, and no date after
// seen. It is the expensive part of reading a feed, so call it only for new or changed posts.
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
		Comments:    p.discussion(),
	}
	switch ahead := p.Published.Sub(seen); {
	case ahead > aheadOfClock: // the date of a future event
		out.PublishedAt = time.Time{}
	case ahead > 0:
		out.PublishedAt = seen
	}
	seenIn, others := &cleaner{}, p.bodies
	for out.Content == "" && len(others) > 0 { // until one has content
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
		out.Title = shorten(firstOf(makeTitle(p.told(out.Content), out.Summary), singleSpaced(seenIn.alt), p.feedTitle,
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

// Blank reports whether a new post has nothing to display: no title, text, picture or file, and no external page that
// it is about.
func Blank(p digest.Post) bool {
	return p.Untitled && p.ImageURL == "" && p.LeadsTo == "" && len(p.Enclosures) == 0 &&
		!strings.Contains(p.Content, "<img ") &&
		!strings.ContainsFunc(p.Summary+stripTags(p.Content), isSeen)
}

func isSeen(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// maxListed limits the stored addresses of copies and of the author's other pages.
const maxListed = 8

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

// OwnPages returns the addresses of the author's other pages (rel=me), separated by spaces.
func (d *Document) OwnPages() string { return addressList(d.Me) }

const warns = "Content warning: "

// told returns the part of a text that headlines and excerpts may contain: nothing after a warning.
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

// untilWarned returns the content warning at the beginning of a text; without one, the whole text. Mastodon writes it
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

// address returns the page of the post: the original of a link that counts clicks, otherwise the link, the first file
// that is no picture, or the site. The identity is based on the raw link, so that changes to CleanURL create no new
// posts.
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

func (p *Post) linkTo(ref string, bases []string) {
	p.Link = absoluteBy(resolveAsWritten, ref, bases)
	if isMisread(ref) {
		p.page = absolute(ref, bases)
	}
}

// elsewhere returns the page of another site that the post states it is about.
func (p *Post) elsewhere() string {
	u := CleanURL(digest.WithoutCredentials(p.external))
	if !isWeb(u) || len(u) > maxAddress || SameSite(u, p.address()) {
		return ""
	}
	return u
}

// discussion returns the page with comments on the post. It returns "" for a part of the post's own page, as most blogs
// name it, because the post links to that page.
func (p *Post) discussion() string {
	u := CleanURL(digest.WithoutCredentials(mended(p.comments)))
	part, _, _ := strings.Cut(u, "#")
	own, _, _ := strings.Cut(p.address(), "#")
	if !isWeb(u) || !hasHost(u) || len(u) > maxAddress ||
		strings.TrimSuffix(part, "/") == strings.TrimSuffix(own, "/") {
		return ""
	}
	return u
}

// files returns the enclosures with valid addresses, each once.
func (p *Post) files() []digest.Enclosure {
	var files []digest.Enclosure
	for _, e := range p.Enclosures {
		e.URL = CleanURL(digest.WithoutCredentials(mended(e.URL)))
		if e.Medium() == digest.Picture && isTracker(e.URL) { // an audio or video file may be behind a counter
			continue
		}
		if isWeb(e.URL) && hasHost(e.URL) &&
			!slices.ContainsFunc(files, func(f digest.Enclosure) bool { return f.URL == e.URL }) {
			if e.Type = singleSpaced(e.Type); len(e.Type) > maxMediaType {
				e.Type = ""
			}
			files = append(files, e)
		}
	}
	return files
}

// hasHost reports whether a web address has a host. The rest may be invalid, because browsers repair it.
func hasHost(address string) bool {
	scheme, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	u, err := url.Parse(scheme + "://" + rest)
	return err == nil && u.Hostname() != ""
}

// baseFor returns the base for relative addresses in a text: its xml:base, otherwise the page of the post, which
// browsers would use.
func (p *Post) baseFor(t text) string {
	for _, base := range append([]string{t.base, p.page, p.Link, p.original}, p.bases...) {
		if isWeb(base) {
			return asBase(digest.WithoutCredentials(base))
		}
	}
	return ""
}

// summary returns the author's own summary if one of the other texts is long enough, otherwise the beginning of
// content.
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

// makeTitle returns the first sentence or the first words of content, or of summary if content is blank.
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
