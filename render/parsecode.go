package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tabStop is the width of a tab in code, which leaves room on a phone.
const tabStop = 4

func (p *parser) pre(n *html.Node) {
	p.flush()
	was := *p
	p.enter(n)
	c := &codeParser{parser: p}
	c.children(n)
	if lines := c.lines(); lines != nil {
		p.put(&node{kind: code, lang: p.lang, lines: lines})
	}
	p.lang, p.dir = was.lang, was.dir
}

// A codeParser collects the lines of a pre. It keeps links and drops other elements.
type codeParser struct {
	*parser
	out    []token
	column int
	linked bool
}

func (c *codeParser) children(n *html.Node) {
	for d := range n.ChildNodes() {
		c.node(d)
	}
}

func (c *codeParser) node(n *html.Node) {
	if n.Type == html.TextNode {
		c.text(n.Data)
		return
	}
	if c.depth > maxMarkup {
		return
	}
	c.depth++
	defer func() { c.depth-- }()
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Math:
	case atom.Br:
		c.newLine()
	case atom.Img:
		if alt := description(attribute(n, "alt")); alt != "" {
			c.text((&picture{words: alt, speaks: c.speaks}).said())
		}
	case atom.A:
		href := linkAddress(attribute(n, "href"))
		if href == "" || c.linked {
			c.children(n)
			return
		}
		c.linked = true
		c.out = append(c.out, token{kind: opening, name: "a", href: href})
		c.children(n)
		c.out = append(c.out, token{kind: closing})
		c.linked = false
	default:
		lineOfItsOwn := isBlock(n.DataAtom) || n.DataAtom == atom.Li
		if lineOfItsOwn && c.column > 0 {
			c.newLine()
		}
		c.children(n)
		if lineOfItsOwn && c.column > 0 {
			c.newLine()
		}
	}
}

func (c *codeParser) newLine() {
	if n := len(c.out); n > 0 && c.out[n-1].kind == word { // remove white space at the end of a line
		c.out[n-1].text = strings.TrimRight(c.out[n-1].text, " ")
	}
	c.out = append(c.out, token{kind: breaking})
	c.column = 0
}

func (c *codeParser) text(s string) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			c.out = append(c.out, token{kind: word, text: b.String()})
			b.Reset()
		}
	}
	marks, flag := 0, 0
	for i, r := range s {
		flag = max(flag, i+flagLen(s[i:]))
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			flush()
			c.newLine()
		case r == '\t':
			n := tabStop - c.column%tabStop
			b.WriteString(strings.Repeat(" ", n))
			c.column += n
		case r == '\u00a0':
			b.WriteByte(' ')
			c.column++
		case i >= flag && dropped(r):
		default:
			if columns(r) > 0 {
				marks = 0
			} else if marks++; marks > maxMarks {
				continue
			}
			b.WriteRune(r)
			c.column += columns(r)
		}
	}
	flush()
}

// lines returns the collected lines. It drops empty lines at the beginning and the end, and repeated ones. It removes
// the indentation that all lines share, because phones are narrow.
func (c *codeParser) lines() [][]token {
	var out [][]token
	least := -1
	for _, line := range splitLines(c.out) {
		text := plainText(line)
		if strings.TrimSpace(text) == "" {
			if len(out) == 0 || out[len(out)-1] == nil {
				continue
			}
			line = nil
		} else if n := len(text) - len(strings.TrimLeft(text, " ")); least < 0 || n < least {
			least = n
		}
		out = append(out, line)
	}
	if n := len(out); n > 0 && out[n-1] == nil {
		out = out[:n-1]
	}
	for _, line := range out {
		rest := least
		for i, t := range line {
			n := min(rest, len(t.text))
			line[i].text, rest = t.text[n:], rest-n
		}
	}
	return out
}

// splitLines splits a line at its breaks. It closes a link that spans lines and opens it again.
func splitLines(line []token) [][]token {
	var out [][]token
	var now, open []token
	for _, t := range line {
		switch t.kind {
		case opening:
			open = append(open, t)
		case closing:
			open = open[:len(open)-1]
		case breaking:
			for range open {
				now = append(now, token{kind: closing})
			}
			out = append(out, now)
			now = append([]token(nil), open...)
			continue
		}
		now = append(now, t)
	}
	return append(out, now)
}
