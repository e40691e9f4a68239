package render

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNumber is the largest number of an item.
const maxNumber = 999_999

func (p *parser) list(n *html.Node) {
	b := &node{kind: list, ordered: n.DataAtom == atom.Ol}
	if numerals := attribute(n, "type"); b.ordered && len(numerals) == 1 && strings.Contains("aAiI", numerals) {
		b.numerals = numerals
	}
	p.container(n, b)
}

func numberIn(n *html.Node, name string) (number int, stated bool) {
	number, err := strconv.Atoi(strings.TrimSpace(attribute(n, name)))
	if err != nil || number < -maxNumber || number > maxNumber {
		return 0, false
	}
	return number, true
}

// numberItems numbers the items of a list as HTML counts them (section 4.4.8).
func (n *node) numberItems(ol *html.Node) {
	if !n.ordered {
		return
	}
	next, step := 1, 1
	if slices.ContainsFunc(ol.Attr, func(a html.Attribute) bool { return a.Key == "reversed" }) {
		next, step = len(n.kids), -1
	}
	if start, stated := numberIn(ol, "start"); stated {
		next = start
	}
	for i, k := range n.kids {
		if !k.stated {
			k.number = next
		}
		k.jumps = i > 0 && k.number != n.kids[i-1].number+1
		next = k.number + step
	}
}

// listTag returns the element of a list and its attributes other than style.
func (n *node) listTag() (tag, attrs string) {
	if !n.ordered {
		return "ul", ""
	}
	if n.numerals != "" {
		attrs = ` type="` + n.numerals + `"`
	}
	if first := n.kids[0].number; first != 1 {
		attrs += ` start="` + strconv.Itoa(first) + `"`
	}
	return "ol", attrs
}

// value returns the attribute of an item whose number does not follow from the one before it. It is written for
// reversed lists too, because many mail programs do not know them.
func (n *node) value() string {
	if !n.jumps {
		return ""
	}
	return ` value="` + strconv.Itoa(n.number) + `"`
}

// numeral returns the number of an item as its list writes it.
func (n *node) numeral(number int) string {
	s := strconv.Itoa(number)
	switch {
	case number < 1 || n.numerals == "":
		return s
	case n.numerals == "a" || n.numerals == "A":
		s = ""
		for ; number > 0; number = (number - 1) / 26 {
			s = string(rune('a'+(number-1)%26)) + s
		}
	case number < 4000:
		s = roman(number)
	}
	if strings.ToUpper(n.numerals) == n.numerals {
		return strings.ToUpper(s)
	}
	return s
}

func roman(number int) string {
	values := [...]int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	signs := [...]string{"m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"}
	var s strings.Builder
	for i, v := range values {
		for ; number >= v; number -= v {
			s.WriteString(signs[i])
		}
	}
	return s.String()
}
