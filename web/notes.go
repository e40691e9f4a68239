package web

import (
	"html"
	"html/template"
	"strconv"
	"strings"

	"digest"
)

// Notes are the links of a page as paper shows them: a number where the link stands, and
// the addresses by their numbers at the end. Screens show neither. The zero value is
// ready; it numbers links in the order in which a template asks.
type notes struct {
	numbers map[string]int
	all     []string
	more    bool // some text has more links than have numbers
}

// The bounds of notes.
const (
	maxNote = 300 // characters of an address: nobody types a longer one
	maxRefs = 40  // links of one text that have numbers
)

// Ref is an attribute for a link with the number of its address, which paper shows behind
// it; nothing for what is no address on the web. One address has one number.
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

// WithRefs is the text of a post, as package render writes it, with the numbers of its links.
// A link that shows its own address needs none, nor does a picture; and a text of hundreds
// of links is no text for paper.
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

// Noted are the addresses, that of number 1 first.
func (n *notes) Noted() []string { return n.all }

// Unnoted is how many links of a text have numbers at most, where some have more; else 0.
func (n *notes) Unnoted() int {
	if n.more {
		return maxRefs
	}
	return 0
}
