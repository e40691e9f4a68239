// Package grammar generates unusual texts of tags. Tests check that parsing them takes work in proportion to their
// length.
package grammar

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const names = `a b i font nobr em code p div span li ul ol dd dt dl table tr td th tbody caption colgroup col select option optgroup
	button svg math mi mtext foreignObject desc title style script textarea template object marquee applet frameset frame html body
	head form input img br hr h1 h2 pre plaintext xmp iframe noscript noframes ruby rt rp x y-z blockquote section video source
	details summary annotation-xml mglyph image`

// styles is the number of the first names, which cost most.
const styles = 12

// Repeated repeats part up to about size bytes, and replaces each # with a number.
func Repeated(size int, part string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(strings.ReplaceAll(part, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// Text returns a function that returns the text for a seed in any size. A third of the texts begin with markup that
// makes the rest expensive. Up to three parts of up to five pieces each follow; the last part is repeated most.
func Text(seed uint64) func(size int) string {
	r := rand.New(rand.NewPCG(seed, 0))
	burden := ""
	if r.IntN(3) == 0 {
		burdens := []string{Repeated(2000, "<font a=#>"), Repeated(2000, "<div>"), "<p" + Repeated(2000, " a#") +
			">", "<table>", "<svg>"}
		burden = burdens[r.IntN(len(burdens))]
	}
	var parts []string
	for range 1 + r.IntN(3) {
		part := ""
		for range 1 + r.IntN(5) {
			part += piece(r)
		}
		parts = append(parts, part)
	}
	first := r.IntN(4000)
	return func(size int) string {
		var b strings.Builder
		b.WriteString(burden[:min(len(burden), size/2)])
		last := len(parts) - 1
		for _, part := range parts[:last] {
			b.WriteString(Repeated(min(first, size/2), part))
		}
		return b.String() + Repeated(size-b.Len(), parts[last])
	}
}

// piece returns a tag, several tags, or invalid markup.
func piece(r *rand.Rand) string {
	others := []string{"<!---->", "<!--", "-->", "<![CDATA[", "]]>", "<?x>", "</>", "&amp;", "\x00", " ",
		"<!doctype html>", "<", `"`, "'", ">", "x"}
	forms := []string{
		"<%s>", "<%s>", "<%s>x", "</%s>", "</%s>", "<%[1]s></%[1]s>", "<%s/>", "<%s a=#>", "<%s a# b=c>",
		"<%s" + strings.Repeat(" a# b", 1+r.IntN(40)) + ">", `<%s href="http://x.org/#" src=http://x.org/#>`,
	}
	all := strings.Fields(names)
	if r.IntN(3) == 0 {
		all = all[:styles]
	}
	if form := r.IntN(len(forms) + 2); form < len(forms) {
		return fmt.Sprintf(forms[form], all[r.IntN(len(all))])
	}
	return others[r.IntN(len(others))]
}
