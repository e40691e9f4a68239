package render

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest"
)

// A post's full text goes through three forms: HTML of strangers is grown into
// a tree of blocks (this file, inline.go, table.go, picture.go), and the tree
// is set twice in one walk, as HTML and as plain text (body.go, bodyhtml.go,
// bodytext.go). Nothing of the first form reaches the last but text, the names
// below, and addresses that were looked at.

// The bounds of a tree. What is nested deeper is set as if it were not nested.
const (
	maxContent = 400_000 // bytes that are read: some four times what a mail can show
	maxNesting = 6       // of lists and quotations
	maxMarkup  = 200     // of elements, whatever they are
	maxCost    = 200_000 // see affordable
)

// blockKind says what a block is.
type blockKind uint8

const (
	paragraph blockKind = iota
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

// A block is one thing below another: a leaf has a line, the others have kids.
type block struct {
	kind      blockKind
	lang, dir string // as the post says; empty: as what is around it
	line      []token
	kids      []*block
	rows      [][]cell // of a table, all of one length
	rank      int      // of a heading: 1 to 6
	ordered   bool     // of a list
	start     int      // of an ordered list
}

// A grower makes the tree of a post.
type grower struct {
	images    digest.Images
	proxy     Proxy
	into      *[]*block
	line      []token
	open      []token // inline elements that are open where the line stands
	kind      blockKind
	rank      int
	lang, dir string
	nesting   int // of lists and quotations
	depth     int // of elements
	captions  []string
	browser   bool // the page may be wide, and what is too wide for it scrolls
	shortened bool // there was too much to read all of it
}

// grow reads a post's content. It never fails: what cannot be read is left out.
func grow(content string, images digest.Images, proxy Proxy) []*block {
	return (&grower{images: images, proxy: proxy}).grow(content)
}

func (g *grower) grow(content string) []*block {
	all := len(content)
	if len(content) > maxContent {
		content = strings.ToValidUTF8(content[:maxContent], "")
	}
	content = affordable(content)
	g.shortened = len(content) < all
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(content), body, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil
	}
	if g.images == digest.ProxiedImages && g.proxy == nil {
		g.images = digest.NoImages
	}
	var blocks []*block
	g.into = &blocks
	for _, n := range nodes {
		g.node(n)
	}
	g.flush()
	return trimRules(blocks)
}

// affordable ends content where it would become too much. Elements that style
// text and are never closed go on in all paragraphs after them, in a parser as
// here: two hundred of them make megabytes of some thousand paragraphs.
func affordable(content string) string {
	z := html.NewTokenizer(strings.NewReader(content))
	open, cost, at := 0, 0, 0
	for cost < maxCost {
		kind := z.Next()
		if kind == html.ErrorToken {
			return content
		}
		cost += 1 + open
		at += len(z.Raw())
		switch name, _ := z.TagName(); {
		case kind == html.StartTagToken && goesOn(atom.Lookup(name)):
			open++
		case kind == html.EndTagToken && goesOn(atom.Lookup(name)):
			open = max(0, open-1)
		}
	}
	return content[:at]
}

// goesOn reports whether an element stands within lines, and ends only where
// its writer ends it; 0 is an element that HTML does not know.
func goesOn(a atom.Atom) bool {
	switch a {
	case 0, atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Dfn, atom.Del,
		atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Nobr, atom.Q, atom.S, atom.Samp,
		atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var:
		return true
	}
	return false
}

func (g *grower) children(n *html.Node) {
	for c := range n.ChildNodes() {
		g.node(c)
	}
}

func (g *grower) node(n *html.Node) {
	if n.Type == html.TextNode {
		g.text(n.Data)
		return
	}
	if n.Type != html.ElementNode || g.depth > maxMarkup {
		return
	}
	g.depth++
	defer func() { g.depth-- }()
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Math, atom.Title, atom.Textarea, atom.Select, atom.Iframe,
		atom.Noembed, atom.Noframes, atom.Object, atom.Video, atom.Audio, atom.Canvas:
		return
	case atom.Br:
		g.lineBreak()
	case atom.Hr:
		g.flush()
		g.put(&block{kind: divider})
	case atom.Img:
		g.image(n)
	case atom.Pre:
		g.pre(n)
	case atom.Table:
		g.table(n)
	case atom.Ul, atom.Ol, atom.Menu:
		g.container(n, &block{kind: list, ordered: n.DataAtom == atom.Ol, start: startOf(n)})
	case atom.Li:
		g.item(n)
	case atom.Blockquote:
		g.container(n, &block{kind: quotation})
	case atom.Dd:
		g.container(n, &block{kind: quotation, rank: definition})
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		g.leaf(n, heading, int(n.Data[1]-'0'))
	case atom.Figcaption, atom.Caption:
		g.leaf(n, caption, 0)
	case atom.Dt, atom.Summary:
		g.leaf(n, term, 0)
	default:
		if isBlock(n.DataAtom) {
			g.leaf(n, paragraph, 0)
			return
		}
		g.inline(n)
	}
}

