package render

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestAccessibility applies the rules of the Email Markup Consortium to all golden emails: the ten of its report of
// 2026 (https://emailmarkup.org/en/reports/accessibility/2026), and the rules about zooming, headings and VML.
func TestAccessibility(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d golden mails, %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range barriers(t, parse(t, string(source))) {
			t.Errorf("%s: %s", file, fault)
		}
	}
}

// TestBarriers: each rule finds an email that breaks it.
func TestBarriers(t *testing.T) {
	const head, title = `<html lang="en"><head><title>T</title>`, `</head><body>`
	wrapped := func(inside string) string {
		return head + title + `<div lang="en" dir="ltr"><h1>H</h1>` + inside + `</div></body></html>`
	}
	for page, want := range map[string]string{
		wrapped(`<p>Words, and <a href="https://a.example/">a post</a>.</p>`): "",
		head + title + `<div lang="en"><h1>H</h1></div></body></html>`:        "<div> below <body> has no dir",
		head + title + `<div dir="ltr"><h1>H</h1></div></body></html>`:        "<div> below <body> has no lang",
		`<html>` + strings.TrimPrefix(wrapped(""), `<html lang="en">`):        "<html> has no lang",
		strings.Replace(wrapped(""), "<title>T</title>", "", 1):               "there is no title",
		strings.Replace(wrapped(""), "<h1>H</h1>", "", 1):                     "there is no level-one heading",
		wrapped(`<table><tr><td>x</td></tr></table>`):                         "a table for layout has no role",
		wrapped(`<table><tr><th>x</th></tr></table>`):                         "",
		wrapped(`<table role="presentation"><tr><td>x</td></tr></table>`):     "",
		wrapped(`<a href="https://a.example/"><img alt="" src="a"></a>`):      "a link has no text: https://a.example/",
		wrapped(`<a href="https://a.example/"><img alt="A" src="a"></a>`):     "",
		wrapped(`<img src="a">`):                                              "a picture has no alt: a",
		wrapped(`<a href="https://a.example/">Read more</a>`):                 "a link says only “read more”",
		wrapped(`<h3>x</h3>`): "a heading of level 3 follows one of level 1",
		wrapped(`<p style="color:#999999;background-color:#ffffff">x</p>`): "contrast 2.8 of “x”",
		wrapped(`<p style="color:#949494;font-size:24px">x</p>`):           "",
		strings.Replace(wrapped(""), "<title>", `<meta name="viewport" content="user-scalable=no"><title>`,
			1): "zooming is disabled",
	} {
		if got := strings.Join(barriers(t, parse(t, page)), "; "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", page, got, want)
		}
	}
}

func barriers(t *testing.T, doc *html.Node) (faults []string) {
	add := func(broken bool, fault string) {
		if broken && !slices.Contains(faults, fault) {
			faults = append(faults, fault)
		}
	}
	level := 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		inBody := n.Parent != nil && n.Parent.Data == "body"
		add(inBody && attr(n, "dir") == "", "<"+n.Data+"> below <body> has no dir")
		add(inBody && attr(n, "lang") == "", "<"+n.Data+"> below <body> has no lang")
		switch n.Data {
		case "html":
			add(attr(n, "lang") == "", "<html> has no lang")
		case "meta":
			content := attr(n, "content")
			zoomless := strings.Contains(content, "user-scalable=no") || strings.Contains(content, "maximum-scale")
			add(attr(n, "name") == "viewport" && zoomless, "zooming is disabled")
		case "table":
			role := attr(n, "role")
			add(role != "presentation" && role != "none" && len(all(n, "th")) == 0, "a table for layout has no role")
		case "img":
			add(!hasAttr(n, "alt"), "a picture has no alt: "+attr(n, "src"))
		case "a":
			name := linkName(n)
			add(name == "", "a link has no text: "+attr(n, "href"))
			add(slices.Contains(saysNothing, strings.ToLower(name)), "a link says only “"+strings.ToLower(name)+"”")
		case "h1", "h2", "h3", "h4", "h5", "h6":
			now := int(n.Data[1] - '0')
			add(now > level+1 && level > 0, "a heading of level "+strconv.Itoa(now)+" follows one of level "+
				strconv.Itoa(level))
			level = now
		}
		add(strings.HasPrefix(n.Data, "v:"), "there is VML")
	}
	add(len(all(doc, "title")) == 0 || textOf(all(doc, "title")[0]) == "", "there is no title")
	add(len(all(doc, "h1")) == 0, "there is no level-one heading")
	paleText(t, doc, look{ink: "#000000", paper: "#ffffff", size: 16}, add)
	return faults
}

// saysNothing lists link texts that do not describe their target.
var saysNothing = []string{
	"click", "click here", "here", "more", "read more", "learn more", "see more", "find out more", "more info", "link",
	"this link", "this", "go", "details", "view", "open", "read it here",
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// linkName returns the text that a screen reader speaks for a link.
func linkName(n *html.Node) string {
	name := attr(n, "aria-label") + " " + textOf(n)
	for _, img := range all(n, "img") {
		name += " " + attr(img, "alt")
	}
	return strings.Join(strings.Fields(name), " ")
}

type look struct {
	ink, paper string
	size       float64
	bold       bool
}

// paleText reports text whose contrast is below 4.5, or 3 where it is large (WCAG 1.4.3).
func paleText(t *testing.T, n *html.Node, l look, add func(bool, string)) {
	if n.Type == html.TextNode {
		text, large := strings.Join(strings.Fields(n.Data), " "), l.size >= 24 || l.bold && l.size >= 18.66
		ratio := contrast(t, l.ink, l.paper)
		fault := "contrast " + strconv.FormatFloat(ratio, 'f', 1, 64) + " of “" + text + "”"
		add(text != "" && (ratio < 3 || ratio < 4.5 && !large), fault)
	}
	for property := range strings.SplitSeq(attr(n, "style"), ";") {
		name, value, _ := strings.Cut(property, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "color":
			l.ink = value
		case "background-color":
			l.paper = value
		case "font-size":
			l.size, _ = strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64)
		case "font-weight":
			l.bold = value == "700" || value == "bold"
		case "display":
			if value == "none" {
				return
			}
		}
	}
	if slices.Contains([]string{"head", "style", "title"}, n.Data) && n.Type == html.ElementNode {
		return
	}
	for c := range n.ChildNodes() {
		paleText(t, c, l, add)
	}
}
