package feed

import (
	"cmp"
	"iter"
	"net/url"
	"strings"
	"time"
)

// A reading is what was read of a feed.
type reading struct {
	kind     Kind
	feed     elements   // of the feed itself
	items    []elements // of each item
	language string     // xml:lang of the root or the channel
	repairs  []string
}

// An element is one that is kept, under its name in vocabulary.go.
type element struct {
	name  string
	text              // what it holds
	attrs []attribute // decoded, addresses resolved; of a person: name and email
}

func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// href is the address to which an element links, with what no address may hold
// percent-encoded.
func (e *element) href() string {
	address := e.attr("href")
	if u, err := url.Parse(address); err == nil {
		return u.String()
	}
	return address
}

// Elements are those of the feed or an item, in their order.
type elements []element

// add adds an element, if it is the first of its name or one of several.
func (t *elements) add(e element) {
	same := 0
	for i := range *t {
		if (*t)[i].name == e.name {
			same++
		}
	}
	if same == 0 || several[e.name] && same < maxSame {
		*t = append(*t, e)
	}
}

// named gives the elements of one name.
func (t elements) named(name string) iter.Seq[*element] {
	return func(yield func(*element) bool) {
		for i := range t {
			if t[i].name == name && !yield(&t[i]) {
				return
			}
		}
	}
}

// all gives the texts of these elements, those of the first name first.
func (t elements) all(names ...string) []text {
	var out []text
	for _, name := range names {
		for e := range t.named(name) {
			if !e.empty() {
				out = append(out, e.text)
			}
		}
	}
	return out
}

// line gives the first of these elements that says something, as one line of plain text.
func (t elements) line(names ...string) string {
	for _, x := range t.all(names...) {
		if line := x.plain(); line != "" {
			return line
		}
	}
	return ""
}

// lineEnds makes one character of the end of a line (XML 1.0 §2.11).
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// values gives what these elements hold, as it is written, those of the first name
// first. None is empty, and none keeps its document in memory.
func (t elements) values(names ...string) []string {
	var out []string
	for _, x := range t.all(names...) {
		if v := strings.TrimSpace(innerText(x.raw)); v != "" {
			out = append(out, strings.Clone(lineEnds.Replace(v)))
		}
	}
	return out
}

// value gives the first of the values of these elements.
func (t elements) value(names ...string) string {
	for _, name := range names {
		if v := t.values(name); len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// date gives the first date that can be read in these elements; zero if there is none.
func (t elements) date(names ...string) time.Time {
	for _, x := range t.all(names...) {
		if at := parseDate(strings.TrimSpace(innerText(x.raw))); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// link gives the first address of that relation that Atom's links give; of an
// alternate one the first that is HTML or does not say what it is.
func (t elements) link(rel string) string {
	other := ""
	for l := range t.named("atom:link") {
		own := strings.ToLower(l.attr("rel"))
		if own = own[strings.LastIndexByte(own, '/')+1:]; cmp.Or(own, "alternate") != rel || l.attr("href") == "" {
			continue
		}
		if typ := l.attr("type"); rel != "alternate" || typ == "" || strings.Contains(typ, "html") {
			return l.href()
		}
		other = cmp.Or(other, l.href())
	}
	return other
}

// persons gives the names of the persons in elements of that name, or their
// addresses where they give no name.
func (t elements) persons(name string) []string {
	var names []string
	for e := range t.named(name) {
		names = append(names, firstPerson([]string{e.attr("name"), e.attr("email")}))
	}
	return names
}

// images gives the pictures that stand beside a post's text, best first.
func (t elements) images() []string {
	var out []string
	for m := range t.named("media:content") {
		if m.attr("medium") == "image" || strings.HasPrefix(m.attr("type"), "image/") {
			out = append(out, m.attr("url"))
		}
	}
	for m := range t.named("media:thumbnail") {
		out = append(out, m.attr("url"))
	}
	for m := range t.named("itunes:image") {
		out = append(out, m.href())
	}
	return out
}

// list gives the words in these elements and in the elements of one name inside
// them, separated by commas or white space.
func (t elements) list(name, inner string) []string {
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

// document is what a reading says in the same words in every format.
func (r *reading) document() *Document {
	d := &Document{Kind: r.kind, Repairs: r.repairs, UpdateEvery: updateEvery(r.feed.value("sy:updateperiod"), r.feed.value("sy:updatefrequency"))}
	for l := range r.feed.named("atom:link") {
		d.addHub(l.attr("rel"), l.href())
	}
	return d
}
