package render

import (
	"html"
	"net/url"
	"strings"

	"digest"
)

// A body is the full text of a post as mail has it, written once for one way of
// showing pictures and shared by all its readers. It may be cut where its cuts are.
type body struct {
	html, text piece      // all of the post, with its headline
	refs       piece      // text: the addresses of its links, by number
	cuts       []cutPoint // in the order of the text
	onward     pair       // the way to the rest
	teaser     pair       // the post as its excerpt with that way on
}

// A cutPoint is a place after which nothing more of a body need be shown.
type cutPoint struct {
	html, text, refs size
	close            string // HTML: the ends of what is open there
}

// body is the post's full text; nil if it has none.
func (b *Post) body(images digest.Images) *body {
	if b.content == "" {
		return nil
	}
	l := &b.plainBody
	switch images {
	case digest.LinkedImages:
		l = &b.linkedBody
	case digest.ProxiedImages:
		l = &b.proxiedBody
	default:
		images = digest.NoImages
	}
	return l.get(func() *body { return b.writeBody(images) })
}

func (b *Post) writeBody(images digest.Images) *body {
	tree := b.beyondTitle(parseTree(b.content, images, b.proxy))
	if tree == nil {
		return nil
	}
	w := &mailWriter{numbers: map[string]int{}}
	at := b.around(tree)
	w.out.WriteString(postTopHTML(b))
	w.out.WriteString(`<div class="tx" dir="` + at.dir + `"` + align(at.dir, textStyle(at, tree)) + ">\n")
	w.push("</div>\n")
	w.text.write(postTopText(b))
	walk(w, tree, at)
	w.close()
	w.out.WriteString("</div>\n")
	w.flush()
	y := &body{
		html: w.html.piece(), text: w.text.piece(), refs: w.refs.piece(), cuts: w.cuts,
		onward: pair{newPiece(onwardHTML(b, onwardStyle)), newPiece(onwardText(b))},
		teaser: pair{newPiece(teaserHTML(b)), newPiece(teaserText(b))},
	}
	b.grown.Add(int64(y.bytes()))
	return y
}

// beyondTitle is tree without the headline once more; nil if there is nothing else.
func (b *Post) beyondTitle(tree []*node) []*node {
	saysTitle := func(n *node) bool { return clean(plainText(n.line), titleColumns) == b.Title }
	if len(tree) > 0 && tree[0].kind == heading && saysTitle(tree[0]) {
		tree = tree[1:]
	}
	if len(tree) == 0 || len(tree) == 1 && saysTitle(tree[0]) {
		return nil
	}
	return tree
}

// around is in what direction and language the whole text is set.
func (b *Post) around(tree []*node) place {
	all := (&node{kids: tree}).counted()
	at := place{dir: "ltr", lang: b.Language}
	if all.rtl > all.ltr || all.rtl > 0 && rtlLanguage(b.Language) {
		at.dir = "rtl"
	}
	return at
}

func (y *body) bytes() int {
	n := 256 + 112*len(y.cuts)
	for _, p := range [...]piece{y.html, y.text, y.refs, y.onward.html, y.onward.text, y.teaser.html, y.teaser.text} {
		n += len(p.plain) + len(p.coded)
	}
	return n
}

// continueLabel says where the rest of a post is.
func continueLabel(b *Post) string {
	if host := b.Host(); host != "" {
		return "Continue reading at " + host
	}
	return "Continue reading"
}

// Host is the name of the site that the author's page is on; empty if there is none.
func (b *Post) Host() string {
	u, err := url.Parse(b.URL)
	if err != nil {
		return ""
	}
	return clean(strings.TrimPrefix(u.Hostname(), "www."), 60)
}

// onwardHTML leads to the rest of a post.
func onwardHTML(b *Post, style string) string {
	if b.URL == "" {
		return `<p class="by" style="` + style + `;color:` + muted + `">` + leftOut + "</p>\n"
	}
	return `<p lang="en"` + align(b.Dir, style) + `><a class="go" href="` + html.EscapeString(b.URL) +
		`" style="` + anchorStyle + `">` + html.EscapeString(continueLabel(b)) + "</a></p>\n"
}

// leftOut is said of a post that has no page of its own.
const leftOut = "The rest of this post is too long for a mail."

func teaserHTML(b *Post) string {
	t := postTopHTML(b)
	if b.Excerpt != "" {
		t += `<p class="ex"` + align(b.Dir, teaserStyle) + ">" + html.EscapeString(b.Excerpt) + "</p>\n"
	}
	return t + onwardHTML(b, teaserEndStyle) + "</div>\n"
}
