package feed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const maxFormula = 2000 // characters

// formula replaces MathML, or a script with TeX, with the formula as text: its TeX source, otherwise its alternative
// text, otherwise its characters. It returns false if the formula has no text.
func formula(n *html.Node) bool {
	block, source := attrOf(n, "display") == "block", firstOf(annotation(n), attrOf(n, "alttext"), spelled(n))
	if n.DataAtom == atom.Script {
		_, mode, _ := strings.Cut(attrOf(n, "type"), ";")
		block, source = strings.Contains(mode, "display"), textIn(n)
	}
	if source = shorten(bareTeX(source), maxFormula); source == "" {
		return false
	}
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	n.Namespace, n.Data, n.DataAtom, n.Attr = "", "div", atom.Div, nil
	to := n
	if block {
		to = &html.Node{Type: html.ElementNode}
		n.AppendChild(to)
	}
	to.Data, to.DataAtom, to.Attr = "var", atom.Var, []html.Attribute{{Key: "dir", Val: "ltr"}}
	if strings.ContainsAny(source, `\{`) {
		to.Data, to.DataAtom, to.Attr = "code", atom.Code, nil
	}
	to.AppendChild(&html.Node{Type: html.TextNode, Data: source})
	return true
}

// isTeX reports whether a script is the source of a formula, as MathJax 2 writes it.
func isTeX(n *html.Node) bool {
	kind, _, _ := strings.Cut(attrOf(n, "type"), ";")
	return n.DataAtom == atom.Script && strings.TrimSpace(strings.ToLower(kind)) == "math/tex"
}

// isSecondFormula reports whether an element shows a formula that another element beside it has as MathML or TeX.
func isSecondFormula(n *html.Node) bool {
	for class := range strings.FieldsSeq(attrOf(n, "class")) {
		switch class {
		case "katex-html":
			return n.PrevSibling != nil && attrOf(n.PrevSibling, "class") == "katex-mathml"
		case "MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML":
			return followedByTeX(n)
		}
	}
	return false
}

// followedByTeX reports whether the script of a formula is among the next elements: MathJax writes a preview, the
// formula and the script.
func followedByTeX(n *html.Node) bool {
	for range 4 {
		if n = n.NextSibling; n == nil {
			return false
		}
		if isTeX(n) {
			return true
		}
	}
	return false
}

func annotation(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Data == "annotation" && strings.Contains(strings.ToLower(attrOf(d, "encoding")), "tex") {
			return wordsIn(d)
		}
	}
	return ""
}

func wordsIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// bareTeX removes the delimiters of a formula, and the commands that only set its size.
func bareTeX(s string) string {
	s = singleSpaced(s)
	for _, around := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}, {`{\displaystyle `, "}"},
		{`{\textstyle `, "}"}, {`\displaystyle `, ""}} {
		if inner, begins := strings.CutPrefix(s, around[0]); begins {
			if inner, ends := strings.CutSuffix(inner, around[1]); ends {
				s = strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// between are the signs between the parts of MathML's elements.
var between = map[string][]string{"msup": {"^"}, "msub": {"_"}, "munder": {"_"}, "mfrac": {"/"},
	"msubsup": {"_", "^"}, "munderover": {"_", "^"}}

// spelled returns the characters of MathML in order, with ^ and _ for raised and lowered parts, and / for fractions.
func spelled(n *html.Node) string {
	if n.Type == html.TextNode {
		return singleSpaced(n.Data)
	}
	_, name := splitName(n.Data)
	if n.Type != html.ElementNode || strings.HasPrefix(name, "annotation") || name == "script" || name == "style" {
		return ""
	}
	var kids []string
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode || strings.TrimSpace(c.Data) != "" {
			kids = append(kids, spelled(c))
		}
	}
	s := ""
	switch signs := between[name]; {
	case len(signs) > 0 && len(kids) == len(signs)+1:
		s = grouped(kids[0])
		for i, sign := range signs {
			s += sign + grouped(kids[i+1])
		}
	case name == "msqrt":
		s = "√" + grouped(strings.Join(kids, ""))
	case name == "mtr":
		s = strings.Join(kids, ", ")
	case name == "mtable":
		s = "(" + strings.Join(kids, "; ") + ")"
	case name == "mtext" || name == "mspace":
		s = " " + strings.Join(kids, "") + " "
	default:
		s = strings.Join(kids, "")
	}
	return strings.ToValidUTF8(s[:min(len(s), 2*maxFormula)], "")
}

// grouped puts more than a number, a word or a symbol in brackets.
func grouped(s string) string {
	letters := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '′' }
	if strings.TrimFunc(s, letters) == "" || utf8.RuneCountInString(s) == 1 ||
		strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		return s
	}
	return "(" + s + ")"
}

// withFormulas returns HTML with its formulas as text, and with marked pictures if some may be formulas or emoji.
func withFormulas(s string) string {
	if holdsAny(s, "<math", "<mml:math", "math/tex", "latex", "emoji", "wp-smiley") {
		s, _ = sanitise(s, "")
	}
	return s
}
