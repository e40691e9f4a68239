package render

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/hypertext"
)

// A post's full text has three forms. The parser converts untrusted HTML to a tree of nodes (parse*.go). A walk visits
// the tree and calls a writer (walk.go). There are two writers: one for email, which writes HTML and plain text at the
// same time (walkmail.go, walktext.go), and one for web pages (walkweb.go). From the first form only text, the names
// below and checked addresses reach the last.

// Limits of a tree. The parser flattens deeper content.
const (
	maxContent = 400_000 // bytes that are parsed: about four times the limit of an email
	maxNesting = 6       // of lists and quotations
	maxMarkup  = 200     // of elements of any kind
)

type nodeKind uint8

const (
	paragraph nodeKind = iota
	heading
	caption
	term
	code
	divider
	list
	item
	quotation
	table
)

// A node is a block of a post: a leaf has a line, a table has rows, and other nodes have kids.
type node struct {
	kind      nodeKind
	lang, dir string // as in the post; empty if inherited
	line      []token
	lines     [][]token
	kids      []*node
	rows      [][]cell // of a table, all of equal length
	rank      int      // of a heading: 1 to 6
	ordered   bool
	numerals  string // of an ordered list: a, A, i or I; empty for digits
	number    int    // of an item in an ordered list
	stated    bool   // the author set number
	jumps     bool   // number does not follow from the item before
	rtl, ltr  int    // number of letters by direction; not counted for code
}

// A parser converts a post to a tree.
type parser struct {
	images    digest.Images
	proxy     Proxy
	sizes     map[string]digest.PictureSize // stored sizes of pictures
	url       string                        // of the post; may be empty
	title     string                        // of the post; descriptions of pictures omit it
	film      string                        // address of the film that the post is about; may be empty
	speaks    *catalogue.Language           // language of built-in messages; nil means English
	into      *[]*node
	line      []token
	open      []token // open inline elements at the end of the line
	kind      nodeKind
	rank      int
	lang, dir string
	nesting   int // of lists and quotations
	depth     int // of elements
	captions  []string
	browser   bool // for a web page, where wide content scrolls
	shortened bool // the content was cut at maxContent
}

// parseTree parses a post's content. It never fails and omits content that it cannot parse.
func parseTree(content string, images digest.Images, proxy Proxy) []*node {
	return (&parser{images: images, proxy: proxy}).parse(content)
}

func (p *parser) parse(content string) []*node {
	all := len(content)
	if len(content) > maxContent {
		content = strings.ToValidUTF8(content[:maxContent], "")
	}
	p.shortened = len(content) < all
	if p.images == digest.ProxiedImages && p.proxy == nil {
		p.images = digest.NoImages
	}
	var nodes []*node
	p.into = &nodes
	shown, dropped := hypertext.Shown(content)
	if dropped {
		p.put(p.droppedNote())
	}
	for _, n := range shown {
		p.node(n)
	}
	p.flush()
	return trimRules(nodes)
}

// droppedNote returns a notice that the layout of the text was dropped.
func (p *parser) droppedNote() *node {
	words := p.say(catalogue.Key("The layout of this post is too complex to show. Here is its text."))
	n := &node{kind: paragraph, line: []token{{kind: opening, name: "em"}, {kind: word, text: words}, {kind: closing}}}
	l := cmp.Or(p.speaks, catalogue.English())
	n.lang, n.dir = l.Code, string(l.Direction)
	return n
}

func (p *parser) children(n *html.Node) {
	for c := range n.ChildNodes() {
		p.node(c)
	}
}

func (p *parser) node(n *html.Node) {
	if n.Type == html.TextNode {
		p.text(n.Data)
		return
	}
	if n.Type != html.ElementNode || p.depth > maxMarkup {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Math, atom.Title, atom.Textarea, atom.Select,
		atom.Iframe,
		atom.Noembed, atom.Noframes, atom.Object, atom.Video, atom.Audio, atom.Canvas:
		return
	case atom.Br:
		p.lineBreak()
	case atom.Hr:
		p.flush()
		p.put(&node{kind: divider})
	case atom.Img:
		p.image(n)
	case atom.Pre:
		p.pre(n)
	case atom.Table:
		p.table(n)
	case atom.Ul, atom.Ol, atom.Menu:
		p.list(n)
	case atom.Li:
		p.item(n)
	case atom.Blockquote:
		p.container(n, &node{kind: quotation})
	case atom.Dd:
		p.container(n, &node{kind: quotation, rank: definition})
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.leaf(n, heading, int(n.Data[1]-'0'))
	case atom.Figcaption, atom.Caption:
		p.leaf(n, caption, 0)
	case atom.Dt, atom.Summary:
		p.leaf(n, term, 0)
	default:
		if isBlock(n.DataAtom) {
			p.leaf(n, paragraph, 0)
			return
		}
		p.inline(n)
	}
}

