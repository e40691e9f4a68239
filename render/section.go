package render

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"

	"digest"
	"digest/internal/catalogue"
)

// A Section is the posts of one feed in an edition, newest first, and then those
// that come late, newest first.
type Section struct {
	Title    string // the reader's own name for it, else the feed's
	URL      string // the site's page; empty or not http(s): the title is no link
	Language string // BCP 47, of the title; may be empty
	Posts    []*Post
	Late     int // so many of the last of Posts come late
	Feed     digest.FeedID

	Display digest.Layout // of its posts; empty: the edition's
	Folder  string        // the reader's own

	// Rest holds posts that are shown as headlines only, below Posts and in the same order: the rest of a bound
	// edition, and the posts of an edition that was not delivered. RestLabel is their heading on a page.
	Rest      []*Post
	RestLabel catalogue.Sayable

	// Beyond is how many more of its posts this edition has, of which its reader wants no more at once: they stand
	// behind a link below the others.
	Beyond int

	// Left is how many more of its posts are in the web edition alone.
	Left int

	parts *sectionParts // nil: not written yet
}

// Nameless is what a site is called of which neither a title nor a page is known.
const Nameless = catalogue.Key("Untitled feed")

// NewSection gives a section without posts, its title in one short line; "" for a site of which neither a title nor a
// page is known.
func NewSection(title, url, language string) Section {
	s := Section{URL: address(url)}
	s.Title = cmp.Or(clean(title, siteColumns), clean(hostOf(s.URL), siteColumns))
	s.Language = cmp.Or(Language(language), guessLanguage(s.Title))
	return s
}

// Section is NewSection with its headings written already, for those who show
// one feed to many readers. What it shows may be changed in it, but not its name.
func (r *Renderer) Section(title, url, language string) Section {
	s := NewSection(title, url, language)
	s.Title = cmp.Or(s.Title, r.Say(Nameless))
	s.parts = r.newSectionParts(s, anchorOf(s.Title, s.URL))
	return s
}

// LayoutOf is the layout in which a section of the edition is shown: its own, or
// else the edition's.
func (e *Edition) LayoutOf(s Section) digest.Layout {
	return cmp.Or(s.Display, e.Layout, digest.Excerpts)
}

// headingData is what the templates of section.html are filled with.
type headingData struct {
	Title, URL, Lang, Dir string
	Anchor                string
	RTL, First            bool
	Posts                 *pieces // of a list
}

// sectionParts is what is written of a section itself.
type sectionParts struct {
	r      *Renderer
	anchor string // of head, to which entry leads

	head  pair         // above its posts; HTML without its end
	first func() piece // HTML: the same where nothing stands above it, or the name of a folder
	entry func() piece // HTML: in the contents
}

func (s *Section) heading() headingData {
	d := direction(s.Title, s.Language)
	return headingData{Title: s.Title, Lang: s.Language, Dir: d, RTL: d == "rtl"}
}

func (r *Renderer) newSectionParts(s Section, anchor string) *sectionParts {
	entry, text := s.heading(), ruleText+s.Title+"\n"
	entry.Anchor = anchor
	head := entry
	if s.URL != "" {
		head.URL, head.Title = s.URL, candid(s.Title, s.URL)
		text += s.URL + "\n"
	}
	head.Title = isolatedIf(r.mixes(&s), head.Title)
	bare := head
	bare.First = true
	p := &sectionParts{
		r: r, anchor: anchor,
		head:  pair{r.head.piece(head), newText(text)},
		first: sync.OnceValue(func() piece { return r.head.piece(bare) }),
		entry: sync.OnceValue(func() piece { return r.entry.piece(entry) }),
	}
	pack(&p.head.html.coded, &p.head.text.coded)
	return p
}

// mixes reports whether the name of a section and the link behind it may run in two directions.
func (r *Renderer) mixes(s *Section) bool {
	return r.isRTL() || strings.ContainsFunc(s.Title, rightToLeft)
}

// anchorOf names a section within a page. Sections of one name and address share it: see tidySections.
func anchorOf(title, url string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title + "\n" + url))
	return "s" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// Size is about how many bytes of memory a section takes whose headings are written,
// without its posts.
func (s *Section) Size() int {
	const beside = 700                                                   // the structs
	return beside + len(s.Title) + len(s.URL) + s.parts.head.bytes()*5/2 // and what is written when somebody wants it
}

// tidySections leaves out sections without posts and writes the headings of
// those that have none written, and anew those whose anchor is one before them in the mail.
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
		out = append(out, s)
	}
	return out
}

// count is how many posts the section has, with those that are only listed.
func (s *Section) count() int { return len(s.Posts) + len(s.Rest) }

// post is the i-th of them, its rest last.
func (s *Section) post(i int) *Post {
	if i < len(s.Posts) {
		return s.Posts[i]
	}
	return s.Rest[i-len(s.Posts)]
}

// FromEarlier is the heading of posts of an earlier day.
const FromEarlier = catalogue.Key("From an earlier day")

// lateWord marks a post of an earlier day.
func (r *Renderer) lateWord() string { return r.Say(FromEarlier) }

// LateLabel is what stands before Posts[i]: words before the first of the late
// ones, otherwise none.
func (s Section) LateLabel(i int) catalogue.Sayable {
	if s.firstLate(i) {
		return FromEarlier
	}
	return nil
}

func (s *Section) firstLate(i int) bool { return s.Late > 0 && i == len(s.Posts)-s.Late }

// isLate reports whether a section's i-th post comes late.
func (s *Section) isLate(i int) bool { return i < len(s.Posts) && i >= len(s.Posts)-s.Late }
