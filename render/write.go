package render

import (
	"digest"
	"digest/internal/catalogue"
)

func (m *mail) write(p *plan) *both {
	n := 6*p.shown + 3*len(m.Sections)
	posts := &both{html: pieces{list: make([]element, 0, n)}, text: pieces{list: make([]element, 0, n)}}
	var last *Section
	for i := range m.Sections {
		s := &m.Sections[i]
		if p.each != nil && !p.isShown(i) {
			continue
		}
		m.addHead(posts, p, s, last)
		last = s
		n := m.below(p, i)
		for j := range n {
			m.addPost(posts, s, j, m.depth(p, i, j), p.level)
		}
		m.addLines(posts, p, i, n)
		m.addBeyond(posts, s)
	}
	if m.omitted(p) > 0 {
		posts.add(m.more(p))
	}
	if p.bare {
		return m.around(posts)
	}
	return posts
}

// around returns all posts of an edition that is too large. Its lists have no elements of their own.
func (m *mail) around(posts *both) *both {
	all := &both{}
	m.r.list.write(&all.html, headingData{Bare: true, Posts: &posts.html})
	all.text.addAll(&posts.text)
	return all
}

// addHead adds the name of a section. If its folder differs from the previous section's, it first adds the name of the
// folder.
func (m *mail) addHead(to *both, p *plan, s, before *Section) {
	first := before == nil
	if s.Folder != "" && (first || before.Folder != s.Folder) {
		name := clean(s.Folder, siteColumns)
		d := direction(name, "")
		m.r.folder.write(&to.html, headingData{Title: name, Dir: d, Lang: guessLanguage(name), RTL: d == "rtl",
			First: first, Slants: hasItalics(name)})
		to.text.add(newText(doubleRuleText + name + "\n"))
		first = true
	}
	to.add(pair{s.parts.headOf(first, p.bare, m.linked[s.parts]), s.parts.head.text})
	if s.Weekly {
		m.r.own.write(&to.html, ownData{Words: "· " + isolatedIf(m.r.mixes(s), m.r.Say(ThisWeek)), Heads: true})
		to.text.add(newText(m.r.Say(ThisWeek) + "\n"))
	}
	m.addSiteLink(&to.html, s.Feed, m.r.mixes(s))
	to.html.add(newPiece("</h2>\n"))
	to.text.add(newText("\n"))
}

// mark returns the words before the byline of the i-th post of a section: whether it is late, or its day in an edition
// of several days.
func (m *mail) mark(s *Section, i int) string {
	if s.isLate(i) {
		return m.r.lateWord()
	}
	return m.Days[s.post(i).ID].In(m.r.lang)
}

// addPost adds the i-th post of a section at a depth. level limits its full text in bytes. The byline of an untitled
// post follows its excerpt.
func (m *mail) addPost(to *both, s *Section, i int, d depth, level int) {
	p, mark, named := s.Posts[i], m.mark(s, i), s.named(i)
	to.add(p.heading(s.Place(i).Rank))
	save := m.saveURL(s, i)
	if p.Untitled && d < whole {
		words := m.excerpted(p, d)
		m.addPicture(&to.html, s, i, d)
		to.html.add(words.html)
		m.addByline(&to.html, p, save, mark, named, last)
		to.html.add(newPiece("</div>\n"))
		m.addBylineText(&to.text, p, mark, named)
		to.text.add(words.text)
	} else {
		m.addByline(&to.html, p, save, mark, named, above)
		m.addBylineText(&to.text, p, mark, named)
		if d == whole {
			y := p.body(m.Images, m.PictureSizes)
			x := y.extent(level)
			if y.isTeaser(x) {
				m.addPicture(&to.html, s, i, full)
			}
			to.addExtent(x)
		} else {
			m.addPicture(&to.html, s, i, d)
			to.add(m.excerpted(p, d))
		}
	}
	to.text.add(textGap())
}

// excerpted returns the part of a post below its byline. If the reader wants no pictures, a line says which there are.
func (m *mail) excerpted(p *Post, d depth) pair {
	if m.Images != digest.ProxiedImages && d == full && p.inWords != "" {
		return p.pictured()
	}
	return p.excerpted(d)
}

// addPicture adds the picture of the i-th post of a section above its excerpt, if the reader wants pictures and there
// is room.
func (m *mail) addPicture(to *pieces, s *Section, i int, d depth) {
	p := s.Posts[i]
	if m.Images != digest.ProxiedImages || d != full || p.shown.coded == "" || m.repeatsCover(s, i) {
		return
	}
	to.add(m.lead(p, s.Place(i).Rank))
}

func (m *mail) addBylineText(to *pieces, p *Post, mark string, named bool) {
	if mark != "" {
		to.add(newText(wrapped(p.bylineText(mark, named))))
	} else {
		to.add(p.byOf(named).text)
	}
	to.add(p.files.text)
}

// addLines lists the posts of a section from an index on. In an edition of headlines each has its byline.
func (m *mail) addLines(to *both, p *plan, section, from int) {
	s := &m.Sections[section]
	var lines both
	n, above := 0, from > 0
	for j := from; j < s.count(); j++ {
		switch post := s.post(j); {
		case m.depth(p, section, j) == omitted:
		case m.rows(p, section) && j < len(s.Posts):
			m.addRow(to, s, j)
			above = true
		default:
			m.addLine(&lines, post, s.isLate(j))
			n++
		}
	}
	if n > 0 {
		m.addList(to, p, s, above, n, &lines)
	} else if from < s.count() {
		to.text.add(textGap()) // below rows
	}
}

