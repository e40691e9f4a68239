package feed

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// policy is the HTML that digest displays from others: text with its structure, links and pictures. It allows no
// style, script, form or frame, and only http, https and mailto.
var policy = newPolicy()

var listNumber = regexp.MustCompile(`^\s*-?[0-9]{1,6}\s*$`)

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(strings.Fields(`
		p br hr h1 h2 h3 h4 h5 h6 blockquote pre code em strong b i u s del ins sub sup small mark q
		cite abbr kbd samp var dfn time ul ol li dl dt dd table caption thead tbody tfoot tr th td
		figure figcaption details summary ruby rt rp bdi bdo div span section article aside header
		footer wbr`)...)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src", "alt", "title").OnElements("img")
	p.AllowAttrs("class").Matching(regexp.MustCompile("^inline$")).OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.Number).OnElements("img")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("start").Matching(listNumber).OnElements("ol")
	p.AllowAttrs("value").Matching(listNumber).OnElements("li")
	p.AllowAttrs("reversed").Matching(regexp.MustCompile(`^(?i:reversed|)$`)).OnElements("ol")
	p.AllowAttrs("type").Matching(regexp.MustCompile("^[aAiI1]$")).OnElements("ol")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(bluemonday.SpaceSeparatedTokens).Globally()
	p.AllowAttrs("title").OnElements("abbr", "dfn")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	return p
}

// sanitise makes HTML safe and well-formed: a cleaner resolves addresses, inserts lazy pictures and removes tracking
// pixels; then the policy and the serialiser of x/net/html apply. If the markup is too expensive, only its words
// remain (cleaner.dropped). The cleaner also has the post's pictures.
func sanitise(raw, base string) (content string, c *cleaner) {
	c = &cleaner{base: base}
	if len(raw) > maxContent {
		raw = strings.ToValidUTF8(raw[:maxContent], "")
	}
	defer func() {
		if r := recover(); r != nil { // one post must not stop all others
			content = paragraphs(stripTags(raw))
		}
	}()
	body, ok := fragment(raw)
	if ok {
		c.children(body)
		body, ok = fragment(policy.Sanitize(render(body)))
	}
	if ok {
		sealLinks(body)
		content = strings.TrimSpace(render(body))
	}
	if c.dropped = !ok || !hypertext.Showable(content); c.dropped {
		content = paragraphs(stripTags(raw))
	}
	return content, c
}

func fragment(s string) (*html.Node, bool) {
	nodes, err := hypertext.Fragment(s)
	if err != nil {
		return nil, false
	}
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	return body, true
}

func render(body *html.Node) string {
	var b strings.Builder
	for n := range body.ChildNodes() {
		if err := html.Render(&b, n); err != nil {
			return ""
		}
	}
	return b.String()
}

// sealLinks prevents an opened page from accessing the page with the link.
func sealLinks(n *html.Node) {
	if n.DataAtom == atom.A && attrOf(n, "href") != "" {
		setAttr(n, "rel", "noopener noreferrer")
	}
	for c := range n.ChildNodes() {
		sealLinks(c)
	}
}

// A cleaner walks parsed HTML and makes the changes that a policy of names cannot.
type cleaner struct {
	base    string
	picture string // the first that is no ornament
	poster  string // the first preview of an embed
	source  string // of the surrounding <picture>
	alt     string // the first description of a picture
	grown   int    // bytes added to addresses
	dropped bool   // its markup was too expensive: only its words remain
}

// resolve makes an address absolute like a browser. It returns "" after the addresses have grown by more than a whole
// post: a long base before each of a hundred thousand links.
func (c *cleaner) resolve(ref string) string {
	if c.grown > maxContent {
		return ""
	}
	address := browsed(c.base, ref)
	c.grown += max(0, len(address)-len(ref))
	return address
}

func (c *cleaner) children(n *html.Node) {
	var before *html.Node // the last element that remains
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.CommentNode, child.Type == html.ElementNode && !c.element(child, before):
			n.RemoveChild(child)
		case child.Type == html.ElementNode:
			before = child
		}
		child = next
	}
}

