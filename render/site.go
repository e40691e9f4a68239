package render

import (
	"cmp"
	"html"
	"strings"

	"digest"
)

// A Section is the posts of one feed in an edition, newest first, and then those
// that come late, newest first.
type Section struct {
	Title    string // the reader's own name for it, else the feed's
	URL      string // the site's page; empty or not http(s): the title is no link
	Language string // BCP 47, of the title; may be empty
	Posts    []*Post
	Late     int // so many of the last of Blocks come late

	Display digest.Layout // of its posts; empty: the page's
	Folder  string        // the reader's own; mail does not show it

	// Rest is what a bound edition only lists, below Blocks and in the same order.
	Rest []*Post

	parts *siteParts // nil: not set yet
}

// siteParts is what is written of a site itself.
type siteParts struct {
	label, head         piece // HTML: in the index; above its posts
	textLabel, textHead piece
	heading             lazy[piece] // HTML: in the index, where nothing stands below it
}

// LayoutOf is the layout in which a site of the page is shown: its own, or else
// the page's.
func (p *Edition) LayoutOf(s Section) digest.Layout {
	return cmp.Or(s.Display, p.Layout, digest.Excerpts)
}

// top is the site's name above its headlines where there is nothing but headlines.
func (s *Section) top() piece {
	return s.parts.heading.get(func() piece { return newPiece(siteLabelHTML("h2", *s)) })
}

// NewSection gives a site without posts whose headings are rendered already, for
// those who show one site to many readers. What it shows may be changed in
// it, but not its name.
func NewSection(title, url, language string) Section {
	s := Section{Title: clean(title, siteColumns), URL: address(url), Language: Language(language)}
	if s.Title == "" {
		s.Title = untitledSite(s.URL)
	}
	if s.Language == "" {
		s.Language = guessLanguage(s.Title)
	}
	s.parts = &siteParts{
		label: newPiece(siteLabelHTML("p", s)), head: newPiece(siteHeadHTML(s)),
		textLabel: newPiece(s.Title + "\n"), textHead: newPiece(siteHeadText(s)),
	}
	return s
}

// tidySites leaves out sites without posts and renders the headings of those
// that are not.
func tidySites(in []Section) []Section {
	out := make([]Section, 0, len(in))
	for _, s := range in {
		if len(s.Posts) == 0 {
			s.Posts, s.Rest = s.Rest, nil
		}
		if len(s.Posts) == 0 {
			continue
		}
		if s.parts == nil {
			named := NewSection(s.Title, s.URL, s.Language)
			s.Title, s.URL, s.Language, s.parts = named.Title, named.URL, named.Language, named.parts
		}
		s.Late = max(0, min(s.Late, len(s.Posts)))
		out = append(out, s)
	}
	return out
}

func untitledSite(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	if host == "" {
		return "A site without a name"
	}
	return clean(host, siteColumns)
}

func siteLabelHTML(tag string, s Section) string {
	d := direction(s.Title, s.Language)
	return "<" + tag + ` class="site"` + attributes(s.Language, d) + align(d, siteLabelStyle) + ">" +
		html.EscapeString(s.Title) + "</" + tag + ">\n"
}

func siteHeadHTML(s Section) string {
	d := direction(s.Title, s.Language)
	return `<h2 class="site hair"` + attributes(s.Language, d) + align(d, siteHeadStyle) + ">" +
		link(s.URL, "color:"+accent+";text-decoration:none", s.Title) + "</h2>\n"
}

func siteHeadText(s Section) string {
	t := ruleText + s.Title + "\n"
	if s.URL != "" {
		t += s.URL + "\n"
	}
	return t + "\n"
}
