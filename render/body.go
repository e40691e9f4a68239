package render

import (
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
	tree := b.beyondTitle(parseTree(b.content, images, b.r.proxy))
	if tree == nil {
		return nil
	}
	w := &mailWriter{numbers: map[string]int{}}
	at := b.around(tree)
	w.html.writePiece(b.r.top.piece(b.data()))
	w.out.WriteString(`<div class="tx" dir="` + at.dir + `"` + htmlAttr("style", textStyle(at, tree)) + ">\n")
	w.push("</div>\n")
	w.text.write(postTopText(b))
	walk(w, tree, at)
	w.close()
	w.out.WriteString("</div>\n")
	w.flush()
	d := b.data()
	d.Continue = continueLabel(b)
	y := &body{html: w.html.piece(), text: w.text.piece(), refs: w.refs.piece(), cuts: w.cuts}
	y.onward = pair{b.r.onward.piece(d), newPiece(onwardText(b))}
	d.Teaser = true
	y.teaser = pair{b.r.teaser.piece(d), newPiece(teaserText(b))}
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
	return 256 + 112*len(y.cuts) + y.html.bytes() + y.text.bytes() + y.refs.bytes() + y.onward.bytes() + y.teaser.bytes()
}

// continueLabel says where the rest of a post is.
func continueLabel(b *Post) string {
	if b.URL == "" {
		return leftOut
	}
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

// leftOut is said of a post that has no page of its own.
const leftOut = "The rest of this post is too long for a mail."