// addBeyond adds the link to the posts of a section beyond the reader's limit.
func (m *mail) addBeyond(to *both, s *Section) {
	if s.Beyond == 0 || m.BeyondURL == nil {
		return
	}
	more := moreData{URL: m.BeyondURL(s.Feed), Count: m.r.lang.Heading(catalogue.Key("and %d more").With(s.Beyond))}
	text := m.r.label(more.Count) + "\n" + more.URL + "\n\n"
	if s.Fold != nil {
		more.Count = m.r.Say(s.Fold.Line(s.Title))
		text = wrapped(more.Count)
		if s.Fold.Changed {
			more.After = m.r.Say(FoldWarning)
			text += wrapped(more.After)
		}
		text += more.URL + "\n\n"
	}
	m.r.beyond.write(&to.html, more)
	to.text.add(newText(text))
}

// addList adds a list of n headlines. If posts of the section are above it, it begins with the number of
// headlines.
func (m *mail) addList(to *both, p *plan, s *Section, above bool, n int, lines *both) {
	d := headingData{RTL: s.post(s.count()-1).Dir == "rtl", Posts: &lines.html}
	if above && !p.bare {
		d.Title = m.r.lang.Heading(catalogue.Key("and %d more").With(n))
		to.text.add(newText(m.r.label(d.Title) + "\n\n"))
	}
	if p.bare {
		to.html.addAll(&lines.html)
	} else {
		m.r.list.write(&to.html, d)
	}
	to.text.addAll(&lines.text)
	to.text.add(textGap())
}

func (m *mail) addLine(to *both, p *Post, late bool) {
	small := m.r.small[bylineKind{rtl: p.Dir == "rtl"}]
	to.add(p.line)
	if late {
		to.html.add(small.lateSpan)
		to.text.add(small.lateLine)
	}
	to.html.add(small.close)
}

func (m *mail) addRow(to *both, s *Section, i int) {
	p, mark, named := s.post(i), m.mark(s, i), s.named(i)
	row := p.row()
	to.html.add(row.html)
	m.addByline(&to.html, p, m.saveURL(s, i), mark, named, below)
	if mark != "" || !named {
		row.text = newText(p.rowText(mark, named))
	}
	to.text.add(row.text)
}

// addByline adds the line in small print near a headline: its mark, its author, the link that saves it,
// and its files.
func (m *mail) addByline(to *pieces, p *Post, save, mark string, named bool, at bylinePlace) {
	small, some, by := m.r.small[bylineKind{p.Dir == "rtl", at}], false, p.byOf(named).html
	if mark == "" && by.coded == "" && p.files.html.coded == "" && save == "" {
		if at != above {
			to.add(small.gap)
		}
		return
	}
	to.add(small.open)
	if mark != "" {
		to.add(newPiece(isolatedIf(p.Dir == "rtl" || m.r.isRTL(), mark) + "\n"))
		some = true
	}
	if by.coded != "" {
		if some {
			to.add(small.dot)
		}
		to.add(by)
		some = true
	}
	if save != "" {
		if some {
			to.add(small.dot)
		}
		m.r.own.write(to, ownData{URL: save, Words: isolatedIf(p.mixed, m.saveWord())})
		some = true
	}
	if p.files.html.coded != "" {
		if some {
			to.add(small.lineEnd)
		}
		to.add(p.files.html)
	}
	to.add(small.close)
}

type bylinePlace uint8

const (
	above bylinePlace = iota // above its text
	below                    // below its headline, at the end of the post
	last                     // below the words of an untitled post
)

type bylineKind struct {
	rtl bool
	at  bylinePlace
}

// smallPrint contains the pieces of a line of small print that do not depend on the post.
type smallPrint struct {
	open, close, gap   piece
	dot, lineEnd       piece
	lateSpan, lateLine piece // in a list of headlines
}

// smallData is the data of the template of small print. One of its bools selects the piece.
type smallData struct {
	RTL       bool
	Row, Last bool
	Dir       string // direction of a row if it differs from the email's
	Gap, Span bool
	Late      string
}

func (r *Renderer) setSmallPrint(t *part[smallData]) {
	word := r.lateWord()
	r.small = map[bylineKind]smallPrint{}
	for i := range 6 {
		k := bylineKind{i%2 == 1, bylinePlace(i / 2)}
		late, dir := isolatedIf(k.rtl || r.isRTL(), word), ""
		if k.at == below && k.rtl != r.isRTL() {
			dir = map[bool]string{true: "rtl", false: "ltr"}[k.rtl]
		}
		r.small[k] = smallPrint{
			open:  t.piece(smallData{RTL: k.rtl, Row: k.at == below, Last: k.at == last, Dir: dir}),
			close: newPiece("</p>\n"), gap: t.piece(smallData{Gap: true}),
			dot: newPiece("·\n"), lineEnd: newPiece("<br>\n"),
			lateSpan: t.piece(smallData{Span: true, Late: late}), lateLine: newText("    " + word + "\n"),
		}
	}
}
