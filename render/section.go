package render

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
)

// A Section contains the posts of one feed in an edition: first the newest, and late posts at the end, newest first.
type Section struct {
	Title    string // the reader's own name, or else the feed's
	URL      string // the site's page; if empty or not http(s), the title has no link
	Language string // BCP 47, of the title; may be empty
	Posts    []*Post
	Late     int // how many posts at the end of Posts are late
	Feed     digest.FeedID

	Display digest.Layout // of its posts; empty means the edition's
	Weekly  bool          // it has the posts of a week: the site is a roll-up
	Folder  string

	// Rest contains posts that are shown only as headlines, below Posts and in the same order: the rest of an edition
	// of several days, or the posts of an undelivered edition. RestLabel is their heading on a page.
	Rest      []*Post
	RestLabel catalogue.Sayable

	// Beyond is the number of further posts in this edition beyond the reader's limit. A link below the posts shows
	// them.
	Beyond int

	// Left is the number of further posts that are only in the web edition.
	Left int

	// Fold describes a flood of posts, for which the edition shows one line; nil: the edition shows the posts.
	Fold *Fold

	Places []rank.Place // ranks of Posts; a missing one is the zero value

	parts     *sectionParts // nil until written
	oneAuthor bool          // all Posts have the same author
}

// Nameless is the name of a site without a title and a page.
const Nameless = catalogue.Key("Untitled feed")

// NewSection returns a section without posts. Its title is one short line, or "" for a site without a title and a page.
func NewSection(title, url, language string) Section {
	s := Section{URL: address(url)}
	s.Title = cmp.Or(clean(title, siteColumns), clean(hostAndPort(s.URL), siteColumns))
	s.Language = cmp.Or(Language(language), guessLanguage(s.Title))
	return s
}

// Section returns a section with rendered headings, which many readers can share. The caller may change its content,
// but not its title.
func (r *Renderer) Section(title, url, language string) Section {
	s := NewSection(title, url, language)
	s.Title = cmp.Or(s.Title, r.Say(Nameless))
	s.parts = r.newSectionParts(s, anchorOf(s.Title, s.URL))
	return s
}

// LayoutOf returns the layout of a section: its own, or else the edition's.
func (e *Edition) LayoutOf(s Section) digest.Layout {
	return cmp.Or(s.Display, e.Layout, digest.Excerpts)
}

type headingData struct {
	Title, URL, Lang, Dir string
	Anchor                string
	RTL, First            bool
	Slants                bool    // its script has italics
	Bare                  bool    // in an edition that is too large
	Posts                 *pieces // of a list
}

type sectionParts struct {
	r      *Renderer
	anchor string // of head, the target of entry

	data headingData // of head, without an anchor

	head  pair         // above its posts; HTML without its end tag
	bare  func() piece // HTML: head in an edition that is too large
	entry func() piece // HTML: for the contents
}

// headOf returns the head: without the rule above it if it is the first, and with an anchor if the contents link to it.
func (p *sectionParts) headOf(first, bare, linked bool) piece {
	switch {
	case bare && !linked:
		return p.bare()
	case !first && !linked:
		return p.head.html
	}
	d := p.data
	d.First, d.Bare = first, bare
	if linked {
		d.Anchor = p.anchor
	}
	return p.r.head.piece(d)
}

func (s *Section) heading() headingData {
	d := direction(s.Title, s.Language)
	return headingData{Title: s.Title, Lang: s.Language, Dir: d, RTL: d == "rtl"}
}

func (r *Renderer) newSectionParts(s Section, anchor string) *sectionParts {
	head, text := s.heading(), ruleText+s.Title+"\n"
	entry := head
	entry.Anchor = anchor
	if s.URL != "" {
		head.URL, head.Title = s.URL, candid(s.Title, s.URL)
		text += s.URL + "\n"
	}
	head.Title = isolatedIf(r.mixes(&s), head.Title)
	bare := head
	bare.Bare = true
	p := &sectionParts{
		r: r, anchor: anchor, data: head,
		head:  pair{r.head.piece(head), newText(text)},
		bare:  sync.OnceValue(func() piece { return r.head.piece(bare) }),
		entry: sync.OnceValue(func() piece { return r.entry.piece(entry) }),
	}
	pack(&p.head.html.coded, &p.head.text.coded)
	return p
}

// mixes reports whether the name of a section and the link after it may have two directions.
func (r *Renderer) mixes(s *Section) bool {
	return r.isRTL() || strings.ContainsFunc(s.Title, rightToLeft)
}

