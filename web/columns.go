package web

import "unicode/utf8"

// An editionFolder contains the sections of one folder, or sections without a folder.
type editionFolder struct {
	Name     string
	Place    int // index on the page, from 0
	Sections []*editionSection
	Bands    []editionBand // all sections, in bands
}

// An editionBand contains sections that wide windows show in columns. A band fills about one
// screen, so that readers do not have to scroll up for the next column.
type editionBand struct {
	Columns [][]*editionSection // two if the class is inColumns, otherwise one
	Class   string              // CSS class
}

const (
	inColumns = "band two"
	inOne     = "band alone" // full texts, and the lead
	asLines   = "band lines" // headlines
	inRow     = "band"       // of a short folder beside another one
)

// Approximate heights on a wide page, in pixels.
const (
	bandHeight  = 1500 // of all columns of a band
	shortHeight = 480  // of a short folder
	lineHeight  = 28
	nameHeight  = 36
	siteGap     = 40
	postGap     = 26
	shotHeight  = 310
)

// Approximate characters on a line of a column.
const (
	headlineChars = 30
	secondChars   = 25
	briefChars    = 38
	excerptChars  = 48
	thumbChars    = 70 // that a thumbnail displaces
)

// linesOf estimates the lines of a text. A wide character, such as a Chinese one, takes the room of two.
func linesOf(text string, chars int) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if r >= 0x1100 && r < 0xFB00 {
			n++
		}
	}
	return (n + chars - 1) / chars
}

// height estimates the height of a post in a column, with the gap below it.
func (p *editionPost) height() int {
	if p.Depth == asHeadline {
		return linesOf(p.Line(), briefChars)*(lineHeight-3) + 7
	}
	h, text := postGap, p.Teaser()
	switch {
	case p.Untitled:
		h += lineHeight
	case p.IsSecond():
		h += linesOf(p.Title, secondChars) * (lineHeight + 4)
	default:
		h += linesOf(p.Title, headlineChars) * (lineHeight - 1)
	}
	if p.Byline != "" {
		h += lineHeight
	}
	lines := linesOf(text, excerptChars)
	if p.Shot != nil && p.Frame() == "thumb" {
		lines = (utf8.RuneCountInString(text) + thumbChars + excerptChars) / excerptChars
	} else if p.Shot != nil {
		h += shotHeight
	}
	return h + lines*lineHeight
}

func (s *editionSection) height() int {
	h := nameHeight + siteGap
	if s.Fold != nil && !s.Unfolds {
		return h + lineHeight
	}
	for _, p := range s.Posts {
		h += p.height()
	}
	return h
}

// inBands groups the sections of a folder into bands. The last section joins the previous band, so
// that it does not appear alone.
func inBands(sections []*editionSection, lines bool) (bands []editionBand) {
	room := 0
	for _, s := range sections {
		class := inColumns
		switch {
		case lines:
			class = asLines
		case s.Leads || s.hasText():
			class = inOne
		}
		last := len(bands) - 1
		if last < 0 || bands[last].Class != class || class == inOne || class == inColumns && room <= 0 &&
			s != sections[len(sections)-1] {
			bands = append(bands, editionBand{Class: class, Columns: make([][]*editionSection, 1)})
			room, last = bandHeight, last+1
		}
		room -= s.height()
		bands[last].Columns[0] = append(bands[last].Columns[0], s)
	}
	for i, b := range bands {
		if b.Class == inColumns {
			bands[i] = inTwo(b.Columns[0])
		}
	}
	return bands
}

// inTwo divides sections into two columns of about the same height. If a site's posts go on in the second column, they
// have its name there. A single post has the width of the page.
func inTwo(sections []*editionSection) editionBand {
	all := 0
	for _, s := range sections {
		all += s.height()
	}
	best, site, post, above := all+1, 0, 0, 0
	for i, s := range sections {
		end := above + s.height()
		above += nameHeight + siteGap
		for j, p := range s.Posts {
			if j > 0 && s.Fold != nil {
				break
			}
			left, right := above, all-above+2*nameHeight // dividing a site costs a name, and a break for the reader
			if j == 0 {
				left, right = above-nameHeight-siteGap, all-above+nameHeight+siteGap
			}
			if longer := max(left, right); i+j > 0 && longer < best {
				best, site, post = longer, i, j
			}
			above += p.height()
		}
		above = end
	}
	switch {
	case site+post == 0:
		return editionBand{Class: inOne, Columns: [][]*editionSection{sections}}
	case post == 0:
		return editionBand{Class: inColumns, Columns: [][]*editionSection{sections[:site], sections[site:]}}
	}
	first, rest := *sections[site], *sections[site]
	first.Posts, first.More = first.Posts[:post], 0
	rest.Posts, rest.Again = rest.Posts[post:], true
	return editionBand{Class: inColumns, Columns: [][]*editionSection{
		append(sections[:site:site], &first), append([]*editionSection{&rest}, sections[site+1:]...),
	}}
}

// isShort reports whether the folder has room beside another one.
func (f editionFolder) isShort() bool {
	posts, height := 0, 0
	for _, s := range f.Sections {
		if s.Leads || s.hasText() {
			return false
		}
		posts, height = posts+len(s.Posts), height+s.height()
	}
	return f.Name != "" && posts <= 2 && height <= shortHeight
}

// Rows returns the folders of the page from top to bottom. Two or three short folders share a row.
func (p *editionPage) Rows() (rows [][]editionFolder) {
	for rest := p.Folders; len(rest) > 0; {
		n := 0
		for n < len(rest) && !p.lines && rest[n].isShort() {
			n++
		}
		if n != 3 { // four are two and two
			n = max(1, min(n, 2))
		}
		rows, rest = append(rows, rest[:n]), rest[n:]
	}
	return rows
}

// arrange divides the sections of each folder into bands and columns.
func (p *editionPage) arrange() {
	for _, row := range p.Rows() {
		for i := range row {
			row[i].Bands = inBands(row[i].Sections, p.lines || !p.hasExcerpts)
			if len(row) > 1 {
				row[i].Bands = []editionBand{{Class: inRow, Columns: [][]*editionSection{row[i].Sections}}}
			}
		}
	}
}
