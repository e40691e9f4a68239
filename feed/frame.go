package feed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmcdole/gofeed/atom"
)

// A frame is a feed in two parts: well-formed XML without the texts, which gofeed reads fast, and the texts, which
// this package reads. The XML has the short prefixes of vocabulary and does not declare them, so that gofeed keeps
// them.
type frame struct {
	kind     Kind
	xml      []byte
	feed     texts    // of the feed itself
	items    []texts  // of each item, in gofeed's order
	hrefs    []string // of Atom's links: gofeed rewrites addresses, therefore the XML has their indexes
	language string   // xml:lang of the root or the channel
	repairs  []string
}

// A named text is a text with the name of its element.
type named struct {
	name string
	text
}

// Texts are the texts of a feed or an item. Usually the first text of each name that is not empty counts. Of two
// descriptions or contents the longer counts: some publishers write a sentence first, and then the whole text.
type texts []named

// add adds a text and reports whether it did. It skips empty texts and superfluous ones with the same name.
func (t *texts) add(name string, x text) bool {
	same := 0
	for i := range *t {
		if (*t)[i].name == name {
			same++
		}
	}
	body := bodies[name] && same < maxBodies
	if same > 0 && !body && (!several[name] || same >= maxSame) || x.empty() && x.src == "" {
		return false
	}
	at := len(*t)
	if i := slices.IndexFunc(*t, func(n named) bool { return n.name == name }); body && i >= 0 &&
		len((*t)[i].raw) < len(x.raw) {
		at = i
	}
	*t = slices.Insert(*t, at, named{name, x})
	return true
}

// first returns the first text of an element; without one an empty text.
func (t texts) first(name string) text {
	if i := slices.IndexFunc(t, func(n named) bool { return n.name == name }); i >= 0 {
		return t[i].text
	}
	return text{}
}

func (t texts) all(names ...string) []text {
	var out []text
	for _, name := range names {
		for i := range t {
			if t[i].name == name && !t[i].empty() {
				out = append(out, t[i].text)
			}
		}
	}
	return out
}

// line returns the first text of these elements that is not blank, as one line of plain text.
func (t texts) line(names ...string) string {
	for _, x := range t.all(names...) {
		if line := x.plain(); line != "" {
			return line
		}
	}
	return ""
}

// lineEnds normalises line ends (XML 1.0 §2.11).
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// value returns the first text of these elements that is not blank, without white space around it.
func (t texts) value(names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(innerText(t.first(name).raw)); v != "" {
			return strings.Clone(lineEnds.Replace(v)) // a part of the document would keep all of it in memory
		}
	}
	return ""
}

func (t texts) date(names ...string) time.Time {
	for _, name := range names {
		if at := parseDate(strings.TrimSpace(innerText(t.first(name).raw))); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// list returns the words in these elements, and in the inner elements within them. Commas or white space separate
// them.
func (t texts) list(name, inner string) []string {
	var words []string
	for _, x := range t.all(name) {
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

// matches returns an error if gofeed read another number of items than the frame has.
func (f *frame) matches(items int) error {
	if items != len(f.items) {
		return fmt.Errorf("gofeed read %d items of %d", items, len(f.items))
	}
	return nil
}

// addressed replaces the indexes in links with the addresses in hrefs.
func (f *frame) addressed(links []*atom.Link) {
	for _, l := range links {
		if i, err := strconv.Atoi(l.Href); err == nil && i < len(f.hrefs) {
			l.Href = f.hrefs[i]
		}
	}
}

// updateEvery returns the interval of the syndication module; 0: none.
func (f *frame) updateEvery() time.Duration {
	return updateEvery(f.feed.value("sy:updateperiod"), f.feed.value("sy:updatefrequency"))
}
