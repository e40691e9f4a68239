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
		if m.depth(p, i, 0) == omitted {
			continue
		}
		m.addHead(posts, s, last)
		last = s
		n := m.below(p, i)
		for j := range n {
			m.addPost(posts, s, j, m.depth(p, i, j), p.level)
		}
		m.addLines(posts, p, i, n)
		m.addBeyond(posts, s)
	}
	if n := m.omitted(p); n > 0 {
		posts.add(m.more(n))
	}
	return posts
}

// addHead adds the name of a section. If its folder differs from the previous section's, it first adds the name of the
// folder.
func (m *mail) addHead(to *both, s, before *Section) {
	first := before == nil
	if s.Folder != "" && (first || before.Folder != s.Folder) {
		name := clean(s.Folder, siteColumns)
		d := direction(name, "")
		m.r.folder.write(&to.html, headingData{Title: name, Dir: d, Lang: guessLanguage(name), RTL: d == "rtl",
			First: first})
		to.text.add(newText(doubleRuleText + name + "\n"))
		first = true
	}
	head := s.parts.head
	if first {
		head.html = s.parts.first()
	}
	to.add(head)
	if s.Weekly {
		m.r.own.write(&to.html, ownData{Words: "· " + isolatedIf(m.r.mixes(s), m.r.Say(ThisWeek)), Heads: true})
		to.text.add(newText(m.r.Say(ThisWeek) + "\n"))
	}
	m.addSiteLink(&to.html, s.Feed, m.r.mixes(s))
	to.html.add(newPiece("</h2>\n"))
	to.text.add(newText("\n"))
}

// addPost adds the i-th post of a section at a depth. level limits its full text in bytes. The byline of an untitled
// post follows its excerpt.
func (m *mail) addPost(to *both, s *Section, i int, d depth, level int) {
	p, late := s.Posts[i], s.isLate(i)
	to.add(p.heading(s.Place(i).Rank))
	save := m.saveURL(s, i)
	if p.Untitled && d < whole {
		words := p.excerpted(d)
		m.addPicture(&to.html, s, i, d)
		to.html.add(words.html)
		m.addByline(&to.html, p, save, late, last)
		to.html.add(newPiece("</div>\n"))
		m.addBylineText(&to.text, p, late)
		to.text.add(words.text)
	} else {
		m.addByline(&to.html, p, save, late, above)
		m.addBylineText(&to.text, p, late)
		if d == whole {
			y := p.body(m.Images, m.PictureSizes)
			x := y.extent(level)
			if y.isTeaser(x) {
				m.addPicture(&to.html, s, i, full)
			}
			to.addExtent(x)
		} else {
			m.addPicture(&to.html, s, i, d)
			to.add(p.excerpted(d))
		}
	}
	to.text.add(textGap())
}

// addPicture adds the picture of the i-th post of a section above its excerpt, if the reader wants pictures and there
// is room.
func (m *mail) addPicture(to *pieces, s *Section, i int, d depth) {
	p := s.Posts[i]
	if m.Images != digest.ProxiedImages || d != full || p.shown.coded == "" || m.repeatsCover(s, i) {
		return
	}
	to.add(m.lead(p))
}

func (m *mail) addBylineText(to *pieces, p *Post, late bool) {
	if late {
		to.add(newText(wrapped(p.bylineText(true))))
	} else {
		to.add(p.by.text)
	}
	to.add(p.files.text)
}

// addLines lists the posts of a section from an index on. In an edition of headlines each has its byline.
func (m *mail) addLines(to *both, p *plan, section, from int) {
	s := &m.Sections[section]
	var lines both
	n := 0
	for j := from; j < s.count(); j++ {
		switch post := s.post(j); {
		case m.depth(p, section, j) == omitted:
		case m.rows(p, section) && j < len(s.Posts):
			m.addRow(to, s, j)
		default:
			m.addLine(&lines, post, s.isLate(j))
			n++
		}
	}
	if n == 0 {
		if from < s.count() {
			to.text.add(textGap()) // below rows
		}
		return
	}
	count := 0
	if from > 0 || len(s.Rest) > 0 && n < s.count() {
		count = n
	}
	m.addList(to, s.post(s.count()-1), count, &lines)
}

// addBeyond adds the link to the posts of a section beyond the reader's limit.
func (m *mail) addBeyond(to *both, s *Section) {
	if s.Beyond == 0 || m.BeyondURL == nil {
		return
	}
	words, url := m.r.lang.Heading(catalogue.Key("and %d more").With(s.Beyond)), m.BeyondURL(s.Feed)
	m.r.beyond.write(&to.html, moreData{URL: url, Count: words})
	to.text.add(newText(m.r.label(words) + "\n" + url + "\n\n"))
}

// addList adds a list of headlines. If posts come before it, count is the number of headlines, otherwise 0.
func (m *mail) addList(to *both, last *Post, count int, lines *both) {
	d := headingData{RTL: last.Dir == "rtl", Posts: &lines.html}
	if count != 0 {
		d.Title = m.r.lang.Heading(catalogue.Key("and %d more").With(count))
		to.text.add(newText(m.r.label(d.Title) + "\n\n"))
	}
	m.r.list.write(&to.html, d)
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
	p, late := s.post(i), s.isLate(i)
	row := p.row()
	to.html.add(row.html)
	m.addByline(&to.html, p, m.saveURL(s, i), late, below)
	if late {
		row.text = newText(p.rowText(true))
	}
	to.text.add(row.text)
}

// addByline adds the line in small print near a headline: whether the post is late, its author, the link that saves it,
// and its files.
func (m *mail) addByline(to *pieces, p *Post, save string, late bool, at bylinePlace) {
	small, some := m.r.small[bylineKind{p.Dir == "rtl", at}], false
	if !late && p.by.html.coded == "" && p.files.html.coded == "" && save == "" {
		if at != above {
			to.add(small.gap)
		}
		return
	}
	to.add(small.open)
	if late {
		to.add(small.late)
		some = true
	}
	if p.by.html.coded != "" {
		if some {
			to.add(small.dot)
		}
		to.add(p.by.html)
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
	late, dot, lineEnd piece
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
			late: newPiece(late + "\n"), dot: newPiece("·\n"), lineEnd: newPiece("<br>\n"),
			lateSpan: t.piece(smallData{Span: true, Late: late}), lateLine: newText("    " + word + "\n"),
		}
	}
}
