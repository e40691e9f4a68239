package render

import (
	"strconv"
	"strings"
)

// textColumns is the width of the text version. Links are longer if they must be.
const textColumns = 72

// text sets the plain text of the same plan.
func (e *press) text(p plan) *sheet {
	s := &sheet{pieces: make([]piece, 0, 8+2*p.shown+3*len(e.Sections))}
	s.add(newPiece(e.textTop()))
	if p.index {
		e.indexText(s, &p)
	}
	if p.below {
		e.postsText(s, &p)
	}
	s.add(newPiece(e.textBottom()))
	return s
}

func (e *press) textTop() string {
	var w strings.Builder
	wrap(&w, e.Name, "", textColumns)
	w.WriteString(e.date)
	if e.Number > 0 {
		w.WriteString(" · No. " + strconv.Itoa(e.Number))
	}
	w.WriteString("\n" + upperFirst(e.deck) + "\n\n")
	if e.Note != "" {
		wrap(&w, e.Note, "", textColumns)
		w.WriteByte('\n')
	}
	if e.posts == 0 && e.notes.all == 0 {
		w.WriteString("Nothing new has come in.\n\n")
	}
	return w.String()
}

func (e *press) indexText(s *sheet, p *plan) {
	for i := range e.Sections {
		site := &e.Sections[i]
		if e.depth(p, i, 0) == omitted {
			continue
		}
		s.add(site.parts.textLabel)
		rows := e.rows(p, i)
		for j := range e.indexes(p, i) {
			b, d := site.block(j), e.depth(p, i, j)
			if site.firstLate(j) && d > omitted {
				s.add(site.late(j).textLine)
			}
			switch {
			case rows:
				s.add(b.row().text)
			case d >= short:
				s.add(b.item)
			case d == headline:
				s.add(b.linked)
			}
		}
		s.add(blankPiece)
	}
	if n := e.posts - p.shown; n > 0 {
		s.add(newPiece("… and " + strconv.Itoa(n) + " more in the web edition:\n" + e.moreURL() + "\n\n"))
	}
}

var blankPiece = newPiece("\n")

func (e *press) postsText(s *sheet, p *plan) {
	for i := range e.Sections {
		if !e.sets(p, i) {
			continue
		}
		site := &e.Sections[i]
		s.add(site.parts.textHead)
		for j, b := range site.Posts {
			d := e.depth(p, i, j)
			if site.firstLate(j) && d >= short {
				s.add(site.late(j).textHead)
			}
			if d >= short {
				e.postText(s, b, p, d)
			}
		}
		if len(site.Rest) > 0 && p.each == nil {
			site.restText(s)
		}
	}
}

const ruleText = "------------------------------------------------------------------------\n"

func (e *press) textBottom() string {
	var w strings.Builder
	e.notesText(&w)
	w.WriteString(ruleText)
	wrap(&w, e.reason(), "", textColumns)
	for _, l := range e.exits() {
		w.WriteString("\n" + l.text + ":\n" + l.address + "\n")
	}
	if e.PostalAddress != "" {
		w.WriteByte('\n')
		wrap(&w, e.PostalAddress, "", textColumns)
	}
	return w.String()
}

func headlineText(b *Post, linked bool) string {
	var w strings.Builder
	bullet(&w, b.Title)
	if linked && b.URL != "" {
		w.WriteString("    " + b.URL + "\n")
	}
	return w.String()
}

// rowText is a post in a paper of headlines.
func rowText(b *Post) string {
	var w strings.Builder
	bullet(&w, b.Title)
	if b.Byline != "" {
		wrap(&w, b.Byline, "    ", textColumns)
	}
	if b.URL != "" {
		w.WriteString("    " + b.URL + "\n")
	}
	return w.String()
}

// bullet writes s as an item of a list, its further lines set in.
func bullet(w *strings.Builder, s string) {
	var item strings.Builder
	wrap(&item, s, "    ", textColumns)
	w.WriteString("  * ")
	w.WriteString(item.String()[len("    "):])
}

// postTopText is a post's headline and byline.
func postTopText(b *Post) string {
	var w strings.Builder
	wrap(&w, b.Title, "", textColumns)
	if b.Byline != "" {
		wrap(&w, b.Byline, "", textColumns)
	}
	return w.String()
}

func postText(b *Post, excerpt string) string {
	var w strings.Builder
	w.WriteString(postTopText(b))
	if excerpt != "" {
		w.WriteByte('\n')
		wrap(&w, excerpt, "", textColumns)
	}
	if b.URL != "" {
		if excerpt != "" {
			w.WriteByte('\n')
		}
		w.WriteString(b.URL + "\n")
	}
	w.WriteString("\n\n")
	return w.String()
}