// definition marks an indented block that is not a quotation.
const definition = 1

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Details,
		atom.Dl,
		atom.Main, atom.Nav, atom.Address, atom.Center, atom.Form, atom.Fieldset, atom.Hgroup,
		atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return false
}

func (p *parser) leaf(n *html.Node, kind nodeKind, rank int) {
	p.flush()
	was := *p
	if kind != paragraph { // a paragraph in a heading is part of the heading
		p.kind, p.rank = kind, rank
	}
	p.enter(n)
	p.children(n)
	p.flush()
	p.kind, p.rank, p.lang, p.dir = was.kind, was.rank, was.lang, was.dir
}

// container parses the content of n into b, unless the nesting is too deep.
func (p *parser) container(n *html.Node, b *node) {
	p.flush()
	was := *p
	p.enter(n)
	p.kind, p.rank = paragraph, 0
	b.lang, b.dir = p.lang, p.dir
	if p.nesting < maxNesting {
		p.into = &b.kids
		p.nesting++
	}
	p.children(n)
	p.flush()
	p.kind, p.rank, p.lang, p.dir, p.into, p.nesting = was.kind, was.rank, was.lang, was.dir, was.into, was.nesting
	if b.kind == list {
		b.kids = itemised(b.kids)
		b.numberItems(n)
	}
	if b.kids = trimRules(b.kids); len(b.kids) > 0 {
		p.put(b)
	}
}

// item parses an item of a list. Outside of a list it is a paragraph.
func (p *parser) item(n *html.Node) {
	if p.nesting == 0 || p.nesting >= maxNesting {
		p.leaf(n, paragraph, 0)
		return
	}
	number, stated := numberIn(n, "value")
	p.container(n, &node{kind: item, number: number, stated: stated})
}

// itemised converts the kids of a list that are not items to items.
func itemised(kids []*node) []*node {
	var out []*node
	for _, k := range kids {
		if k.kind == item {
			out = append(out, k)
			continue
		}
		if n := len(out); n > 0 && k.kind == list { // a list between items belongs to the item before
			last := out[n-1]
			last.kids, last.rtl, last.ltr = append(last.kids, k), last.rtl+k.rtl, last.ltr+k.ltr
			continue
		}
		out = append(out, (&node{kind: item, lang: k.lang, dir: k.dir, kids: []*node{k}}).counted())
	}
	return out
}

// enter sets the language and the direction from the attributes of n.
func (p *parser) enter(n *html.Node) {
	if l := Language(attribute(n, "lang")); l != "" {
		p.lang = l
	}
	if d := dirOf(n); d != "" {
		p.dir = d
	}
}

func (n *node) text() string { return plainText(n.line) + plainText(slices.Concat(n.lines...)) }

func (p *parser) put(n *node) { *p.into = append(*p.into, n.counted()) }

// counted counts the letters in n and returns n.
func (n *node) counted() *node {
	if n.kind == code {
		return n
	}
	for _, k := range n.kids {
		n.rtl, n.ltr = n.rtl+k.rtl, n.ltr+k.ltr
	}
	lines := [][]token{n.line}
	for _, r := range n.rows {
		for _, c := range r {
			lines = append(lines, c.line)
		}
	}
	for _, line := range lines {
		for _, t := range line {
			rtl, ltr := countLetters(t.text)
			n.rtl, n.ltr = n.rtl+rtl, n.ltr+ltr
		}
	}
	return n
}

// flush ends the line and adds it as a node. Open elements continue in the next line.
func (p *parser) flush() {
	line := p.line
	if len(line) > len(p.open) {
		for range p.open {
			line = append(line, token{kind: closing})
		}
		if line = tidyLine(line); line != nil {
			p.put(&node{kind: p.kind, rank: p.rank, lang: p.lang, dir: p.dir, line: line})
		}
	}
	p.line = append([]token(nil), p.open...)
	for _, c := range p.captions {
		p.put(&node{kind: caption, lang: p.lang, line: []token{{kind: word, text: c}}})
	}
	p.captions = nil
}

// trimRules drops dividers at the beginning and the end, and repeated ones.
func trimRules(nodes []*node) []*node {
	var out []*node
	for _, b := range nodes {
		if b.kind == divider && (len(out) == 0 || out[len(out)-1].kind == divider) {
			continue
		}
		out = append(out, b)
	}
	if n := len(out); n > 0 && out[n-1].kind == divider {
		out = out[:n-1]
	}
	return out
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// dirOf returns the direction that an element states, or "" for "auto".
func dirOf(n *html.Node) string {
	switch d := strings.ToLower(attribute(n, "dir")); d {
	case "ltr", "rtl":
		return d
	}
	return ""
}
