package feed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mmcdole/gofeed/atom"
)

// A frame is a feed in two parts: well-formed XML without the texts, which gofeed
// reads fast, and the texts, which we read ourselves. Prefixes in the XML are the
// short names of vocabulary and stay undeclared: gofeed then leaves them as they
// are.
type frame struct {
	kind     Kind
	xml      []byte
	feed     texts    // of the feed itself
	items    []texts  // of each item, in the order in which gofeed gives them
	hrefs    []string // of Atom's links: gofeed, which writes addresses anew, sees their numbers
	language string   // xml:lang of the root or the channel
	repairs  []string
}

// A named text is a text under the name of the element that held it.
type named struct {
	name string
	text
}

// Texts are the texts of a feed or an item: of one name the first that is not empty. Of two descriptions or contents
// the longest counts: some publishers write a sentence, and then all of the text.
type texts []named

// add notes a text, if it is one that counts.
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

// first gives the first text of an element; an empty one if there is none.
func (t texts) first(name string) text {
	if i := slices.IndexFunc(t, func(n named) bool { return n.name == name }); i >= 0 {
		return t[i].text
	}
	return text{}
}

// all gives the texts of these elements, those of the first name first.
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

// line gives the first of these elements that says something, as one line of plain text.
func (t texts) line(names ...string) string {
	for _, x := range t.all(names...) {
		if line := x.plain(); line != "" {
			return line
		}
	}
	return ""
}

// lineEnds makes one character of the end of a line (XML 1.0 §2.11).
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// value gives the first of these elements that is not empty, as it is written.
func (t texts) value(names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(innerText(t.first(name).raw)); v != "" {
			return strings.Clone(lineEnds.Replace(v)) // a GUID must not keep its document in memory
		}
	}
	return ""
}

// date gives the first date that can be read in these elements; zero if there is none.
func (t texts) date(names ...string) time.Time {
	for _, name := range names {
		if at := parseDate(strings.TrimSpace(innerText(t.first(name).raw))); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// list gives the words in these elements and in the elements of one name inside
// them, separated by commas or white space.
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

// matches fails if gofeed gives another number of items than the frame has.
func (f *frame) matches(items int) error {
	if items != len(f.items) {
		return fmt.Errorf("gofeed read %d items of %d", items, len(f.items))
	}
	return nil
}

// addressed puts the addresses of links in the places of their numbers.
func (f *frame) addressed(links []*atom.Link) {
	for _, l := range links {
		if i, err := strconv.Atoi(l.Href); err == nil && i < len(f.hrefs) {
			l.Href = f.hrefs[i]
		}
	}
}

// updateEvery is the interval that the syndication module states; 0: none.
func (f *frame) updateEvery() time.Duration {
	return updateEvery(f.feed.value("sy:updateperiod"), f.feed.value("sy:updatefrequency"))
}