// element cleans one element; false: remove it. before is the previous element.
func (c *cleaner) element(n, before *html.Node) bool {
	if lang := attrOf(n, "lang"); lang != "" {
		setAttr(n, "lang", Language(lang)) // the policy removes an empty one
	}
	switch n.DataAtom {
	case atom.Source:
		if n.Parent.DataAtom == atom.Picture && c.source == "" {
			c.source = firstOf(candidateOf(attrOf(n, "srcset")), candidateOf(attrOf(n, "data-srcset")))
		}
		return false
	case atom.Input:
		return isTick(n)
	case atom.Math:
		return formula(n)
	case atom.Script:
		return isTeX(n) && formula(n)
	case atom.Style, atom.Template, atom.Svg, atom.Button, atom.Select, atom.Textarea,
		atom.Link, atom.Meta, atom.Base, atom.Title, atom.Canvas, atom.Dialog, atom.Area, atom.Map, atom.Track:
		return false
	case atom.Img:
		return c.image(n)
	case atom.Iframe, atom.Embed, atom.Video, atom.Audio, atom.Object:
		return c.player(n)
	case atom.Noscript:
		if endsInPicture(before) {
			return false // the same picture again
		}
		n.Data, n.DataAtom = "div", atom.Div
	case atom.A:
		if isWayBack(n) {
			return false
		}
		c.link(n)
	default:
		if n.Data == "mml:math" {
			return formula(n)
		}
		rename(n)
	}
	if isHidden(n) || isAside(n) || isSecondFormula(n) {
		return false
	}
	c.children(n)
	return !(n.DataAtom == atom.A && n.FirstChild == nil)
}

// link makes the address of a link absolute and removes tracking. It also updates a text that repeats the address, so
// that the text and the target do not differ.
func (c *cleaner) link(n *html.Node) {
	href := attrOf(n, "href")
	if href == "" {
		return
	}
	whole := c.resolve(href)
	if page, _, within := strings.Cut(whole, "#"); within && (strings.HasPrefix(href, "#") || page == c.base) {
		setAttr(n, "href", "") // a place in this text, whose IDs the policy removes
		return
	}
	bare := CleanURL(whole)
	setAttr(n, "href", bare)
	if text := n.FirstChild; text != nil && text == n.LastChild && text.Type == html.TextNode && bare != whole {
		if shown := strings.TrimSpace(text.Data); shown == href || shown == whole {
			text.Data = bare
		}
	}
}

// image sets the address of a picture; false: remove it.
func (c *cleaner) image(n *html.Node) bool {
	address := imageSource(n)
	if c.source != "" && !isWeb(c.resolve(address)) {
		address = c.source
	}
	c.source = ""
	src := c.resolve(address)
	if isTracker(src) || isPixel(n) || isHidden(n) || isUnseen(n) {
		return false
	}
	if !isWeb(src) {
		return c.described(n)
	}
	src = uncounted(src)
	setAttr(n, "src", src)
	small := isSmall(n)
	if isText := classify(n); c.picture == "" && !isText && !small && !isOrnament(src) {
		c.picture = src
	}
	c.noteAlt(n)
	return true
}

func (c *cleaner) noteAlt(n *html.Node) {
	if alt := attrOf(n, "alt"); c.alt == "" && len(alt) > 3 {
		c.alt = alt
	}
}

// described keeps the description of a picture without a web address, such as data: or cid:. If a script replaces the
// picture, the <noscript> after it has the real one.
func (c *cleaner) described(n *html.Node) bool {
	if attrOf(n, "src") == "" || attrOf(n, "alt") == "" {
		return false
	}
	next := n.NextSibling
	for next != nil && next.Type == html.TextNode && strings.TrimSpace(next.Data) == "" {
		next = next.NextSibling
	}
	if next != nil && next.DataAtom == atom.Noscript {
		return false
	}
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "src" })
	c.noteAlt(n)
	classify(n)
	return true
}

// isOrnament reports whether a picture does not belong to a particular post.
func isOrnament(src string) bool {
	return holdsAny(src, "/emoji/", "gravatar.com/avatar", "flattr-badge", "/smilies/", "feedburner.com/fb/images")
}

func attrOf(n *html.Node, name string) string { return valueOf(n.Attr, name) }

func valueOf(attrs []html.Attribute, name string) string {
	for _, a := range attrs {
		if a.Key == name && a.Namespace == "" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func setAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name && n.Attr[i].Namespace == "" {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}
