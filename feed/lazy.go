package feed

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Scripts of pages load many pictures late. Until then src is empty or a placeholder, and other attributes have the
// address, or a <noscript> has the picture.

var (
	lateSources = strings.Fields(`data-src data-lazy-src data-original data-orig-file data-actualsrc data-url data-lazy
		data-image`)
	sourceSets = strings.Fields("srcset data-srcset data-lazy-srcset")
)

// imageSource returns the address of a picture after a page's scripts have run: of the candidates, the best for the
// column.
func imageSource(n *html.Node) string {
	for _, name := range sourceSets {
		if best := candidateOf(attrOf(n, name)); best != "" {
			return best
		}
	}
	src := attrOf(n, "src")
	if isWeb(src) && !isPlaceholder(src) {
		return src
	}
	for _, name := range lateSources {
		if late := attrOf(n, name); isCandidate(late) {
			return late
		}
	}
	return src
}

// isCandidate reports whether an address can belong to a picture: it is no placeholder, and no template of a script.
func isCandidate(address string) bool {
	return address != "" && !strings.HasPrefix(address, "data:") && !strings.ContainsAny(address, "{}") &&
		!isPlaceholder(address)
}

// endsInPicture reports whether an element is a picture, or ends in one without any words after it.
func endsInPicture(n *html.Node) bool {
	for ; n != nil; n = n.LastChild {
		for n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
			n = n.PrevSibling
		}
		if n == nil || n.DataAtom == atom.Img {
			return n != nil
		}
	}
	return false
}

// Widths of candidates in pixels.
const (
	columnWidth = 600  // of a picture without a width, times its density (HTML section 4.8.4.2.1)
	wanted      = 1100 // fills a column on a screen of double density
	wasteful    = 2600
)

// candidateOf returns the best address in a srcset for a column.
func candidateOf(srcset string) (best string) {
	least := math.Inf(1)
	for {
		srcset = strings.TrimLeft(srcset, " \t\n\f\r,")
		if srcset == "" {
			return best
		}
		var address, descriptor string
		if i := strings.IndexAny(srcset, " \t\n\f\r"); i < 0 {
			address, srcset = srcset, ""
		} else {
			address, srcset = srcset[:i], srcset[i:]
		}
		if !strings.HasSuffix(address, ",") {
			descriptor, srcset, _ = strings.Cut(srcset, ",")
		}
		address = strings.TrimRight(address, ",")
		if cost := costOf(widthOf(descriptor)); isCandidate(address) && (best == "" || cost < least) {
			best, least = address, cost
		}
	}
}

// costOf orders the widths of candidates, best first. From wanted to wasteful the smallest is best. Then come smaller
// ones down to columnWidth, then larger ones, then the rest.
func costOf(width float64) float64 {
	const next = 1 << 20 // above all widths
	switch {
	case width >= wanted && width <= wasteful:
		return width
	case width >= columnWidth && width < wanted:
		return next - width
	case width > wasteful:
		return next + min(width, next)
	}
	return 3*next - max(width, 0)
}

// widthOf returns the width in pixels for a srcset descriptor, such as 640w or 2x.
func widthOf(descriptor string) float64 {
	for _, d := range strings.Fields(descriptor) {
		n, err := strconv.ParseFloat(d[:len(d)-1], 64)
		switch {
		case err != nil || math.IsNaN(n):
		case d[len(d)-1] == 'w':
			return n
		case d[len(d)-1] == 'x':
			return n * columnWidth
		}
	}
	return columnWidth
}

func isPlaceholder(src string) bool {
	name := strings.ToLower(src[strings.LastIndexByte(src, '/')+1:])
	return holdsAny(name, "placeholder", "blank.gif", "spacer.gif", "transparent.gif", "lazyload", "1x1.", "pixel.gif",
		"trans.gif")
}