// definition marks a quote that is set in, but is nobody's words.
const definition = 1

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Aside, atom.Header, atom.Footer, atom.Figure, atom.Details, atom.Dl,
		atom.Main, atom.Nav, atom.Address, atom.Center, atom.Form, atom.Fieldset, atom.Hgroup,
		atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return false
}

func startOf(n *html.Node) int {
	start, err := strconv.Atoi(attribute(n, "start"))
	if err != nil || start < 0 || start > 999_999 {
		return 1
	}
	return start
}

// leaf sets what is in n as lines of a kind of its own.
func (g *grower) leaf(n *html.Node, kind blockKind, rank int) {
	g.flush()
	was := *g
	if kind != paragraph { // a paragraph in a heading is the heading's
		g.kind, g.rank = kind, rank
	}
	g.enter(n)
	g.children(n)
	g.flush()
	g.kind, g.rank, g.lang, g.dir = was.kind, was.rank, was.lang, was.dir
}

// container puts what is in n into b, unless that is too deep.
func (g *grower) container(n *html.Node, b *block) {
	g.flush()
	was := *g
	g.enter(n)
	g.kind, g.rank = paragraph, 0
	b.lang, b.dir = g.lang, g.dir
	if g.nesting < maxNesting {
		g.into = &b.kids
		g.nesting++
	}
	g.children(n)
	g.flush()
	g.kind, g.rank, g.lang, g.dir, g.into, g.nesting = was.kind, was.rank, was.lang, was.dir, was.into, was.nesting
	if b.kind == list {
		b.kids = itemised(b.kids)
	}
	if b.kids = trimRules(b.kids); len(b.kids) > 0 {
		g.put(b)
	}
}

// item is an entry of a list; one without a list is a paragraph.
func (g *grower) item(n *html.Node) {
	if g.nesting == 0 || g.nesting >= maxNesting {
		g.leaf(n, paragraph, 0)
		return
	}
	g.container(n, &block{kind: item})
}

// itemised makes items of what stands in a list without being one.
func itemised(kids []*block) []*block {
	var out []*block
	for _, k := range kids {
		if k.kind == item {
			out = append(out, k)
			continue
		}
		if n := len(out); n > 0 && k.kind == list { // a list between items belongs to the one before
			out[n-1].kids = append(out[n-1].kids, k)
			continue
		}
		out = append(out, &block{kind: item, lang: k.lang, dir: k.dir, kids: []*block{k}})
	}
	return out
}

// enter notes what n says of its language and direction.
func (g *grower) enter(n *html.Node) {
	if l := Language(attribute(n, "lang")); l != "" {
		g.lang = l
	}
	if d := dirOf(n); d != "" {
		g.dir = d
	}
}

func (g *grower) put(b *block) { *g.into = append(*g.into, b) }

// flush ends the line: what it holds becomes a block, and what is open goes on
// in the next one.
func (g *grower) flush() {
	line := g.line
	if len(line) > len(g.open) {
		for range g.open {
			line = append(line, token{kind: closing})
		}
		if line = tidyLine(line); line != nil {
			g.put(&block{kind: g.kind, rank: g.rank, lang: g.lang, dir: g.dir, line: line})
		}
	}
	g.line = append([]token(nil), g.open...)
	for _, c := range g.captions {
		g.put(&block{kind: caption, lang: g.lang, line: []token{{kind: word, text: c}}})
	}
	g.captions = nil
}

// trimRules leaves out rules that part nothing from nothing.
func trimRules(blocks []*block) []*block {
	var out []*block
	for _, b := range blocks {
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

// dirOf is the direction that an element states; "auto" states none.
func dirOf(n *html.Node) string {
	switch d := strings.ToLower(attribute(n, "dir")); d {
	case "ltr", "rtl":
		return d
	}
	return ""
}
