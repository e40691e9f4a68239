package feed

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inLine is the class of a picture that is part of a sentence. Of all classes, only this one is stored.
const inLine = "inline"

// Limits of a picture within a sentence, in CSS pixels.
const (
	tallInLine = 100
	wideInLine = 400
)

// classify sets the class of a picture, and removes the delimiters of a formula from its description. It reports
// whether the picture is a formula or an emoji.
func classify(n *html.Node) (isText bool) {
	classes := strings.Fields(strings.ToLower(attrOf(n, "class")))
	named := func(names ...string) bool {
		return slices.ContainsFunc(classes, func(c string) bool { return slices.Contains(names, c) })
	}
	setAttr(n, "class", "")
	alt := bareTeX(attrOf(n, "alt"))
	isFormula := alt != "" && (named("latex", "tex", "mwe-math-fallback-image-inline", "math", "wp-katex-eq") ||
		holdsAny(attrOf(n, "src"), "/latex.php?", "latex.codecogs.com/", "/media/math/render/"))
	if isFormula {
		setAttr(n, "alt", alt)
	}
	isText = isFormula || named("emoji", "wp-smiley", "smiley", "custom-emoji")
	if isText || isWithinSentence(n) {
		setAttr(n, "class", inLine)
	}
	return isText
}

// isWithinSentence reports whether a picture is between the words of a sentence.
func isWithinSentence(n *html.Node) bool {
	if h, known := pixels(attrOf(n, "height")); known && h > tallInLine {
		return false
	}
	if w, known := pixels(attrOf(n, "width")); known && w > wideInLine {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(besidePicture(n, func(n *html.Node) *html.Node { return n.PrevSibling }))
	next, _ := utf8.DecodeRuneInString(besidePicture(n, func(n *html.Node) *html.Node { return n.NextSibling }))
	return last != utf8.RuneError && next != utf8.RuneError && !strings.ContainsRune(".!?…:。！？：", last)
}

// besidePicture returns the text before or after a picture in its line, or "".
func besidePicture(n *html.Node, to func(*html.Node) *html.Node) string {
	const most = 8 // elements
	for range most {
		beside := to(n)
		switch {
		case beside == nil && n.Parent != nil && inline[n.Parent.DataAtom]:
			n = n.Parent
			continue
		case beside == nil:
			return ""
		case beside.Type == html.TextNode && strings.TrimSpace(beside.Data) != "":
			return strings.TrimSpace(beside.Data)
		case beside.Type == html.ElementNode && inline[beside.DataAtom]:
			return strings.TrimSpace(textIn(beside))
		case beside.Type == html.ElementNode && beside.DataAtom != atom.Img:
			return ""
		}
		n = beside
	}
	return ""
}