// anchorOf returns the anchor of a section. Sections with equal names and addresses share it: see tidySections.
func anchorOf(title, url string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title + "\n" + url))
	return "s" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// Size returns the approximate memory of a section with rendered headings, without its posts, in bytes.
func (s *Section) Size() int {
	const beside = 700
	return beside + len(s.Title) + len(s.URL) + s.parts.head.bytes()*5/2 // with parts that are rendered later
}

// tidySections drops sections without posts and renders missing headings. It renders headings again if their anchor
// already occurs in the email.
func (r *Renderer) tidySections(in []Section) []Section {
	out, taken := make([]Section, 0, len(in)), make(map[string]int, len(in))
	for _, s := range in {
		if len(s.Posts) == 0 {
			s.Posts, s.Rest = s.Rest, nil
		}
		if len(s.Posts) == 0 {
			continue
		}
		if s.parts == nil {
			named := r.Section(s.Title, s.URL, s.Language)
			s.Title, s.URL, s.Language, s.parts = named.Title, named.URL, named.Language, named.parts
		}
		anchor := s.parts.anchor
		if taken[anchor]++; taken[anchor] > 1 {
			s.parts = s.parts.r.newSectionParts(s, anchor+"-"+strconv.Itoa(taken[anchor]))
		}
		s.Late = max(0, min(s.Late, len(s.Posts)))
		s.oneAuthor = !slices.ContainsFunc(s.Posts, func(p *Post) bool { return p.Author != s.Posts[0].Author })
		out = append(out, s)
	}
	return out
}

// EarnedLead returns the lead, or NoLead if no post leads or the reader chose its site to lead. Only an earned lead keeps
// its place when the reader's choice changes. An issue of a newsletter has 0, because its posts are not ranked.
func (e *Edition) EarnedLead() digest.PostID {
	switch {
	case e.Newsletter:
		return 0
	case e.ChosenLead || e.Lead == 0:
		return digest.NoLead
	}
	return e.Lead
}

// LeadPost returns the post that leads, with its section, or false if none leads.
func (e *Edition) LeadPost() (Section, *Post, bool) {
	for _, s := range e.Sections {
		for _, p := range s.Posts {
			if p.ID == e.Lead {
				return s, p, true
			}
		}
	}
	return Section{}, nil, false
}

// Place returns the rank of Posts[i].
func (s *Section) Place(i int) (p rank.Place) {
	if i < min(len(s.Places), len(s.Posts)) {
		p = s.Places[i]
	}
	return p
}

// sites returns one section of each site. A site whose post leads the edition has another section before it, and one with
// posts beyond the reading time another at the end.
func (m *mail) sites() []*Section {
	all := make([]*Section, 0, len(m.Sections))
	for i := range m.Sections {
		s, others := &m.Sections[i], m.Sections[1:]
		if i > 0 {
			others = m.Sections[1:i]
		}
		if again := func(t Section) bool { return t.Feed == s.Feed && s.Feed != 0 }; !slices.ContainsFunc(others,
			again) {
			all = append(all, s)
		}
	}
	return all
}

func (s *Section) count() int { return len(s.Posts) + len(s.Rest) }

// post returns the i-th post; the rest comes last.
func (s *Section) post(i int) *Post {
	if i < len(s.Posts) {
		return s.Posts[i]
	}
	return s.Rest[i-len(s.Posts)]
}

// ThisWeek is the label of a section with the posts of a week.
const ThisWeek = catalogue.Key("This week")

// FromEarlier is the heading of posts of an earlier day.
const FromEarlier = catalogue.Key("From an earlier day")

// MoreHeadlines is the heading of posts that are only a line in an edition of several days.
const MoreHeadlines = catalogue.Key("More headlines")

func (r *Renderer) lateWord() string { return r.Say(FromEarlier) }

// LateLabel returns the label before Posts[i], if that is the first late post, or nil.
func (s Section) LateLabel(i int) catalogue.Sayable {
	if s.firstLate(i) {
		return FromEarlier
	}
	return nil
}

// named reports whether the byline of the i-th post names its author. If a section has one author, its first post does.
func (s *Section) named(i int) bool { return i == 0 || !s.oneAuthor || i >= len(s.Posts) }

func (s *Section) firstLate(i int) bool { return s.Late > 0 && i == len(s.Posts)-s.Late }

func (s *Section) isLate(i int) bool { return i < len(s.Posts) && i >= len(s.Posts)-s.Late }
