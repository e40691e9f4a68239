package render

import "strings"

// A sheet is a message in the making: pieces in a row.
type sheet struct {
	pieces []piece
	total  size
}

func (s *sheet) add(p piece) {
	s.pieces = append(s.pieces, p)
	s.total = s.total.plus(p.size())
}

// write adds HTML.
func (s *sheet) write(html string) { s.add(newPiece(html)) }

func (s *sheet) join(coded bool) string {
	var b strings.Builder
	if !coded {
		b.Grow(s.total.plain)
		for _, p := range s.pieces {
			b.WriteString(p.plain)
		}
		return b.String()
	}
	b.Grow(s.total.coded)
	for _, p := range s.pieces {
		b.WriteString(p.coded)
	}
	return b.String()
}

// html sets the page.
func (e *press) html(p plan) *sheet {
	s := &sheet{pieces: make([]piece, 0, 24+2*p.shown+3*len(e.Sections))}
	s.pieces = append(s.pieces, e.frame.pieces[:e.top]...)
	if p.index {
		e.indexHTML(s, &p)
	}
	if p.below {
		s.add(rowOpenPiece)
		e.postsHTML(s, &p)
		s.add(rowClosePiece)
	}
	if e.posts == 0 && e.notes.all == 0 {
		s.add(nothingPiece)
	}
	s.pieces = append(s.pieces, e.frame.pieces[e.top:]...)
	s.total = s.total.plus(e.frame.total)
	return s
}

func (e *press) indexHTML(s *sheet, p *plan) {
	s.add(indexOpenPiece)
	for i := range e.Sections {
		site := &e.Sections[i]
		if e.depth(p, i, 0) == omitted {
			continue
		}
		if e.sets(p, i) {
			s.add(site.parts.label)
		} else {
			s.add(site.top())
		}
		rows := e.rows(p, i)
		for j := range e.indexes(p, i) {
			if e.depth(p, i, j) > omitted {
				if site.firstLate(j) {
					s.add(site.late(j).line)
				}
				s.add(site.block(j).indexed(rows).html)
			}
		}
	}
	if n := e.posts - p.shown; n > 0 {
		s.write(e.moreHTML(n))
	}
	s.add(rowClosePiece)
}

func (e *press) postsHTML(s *sheet, p *plan) {
	for i := range e.Sections {
		if !e.sets(p, i) {
			continue
		}
		site := &e.Sections[i]
		s.add(site.parts.head)
		for j, b := range site.Posts {
			if d := e.depth(p, i, j); d >= short {
				if site.firstLate(j) {
					s.add(site.late(j).head)
				}
				e.postHTML(s, b, p, d)
			}
		}
		if len(site.Rest) > 0 && p.each == nil {
			site.restHTML(s)
		}
	}
}

// indexed is the block's line at the top.
func (b *Post) indexed(row bool) pair {
	if row {
		return b.row()
	}
	return pair{html: b.line, text: b.item}
}

// excerpted is the block below the index at a depth of short or full.
func (b *Post) excerpted(d depth) pair {
	if d == full {
		return pair{b.full, b.entry}
	}
	return b.short()
}
