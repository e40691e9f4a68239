package render

import (
	"cmp"
	"strconv"
	"sync"

	"digest"
)

// A Section is the posts of one feed in an edition, newest first, and then those
// that come late, newest first.
type Section struct {
	Title    string // the reader's own name for it, else the feed's
	URL      string // the site's page; empty or not http(s): the title is no link
	Language string // BCP 47, of the title; may be empty
	Posts    []*Post
	Late     int // so many of the last of Posts come late

	Display digest.Layout // of its posts; empty: the edition's
	Folder  string        // the reader's own; mail does not show it

	// Rest is what a bound edition only lists, below Posts and in the same order.
	Rest []*Post

	// Left is how many more of its posts are in the web edition alone.
	Left int

	parts *sectionParts // nil: not written yet
}

// NewSection gives a section without posts, its title in one short line.
func NewSection(title, url, language string) Section {
	s := Section{URL: address(url)}
	s.Title = cmp.Or(clean(title, siteColumns), clean(hostOf(s.URL), siteColumns), "A site without a name")
	s.Language = cmp.Or(Language(language), guessLanguage(s.Title))
	return s
}

// Section is NewSection with its headings written already, for those who show
// one feed to many readers. What it shows may be changed in it, but not its name.
func (r *Renderer) Section(title, url, language string) Section {
	s := NewSection(title, url, language)
	s.parts = r.newSectionParts(s)
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
	RTL                   bool
	Posts                 *pieces // of the rest
}

// sectionParts is what is written of a section itself.
type sectionParts struct {
	label, head pair         // in the index; above its posts
	alone       func() piece // HTML: in the index, where nothing stands below it
}

func (s *Section) heading() headingData {
	d := direction(s.Title, s.Language)
	return headingData{Title: s.Title, Lang: s.Language, Dir: d, RTL: d == "rtl"}
}

func (r *Renderer) newSectionParts(s Section) *sectionParts {
	label, text := s.heading(), ruleText+s.Title+"\n"
	head := label
	if s.URL != "" {
		head.URL, head.Title = s.URL, candid(s.Title, s.URL)
		text += s.URL + "\n"
	}
	p := &sectionParts{
		label: pair{r.label.piece(label), newPiece(s.Title + "\n")},
		head:  pair{r.head.piece(head), newPiece(text + "\n")},
		alone: sync.OnceValue(func() piece { return r.labelAlone.piece(label) }),
	}
	pack(&p.label.html.coded, &p.label.text.coded, &p.head.html.coded, &p.head.text.coded)
	return p
}

// Size is about how many bytes of memory a section takes whose headings are written,
// without its posts.
func (s *Section) Size() int {
	const beside = 700 // the structs, and the label that is written when somebody wants it
	return beside + len(s.Title) + len(s.URL) + s.parts.label.bytes()*3/2 + s.parts.head.bytes()
}

// tidySections leaves out sections without posts and writes the headings of
// those that have none written.
func (r *Renderer) tidySections(in []Section) []Section {
	out := make([]Section, 0, len(in))
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

// addRest lists what a bound edition only lists of a section.
func (r *Renderer) addRest(to *both, s *Section) {
	label, listed := "And "+strconv.Itoa(len(s.Rest))+" more", &pieces{}
	to.text.add(newPiece(label + ":\n\n"))
	for _, p := range s.Rest {
		listed.add(p.headline.html)
		to.text.add(p.linked)
	}
	r.rest.write(&to.html, headingData{Title: label, RTL: s.Rest[0].Dir == "rtl", Posts: listed})
	to.text.add(textGap())
}

// lateMarks is what stands before the late posts of a section, in the index and
// among the posts; the posts themselves are the same for all readers, late or not.
type lateMarks struct{ label, head pair }

// lateWords stand before the posts that come late.
const lateWords = "Late, from an earlier day"

func (r *Renderer) newLateMarks(rtl bool) lateMarks {
	return lateMarks{
		label: pair{r.lateLabel.piece(headingData{Title: "Late", RTL: rtl}), newPiece("  Late:\n")},
		head:  pair{r.lateHead.piece(headingData{Title: lateWords, RTL: rtl}), newPiece(lateWords + ":\n\n")},
	}
}

// LateLabel is what stands before Posts[i]: words before the first of the late
// ones, otherwise none.
func (s Section) LateLabel(i int) string {
	if s.firstLate(i) {
		return lateWords
	}
	return ""
}

func (s *Section) firstLate(i int) bool { return s.Late > 0 && i == len(s.Posts)-s.Late }

// lateMarks are those before a section's i-th post, on the side where the lines
// after them begin; empty ones before most posts.
func (r *Renderer) lateMarks(s *Section, i int) (marks lateMarks) {
	if s.firstLate(i) {
		marks = r.late[s.Posts[i].Dir == "rtl"]
	}
	return marks
}
