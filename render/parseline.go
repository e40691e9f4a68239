package render

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

type tokenKind uint8

const (
	word     tokenKind = iota
	breaking           // a line break within a paragraph
	opening            // of an inline element
	closing
	pictured
)

// A token is a part of a line. Each opening has a closing.
type token struct {
	kind      tokenKind
	text      string
	name      string // of an opening: the name of the element
	href      string // of an opening a: a valid address
	lang, dir string
	pic       *picture
}

func (p *parser) text(s string) { p.line = append(p.line, token{kind: word, text: s}) }

// lineBreak ends a line. Two in a row end the paragraph.
func (p *parser) lineBreak() {
	for i := len(p.line) - 1; i >= 0; i-- {
		t := p.line[i]
		if t.kind == breaking {
			p.flush()
			return
		}
		if t.kind == pictured || t.kind == word && strings.TrimSpace(t.text) != "" {
			break
		}
	}
	p.line = append(p.line, token{kind: breaking})
}

// inline parses an inline element. It keeps the few elements that all mail clients support, and the content of others.
func (p *parser) inline(n *html.Node) {
	switch n.DataAtom {
	case atom.Q:
		p.text("“")
		p.children(n)
		p.text("”")
		return
	case atom.Rp:
		return
	case atom.Rt: // few clients support ruby
		before, after := "(", ")"
		if strings.ContainsFunc(content(n), wide) {
			before, after = "（", "）"
		}
		p.text(before)
		p.children(n)
		p.text(after)
		return
	}
	t := token{kind: opening, name: inlineName(n.DataAtom), dir: dirOf(n), lang: Language(attribute(n, "lang"))}
	if t.name == "a" {
		if t.href = linkAddress(attribute(n, "href")); t.href == "" || p.inLink() {
			t.name, t.href = "span", ""
		}
	}
	if t.name == "span" && t.lang == "" && t.dir == "" {
		p.children(n)
		return
	}
	p.open = append(p.open, t)
	p.line = append(p.line, t)
	p.children(n)
	p.open = p.open[:len(p.open)-1]
	p.line = append(p.line, token{kind: closing})
}

// struck is the element of deleted text.
const struck = "del"

func inlineName(a atom.Atom) string {
	switch a {
	case atom.A:
		return "a"
	case atom.B, atom.Strong:
		return "strong"
	case atom.I, atom.Em, atom.Cite, atom.Dfn, atom.Var:
		return "em"
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		return "code"
	case atom.Del, atom.S, atom.Strike:
		return struck
	case atom.Sub, atom.Sup, atom.Small, atom.Mark:
		return a.String()
	}
	return "span"
}

func (p *parser) inLink() bool { return p.linked() != "" }

// linked returns the address of the open link, or "".
func (p *parser) linked() string {
	if i := slices.IndexFunc(p.open, func(t token) bool { return t.name == "a" }); i >= 0 {
		return p.open[i].href
	}
	return ""
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// linkAddress returns a valid web address or mailto address, or "".
func linkAddress(raw string) string {
	raw = strings.TrimSpace(raw)
	if len(raw) < 7 || !strings.EqualFold(raw[:7], "mailto:") {
		return address(raw)
	}
	u, err := url.Parse(raw)
	if err != nil || !strings.Contains(u.Opaque, "@") {
		return ""
	}
	if raw = percent(raw); len(raw) > maxAddress {
		return ""
	}
	return raw
}

// tidyLine collapses white space, drops invisible characters, and drops empty elements. It returns nil if nothing is
// visible.
func tidyLine(line []token) []token {
	s := spacer{out: make([]token, 0, len(line)), fresh: true}
	for _, t := range line {
		s.add(t)
	}
	for n := len(s.out); n > 0 &&
		(s.out[n-1].kind == breaking || s.out[n-1].kind == word && s.out[n-1].text == " "); n-- {
		s.out = s.out[:n-1]
	}
	if !s.visible {
		return nil
	}
	return honest(s.out)
}

// A spacer joins tokens with single spaces.
type spacer struct {
	out     []token
	fresh   bool // the line is empty
	space   bool // white space is pending
	newline bool // it contained a line feed
	visible bool
	last    rune // the last character
	marks   int  // number of consecutive combining marks
}

func (s *spacer) add(t token) {
	switch t.kind {
	case word:
		s.word(t.text)
	case breaking:
		s.space, s.newline = false, false
		if !s.fresh {
			s.out = append(s.out, t)
			s.fresh, s.last = true, 0
		}
	case opening:
		s.spaceOut(0)
		s.out = append(s.out, t)
	case closing:
		if n := len(s.out); s.out[n-1].kind == opening {
			s.out = s.out[:n-1]
			return
		}
		s.out = append(s.out, t)
	case pictured:
		s.spaceOut(0)
		s.out = append(s.out, t)
		s.fresh, s.visible, s.last = false, true, 0
	}
}

// spaceOut writes pending white space before r, which is 0 for no character. It drops a line feed between wide
// characters, because East Asian text has no spaces.
func (s *spacer) spaceOut(r rune) {
	if s.space && !s.fresh && s.last != ' ' && !(s.newline && wide(s.last) && wide(r)) {
		s.out = append(s.out, token{kind: word, text: " "})
		s.last = ' '
	}
	s.space, s.newline = false, false
}

func (s *spacer) word(text string) {
	var b strings.Builder
	flag := 0
	for i, r := range text {
		flag = max(flag, i+flagLen(text[i:]))
		switch {
		case unicode.IsSpace(r) && (r != '\u00a0' && r != '\u202f' && r != '\u3000' || s.fresh || s.space ||
			s.last == r):
			s.space = true
			s.newline = s.newline || r == '\n'
			continue
		case i >= flag && dropped(r):
			continue
		case columns(r) == 0:
			if s.marks++; s.marks > maxMarks {
				continue
			}
		default:
			s.marks = 0
		}
		if s.space {
			s.flushWord(&b)
			s.spaceOut(r)
		}
		b.WriteRune(r)
		s.last, s.fresh = r, false
		s.visible = s.visible || columns(r) > 0 && !unicode.IsSpace(r)
	}
	s.flushWord(&b)
}

// flushWord appends the content of b as a word.
func (s *spacer) flushWord(b *strings.Builder) {
	if b.Len() == 0 {
		return
	}
	s.out = append(s.out, token{kind: word, text: b.String()})
	b.Reset()
}

// closes returns the index of the closing for the opening at i.
func closes(line []token, i int) int {
	depth := 0
	for ; i < len(line); i++ {
		switch line[i].kind {
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(line)
}

func plainText(line []token) string {
	var b strings.Builder
	for _, t := range line {
		b.WriteString(t.text)
	}
	return b.String()
}
