package feed

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// An element is an element of a feed that vocabulary.go lists, with the name that it has there.
type element struct {
	name string
	text
	attrs    []attribute // decoded, those in attributesOf that are not empty
	children elements    // of a container
}

// attr returns the value of an attribute; "": it is absent.
func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// set adds an attribute that is not empty. It resolves addresses. It also escapes the address of an atom:link or an
// itunes:image, because the identities of stored posts depend on that.
func (e *element) set(name, v string) {
	if name == "href" || name == "url" || name == "src" {
		v = resolveAsWritten(e.base, v)
	}
	if name == "href" && e.name != "link" {
		if u, err := url.Parse(v); err == nil {
			v = u.String()
		}
	}
	if v != "" { // a part of the document would keep all of it in memory
		e.attrs = append(e.attrs, attribute{name, strings.Clone(lineEnds.Replace(v))})
	}
}

// Elements are the elements of a feed, an item or another container, in document order. Usually the first text of each
// name that is not empty counts. Of two descriptions or contents the longer counts: some publishers write a sentence
// first, and then the whole text.
type elements []element

// add adds a text and reports whether it did. It skips empty texts and superfluous ones with the same name.
func (t *elements) add(e element) bool {
	same := len(t.named(e.name))
	body := bodies[e.name] && same < maxBodies
	if same > 0 && !body && (!several[e.name] || same >= maxSame) || e.empty() && e.attrs == nil {
		return false
	}
	at := len(*t)
	if i := slices.IndexFunc(*t, func(o element) bool { return o.name == e.name }); body && i >= 0 &&
		len((*t)[i].raw) < len(e.raw) {
		at = i
	}
	*t = slices.Insert(*t, at, e)
	return true
}

// named returns the elements with these names, ordered by names.
func (t elements) named(names ...string) elements {
	var found elements
	for _, name := range names {
		for i := range t {
			if t[i].name == name {
				found = append(found, t[i])
			}
		}
	}
	return found
}

// first returns the first element with a name; without one an empty element.
func (t elements) first(name string) element {
	for i := range t {
		if t[i].name == name {
			return t[i]
		}
	}
	return element{}
}

// last returns the last element with a name; without one an empty element.
func (t elements) last(name string) element {
	for i := range slices.Backward(t) {
		if t[i].name == name {
			return t[i]
		}
	}
	return element{}
}

// texts returns the texts of these elements that are not empty.
func (t elements) texts(names ...string) []text {
	var out []text
	for _, e := range t.named(names...) {
		if !e.empty() {
			out = append(out, e.text)
		}
	}
	return out
}

// line returns the first text of these elements that is not blank, as one line of plain text.
func (t elements) line(names ...string) string {
	for _, x := range t.texts(names...) {
		if line := x.plain(); line != "" {
			return line
		}
	}
	return ""
}

// lineEnds normalises line ends (XML 1.0 §2.11).
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// value returns the content of the first of these elements that is not blank.
func (t elements) value(names ...string) string {
	for _, name := range names {
		if v := t.first(name).content(); v != "" {
			return lineEnds.Replace(v)
		}
	}
	return ""
}

// values returns the contents of all these elements.
func (t elements) values(names ...string) []string {
	var all []string
	for _, e := range t.named(names...) {
		all = append(all, lineEnds.Replace(e.content()))
	}
	return all
}

func (t elements) date(names ...string) time.Time {
	for _, name := range names {
		if at := parseDate(t.first(name).content()); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// list returns the words in these elements, and in the inner elements within them. Commas or white space separate
// them.
func (t elements) list(name, inner string) []string {
	var words []string
	for _, x := range t.named(name) {
		within := inner
		for tok := range tokens(x.raw[:min(len(x.raw), maxLine)]) {
			switch {
			case tok.kind == tokenStart && !tok.empty:
				_, within = splitName(tok.name)
			case tok.kind == tokenEnd:
				within = inner
			case strings.EqualFold(within, inner):
				words = append(words, strings.FieldsFunc(decodeEntities(tok.text), isListSpace)...)
			}
		}
	}
	return words
}

func isListSpace(r rune) bool { return strings.ContainsRune(",; \n\t\r", r) }
