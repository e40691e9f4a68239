package web

import (
	"html"
	"html/template"
	"strconv"
	"strings"

	"digest"
)

// notes numbers the links of a page for print. Print shows a number at each link and a list of the
// addresses at the end; screens show neither. The zero value is ready to use. Links are numbered in
// the order of the template's calls.
type notes struct {
	numbers map[string]int
	all     []string
	more    bool // a text has more links than maxRefs
}

// Limits of notes.
const (
	maxNote = 300 // characters of an address, because readers type it
	maxRefs = 40  // numbered links of one text
)

// Ref returns the attribute with the number of a link's address, which print shows after the link.
// It returns "" for anything but a web address. The same address always has the same number.
func (n *notes) Ref(address string) template.HTMLAttr {
	_, bare, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	number, known := n.numbers[address]
	if !known {
		if n.numbers == nil {
			n.numbers = map[string]int{}
		}
		n.all = append(n.all, digest.Shortened(strings.TrimSuffix(bare, "/"), maxNote))
		number = len(n.all)
		n.numbers[address] = number
	}
	return template.HTMLAttr(` data-ref="` + strconv.Itoa(number) + `"`)
}

// WithRefs adds numbers to the links in the text of a post, which package render has written. It
// skips pictures, links that show their own address, and links after the first maxRefs.
func (n *notes) WithRefs(text template.HTML) template.HTML {
	const begin, end = `<a href="`, "</a>"
	var out strings.Builder
	rest := string(text)
	for left := maxRefs; ; {
		before, link, found := strings.Cut(rest, begin)
		inside, after, closed := strings.Cut(link, end)
		if !found || !closed {
			out.WriteString(rest)
			return template.HTML(out.String())
		}
		quoted, shown, _ := strings.Cut(inside, `"`)
		_, shown, _ = strings.Cut(shown, ">")
		address, ref := html.UnescapeString(quoted), ""
		_, bare, _ := strings.Cut(address, "://")
		switch {
		case strings.HasPrefix(shown, "<img"), strings.TrimPrefix(html.UnescapeString(shown), "https://") == bare:
		case left == 0:
			n.more = true
		default:
			ref = string(n.Ref(address))
			left--
		}
		out.WriteString(before + begin + quoted + `"` + ref + strings.TrimPrefix(inside, quoted+`"`) + end)
		rest = after
	}
}

// Noted returns the addresses in the order of their numbers.
func (n *notes) Noted() []string { return n.all }

// Unnoted returns maxRefs if a text has more links than that, and 0 otherwise.
func (n *notes) Unnoted() int {
	if n.more {
		return maxRefs
	}
	return 0
}
